/**
 * `registries.conf`, version 2: containers-registries.conf(5). Files are read by the caller.
 *
 * @module
 */
import { formatReference, isDomain, parseReference, type Reference } from "../reference.ts";
import { RegistryError } from "./registry_error.ts";
import { isObject, type JSONObject } from "../json.ts";
import { parseTOML } from "./toml.ts";
import { messageOf } from "../message_of.ts";

/** A place to pull from. */
export interface RegistryLocation {
  /** Host, and path prefix if any; `""` keeps the name (only with a wildcard prefix). */
  location: string;
  /** Plain HTTP and untrusted certificates are accepted. */
  insecure: boolean;
}

/** A mirror, and for which references it serves. */
export interface Mirror extends RegistryLocation {
  pull: "all" | "digest-only" | "tag-only";
}

/** One `[[registry]]`. */
export interface Registry extends RegistryLocation {
  /** `host[:port][/path…]` or `*.host`. */
  prefix: string;
  blocked: boolean;
  mirrors: Mirror[];
}

/** The settings of all files together. */
export interface RegistriesConf {
  /** Hosts to try for short names, in order. */
  unqualifiedSearch: string[];
  registries: Registry[];
  /** Short name to full name; neither has a tag. */
  aliases: Record<string, string>;
  shortNameMode: "enforcing" | "permissive" | "disabled";
  /** Programs that credentials should be asked of; `containers-auth.json` is no program. */
  credentialHelpers: string[];
  /** Names of the files it came from, for messages. */
  origin: string;
}

/** One file: its text, and its name for messages. */
export interface ConfSource {
  name: string;
  text: string;
}

/** A location at which to request a reference. */
export interface Endpoint extends RegistryLocation {
  /** The reference as it is called there. */
  reference: Reference;
  mirror: boolean;
  /** It is the registry that the reference names, and neither a mirror nor another that stands in for it. */
  own: boolean;
}

/** No settings at all. */
export function emptyRegistriesConf(): RegistriesConf {
  return {
    unqualifiedSearch: [],
    registries: [],
    aliases: {},
    shortNameMode: "permissive",
    credentialHelpers: [],
    origin: "",
  };
}

/**
 * Parses `registries.conf` and then its drop-ins, later files over earlier ones: lists replace, registries (by prefix) and
 * aliases merge, an alias of `""` erases.
 *
 * Throws `SyntaxError` naming the file for what is not TOML or not version 2.
 */
export function parseRegistriesConf(...sources: (string | ConfSource)[]): RegistriesConf {
  return sources.reduce<RegistriesConf>((conf, source) => {
    const { name, text } = typeof source === "string" ? { name: "registries.conf", text: source } : source;
    try {
      return mergeFile(conf, readFile(text), name);
    } catch (cause) {
      const why = messageOf(cause);
      throw new SyntaxError(`Load registries configuration "${name}": ${why}`, { cause });
    }
  }, emptyRegistriesConf());
}

/** The `[[registry]]` with the longest prefix that fits the reference. */
export function findRegistry(conf: RegistriesConf, reference: Reference): Registry | undefined {
  const text = formatReference(reference);
  let best: Registry | undefined;
  for (const registry of conf.registries) {
    if (matchLength(text, registry.prefix) < 0) continue;
    if (best === undefined || registry.prefix.length > best.prefix.length) best = registry;
  }
  return best;
}

/** Whether the settings call a registry insecure by its own name: a place that stands in for it says nothing of it. */
export function isListedInsecure(conf: RegistriesConf, reference: Reference): boolean {
  const registry = findRegistry(conf, reference);
  if (registry === undefined || !registry.insecure) return false;
  return registry.location === "" || registry.location.split("/", 1)[0] === reference.domain;
}

/**
 * Returns the endpoints to pull a normalised reference from: mirrors in order, the registry itself last.
 *
 * Throws `RegistryError` with code `blocked` for a blocked registry.
 */
export function listEndpoints(conf: RegistriesConf, reference: Reference): Endpoint[] {
  const registry = findRegistry(conf, reference);
  if (registry === undefined) {
    return [{ location: reference.domain, insecure: false, reference, mirror: false, own: true }];
  }
  if (registry.blocked) {
    const where = conf.origin === "" ? "the registries configuration" : conf.origin;
    throw new RegistryError("blocked", `registry ${registry.prefix} is blocked in ${where}`);
  }
  const wanted = reference.digest === undefined ? "tag-only" : "digest-only";
  const mirrors = registry.mirrors.filter(({ pull }) => pull === "all" || pull === wanted);
  return [
    ...mirrors.map((mirror) => makeEndpoint(mirror, registry.prefix, reference, true)),
    makeEndpoint(registry, registry.prefix, reference, false),
  ];
}

function makeEndpoint(place: RegistryLocation, prefix: string, reference: Reference, mirror: boolean): Endpoint {
  const { location, insecure } = place;
  if (location === "") return { location: reference.domain, insecure, reference, mirror, own: !mirror };
  const text = formatReference(reference);
  const moved = parseReference(location + text.slice(matchLength(text, prefix)));
  return { location, insecure, reference: moved, mirror, own: !mirror && moved.domain === reference.domain };
}

/** How much of the reference the prefix covers; -1 when it does not fit. A wildcard covers the host, port and all. */
function matchLength(text: string, prefix: string): number {
  if (prefix.startsWith("*.")) {
    const host = text.split("/", 1)[0];
    return host.replace(/:\d+$/, "").endsWith(prefix.slice(1)) ? host.length : -1;
  }
  const { length } = prefix;
  return text.startsWith(prefix) && (length === text.length || ":/@".includes(text[length])) ? length : -1;
}

/** One file's settings; absent ones leave what earlier files said. */
type FileConf = Partial<Omit<RegistriesConf, "origin">>;

function mergeFile(conf: RegistriesConf, file: FileConf, name: string): RegistriesConf {
  const registries = new Map(conf.registries.map((registry) => [registry.prefix, registry]));
  for (const registry of file.registries ?? []) registries.set(registry.prefix, registry);
  const aliases = Object.entries({ ...conf.aliases, ...file.aliases }).filter(([, value]) => value !== "");
  return {
    unqualifiedSearch: file.unqualifiedSearch ?? conf.unqualifiedSearch,
    registries: [...registries.values()],
    aliases: Object.fromEntries(aliases),
    shortNameMode: file.shortNameMode ?? conf.shortNameMode,
    credentialHelpers: file.credentialHelpers ?? conf.credentialHelpers,
    origin: conf.origin === "" ? `"${name}"` : `${conf.origin}, "${name}"`,
  };
}

function readFile(text: string): FileConf {
  const document: JSONObject = parseTOML(text);
  if (document.registries !== undefined) throw new SyntaxError("it must be in v2 format but is in v1");
  const file: FileConf = {};
  const search = document["unqualified-search-registries"];
  if (search !== undefined) {
    file.unqualifiedSearch = requireList(search, "unqualified-search-registries").map(readSearch);
  }
  if (document.registry !== undefined) file.registries = readRegistries(document.registry);
  if (document.aliases !== undefined) file.aliases = readAliases(document.aliases);
  const helpers = document["credential-helpers"];
  if (helpers !== undefined) {
    file.credentialHelpers = requireList(helpers, "credential-helpers").map(String)
      .filter((name) => name !== "containers-auth.json");
  }
  const mode = document["short-name-mode"];
  if (mode !== undefined && mode !== "") {
    if (mode !== "enforcing" && mode !== "permissive" && mode !== "disabled") {
      throw new SyntaxError(`invalid short-name mode: "${mode}"`);
    }
    file.shortNameMode = mode;
  }
  return file;
}

function readSearch(value: unknown): string {
  const host = readLocation(value, "unqualified-search-registries");
  if (!isDomain(host)) throw new SyntaxError(`invalid unqualified-search-registries entry "${host}"`);
  return host;
}

function readRegistries(value: unknown): Registry[] {
  const all = requireList(value, "registry").map(readRegistry);
  const seen = new Map<string, Registry>();
  for (const registry of all) {
    const key = registry.location || registry.prefix;
    const other = seen.get(key) ?? registry;
    for (const setting of ["insecure", "blocked"] as const) {
      if (other[setting] === registry[setting]) continue;
      throw new SyntaxError(`registry '${key}' is defined multiple times with conflicting '${setting}' setting`);
    }
    seen.set(key, other);
  }
  // Of several with one prefix, the first counts.
  return all.filter(({ prefix }, i) => all.findIndex((other) => other.prefix === prefix) === i);
}

function readRegistry(value: unknown): Registry {
  if (!isObject(value)) throw new SyntaxError("a registry is not a table");
  const location = readLocation(value.location ?? "", "location");
  const prefix = readLocation(value.prefix ?? "", "prefix") || location;
  if (prefix === "") throw new SyntaxError("both location and prefix are unset");
  if (location === "" && !prefix.startsWith("*.")) {
    throw new SyntaxError("location is unset and prefix is not in the format: *.example.com");
  }
  if (prefix.startsWith("*.") && /[/@:]/.test(prefix)) {
    throw new SyntaxError(`wildcard prefix "${prefix}" is not in the format: *.example.com`);
  }
  const digestOnly = readFlag(value, "mirror-by-digest-only");
  const mirrors = requireList(value.mirror ?? [], "mirror").map((item) => readMirror(item, digestOnly));
  return { prefix, location, insecure: readFlag(value, "insecure"), blocked: readFlag(value, "blocked"), mirrors };
}

function readMirror(value: unknown, digestOnly: boolean): Mirror {
  if (!isObject(value)) throw new SyntaxError("a mirror is not a table");
  const location = readLocation(value.location ?? "", "mirror location");
  if (location === "") throw new SyntaxError("mirror location is unset");
  const pull = value["pull-from-mirror"] || (digestOnly ? "digest-only" : "all");
  if (digestOnly && value["pull-from-mirror"]) {
    throw new SyntaxError(
      `mirror "${location}" sets pull-from-mirror although its registry sets mirror-by-digest-only`,
    );
  }
  if (pull !== "all" && pull !== "digest-only" && pull !== "tag-only") {
    throw new SyntaxError(`unsupported pull-from-mirror value "${pull}" for mirror "${location}"`);
  }
  return { location, insecure: readFlag(value, "insecure"), pull };
}

function readAliases(value: unknown): Record<string, string> {
  if (!isObject(value)) throw new SyntaxError("aliases is not a table");
  for (const [name, target] of Object.entries(value)) {
    const short = parseReference(name);
    if (short.domain !== "" || short.tag !== undefined || short.digest !== undefined) {
      throw new SyntaxError(`alias "${name}" is not a short name without tag`);
    }
    if (target === "") continue;
    const full = parseReference(String(target));
    if (full.domain === "" || full.tag !== undefined || full.digest !== undefined) {
      throw new SyntaxError(`alias "${name}" is not of a full name without tag`);
    }
  }
  return Object.fromEntries(Object.entries(value).map(([name, target]) => [name, String(target)]));
}

function readLocation(value: unknown, what: string): string {
  if (typeof value !== "string") throw new SyntaxError(`${what} is not a text`);
  if (/^https?:\/\//.test(value)) throw new SyntaxError(`invalid location '${value}': URI schemes are not supported`);
  return value.replace(/\/+$/, "");
}

function requireList(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw new SyntaxError(`${what} is not a list`);
  return value;
}

function readFlag(table: JSONObject, key: string): boolean {
  const value = table[key] ?? false;
  if (typeof value !== "boolean") throw new SyntaxError(`${key} is not a boolean`);
  return value;
}
