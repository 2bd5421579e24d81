import type { ChannelSource } from "../channel_source.ts";
import { LONG, type TextParts } from "./encode_parts.ts";

/** Characters that are put together before they go out, when the source has more values at hand. */
const BATCH = 65_536;
/** The same of long values: two of 64 KiB, so that not every piece of the wire ends with one. */
const LONG_BATCH = 131_072;

/**
 * Returns the next value's text between what `before` gives and `after`, with those of the values that are at hand already; undefined at the end.
 * Long texts stand by themselves.
 */
export async function readBatch(
  source: ChannelSource<string | TextParts>,
  before: () => string,
  after: string,
): Promise<TextParts | undefined> {
  const parts: TextParts[number][] = [];
  let gathered = "";
  let size = 0;
  do {
    try {
      const text = await source.next();
      if (text === undefined) break;
      if (typeof text === "string" && text.length < LONG) {
        gathered += before() + text + after;
        continue;
      }
      const [first, ...rest] = typeof text === "string" ? ["", text] : text;
      parts.push(gathered + before() + first, ...rest);
      gathered = after;
      size += rest.reduce((sum, { length }) => sum + length, 0);
    } catch (error) {
      if (gathered === "") throw error;
      // The values before it go out first.
      source.failNext(error);
      break;
    }
  } while (gathered.length < BATCH && size < LONG_BATCH && await source.atHand());
  return gathered === "" ? undefined : [...parts, gathered];
}
