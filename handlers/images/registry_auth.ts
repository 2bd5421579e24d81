import type { CredentialSource } from "../../lib/engine/images/types.ts";
import type { Credential } from "../../lib/oci/registry_sessions.ts";
import { HTTPError } from "../../lib/rest/mod.ts";
import { decode, DecodeError } from "../wire/decode.ts";
import { AuthConfig } from "../wire/auth.ts";
import { z } from "../wire/zod.ts";

/** More than any client has to say. */
const MAX_HEADER = 64 << 10;
const MAX_REGISTRIES = 256;

const Entries = z.record(z.string(), AuthConfig);

/**
 * Reads the credentials a request carries: `X-Registry-Config` (a map from registry to credential) or else
 * `X-Registry-Auth` (such a map, or one credential for whatever registry is asked). Throws a 400 for what does not parse.
 */
export function registryCredentials(headers: Headers): CredentialSource | undefined {
  const config = headers.get("x-registry-config");
  if (config) return lookup(entries("X-Registry-Config", parse("X-Registry-Config", config)));
  const auth = headers.get("x-registry-auth");
  if (!auth) return undefined;
  const value = parse("X-Registry-Auth", auth);
  const one = read("X-Registry-Auth", AuthConfig, value);
  const credential = credentialOf(one);
  if (credential) return () => credential;
  return lookup(entries("X-Registry-Auth", value));
}

function entries(header: string, text: string): Map<string, Credential> {
  const found = new Map<string, Credential>();
  const all = Object.entries(read(header, Entries, text));
  if (all.length > MAX_REGISTRIES) throw malformed(header, `more than ${MAX_REGISTRIES} registries`);
  for (const [registry, auth] of all) {
    const credential = credentialOf(auth);
    if (credential) found.set(hostOf(registry), credential);
  }
  return found;
}

/** A key may name a registry or a repository below it; the longest that fits counts. */
function lookup(found: Map<string, Credential>): CredentialSource | undefined {
  if (found.size === 0) return undefined;
  return (registry, path) => {
    for (let key = `${hostOf(registry)}/${path}`; key !== ""; key = key.slice(0, Math.max(0, key.lastIndexOf("/")))) {
      const credential = found.get(key);
      if (credential) return credential;
    }
  };
}

/** Keys may be URLs, and Docker Hub goes by old ones. */
function hostOf(registry: string): string {
  const isURL = /^https?:\/\//.test(registry);
  const [host, ...path] = registry.replace(/^https?:\/\//, "").split("/");
  const name = host === "index.docker.io" || host === "registry-1.docker.io" ? "docker.io" : host;
  // A URL's path is the API's, not a repository.
  return isURL ? name : [name, ...path].join("/");
}

function credentialOf(auth: AuthConfig): Credential | undefined {
  const [username, password] = auth.auth ? splitAuth(auth.auth) : [auth.username, auth.password];
  const credential: Credential = {
    ...(username && { username }),
    ...(password && { password }),
    ...(auth.identitytoken && { identityToken: auth.identitytoken }),
    ...(auth.registrytoken && { registryToken: auth.registrytoken }),
  };
  return Object.keys(credential).length === 0 ? undefined : credential;
}

/** `auth` is base64 of `user:password`. */
function splitAuth(auth: string): [string, string] {
  const text = base64(auth) ?? "";
  const colon = text.indexOf(":");
  return colon < 0 ? [text, ""] : [text.slice(0, colon), text.slice(colon + 1)];
}

function parse(header: string, value: string): string {
  if (value.length > MAX_HEADER) throw malformed(header, `longer than ${MAX_HEADER} bytes`);
  const text = base64(value);
  if (text === undefined) throw malformed(header, "illegal base64 data");
  return text;
}

function read<S extends z.ZodType>(header: string, schema: S, text: string): z.output<S> {
  try {
    return decode(schema, text);
  } catch (error) {
    // Its message may quote the value.
    if (error instanceof DecodeError) throw malformed(header, "not the JSON of a credential");
    throw error;
  }
}

/** Both alphabets, with and without padding. */
function base64(text: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (byte) => byte.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}

/** The header's value is a secret: it is not quoted. */
function malformed(header: string, why: string): HTTPError {
  return new HTTPError(400, `failed to parse "${header}" header: ${why}`);
}
