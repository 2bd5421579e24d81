import { fromBase64 } from "../../../lib/oci/bytes/base64.ts";
import type { Engine } from "../../../lib/engine/engine.ts";
import type { SecretRecord } from "../../../lib/engine/secrets.ts";
import type { Implementation } from "../../../lib/rest/mod.ts";
import { implementFamily } from "../../implement_family.ts";
import { parseFilters } from "../../parse_filters.ts";
import { secretInfo } from "../../secrets/view.ts";
import type { SecretInfoReportCompat } from "../../wire/secrets/secret.ts";
import { compatSecretsAPI } from "./api.ts";
import { RequestError } from "../../request_error.ts";

/** The secret operations of Docker's tree over an engine. */
export function compatSecrets(engine: Engine): Implementation {
  const { secrets } = engine;
  return implementFamily(compatSecretsAPI, {
    CompatCreateSecret: async ({ Name, Data, Driver, Labels }) => {
      const options = {
        driver: Driver.Name || undefined,
        driverOptions: Driver.Options ?? {},
        labels: Labels ?? {},
      };
      return { ID: await secrets.create(Name, readValue(Data), options) };
    },
    CompatListSecrets: ({ filters }) => secrets.list(parseFilters(filters)).map((secret) => versionedSecret(secret)),
    CompatInspectSecret: (name, { showsecret }) => {
      const secret = secrets.resolve(name);
      return versionedSecret(secret, showsecret ? secrets.value(secret.id) : undefined);
    },
    CompatRemoveSecret: async (name) => void await secrets.remove(name),
    CompatUpdateSecret: () => {
      throw new RequestError("unsupported", "update is not supported");
    },
  });
}

/** A secret never changes under its ID. */
function versionedSecret(secret: SecretRecord, value?: Uint8Array): SecretInfoReportCompat {
  return { ...secretInfo(secret, value), Version: { Index: 1 } };
}

function readValue(text: string): Uint8Array {
  try {
    return fromBase64(text);
  } catch {
    throw new RequestError("malformed", "secret data is not base64");
  }
}
