import type { BuildOptions, CacheTarget } from "../../../lib/engine/build/build_options.ts";
import { isObject } from "../../../lib/oci/json.ts";
import { RequestError } from "../../request_error.ts";

/** A cache as BuildKit's clients name it: a kind, and its attributes. */
export interface CacheEntry {
  Type: string;
  Attrs: Readonly<Record<string, string>>;
}

/** The caches of a request; those to be read may also come as options of the frontend. */
export interface CacheRequest {
  imports: readonly CacheEntry[];
  exports: readonly CacheEntry[];
  attributes: Readonly<Record<string, string>>;
}

/**
 * Reads the caches that a build takes from and gives to. Throws `RequestError`: `unsupported` for a kind by its name, `invalid`
 * for one without a `ref`.
 */
export function readCacheOptions(
  { imports, exports, attributes }: CacheRequest,
): Pick<BuildOptions, "cacheFrom" | "cacheTo" | "inlineCache"> {
  const listed = (attributes["cache-from"] ?? "").split(",").filter((name) => name !== "");
  const entries = [...imports, ...readEntries(attributes["cache-imports"])];
  const names = entries.map((entry) => repositoryOf(entry, "reading"));
  const targets = exports.filter(({ Type }) => Type !== "inline").map((entry): CacheTarget => ({
    name: repositoryOf(entry, "writing"),
    all: entry.Attrs.mode === "max",
    mayFail: entry.Attrs["ignore-error"] === "true",
  }));
  return {
    cacheFrom: [...new Set([...listed, ...names])],
    cacheTo: targets,
    ...exports.some(({ Type }) => Type === "inline") && { inlineCache: true },
  };
}

function repositoryOf({ Type, Attrs }: CacheEntry, way: "reading" | "writing"): string {
  if (Type !== "registry") {
    const known = way === "reading" ? "registry" : "registry and inline";
    throw new RequestError("unsupported", `a cache of type "${Type}" is not supported for ${way}: use ${known}`);
  }
  if (Attrs.ref) return Attrs.ref;
  throw new RequestError("invalid", `a cache for ${way} of type "registry" has no ref`);
}

function readEntries(text = ""): CacheEntry[] {
  if (text === "") return [];
  const wrong = new RequestError("invalid", 'failed to parse "cache-imports": it is not a JSON list of caches');
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw wrong;
  }
  if (!Array.isArray(list)) throw wrong;
  return list.map((entry: unknown) => {
    if (!isObject(entry) || typeof entry.Type !== "string") throw wrong;
    const attributes = isObject(entry.Attrs) ? Object.entries(entry.Attrs) : [];
    return { Type: entry.Type, Attrs: Object.fromEntries(attributes.map(([key, value]) => [key, String(value)])) };
  });
}
