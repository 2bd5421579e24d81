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
    CompatCreateSecret: async ({ Name, Data, Driver, Labels, Templating }) => {
      refuseTemplates(Templating);
      const options = {
        driver: Driver.Name || undefined,
        driverOptions: Driver.Options ?? {},
        labels: Labels ?? {},
      };
      return { ID: await secrets.create(Name, readValue(Data), options) };
    },
    CompatListSecrets: ({ filters }) => secrets.list(parseFilters(filters)).map((secret) => versionedSecret(secret)),
    CompatInspectSecret: async (name, { showsecret }) => {
      const secret = secrets.resolve(name);
      return versionedSecret(secret, showsecret ? await secrets.value(secret.id) : undefined);
    },
    CompatRemoveSecret: async (name) => void await secrets.remove(name),
    CompatUpdateSecret: async (name, spec, { version }) => {
      // Docker's clients name the version they saw; Podman's have no such call, and get Podman's answer.
      if (version === undefined) throw new RequestError("unsupported", "update is not supported");
      if (!/^\d{1,15}$/.test(version)) throw new RequestError("malformed", "invalid secret version");
      const { name: known, labels } = secrets.resolve(name);
      refuseTemplates(spec.Templating);
      if (spec.Data || (spec.Name && spec.Name !== known)) {
        throw new RequestError("malformed", "only updates to Labels are allowed");
      }
      await secrets.update(name, { labels: spec.Labels ?? labels, version: Number(version) });
    },
  });
}

function versionedSecret(secret: SecretRecord, value?: Uint8Array): SecretInfoReportCompat {
  return { ...secretInfo(secret, value), Version: { Index: secret.version ?? 1 } };
}

/** Values are given to containers as they are: a template would reach them unfilled. */
function refuseTemplates(templating: { Name: string } | null | undefined): void {
  if (!templating?.Name) return;
  const text = "Templating: templates are filled for the services of a swarm, and there is none here";
  throw new RequestError("unsupported", text, { field: "Templating" });
}

function readValue(text: string): Uint8Array {
  try {
    return fromBase64(text);
  } catch {
    throw new RequestError("malformed", "secret data is not base64");
  }
}
