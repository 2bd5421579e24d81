import type { Call } from "../run/call.ts";
import { checkOf } from "../run/check_result.ts";
import { cookieText } from "./cookies.ts";
import type { ServerParts } from "../run/core_server.ts";
import { isForward } from "../run/forwarded.ts";
import { knownKind } from "../plan/exact_kinds.ts";
import { resultPlaces } from "./places.ts";
import { writeHeaderText } from "./header_text.ts";
import { writeScalar } from "../codecs/scalar_text.ts";

/**
 * Writes results that the tag places in headers and cookies: the part of a server that does, with `readPlaced` for arguments. A result that is
 * undefined writes nothing, a cookie that is null is forgotten by the browser.
 *
 * @example
 * ```ts
 * import { api, handlerWith, implement, rest, writePlaced } from "../server.ts";
 * import { z } from "npm:zod@4.6.7";
 * const list = api("x", { List: rest("GET /list *,X-Total:", [], [z.array(z.string()), z.int()]) });
 * const serve = handlerWith({ around: writePlaced }, null, implement(list, { List: () => [["a"], 70] }));
 * const response = await serve(new Request("http://localhost/list"));
 * console.assert(response.headers.get("x-total") === "70" && await response.text() === '["a"]');
 * ```
 */
export const writePlaced: NonNullable<ServerParts["around"]> = (plan, run) => {
  const places = resultPlaces(plan);
  if (places.length === 0 || isForward(run)) return run;
  const count = plan.parsed.resultRules.length;
  const { cookies } = plan.options;
  const writers = places.map((place) => {
    const schema = plan.results[place.index];
    return { ...place, check: checkOf({ name: `${plan.name} ${place.rule}` }, schema, knownKind(schema)) };
  });
  const settle = async (result: unknown, { headers }: Call): Promise<unknown> => {
    if (result instanceof Response) return result;
    const values = count === 1 ? [result] : result;
    if (!Array.isArray(values)) throw new TypeError(`Answer "${plan.name}": expected a list of the results`);
    for (const { index, type, name, rule, check } of writers) {
      const value = plan.trusted ? values[index] : await check(values[index]);
      if (value === undefined) continue;
      if (type === "cookie") {
        const text = value === null ? null : writeScalar(value);
        headers.append("set-cookie", cookieText(name, text, cookies?.[name]));
      } else if (value !== null) headers.set(name, writeHeaderText(value, rule));
    }
    const rest = values.filter((_, index) => !places.some((place) => place.index === index));
    return rest.length > 1 ? rest : rest[0];
  };
  return function (this: unknown, ...args: unknown[]): unknown {
    // The last argument of every function is its call.
    const call = args.at(-1) as Call;
    const result: unknown = run.apply(this, args);
    return result instanceof Promise ? result.then((result) => settle(result, call)) : settle(result, call);
  };
};
