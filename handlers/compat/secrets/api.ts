import { api, rest } from "../../../lib/rest/mod.ts";
import { API_OPTIONS } from "../../wire/api_options.ts";
import { body } from "../../wire/body.ts";
import {
  CompatInspectSecretQuery,
  ListSecretsQuery,
  SecretCreateReport,
  SecretCreateRequest,
  SecretInfoReportCompat,
  UpdateSecretQuery,
} from "../../wire/secrets/secret.ts";
import { z } from "../../wire/zod.ts";

const name = z.string();

/** Secrets, in Docker's tree. */
export const compatSecretsAPI = api("http://localhost", {
  CompatCreateSecret: rest(
    "POST(application/json) /secrets/create",
    [body(SecretCreateRequest)],
    [SecretCreateReport],
    { body: "as-tagged" },
  ),
  CompatListSecrets: rest("GET /secrets?%v", [ListSecretsQuery], [z.array(SecretInfoReportCompat)]),
  CompatInspectSecret: rest("GET /secrets/{name=%v}?%v", [name, CompatInspectSecretQuery], [SecretInfoReportCompat]),
  CompatRemoveSecret: rest("DELETE /secrets/{name=%v}", [name]),
  CompatUpdateSecret: rest(
    "POST(application/json) /secrets/{name=%v}/update?%[3]v",
    [name, body(SecretCreateRequest), UpdateSecretQuery],
    [],
    { body: "as-tagged", status: 200 },
  ),
}, API_OPTIONS);
