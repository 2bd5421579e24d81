import type { ServerParts } from "../run/core_server.ts";
import { argumentPlaces } from "./places.ts";
import { isNullable } from "../plan/kind.ts";
import { readCookies } from "./cookies.ts";
import { readHeaderText } from "./header_text.ts";
import { wrong } from "../codecs/query_values.ts";

/**
 * Reads arguments that the tag places in headers and cookies: the part of a server that does, with `writePlaced` for results.
 *
 * @example
 * ```ts
 * import { api, handlerWith, implement, readPlaced, rest } from "../server.ts";
 * import { z } from "npm:zod@4.6.7";
 * const notes = api("x", { Who: rest("GET /who (X-Name:)", [z.string()], [z.string()]) });
 * const serve = handlerWith({ places: readPlaced }, null, implement(notes, { Who: (name) => `it is ${name}` }));
 * const response = await serve(new Request("http://localhost/who", { headers: { "x-name": "ann" } }));
 * console.assert(await response.text() === "it is ann");
 * ```
 */
export const readPlaced: NonNullable<ServerParts["places"]> = (plan, read) => {
  const places = argumentPlaces(plan);
  if (places.length === 0) return read;
  const hasCookies = places.some(({ type }) => type === "cookie");
  return (captures, query, values, request) => {
    read(captures, query, values, request);
    const cookies = hasCookies ? readCookies(request.headers.get("cookie")) : new Map<string, string[]>();
    for (const { index, type, name, rule } of places) {
      const { kind } = plan.arguments[index];
      const [text, more] = type === "cookie" ? cookies.get(name) ?? [] : [request.headers.get(name) ?? undefined];
      // Another host of the same site may have set the second one: which of them is meant cannot be told.
      if (more !== undefined) throw wrong(`Read "${rule}": the cookie is sent twice`);
      try {
        values[index] = text === undefined ? isNullable(kind) ? null : undefined : readHeaderText(text, kind);
      } catch (cause) {
        throw wrong(`Read "${rule}": ${(cause as Error).message.replace("expected", "it is not")}`, cause);
      }
    }
  };
};
