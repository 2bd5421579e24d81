import type { Codec } from "./codec.ts";
import { readJSON, writeJSON } from "./json.ts";
import { boundDepth } from "./json_depth.ts";

/**
 * JSON in which bigint, Date and bytes keep their value: integers are exact whatever their size, times are RFC 3339 text, bytes are base64. What
 * a schema does not call so is read as JSON.parse reads it.
 */
export const exactJSON: Codec = {
  type: "application/json",
  carries: () => true,
  encode: (value, { kind }) => writeJSON(value, kind),
  decode: (body, { kind }) => body === "" ? undefined : readJSON(boundDepth(body), kind),
};
