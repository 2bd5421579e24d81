import type { Engine } from "../../lib/engine/engine.ts";
import { SECRET_LIMIT } from "../../lib/engine/ports/secret_port.ts";
import type { Implementation } from "../../lib/rest/mod.ts";
import { implementFamily } from "../implement_family.ts";
import { parseFilters } from "../parse_filters.ts";
import { secretsAPI } from "./api.ts";
import { secretInfo } from "./view.ts";
import { RequestError } from "../request_error.ts";

/** The native secret operations over an engine. */
export function implementSecrets(engine: Engine): Implementation {
  const { secrets } = engine;
  return implementFamily(secretsAPI, {
    CreateSecret: async (body, { name = "", driver, driveropts: driverOptions, labels, replace, ignore }) => {
      const options = { driver: driver || undefined, driverOptions, labels, replace, ignore };
      return { ID: await secrets.create(name, await readValue(body), options) };
    },
    ListSecrets: ({ filters }) => secrets.list(parseFilters(filters)).map((secret) => secretInfo(secret)),
    InspectSecret: async (name, { showsecret }) => {
      const secret = secrets.resolve(name);
      return secretInfo(secret, showsecret ? await secrets.value(secret.id) : undefined);
    },
    SecretExists: (name) => void secrets.resolve(name),
    RemoveSecret: async (name) => void await secrets.remove(name),
  });
}

/** Reads a value, but no more of it than a secret may have. */
async function readValue(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > SECRET_LIMIT) {
      throw new RequestError("malformed", `secret data must be larger than 0 and less than ${SECRET_LIMIT} bytes`);
    }
  }
  const value = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    value.set(chunk, at);
    at += chunk.length;
  }
  return value;
}
