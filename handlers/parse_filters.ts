import { type Filters, filters } from "./wire/query.ts";
import { RequestError } from "./request_error.ts";

/**
 * Reads filters, bad ones with the words of Go's decoder, which clients print.
 *
 * @param code The kind of error of bad ones: most operations answer 500
 */
export function parseFilters(
  text: string | undefined,
  code: "refused" | "malformed" = "refused",
): Filters | undefined {
  if (text === undefined) return undefined;
  const result = filters.safeParse(text);
  if (result.success) return result.data;
  throw new RequestError(code, goError(text) ?? result.error.issues[0].message);
}

/** What Go says of a text that is no JSON; `undefined` for one that is. */
function goError(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    const [first] = text.trim();
    if (first === undefined || /[[{"\d-]/.test(first)) return "unexpected end of JSON input";
    return `invalid character '${first}' looking for beginning of value`;
  }
}
