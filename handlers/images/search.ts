import type { Engine } from "../../lib/engine/engine.ts";
import type { SearchOptions } from "../../lib/engine/images/search.ts";
import type { Context } from "../../lib/rest/mod.ts";
import { parseFilters } from "../parse_filters.ts";
import { emit } from "../wire/emit.ts";
import { ImageSearchReport } from "../wire/images/image.ts";
import type { SearchQuery } from "../wire/images/image_query.ts";
import { registryCredentials } from "./registry_auth.ts";
import { RequestError } from "../request_error.ts";

/**
 * Searches registries, with the credential the request carries.
 *
 * @param usual Choices of the tree that the request came by
 */
export async function searchImages(
  engine: Engine,
  { term = "", limit, filters, tlsVerify, listTags }: SearchQuery,
  { request, signal }: Context,
  usual: Pick<SearchOptions, "trustLoopback"> = {},
): Promise<ImageSearchReport[]> {
  const credentials = registryCredentials(request.headers);
  const filter = readFilter(parseFilters(filters) ?? {});
  const options = { limit: limit || undefined, listTags, filter, tlsVerify, credentials, signal, ...usual };
  const found = await engine.images.search(term, options);
  return found.map(({ index, name, description, stars, isOfficial, isAutomated, tag }) =>
    emit(ImageSearchReport, {
      Index: index,
      Name: name,
      Description: description.replaceAll("\n", " "),
      Stars: stars,
      Official: isOfficial ? "[OK]" : "",
      Automated: isAutomated ? "[OK]" : "",
      Tag: tag,
    })
  );
}

function readFilter(filters: Record<string, string[]>): SearchOptions["filter"] {
  const filter: NonNullable<SearchOptions["filter"]> = {};
  for (const [key, [value = ""]] of Object.entries(filters)) {
    if (key === "is-official") filter.official = value !== "false";
    else if (key === "is-automated") filter.automated = value !== "false";
    else if (key !== "stars") throw new RequestError("refused", `invalid filter type "${key}=${value}"`);
    else if (/^-?[0-9]+$/.test(value)) filter.stars = Number(value);
    else throw new RequestError("refused", `incorrect value type for stars filter: "${value}" is not a number`);
  }
  return filter;
}
