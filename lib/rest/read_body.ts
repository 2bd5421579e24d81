import type { Codec, CodecContext } from "./codec.ts";
import { HTTPError } from "./error.ts";
import { boundDepth } from "./json_depth.ts";

/** The error of a body that is too large. */
export function tooLarge(limit: number): HTTPError {
  return new HTTPError(413, `Read the body: it is larger than ${limit} bytes`, { kind: "limit" });
}

/**
 * Refuses a body that says of itself that it is too large.
 *
 * @throws {HTTPError} 413
 */
export function checkLength({ headers }: Request, limit: number): void {
  if (Number(headers.get("content-length")) > limit) throw tooLarge(limit);
}

/**
 * Reads a body, never more than `limit` bytes of it.
 *
 * @throws {HTTPError} 413 when it is larger, 400 when it is cut short or is not what its type says
 */
export async function readBody(request: Request, limit: number, codec: Codec, context: CodecContext): Promise<unknown> {
  checkLength(request, limit);
  let detail: unknown = "it was cut short";
  try {
    const bytes = await collect(request, limit);
    if (codec.read) {
      detail = undefined;
      return await codec.read(new Response(bytes, { headers: request.headers }), context);
    }
    detail = "it is not UTF-8";
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    detail = undefined;
    return codec.decode(/json/.test(codec.type) ? boundDepth(text) : text, context);
  } catch (cause) {
    if (cause instanceof HTTPError) throw cause;
    detail ??= cause instanceof Error ? cause.message : cause;
    throw new HTTPError(400, `Read the body as ${codec.type}: ${detail}`, { kind: "body", cause });
  }
}

async function collect(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  // A body that says how long it is has been looked at already, and is read faster whole. Only asking for `body` makes a stream.
  if (request.headers.has("content-length")) return bounded(new Uint8Array(await request.arrayBuffer()), limit);
  if (request.body === null) return new Uint8Array();
  // Not by iteration: giving the reader back costs more than all the rest, and nobody reads after this.
  const reader = request.body.getReader();
  // Streams of a request hold bytes of no shared memory.
  const read = async () => (await reader.read()).value as Uint8Array<ArrayBuffer> | undefined;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (let chunk = await read(); chunk !== undefined; chunk = await read()) {
    size += chunk.length;
    if (size > limit) {
      await reader.cancel();
      throw tooLarge(limit);
    }
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0] : new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function bounded(bytes: Uint8Array<ArrayBuffer>, limit: number): Uint8Array<ArrayBuffer> {
  if (bytes.length > limit) throw tooLarge(limit);
  return bytes;
}
