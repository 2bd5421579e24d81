/**
 * A blob as a stream that survives cut connections.
 *
 * @module
 */
import { isByteStream } from "../bytes/byte_stream.ts";
import { discardBody, inTime } from "./body.ts";
import { type Filled, FillReader } from "../bytes/fill_reader.ts";
import { RegistryError } from "./registry_error.ts";
import { type HTTPOptions, pauseBefore } from "./registry_http.ts";
import { messageOf } from "../message_of.ts";

/** Asks for the blob from a byte on. The answer is a 200 (whole), 206 (from there) or 416. */
export type OpenBlob = (offset: number) => Promise<Response>;

/** The blob to read, and the options of the stream. */
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
  /** Told how many bytes of the blob have come, now and then. */
  onBytes?: (received: number) => void;
}

/** Bytes of a chunk where the reader brings no buffer. */
const CHUNK = 64 * 1024;
/** This much progress between two cuts makes the count of retries begin anew. */
const PROGRESS = 1024 * 1024;

/**
 * The blob's bytes from `offset` to its end. After a cut the rest is asked for; a server that ignores `Range` is read from
 * the start again and what is known skipped. Fails with {@linkcode RegistryError}: `corrupt` when the size is not as
 * described, `unreachable` when retries do not help. Where the answer's body can fill buffers, so can this stream.
 */
export function blobStream(http: HTTPOptions, source: BlobSource): ReadableStream<Uint8Array> {
  let received = source.offset;
  let counted = received;
  let attempt = 0;
  let reader: FillReader | undefined;
  let skip = 0;

  const begin = async (response: Response) => {
    try {
      skip = bytesToSkip(response, received, source);
    } catch (error) {
      await discardBody(response);
      throw error;
    }
    if (response.body === null) throw wrongSize(source, received);
    reader = new FillReader(response.body);
  };
  const resume = async (cause: unknown) => {
    await reader?.cancel().catch(() => {});
    source.signal?.throwIfAborted();
    if (received - counted >= PROGRESS) attempt = 0;
    if (attempt >= http.retries) {
      const why = messageOf(cause);
      throw new RegistryError("unreachable", `reading blob ${source.digest}: ${why}`, { cause });
    }
    counted = received;
    await http.sleep(pauseBefore(http, attempt++), source.signal);
    await begin(await source.open(received));
  };
  /** The next bytes, in the view's place where the body fills buffers; `undefined` after a clean end. */
  const next = async (view: () => Uint8Array<ArrayBuffer>): Promise<Uint8Array | undefined> => {
    for (;;) {
      let chunk: Filled;
      try {
        if (reader === undefined) return undefined;
        chunk = await inTime(reader.read(view), http.timeout);
      } catch (cause) {
        await resume(cause);
        continue;
      }
      if (chunk.done) {
        if (received !== source.size) throw wrongSize(source, received);
        return undefined;
      }
      const known = Math.min(skip, chunk.value.length);
      skip -= known;
      const fresh = chunk.value.subarray(known);
      if (fresh.length === 0) continue;
      received += fresh.length;
      if (received > source.size) {
        await reader.cancel().catch(() => {});
        throw wrongSize(source, received);
      }
      source.onBytes?.(received);
      return fresh;
    }
  };
  const cancel = (reason: unknown) => reader?.cancel(reason);

  if (source.first.body === null || !isByteStream(source.first.body)) {
    return new ReadableStream<Uint8Array>({
      start: () => begin(source.first),
      async pull(controller) {
        const bytes = await next(newView);
        if (bytes === undefined) controller.close();
        else controller.enqueue(bytes);
      },
      cancel,
    }, { highWaterMark: 0 });
  }
  return new ReadableStream({
    type: "bytes",
    start: () => begin(source.first),
    async pull(controller) {
      const place = placeOf(controller.byobRequest);
      const bytes = await next(place?.view ?? newView);
      if (bytes === undefined) {
        controller.close();
        // A pending read gets a buffer back; the one it passed was transferred with the last read.
        if (place !== undefined) controller.byobRequest?.respondWithNewView(place.put(new Uint8Array(0)));
      } else if (place === undefined) controller.enqueue(bytes.slice());
      else controller.byobRequest?.respondWithNewView(place.put(bytes));
    },
    cancel,
  }, { highWaterMark: 0 });
}

function newView(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(CHUNK);
}

/**
 * Returns the place at which a reader wants its bytes. A read transfers its buffer; a read that fails loses it: another takes its
 * place then.
 */
function placeOf(request: ReadableStreamBYOBRequest | null) {
  const asked = request?.view;
  if (!asked) return undefined;
  const { byteOffset: at, byteLength: length, buffer } = asked;
  const size = buffer.byteLength;
  const whole = () => buffer.byteLength === size ? buffer : new ArrayBuffer(size);
  return {
    view: () => new Uint8Array(whole(), at, length),
    /** Returns the bytes read, in a buffer of the size and at the offset that the reader requested. */
    put(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
      const own = bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === size ? bytes.buffer : whole();
      const placed = new Uint8Array(own, at, bytes.length);
      if (bytes.buffer !== own || bytes.byteOffset !== at) placed.set(bytes);
      return placed;
    },
  };
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
