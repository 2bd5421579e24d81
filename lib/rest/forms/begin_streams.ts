import type { PartHead, Parts } from "../codecs/multipart_parts.ts";
import { misplacedPart, missingPart, StreamedForm } from "./streamed_form.ts";

/**
 * Begins the streams of a form, when all fields before them have been read.
 *
 * @param head The head of the next part; undefined at the form's end
 * @param names The fields that are streams, in order
 * @param isOptional Whether the first of them may be left out. Of a later one nobody could say whether it comes when the function begins
 * @throws {SyntaxError} if one that must be there is missing, or not the next
 */
export async function beginStreams(
  parts: Parts,
  head: PartHead | undefined,
  names: readonly string[],
  isOptional: boolean,
): Promise<Record<string, ReadableStream<Uint8Array>>> {
  const [first, ...others] = names;
  if (head?.name === first) {
    // A page sends an input without a chosen file as one without a name and content (HTML Standard, section 4.10.21.4).
    const isUnchosen = isOptional && head.filename === "";
    const bytes = isUnchosen ? await parts.piece() : undefined;
    if (!isUnchosen || bytes) return streamsOf(new StreamedForm(parts, names, head, bytes), names);
    return beginLater(parts, await parts.next(), names, others, 0);
  }
  return beginLater(parts, head, names, isOptional ? others : names);
}

/**
 * Begins those streams that must come.
 *
 * @param behind The number of the stream that has come before them, without a file
 */
function beginLater(
  parts: Parts,
  head: PartHead | undefined,
  names: readonly string[],
  left: readonly string[],
  behind?: number,
): Record<string, ReadableStream<Uint8Array>> {
  if (head === undefined) {
    if (left.length > 0) throw new SyntaxError(missingPart(left[0]));
    return {};
  }
  if (head.name !== left[0]) throw new SyntaxError(misplacedPart(head, names, behind));
  return streamsOf(new StreamedForm(parts, left, head), left);
}

function streamsOf({ streams }: StreamedForm, names: readonly string[]): Record<string, ReadableStream<Uint8Array>> {
  return Object.fromEntries(names.map((name, index) => [name, streams[index]]));
}
