import { pathOfBase } from "../route/request_path.ts";
import type { OpenAPIDocument } from "../surfaces/openapi_types.ts";
import { baseOf } from "./import_base.ts";

/** Lists what the new version of an API as a whole does not take any more: paths in front of all others, and other spellings of requests. */
export function listLosses(old: OpenAPIDocument, now: OpenAPIDocument): string[] {
  const [had, has] = [old, now].map(serverPaths);
  const { versioned, aliases = {}, query = {} } = old["x-gantry-options"] ?? {};
  const { versioned: isVersioned, aliases: others = {}, query: taken = {} } = now["x-gantry-options"] ?? {};
  const gone = Object.entries(aliases).flatMap(([word, list]) =>
    list.filter((other) => !(Object.hasOwn(others, word) && others[word].includes(other))).map((other) => ({
      word,
      other,
    }))
  );
  return [
    ...had.filter((path) => !has.includes(path)).map((path) =>
      `no server has the path "${path}" any more, but ${has.map((one) => `"${one}"`).join(" or ")}`
    ),
    ...(versioned && !isVersioned ? ["a path may not begin with a version any more"] : []),
    ...gone.map(({ word, other }) => `"/${other}" does not stand for "/${word}" any more`),
    ...(query.ignoreCase && !taken.ignoreCase ? ["a query's keys are not taken in any case any more"] : []),
    ...(query.emptyIsAbsent && !taken.emptyIsAbsent
      ? ["an empty value of a query does not count as absent any more"]
      : []),
  ];
}

/** The paths of a document's servers, each once. Hosts are free to change: a document need not tell them. */
function serverPaths({ servers = [] }: Partial<OpenAPIDocument>): string[] {
  // Without servers there is one (OpenAPI 3.1, OpenAPI Object).
  const all = servers.length > 0 ? servers : [{ url: "/" }];
  return [...new Set(all.map((server) => pathOfBase(baseOf({ servers: [server] })) || "/"))];
}
