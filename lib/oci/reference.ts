/**
 * Image references, by the grammar of the distribution project's `reference` package.
 *
 * ```
 * reference := name [ ":" tag ] [ "@" digest ]
 * name      := [ domain "/" ] component { "/" component }
 * ```
 *
 * @module
 */
import { isDigest, isID } from "./digest.ts";

/** An image reference taken apart. */
export interface Reference {
  /** Registry host with optional port; `""` for a short name that was not normalised. */
  domain: string;
  /** Repository within the registry, `library/busybox`. */
  path: string;
  tag?: string;
  digest?: string;
}

/** Options of {@linkcode normaliseReference}. */
export interface NormaliseOptions {
  /** The registry of a name that has none: `docker.io`. */
  defaultDomain?: string;
}

/** The registry of names that have none. */
export const DOCKER_HUB = "docker.io";

const NAME_LENGTH_LIMIT = 255;
const REFERENCE_LENGTH_LIMIT = 4096;
const LABEL = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const DOMAIN = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`);
const COMPONENT = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

/**
 * Takes a reference apart without adding anything: `busybox` has the domain `""` and no tag. The first component is a
 * registry when it holds a `.` or a `:`, or is `localhost`.
 *
 * Throws `SyntaxError` (`Parse reference "X": why`) for what the grammar refuses, and for 64 hex digits, which are an ID.
 */
export function parseReference(text: string): Reference {
  if (text.length > REFERENCE_LENGTH_LIMIT) {
    throw invalidReference(text, "repository name must not be more than 255 characters");
  }
  if (text === "") throw invalidReference(text, "repository name must have at least one component");
  if (isID(text)) throw invalidReference(text, "invalid repository name, cannot specify 64-byte hexadecimal strings");
  const at = text.indexOf("@");
  const digest = at < 0 ? undefined : text.slice(at + 1);
  const named = at < 0 ? text : text.slice(0, at);
  const slash = named.indexOf("/");
  const first = slash < 0 ? "" : named.slice(0, slash);
  const domain = first.includes(".") || first.includes(":") || first === "localhost" ? first : "";
  const rest = domain === "" ? named : named.slice(slash + 1);
  const colon = rest.indexOf(":");
  const path = colon < 0 ? rest : rest.slice(0, colon);
  const tag = colon < 0 ? undefined : rest.slice(colon + 1);
  checkParts(text, { domain, path, tag, digest });
  return dropAbsent({ domain, path, tag, digest });
}

/**
 * Parses a reference and completes its name: no registry means `docker.io`, `index.docker.io` is `docker.io`, and a single
 * component there is under `library/`. Adds no tag; see {@linkcode withDefaultTag}.
 *
 * Throws `SyntaxError` as {@linkcode parseReference} does.
 */
export function normaliseReference(text: string, options: NormaliseOptions = {}): Reference {
  const parsed = parseReference(text);
  const named = parsed.domain === "" ? options.defaultDomain ?? DOCKER_HUB : parsed.domain;
  const domain = named === "index.docker.io" ? DOCKER_HUB : named;
  const path = domain === DOCKER_HUB && !parsed.path.includes("/") ? `library/${parsed.path}` : parsed.path;
  const result = dropAbsent({ ...parsed, domain, path });
  if (repositoryName(result).length > NAME_LENGTH_LIMIT) throw tooLong(text);
  return result;
}

/** The reference with the tag `latest` when it has neither tag nor digest. */
export function withDefaultTag(reference: Reference): Reference {
  return reference.tag === undefined && reference.digest === undefined ? { ...reference, tag: "latest" } : reference;
}

/** Domain and path, without tag and digest. */
export function repositoryName(reference: Reference): string {
  return reference.domain === "" ? reference.path : `${reference.domain}/${reference.path}`;
}

/** The reference as text, whole. The inverse of {@linkcode parseReference}. */
export function formatReference(reference: Reference): string {
  const tag = reference.tag === undefined ? "" : `:${reference.tag}`;
  const digest = reference.digest === undefined ? "" : `@${reference.digest}`;
  return repositoryName(reference) + tag + digest;
}

/** The reference as Docker's clients show it: without `docker.io/` and `library/`. */
export function familiarName(reference: Reference): string {
  if (reference.domain !== DOCKER_HUB) return formatReference(reference);
  const official = /^library\/([^/]+)$/.exec(reference.path);
  return formatReference({ ...reference, domain: "", path: official === null ? reference.path : official[1] });
}

/** Whether the text names a registry host with optional port, as references may. */
export function isDomain(text: string): boolean {
  return text.length <= NAME_LENGTH_LIMIT && DOMAIN.test(text);
}

/** Whether the text may be a tag. */
export function isTag(text: string): boolean {
  return TAG.test(text);
}

function checkParts(text: string, { domain, path, tag, digest }: Reference): void {
  if (domain !== "" && !DOMAIN.test(domain)) throw invalidReference(text, "invalid reference format");
  if (path.toLowerCase() !== path) {
    throw invalidReference(text, "invalid reference format: repository name must be lowercase");
  }
  if (!path.split("/").every((component) => COMPONENT.test(component))) {
    throw invalidReference(text, "invalid reference format");
  }
  if (tag !== undefined && !TAG.test(tag)) throw invalidReference(text, "invalid reference format");
  if (digest !== undefined && !DIGEST.test(digest)) throw invalidReference(text, "invalid reference format");
  if (repositoryName({ domain, path }).length > NAME_LENGTH_LIMIT) throw tooLong(text);
  if (digest !== undefined && !isDigest(digest)) {
    const known = /^sha(?:256|384|512):/.test(digest);
    throw invalidReference(text, known ? "invalid checksum digest length" : "unsupported digest algorithm");
  }
}

function dropAbsent({ domain, path, tag, digest }: Reference): Reference {
  return { domain, path, ...(tag === undefined ? {} : { tag }), ...(digest === undefined ? {} : { digest }) };
}

function tooLong(text: string): SyntaxError {
  return invalidReference(text, `repository name must not be more than ${NAME_LENGTH_LIMIT} characters`);
}

function invalidReference(text: string, why: string): SyntaxError {
  const shown = text.length > 300 ? `${text.slice(0, 300)}…` : text;
  return new SyntaxError(`Parse reference "${shown}": ${why}`);
}
