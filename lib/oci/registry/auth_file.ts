/**
 * `auth.json`: containers-auth.json(5), which Docker's `config.json` is too. Files are read by the caller.
 *
 * @module
 */
import { isObject, type JSONObject, parseObject } from "../json.ts";
import type { Credential } from "./registry_session.ts";
import { fromBase64 } from "../bytes/base64.ts";

/** Credentials by what they are for: a registry, or a repository below it. None is for any registry. */
export type Credentials = ReadonlyMap<string, Credential>;

/** One file's credentials, and what it leaves to programs. */
export interface AuthFile {
  credentials: Credentials;
  /** Registry to program (`credHelpers`); `""` is for any (`credsStore`). */
  helpers: ReadonlyMap<string, string>;
}

const LIMITS = { bytes: 1024 * 1024, depth: 16 };

/** Parses a file. Throws `SyntaxError` or `RangeError` without quoting it. */
export function parseAuthFile(bytes: Uint8Array): AuthFile {
  const document = parseObject(bytes, "Parse auth file", LIMITS);
  const credentials = new Map<string, Credential>();
  for (const [key, value] of Object.entries(requireObject(document.auths, "auths"))) {
    const credential = readEntry(value);
    if (credential !== undefined && key !== "") credentials.set(credentialKey(key), credential);
  }
  const helpers = new Map<string, string>();
  for (const [key, value] of Object.entries(requireObject(document.credHelpers, "credHelpers"))) {
    if (typeof value === "string" && value !== "") helpers.set(credentialKey(key), value);
  }
  if (typeof document.credsStore === "string" && document.credsStore !== "") helpers.set("", document.credsStore);
  return { credentials, helpers };
}

/** The credential for a repository: the longest key that fits it counts. */
export function findCredential(found: Credentials, registry: string, path: string): Credential | undefined {
  const whole = path === "" ? credentialKey(registry) : `${credentialKey(registry)}/${path}`;
  for (let key = whole; key !== ""; key = key.slice(0, Math.max(0, key.lastIndexOf("/")))) {
    const credential = found.get(key);
    if (credential !== undefined) return credential;
  }
  return undefined;
}

/** A key as it is looked for: files have URLs too, and Docker Hub goes by old names. */
export function credentialKey(registry: string): string {
  const isURL = /^https?:\/\//.test(registry);
  const [host, ...path] = registry.replace(/^https?:\/\//, "").split("/");
  const name = host === "index.docker.io" || host === "registry-1.docker.io" ? "docker.io" : host;
  // A URL's path is the API's, not a repository.
  return isURL ? name : [name, ...path].join("/").replace(/\/+$/, "");
}

/** `auth` is base64 of `user:password`. */
export function splitAuth(auth: string): { username: string; password: string } {
  let text = "";
  try {
    text = new TextDecoder().decode(fromBase64(auth));
  } catch {
    // Text that is no base64 is no credential.
  }
  const colon = text.indexOf(":");
  // Docker pads passwords with zero bytes.
  let end = text.length;
  while (text[end - 1] === "\0") end--;
  const password = colon < 0 ? "" : text.slice(colon + 1, end);
  return { username: colon < 0 ? text : text.slice(0, colon), password };
}

function readEntry(value: unknown): Credential | undefined {
  if (!isObject(value)) return undefined;
  const { auth, identitytoken, registrytoken } = value;
  const { username, password } = typeof auth === "string" ? splitAuth(auth) : { username: "", password: "" };
  const credential: Credential = {
    ...(username === "" ? {} : { username, password }),
    ...(typeof identitytoken === "string" && identitytoken !== "" ? { identityToken: identitytoken } : {}),
    ...(typeof registrytoken === "string" && registrytoken !== "" ? { registryToken: registrytoken } : {}),
  };
  return Object.keys(credential).length === 0 ? undefined : credential;
}

function requireObject(value: unknown, what: string): JSONObject {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new SyntaxError(`Parse auth file: ${what} is not an object`);
  return value;
}
