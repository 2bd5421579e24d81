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
  const chunks: Uint8Array[] = [];
  let size = 0;
  // A body that says how long it is has been looked at already, and is read faster whole.
  const whole = request.body === null || request.headers.has("content-length");
  for await (const chunk of whole ? [new Uint8Array(await request.arrayBuffer())] : request.body ?? []) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  // Streams of a request hold bytes of no shared memory.
  if (chunks.length === 1) return chunks[0] as Uint8Array<ArrayBuffer>;
  return new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}
