import { api, rest, stream } from "../../lib/rest/mod.ts";
import { API_OPTIONS } from "../wire/api_options.ts";
import {
  CreateSecretQuery,
  InspectSecretQuery,
  ListSecretsQuery,
  RemoveSecretQuery,
  SecretCreateReport,
  SecretInfoReport,
} from "../wire/secrets/secret.ts";
import { z } from "../wire/zod.ts";

const name = z.string();

/** Secrets, in the native tree. */
export const secretsAPI = api("http://localhost", {
  CreateSecret: rest("POST /engine/secrets/create?%[2]v", [stream(), CreateSecretQuery], [SecretCreateReport]),
  ListSecrets: rest("GET /engine/secrets/json?%v", [ListSecretsQuery], [z.array(SecretInfoReport)]),
  InspectSecret: rest("GET /engine/secrets/{name=%v}/json?%v", [name, InspectSecretQuery], [SecretInfoReport]),
  SecretExists: rest("GET /engine/secrets/{name=%v}/exists", [name]),
  RemoveSecret: rest("DELETE /engine/secrets/{name=%v}?%v", [name, RemoveSecretQuery]),
}, API_OPTIONS);
