import type { Codec } from "./codec.ts";
import { isReplaced, readJSON, writeJSON } from "./json.ts";
import { boundDepth } from "./json_depth.ts";

/**
 * JSON in which bigint, Date and bytes keep their value: integers are exact whatever their size, times are RFC 3339 text,
 * bytes are base64. Other numbers are read as JSON.parse reads them.
 *
 * @example
 * ```ts
 * import { apiWith, exactJSON, exactKinds, handlerWith, implement, rest } from "../server.ts";
 * import { z } from "npm:zod@4.6.7";
 * const Big = z.object({ n: z.bigint() });
 * const next = apiWith({ kinds: exactKinds }, "x", { Next: rest("POST /next", [Big], [Big]) });
 * const serve = handlerWith({ codecs: [exactJSON] }, null, implement(next, { Next: ({ n }) => ({ n: n + 1n }) }));
 * const headers = { "content-type": "application/json" };
 * const body = '{"n":9007199254740993}';
 * const response = await serve(new Request("http://localhost/next", { method: "POST", body, headers }));
 * console.assert(await response.text() === '{"n":9007199254740994}');
 * ```
 */
export const exactJSON: Codec = {
  type: "application/json",
  isJSON: true,
  stringifies: (kind) => !isReplaced(kind),
  carries: () => true,
  encode: (value, { kind }) => writeJSON(value, kind),
  decode: (body, { kind }) => body === "" ? undefined : readJSON(boundDepth(body), kind),
};
