/**
 * A blob as a stream that survives cut connections.
 *
 * @module
 */
import { discard, readInTime } from "./body.ts";
import { RegistryError } from "./registry_error.ts";
import { type HTTPOptions, pauseBefore } from "./registry_http.ts";

/** Asks for the blob from a byte on. The answer is a 200 (whole), 206 (from there) or 416. */
export type OpenBlob = (offset: number) => Promise<Response>;

/** What is read. */
export interface BlobSource {
  open: OpenBlob;
  /** The answer already at hand, for `offset`. */
  first: Response;
  offset: number;
  /** Bytes of the whole blob. */
  size: number;
  /** Names it in errors. */
  digest: string;
  signal?: AbortSignal;
}

/** This much progress between two cuts makes the count of retries begin anew. */
const PROGRESS = 1024 * 1024;

/**
 * The blob's bytes from `offset` to its end. After a cut the rest is asked for; a server that ignores `Range` is read from
 * the start again and what is known skipped. Fails with {@linkcode RegistryError}: `corrupt` when the size is not as
 * described, `unreachable` when retries do not help.
 */
export function blobStream(http: HTTPOptions, source: BlobSource): ReadableStream<Uint8Array> {
  let received = source.offset;
  let counted = received;
  let attempt = 0;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let skip = 0;

  const begin = async (response: Response) => {
    try {
      skip = bytesToSkip(response, received, source);
    } catch (error) {
      await discard(response);
      throw error;
    }
    reader = response.body?.getReader();
    if (reader === undefined) throw wrongSize(source, received);
  };
  const resume = async (cause: unknown) => {
    await reader?.cancel().catch(() => {});
    source.signal?.throwIfAborted();
    if (received - counted >= PROGRESS) attempt = 0;
    if (attempt >= http.retries) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new RegistryError("unreachable", `reading blob ${source.digest}: ${why}`, { cause });
    }
    counted = received;
    await http.sleep(pauseBefore(http, attempt++), source.signal);
    await begin(await source.open(received));
  };
  /** The next bytes; `undefined` after a clean end. */
  const next = async (): Promise<Uint8Array | undefined> => {
    for (;;) {
      let chunk: ReadableStreamReadResult<Uint8Array>;
      try {
        if (reader === undefined) return undefined;
        chunk = await readInTime(reader, http.timeout);
      } catch (cause) {
        await resume(cause);
        continue;
      }
      if (chunk.done) return undefined;
      const known = Math.min(skip, chunk.value.length);
      skip -= known;
      if (known < chunk.value.length) return chunk.value.subarray(known);
    }
  };

  return new ReadableStream<Uint8Array>({
    start: () => begin(source.first),
    async pull(controller) {
      const bytes = await next();
      if (bytes !== undefined) {
        received += bytes.length;
        if (received <= source.size) return controller.enqueue(bytes);
        await reader?.cancel().catch(() => {});
        throw wrongSize(source, received);
      }
      if (received !== source.size) throw wrongSize(source, received);
      controller.close();
    },
    cancel: (reason) => reader?.cancel(reason),
  }, { highWaterMark: 0 });
}

/** How much of the answer's body is known already. Throws when it announces another size. */
function bytesToSkip(response: Response, offset: number, source: BlobSource): number {
  if (response.status === 416) throw wrongSize(source, offset);
  if (response.status === 206) {
    const [, first, total] =
      /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15}|\*)$/.exec(response.headers.get("content-range") ?? "") ?? [];
    if (first === undefined || Number(first) !== offset) {
      throw new RegistryError("protocol", `fetching blob ${source.digest}: invalid Content-Range`, { status: 206 });
    }
    if (total !== "*" && Number(total) !== source.size) throw wrongSize(source, Number(total));
    return 0;
  }
  const length = response.headers.get("content-length");
  const encoded = response.headers.has("content-encoding");
  if (length !== null && !encoded && Number(length) !== source.size) throw wrongSize(source, Number(length));
  return offset;
}

function wrongSize({ digest, size }: BlobSource, got: number): RegistryError {
  const than = got > size ? "more" : "less";
  return new RegistryError("corrupt", `blob ${digest} has ${than} bytes (${got}) than its descriptor says (${size})`);
}
