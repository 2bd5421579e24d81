import { HTTPError } from "./error.ts";

function tooLarge(limit: number): HTTPError {
  return new HTTPError(413, `Read the body: it is larger than ${limit} bytes`, { kind: "limit" });
}

/**
 * Refuses a body that says of itself that it is too large.
 *
 * @throws {HTTPError} 413
 */
export function checkLength(request: Request, limit: number): void {
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) > limit) throw tooLarge(limit);
}

/**
 * Reads a body as text, never more than `limit` bytes of it.
 *
 * @throws {HTTPError} 413 when it is larger, 400 when it is cut short or is not UTF-8
 */
export async function readBody(request: Request, limit: number): Promise<string> {
  checkLength(request, limit);
  if (request.body === null) return "";
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    if (request.headers.has("content-length")) {
      const bytes = await request.arrayBuffer();
      if (bytes.byteLength > limit) throw tooLarge(limit);
      return decoder.decode(bytes);
    }
    return await collect(request.body, limit, decoder);
  } catch (cause) {
    if (cause instanceof HTTPError) throw cause;
    const detail = cause instanceof TypeError && decoderFailed(cause) ? "it is not UTF-8" : "it was cut short";
    throw new HTTPError(400, `Read the body: ${detail}`, { kind: "body", cause });
  }
}

function decoderFailed(error: TypeError): boolean {
  return /decod|encoded data|utf/i.test(error.message);
}

async function collect(body: ReadableStream<Uint8Array>, limit: number, decoder: TextDecoder): Promise<string> {
  let text = "";
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Passes a body on, failing when it is larger than `limit` bytes. */
export function limitStream(body: ReadableStream<Uint8Array>, limit: number): ReadableStream<Uint8Array> {
  if (limit === Infinity) return body;
  let size = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > limit) throw tooLarge(limit);
        controller.enqueue(chunk);
      },
    }),
  );
}
