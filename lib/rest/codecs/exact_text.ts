import type { Codec } from "./codec.ts";
import { isScalar } from "../plan/kind.ts";
import { describeKind, readScalar, writeScalar } from "./scalar_text.ts";

/**
 * `text/plain` for every kind of scalar: times are RFC 3339, bytes are base64.
 *
 * @example
 * ```ts
 * import { api, exactText, handlerWith, implement, rest, time } from "../server.ts";
 * const later = api("x", { Later: rest("GET /later?at=%v", [time], [time]) });
 * const functions = implement(later, { Later: (at) => new Date(at.getTime() + 1000) });
 * const serve = handlerWith({ codecs: [exactText] }, null, functions);
 * const response = await serve(new Request("http://localhost/later?at=2026-01-01T00:00:00Z"));
 * console.assert(await response.text() === "2026-01-01T00:00:01.000Z");
 * ```
 */
export const exactText: Codec = {
  type: "text/plain",
  header: "text/plain;charset=UTF-8",
  carries: isScalar,
  encode: writeScalar,
  decode(body, { kind }) {
    const value = readScalar(body, kind);
    if (value === undefined) throw new SyntaxError(`expected ${describeKind(kind)}`);
    return value;
  },
};
