import { absentOf, structFields } from "./kind.ts";
import { into } from "./find_target.ts";
import type { QueryParameter, SpreadQuery, Target } from "./plan_types.ts";

/** How deep structs within structs are spread. */
const MAX_DEPTH = 8;

/**
 * Spreads a struct or a map over the query, as `?%v` of a tag says: the part of a definition with such tags, for its servers and clients too.
 *
 * @example
 * ```ts
 * import { apiWith, handler, implement, rest, spreadQuery } from "../server.ts";
 * import { z } from "npm:zod@4.6.7";
 * const Page = z.object({ from: z.number(), size: z.number() });
 * const pages = apiWith({ spread: spreadQuery }, "x", { Sum: rest("GET /sum?%v", [Page], [z.number()]) });
 * const serve = handler(null, implement(pages, { Sum: ({ from, size }) => from + size }));
 * console.assert(await (await serve(new Request("http://localhost/sum?from=1&size=2"))).text() === "3");
 * ```
 */
export const spreadQuery: SpreadQuery = (target, placed) => {
  const { argument, kind } = target;
  const value = kind.type === "map" ? kind.value : undefined;
  return {
    parameters: spread(target, placed, "", true),
    spread: {
      argument,
      path: [],
      name: "query",
      value,
      read(names, { query, constants }, readNamed) {
        if (!value) return {};
        const taken = new Set([...query.map(({ name }) => name), ...constants.map(([name]) => name)]);
        return Object.fromEntries(
          Array.from(names).filter((name) => !taken.has(name))
            .map((name) => [name, readNamed(name, value)]).filter(([, item]) => item !== undefined),
        );
      },
      // The fields of a struct are parameters of their own, in path or query: only maps are written here.
      entries: (map) => Object.entries(value && map || {}),
    },
  };
};

const placeOf = ({ argument, path }: Target) => `${argument},${path}`;

/** The fields of a struct as query parameters. */
function spread(from: Target, placed: readonly Target[], prefix: string, required: boolean): QueryParameter[] {
  if (from.path.length >= MAX_DEPTH) return [];
  return structFields(from.kind).flatMap(([key, field]) => {
    const target = into(from, [key, field]);
    if (placed.some((one) => placeOf(one) === placeOf(target))) return [];
    const name = prefix + (field.alias ?? key);
    // The struct itself can arrive as JSON under its own name, or each of its fields as `a.b`.
    const isThere = required && field.required === true;
    const fields = spread(target, placed, `${name}.`, isThere);
    return [
      { name, absent: isThere ? absentOf(field.kind) : undefined, followed: fields.length > 0, ...target },
      ...fields,
    ];
  });
}
