import { exactJSON } from "../../lib/rest/client.ts";
import type { Codec } from "../../lib/rest/mod.ts";

/** Returns where the object or list ends that a text begins with; `undefined` where it has no end. */
export function endOfFirst(text: string): number | undefined {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (isString) {
      if (letter === "\\") at++;
      else if (letter === '"') isString = false;
    } else if (letter === '"') isString = true;
    else if (letter === "{" || letter === "[") depth++;
    else if ((letter === "}" || letter === "]") && --depth <= 0) return depth === 0 ? at + 1 : undefined;
  }
  return undefined;
}

/** JSON as Go's decoder reads it, which some clients rely on: the first value counts, and what follows is left. */
export const firstJSON: Codec = {
  ...exactJSON,
  decode(body, context) {
    try {
      return exactJSON.decode(body, context);
    } catch (error) {
      const end = endOfFirst(body);
      if (end === undefined || end === body.length) throw error;
      return exactJSON.decode(body.slice(0, end), context);
    }
  },
};
