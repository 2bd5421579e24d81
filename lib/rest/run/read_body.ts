import type { Codec, CodecContext } from "../codecs/codec.ts";
import { HTTPError, tooLarge } from "../error.ts";
import { wrong } from "../codecs/query_values.ts";
import { boundDepth } from "../codecs/json_depth.ts";

/**
 * The length a body says it has; null when it does not say.
 *
 * @throws {HTTPError} 413 when that is too large
 */
export function toldLength(request: Request, limit: number): string | null {
  const length = request.headers.get("content-length");
  if (Number(length) > limit) throw tooLarge(limit);
  return length;
}

const UTF8 = /* @__PURE__ */ new TextDecoder(undefined, { fatal: true });

/**
 * Reads a body, never more than `limit` bytes of it.
 *
 * @param isBounded Whether it is small even if it does not tell its length
 * @throws {HTTPError} 413 when it is larger, 400 when it is cut short or is not what its type says
 */
export async function readBody(
  request: Request,
  limit: number,
  codec: Codec,
  context: CodecContext,
  isBounded = false,
): Promise<unknown> {
  const length = toldLength(request, limit);
  let detail: unknown = "it was cut short";
  try {
    if (codec.read) {
      const body = codec.bounds ? request.body : await collectBytes(request, limit, tooLarge);
      detail = undefined;
      return await codec.read(new Response(body, request), { ...context, limit });
    }
    // Only asking for `body` makes a stream, which takes longer than all the rest: a body that told its length is read whole.
    const given = length || isBounded ? await request.text() : await collectBytes(request, limit, tooLarge);
    if (given.length > limit) throw tooLarge(limit);
    detail = "it is not UTF-8";
    const text = typeof given === "string" ? given : UTF8.decode(given);
    // Bytes that are not UTF-8 come as replacement characters, three bytes each, of fewer bytes (or of three that begin a longer
    // character).
    if (length && text.includes("\ufffd") && new Blob([text]).size !== +length) throw detail;
    detail = undefined;
    // Text that is not there is not empty text.
    if (!text && !request.headers.has("content-type") && codec.type === "text/plain") return undefined;
    return codec.decode(codec.type.endsWith("json") ? boundDepth(text) : text, context);
  } catch (cause) {
    if (cause instanceof HTTPError) throw cause;
    detail ??= (cause as Error)?.message ?? cause;
    throw wrong(`Read the body as ${codec.type}: ${detail}`, cause, "body");
  }
}

/**
 * Reads a body whole, never more than `limit` bytes of it. A sender may cut it into pieces of a byte each, each of which would be kept with
 * two hundred of its own: they are put together as they come.
 *
 * @param refuse Makes the error for a larger one, of the limit
 */
export async function collectBytes(
  message: Pick<Body, "body">,
  limit: number,
  refuse: (limit: number) => Error,
): Promise<Uint8Array<ArrayBuffer>> {
  // Not by iteration: giving the reader back costs more than all the rest, and nobody reads after this.
  const reader = message.body?.getReader();
  let whole = new Uint8Array();
  let size = 0;
  for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
    const at = size;
    size += next.value.length;
    if (size > limit) {
      // A body that breaks off at the same time, or has no end within its coding, is too large all the same.
      await reader?.cancel().catch(() => {});
      throw refuse(limit);
    }
    // Most bodies are one piece. Streams of a body hold bytes of no shared memory.
    if (!at) whole = next.value as Uint8Array<ArrayBuffer>;
    else {
      if (size > whole.length) {
        const larger = new Uint8Array(2 * size);
        larger.set(whole);
        whole = larger;
      }
      whole.set(next.value, at);
    }
  }
  return whole.subarray(0, size);
}
