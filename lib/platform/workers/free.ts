/** Buffers of fewer bytes are left to the collector. */
const LARGE = 64 * 1024;

/**
 * Frees large bytes that nobody reads any more, where they have their buffer to themselves. The collector does not hurry with
 * buffers: left to it, 60 MB of them pile up in an isolate that may have 128.
 */
export function freeWorkerBytes(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength < LARGE || buffer.byteLength !== bytes.length) return;
  buffer.transfer(0);
}

/** The same body, of which each piece is freed once it has been sent. */
export function freedBody(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const { readable, writable } = identityStream();
  void sendFreed(body, writable);
  return readable;
}

async function sendFreed(body: ReadableStream<Uint8Array>, writable: WritableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader();
  const writer = writable.getWriter();
  // The reader may go away while nothing is written.
  writer.closed.catch((reason) => reader.cancel(reason)).catch(() => {});
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      await writer.write(next.value);
      freeWorkerBytes(next.value);
    }
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {});
  }
}

/** workerd's own pipe: a write has ended when its bytes have been read. */
function identityStream(): TransformStream<Uint8Array, Uint8Array> {
  // An extension that the types of the web do not have.
  const { IdentityTransformStream } = globalThis as unknown as {
    IdentityTransformStream: new () => TransformStream<Uint8Array, Uint8Array>;
  };
  return new IdentityTransformStream();
}
