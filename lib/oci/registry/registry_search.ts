/**
 * Searching a registry: by the search of Docker's index (`/v1/search`) where it has one, else among the names of its catalogue
 * (distribution-spec's predecessor, `/v2/_catalog`).
 *
 * @module
 */
import { discardBody, readBody } from "./body.ts";
import { isObject, parseObject } from "../json.ts";
import { escapeUnprintable, isPrintable } from "../printable.ts";
import { DOCKER_HUB } from "../reference.ts";
import { isListedInsecure } from "./registries_conf.ts";
import { nextPage } from "./registry_client.ts";
import { RegistryError } from "./registry_error.ts";
import type { RegistryNet } from "./registry_http.ts";
import type { RegistrySession } from "./registry_session.ts";
import { type RegistryClientOptions, RegistrySessions } from "./registry_sessions.ts";

/** A repository that a search found. */
export interface SearchHit {
  /** Without the registry. */
  name: string;
  description: string;
  stars: number;
  isOfficial: boolean;
  isAutomated: boolean;
}

/** Where Docker Hub's search is. */
const HUB_INDEX = "index.docker.io";
const BODY_LIMIT = 4 * 1024 * 1024;
const PAGES = 100;

/** Repositories whose names, or descriptions where there are any, hold the term; at most `limit`. */
export async function searchRegistry(
  net: RegistryNet,
  options: RegistryClientOptions,
  { registry, term, limit, signal }: { registry: string; term: string; limit: number; signal?: AbortSignal },
): Promise<SearchHit[]> {
  const host = registry === DOCKER_HUB ? HUB_INDEX : registry;
  const reference = { domain: host, path: "" };
  const insecure = isListedInsecure(options.conf, reference);
  const session = await new RegistrySessions(net, options).open({ reference, insecure, own: true }, "pull");
  const found = term === "" ? undefined : await searchIndex(session, term, limit, signal);
  return found ?? await searchCatalogue(session, { registry, term, limit, signal });
}

/** Returns the hits of the index; `undefined` where there is none. */
async function searchIndex(
  session: RegistrySession,
  term: string,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<SearchHit[] | undefined> {
  const query = new URLSearchParams({ q: term.replace(/^library\//, ""), n: String(limit) });
  const response = await session.send({ path: `/v1/search?${query}`, signal });
  if (response.status !== 200) return void await discardBody(response);
  const { results } = parseObject(await readBody(response, BODY_LIMIT), "Search registry", {
    bytes: BODY_LIMIT,
    depth: 16,
  });
  if (!Array.isArray(results)) throw new RegistryError("protocol", "searching: the answer has no results");
  return results.slice(0, limit).filter(isObject).map((item) => ({
    name: textOf(item.name),
    description: escapeUnprintable(textOf(item.description)),
    stars: typeof item.star_count === "number" ? item.star_count : 0,
    isOfficial: item.is_official === true,
    isAutomated: item.is_automated === true,
  })).filter(({ name }) => name !== "" && isPrintable(name));
}

async function searchCatalogue(
  session: RegistrySession,
  { registry, term, limit, signal }: { registry: string; term: string; limit: number; signal?: AbortSignal },
): Promise<SearchHit[]> {
  const base = "/v2/_catalog";
  const context = `couldn't search registry "${registry}"`;
  const names: string[] = [];
  let path: string | undefined = `${base}?n=1000`;
  for (let page = 0; path !== undefined && names.length < limit && page < PAGES; page++) {
    const { bytes, headers } = await session.read({ path, signal }, context, BODY_LIMIT);
    const { repositories } = parseObject(bytes, context, { bytes: BODY_LIMIT, depth: 16 });
    const all = Array.isArray(repositories) ? repositories.filter((name) => typeof name === "string") : [];
    for (const name of all) {
      if (names.length >= limit || !name.includes(term) || !isPrintable(name)) continue;
      // An exact match comes first.
      if (name === term) names.unshift(name);
      else names.push(name);
    }
    path = nextPage(headers, base);
  }
  return names.map((name) => ({ name, description: "", stars: 0, isOfficial: false, isAutomated: false }));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
