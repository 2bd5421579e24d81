/**
 * Short names (`busybox`, `library/busybox:1`) and the full names they may mean: containers-registries.conf(5).
 *
 * @module
 */
import { DOCKER_HUB, normaliseReference, parseReference, type Reference, withDefaultTag } from "../reference.ts";
import type { RegistriesConf } from "./registries_conf.ts";

/** Options of {@linkcode listCandidates}. */
export interface CandidateOptions {
  /** Short names mean Docker Hub whatever the configuration says: what the Docker-compatible tree does. */
  dockerHub?: boolean;
}

/** Whether the text names no registry. Throws `SyntaxError` when it does not parse. */
export function isShortName(text: string): boolean {
  return parseReference(text).domain === "";
}

/**
 * The full names, each with tag or digest, that a pull of the text tries in order. A full name is its own only candidate;
 * a short name is its alias or, without one, each unqualified-search registry in turn.
 *
 * Throws `SyntaxError` when the text does not parse, or is short and nothing says what it means.
 */
export function listCandidates(conf: RegistriesConf, text: string, options: CandidateOptions = {}): Reference[] {
  const parsed = parseReference(text);
  if (parsed.domain !== "" || options.dockerHub === true) return [withDefaultTag(normaliseReference(text))];
  const alias = aliasOf(conf, parsed);
  if (alias !== undefined) return [alias];
  if (conf.unqualifiedSearch.length === 0) {
    const why = conf.origin === ""
      ? "no containers-registries.conf(5) was found"
      : `no unqualified-search registries are defined in ${conf.origin}`;
    throw new SyntaxError(`short-name "${text}" did not resolve to an alias and ${why}`);
  }
  if (conf.shortNameMode === "enforcing" && conf.unqualifiedSearch.length > 1) {
    throw new SyntaxError("short-name resolution enforced but cannot prompt without a TTY");
  }
  return conf.unqualifiedSearch.map((host) => withDefaultTag(normaliseReference(text, { defaultDomain: host })));
}

/**
 * The full names that the text may have in a local store, in order: for a short name its alias, `localhost/`, each
 * unqualified-search registry, and Docker Hub.
 *
 * Throws `SyntaxError` when the text does not parse.
 */
export function localCandidates(conf: RegistriesConf, text: string): Reference[] {
  const parsed = parseReference(text);
  if (parsed.domain !== "") return [withDefaultTag(normaliseReference(text))];
  const alias = aliasOf(conf, parsed);
  const hosts = ["localhost", ...conf.unqualifiedSearch.filter((host) => host !== DOCKER_HUB), DOCKER_HUB];
  const named = hosts.map((host) => withDefaultTag(normaliseReference(text, { defaultDomain: host })));
  return alias === undefined ? named : [alias, ...named];
}

function aliasOf(conf: RegistriesConf, short: Reference): Reference | undefined {
  if (!Object.hasOwn(conf.aliases, short.path)) return undefined;
  const { domain, path } = normaliseReference(conf.aliases[short.path]);
  return withDefaultTag({ ...short, domain, path });
}
