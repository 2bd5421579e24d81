import { DOCKER_HUB, normaliseReference } from "../../oci/reference.ts";
import { RegistryClient } from "../../oci/registry/registry_client.ts";
import { type SearchHit, searchRegistry } from "../../oci/registry/registry_search.ts";
import type { RegistryClientOptions } from "../../oci/registry/registry_sessions.ts";
import type { Core } from "../core.ts";
import type { Net } from "../ports/ports.ts";
import { EngineError } from "../errors.ts";
import { pullFailure, pullFailureOf } from "./failures.ts";
import { joinFailures } from "./pull/try_in_order.ts";
import { registryOptions } from "./registry_options.ts";
import type { RegistryAccess } from "./types.ts";

/** Options of {@linkcode searchImages}. */
export interface SearchOptions extends RegistryAccess {
  /** Most results of each registry: 25. */
  limit?: number;
  /** The tags of the repository that the term names, instead of repositories. */
  listTags?: boolean;
  /** Which are told. */
  filter?: { stars?: number; official?: boolean; automated?: boolean };
  signal?: AbortSignal;
}

/** A repository, or a tag of one. */
export interface SearchResult extends Omit<SearchHit, "name"> {
  /** The registry. */
  index: string;
  /** With the registry. */
  name: string;
  tag: string;
}

const LIMIT = 25;
/** Registries asked at once. */
const AT_ONCE = 6;

/**
 * Searches the registry that a term begins with (`quay.io/busy`), or each that short names are looked for in. One that answers
 * is enough.
 *
 * Throws `EngineError`: `registry` when none answers, `invalid` for tags of what is no repository.
 */
export async function searchImages(
  core: Pick<Core, "ports" | "options">,
  term: string,
  options: SearchOptions & { signal: AbortSignal },
): Promise<SearchResult[]> {
  const slash = term.indexOf("/");
  const registries = slash < 0 ? core.options.registries.unqualifiedSearch : [term.slice(0, slash)];
  const rest = term.slice(slash + 1);
  const failures = new Map<string, EngineError>();
  const found = new Map<string, SearchResult[]>();
  const waiting = registries[Symbol.iterator]();
  const worker = async () => {
    // All workers take from one iterator.
    for (const registry of waiting) {
      try {
        found.set(registry, await searchOne(core, { registry, registries }, rest, options));
      } catch (error) {
        failures.set(registry, pullFailureOf(error, options.signal));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const results = registries.flatMap((registry) => found.get(registry) ?? []);
  const failed = registries.flatMap((registry) => failures.get(registry) ?? []);
  if (results.length === 0 && failed.length > 0) throw joinFailures(failed, "searching");
  return results;
}

async function searchOne(
  core: Pick<Core, "ports" | "options">,
  { registry, registries }: { registry: string; registries: readonly string[] },
  term: string,
  { limit = LIMIT, listTags, filter = {}, signal, ...access }: SearchOptions,
): Promise<SearchResult[]> {
  const options = registryOptions(core, access, registries);
  if (listTags) return await tagsOf(core.ports.net, options, { registry, term, limit, signal });
  const hits = await searchRegistry(core.ports.net, options, { registry, term, limit, signal });
  return hits.slice(0, limit).filter((hit) => hitFits(hit, filter)).map((hit) => {
    const isShort = registry === DOCKER_HUB && !hit.name.includes("/");
    return { ...hit, index: registry, name: `${registry}/${isShort ? "library/" : ""}${hit.name}`, tag: "" };
  });
}

function hitFits({ stars, isOfficial, isAutomated }: SearchHit, filter: NonNullable<SearchOptions["filter"]>): boolean {
  if (filter.official !== undefined && filter.official !== isOfficial) return false;
  if (filter.automated !== undefined && filter.automated !== isAutomated) return false;
  return stars >= (filter.stars ?? 0);
}

async function tagsOf(
  net: Net,
  options: RegistryClientOptions,
  { registry, term, limit, signal }: { registry: string; term: string; limit: number; signal?: AbortSignal },
): Promise<SearchResult[]> {
  let reference;
  try {
    reference = normaliseReference(`${registry}/${term}`);
  } catch (cause) {
    throw new EngineError("invalid", `reference "${term}" must be a docker reference`, { cause });
  }
  const client = new RegistryClient(net, options);
  const tags = await client.tags(reference, { signal }).catch((error) => {
    throw pullFailure(error, "getting repository tags");
  });
  const { domain, path } = reference;
  const none = { description: "", stars: 0, isOfficial: false, isAutomated: false };
  return tags.slice(0, limit).map((tag) => ({ ...none, index: registry, name: `${domain}/${path}`, tag }));
}
