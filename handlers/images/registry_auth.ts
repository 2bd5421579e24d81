import { credentialKey, findCredential, splitAuth } from "../../lib/oci/registry/auth_file.ts";
import type { Credential } from "../../lib/oci/registry/registry_sessions.ts";
import { decode, DecodeError } from "../wire/decode.ts";
import { AuthConfig } from "../wire/auth.ts";
import { z } from "../wire/zod.ts";
import { fromBase64 } from "../../lib/oci/bytes/base64.ts";
import type { CredentialSource } from "../../lib/engine/ports/credential_source.ts";
import { RequestError } from "../request_error.ts";

/** More than any client has to say. */
const MAX_HEADER = 64 << 10;
const MAX_REGISTRIES = 256;

const Entries = z.record(z.string(), AuthConfig);

/**
 * Reads the credentials a request carries: `X-Registry-Config` (a map from registry to credential) or else
 * `X-Registry-Auth` (such a map, or one credential for the registry that the request names). A credential of empty fields is none: clients
 * send it for those who have not logged in. Throws a 400 for what does not parse.
 */
export function registryCredentials(headers: Headers): CredentialSource | undefined {
  const config = headers.get("x-registry-config");
  if (config) return credentialLookup(authEntries("X-Registry-Config", parseHeader("X-Registry-Config", config)));
  const auth = headers.get("x-registry-auth");
  if (!auth) return undefined;
  const value = parseHeader("X-Registry-Auth", auth);
  const one = readEntry("X-Registry-Auth", AuthConfig, value);
  const credential = credentialOf(one);
  if (credential) {
    // If a request may mean several registries, `serveraddress` names the one that the credential is for.
    const named = one.serveraddress ? credentialKey(one.serveraddress) : undefined;
    return (registry, _path, isAsked) => isAsked || credentialKey(registry) === named ? credential : undefined;
  }
  if (Object.keys(one).length > 0) return undefined;
  return credentialLookup(authEntries("X-Registry-Auth", value));
}

function authEntries(header: string, text: string): Map<string, Credential> {
  const found = new Map<string, Credential>();
  const all = Object.entries(readEntry(header, Entries, text));
  if (all.length > MAX_REGISTRIES) throw malformedHeader(header, `more than ${MAX_REGISTRIES} registries`);
  for (const [registry, auth] of all) {
    const credential = credentialOf(auth);
    if (credential) found.set(credentialKey(registry), credential);
  }
  return found;
}

function credentialLookup(found: Map<string, Credential>): CredentialSource | undefined {
  // A map's nameless entry is for the registry that is asked, as a credential without a map is.
  const nameless = found.get("");
  found.delete("");
  if (found.size === 0 && nameless === undefined) return undefined;
  return (registry, path, isAsked) => findCredential(found, registry, path) ?? (isAsked ? nameless : undefined);
}

/** The credential in what a client sends; `undefined` where there is none. */
export function credentialOf(auth: AuthConfig): Credential | undefined {
  const { username, password } = auth.auth ? splitAuth(auth.auth) : auth;
  const credential: Credential = {
    ...(username && { username }),
    ...(password && { password }),
    ...(auth.identitytoken && { identityToken: auth.identitytoken }),
    ...(auth.registrytoken && { registryToken: auth.registrytoken }),
  };
  return Object.keys(credential).length === 0 ? undefined : credential;
}

function parseHeader(header: string, value: string): string {
  if (value.length > MAX_HEADER) throw malformedHeader(header, `longer than ${MAX_HEADER} bytes`);
  const text = decodeBase64(value);
  if (text === undefined) throw malformedHeader(header, "illegal base64 data");
  return text;
}

function readEntry<S extends z.ZodType>(header: string, schema: S, text: string): z.output<S> {
  try {
    return decode(schema, text);
  } catch (error) {
    // Its message may quote the value.
    if (error instanceof DecodeError) throw malformedHeader(header, "not the JSON of a credential");
    throw error;
  }
}

/** Both alphabets, with and without padding. */
function decodeBase64(text: string): string | undefined {
  try {
    const bytes = fromBase64(text);
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}

/** The header's value is a secret: it is not quoted. */
function malformedHeader(header: string, why: string): RequestError {
  return new RequestError("malformed", `failed to parse "${header}" header: ${why}`);
}
