import type { ClientParts } from "../call/core_client.ts";
import { check } from "../call/read_result.ts";
import { argumentPlaces, type HeaderPlace, resultPlaces } from "./places.ts";
import { encodeCookieValue, readCookies } from "./cookies.ts";
import { HTTPError } from "../error.ts";
import { knownKind } from "../plan/exact_kinds.ts";
import { isNullable } from "../plan/kind.ts";
import type { Plan } from "../plan/plan_types.ts";
import { readHeaderText, writeHeaderText } from "./header_text.ts";
import { writeScalar } from "../codecs/scalar_text.ts";

/** Writes the arguments of a call that stand in headers and cookies. */
export function placeArguments(places: readonly HeaderPlace[], args: readonly unknown[], headers: Headers): void {
  const cookies: string[] = [];
  for (const { index, type, name, rule } of places) {
    const value = args[index];
    if (value === undefined || value === null) continue;
    if (type === "cookie") cookies.push(`${name}=${encodeCookieValue(writeScalar(value))}`);
    else headers.set(name, writeHeaderText(value, rule));
  }
  if (cookies.length > 0) headers.set("cookie", cookies.join("; "));
}

/**
 * Sends arguments that the tag places in headers and cookies, and reads results from there: the part of a client that does. A browser sends its
 * own cookies instead, and shows none to a page: they are undefined there.
 *
 * @example
 * ```ts
 * import { api, linkWith, placeHeaders, rest } from "../client.ts";
 * import { z } from "npm:zod@4.6.7";
 * const list = api("x", { List: rest("GET /list (X-Tenant:) *,X-Total:", [z.string()], [z.array(z.string()), z.int()]) });
 * const fetch = ({ headers }: Request) =>
 *   Promise.resolve(Response.json([headers.get("x-tenant")], { headers: { "x-total": "70" } }));
 * const client = linkWith({ around: placeHeaders }, list, "http://localhost", { fetch });
 * console.assert(JSON.stringify(await client.List("ann")) === '[["ann"],70]');
 * ```
 */
export const placeHeaders: NonNullable<ClientParts["around"]> = (plan, make, client) => {
  const call = make(client);
  const sent = argumentPlaces(plan);
  const read = resultPlaces(plan);
  if (sent.length + read.length === 0) return call;
  return async (args, options) => {
    const headers = new Headers();
    placeArguments(sent, args, headers);
    new Headers(options.headers).forEach((value, name) => headers.set(name, value));
    let answered = new Headers();
    const response = (response: Response) => void ({ headers: answered } = response);
    const value = await call(args, { ...options, headers, response });
    if (read.length === 0) return value;
    const { length } = plan.result.schemas;
    const values = length > 1 ? [...value as unknown[]] : length === 1 ? [value] : [];
    for (const place of read) values.splice(place.index, 0, await readPlace(plan, place, answered));
    return values.length > 1 ? values : values[0];
  };
};

function readPlace(plan: Plan, { index, type, name, rule }: HeaderPlace, headers: Headers): unknown {
  const schema = plan.results[index];
  const kind = knownKind(schema);
  const text = type === "header" ? headers.get(name) ?? undefined : readSetCookie(headers, name);
  // Browsers keep cookies from pages.
  if (text === undefined && type === "cookie") return undefined;
  let value: unknown;
  try {
    value = text === undefined ? isNullable(kind) ? null : undefined : readHeaderText(text, kind);
  } catch (cause) {
    const detail = (cause as Error).message;
    throw new HTTPError(502, `Read the result "${rule}" of "${plan.name}": ${detail}`, { kind: "body", cause });
  }
  return check(plan, schema, value);
}

/** Reads the value of a cookie that is set; that of one to be forgotten is not there. */
function readSetCookie(headers: Headers, name: string): string | undefined {
  const line = headers.getSetCookie().findLast((line) => line.startsWith(`${name}=`));
  if (line === undefined || /;\s*max-age=0*(;|$)/i.test(line)) return undefined;
  return readCookies(line.split(";")[0]).get(name)?.[0];
}
