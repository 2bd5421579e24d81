/**
 * Digests and compression of Deno and Node, native through `node:crypto` and `node:zlib`.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { Transform } from "node:stream";
import zlib from "node:zlib";
import { EngineError } from "../engine/errors.ts";
import type { Codec, Hash } from "../engine/ports/ports.ts";
import { enqueuePiece, ownBuffer } from "../oci/bytes/byte_stream.ts";
import { messageOf } from "../oci/message_of.ts";
import { ZstdFrames } from "../oci/bytes/zstd_frames.ts";
import { Turns } from "./turns.ts";

/** Bytes per output chunk: large ones keep the cost of stream steps small. */
const CHUNK_SIZE = 256 * 1024;

/** Twice as fast as the usual level of gzip, for a twentieth more bytes. */
const FAST = 3;

/** The largest window of a frame: what the strongest level of the encoders that images are made with asks for. */
const LARGEST_WINDOW = 32 * 2 ** 20;
/** Windows up to this many bytes are had at once, as many as there are layers: what RFC 8878 wants every decoder to have. */
const USUAL_WINDOW = 8 * 2 ** 20;

/** The host's {@linkcode Codec}. */
export function hostCodec(): Codec {
  const turns = new Turns();
  return {
    handsBack: true,
    hash: startHash,
    gunzip: () => webTransform(zlib.createGunzip({ chunkSize: CHUNK_SIZE }), "gunzip"),
    gzip: (level) => webTransform(zlib.createGzip({ chunkSize: CHUNK_SIZE, level }), "gzip"),
    fastGzip: () => webTransform(zlib.createGzip({ chunkSize: CHUNK_SIZE, level: FAST }), "gzip"),
    unzstd() {
      // Node before 22.15 has none.
      if (typeof zlib.createZstdDecompress !== "function") {
        throw new EngineError("unsupported", "This runtime has no Zstandard");
      }
      return webTransform(zlib.createZstdDecompress({ chunkSize: CHUNK_SIZE }), "unzstd", windowGuard(turns));
    },
    zstd(level) {
      if (typeof zlib.createZstdCompress !== "function") {
        throw new EngineError("unsupported", "This runtime has no Zstandard");
      }
      const params = level === undefined ? {} : { [zlib.constants.ZSTD_c_compressionLevel]: level };
      return webTransform(zlib.createZstdCompress({ chunkSize: CHUNK_SIZE, params }), "zstd");
    },
  };
}

function startHash(): Hash {
  const sha256 = createHash("sha256");
  return {
    update: (bytes) => void sha256.update(bytes),
    digest: () => Promise.resolve(`sha256:${sha256.digest("hex")}`),
  };
}

/** A guard of the pieces that go into a transform. */
interface Guard {
  /** The piece goes in when it resolves; what it throws, the transform fails of. */
  before(piece: Uint8Array): Promise<void>;
  /** Comes when the transform has given its memory back. */
  closed(): void;
}

/** Refuses frames with windows that are too large, and lets those with large ones in one after the other. */
function windowGuard(turns: Turns): Guard {
  const frames = new ZstdFrames();
  const turn = turns.enter();
  return {
    async before(piece) {
      const window = frames.read(piece);
      if (window > LARGEST_WINDOW) {
        const text = `a frame wants a window of ${window} bytes, more than ${LARGEST_WINDOW}`;
        throw new EngineError("limit", `unzstd: ${text}`);
      }
      if (window > USUAL_WINDOW) await turn.take();
      turn.touch();
    },
    closed: () => turn.leave(),
  };
}

/**
 * A Node transform as web streams, the readable one of type `bytes`. A write is done when its bytes have been used.
 * `Duplex.toWeb` costs more per chunk and, when the reader cancels, leaves the writer waiting.
 */
function webTransform(node: Transform, what: string, guard?: Guard): TransformStream<Uint8Array, Uint8Array> {
  if (guard !== undefined) node.on("close", guard.closed);
  let failure: { reason: unknown } | undefined;
  let waiting: ((reason: unknown) => void) | undefined;
  const stop = (reason: unknown) => {
    failure ??= { reason };
    waiting?.(failure.reason);
  };
  let reader: ReadableByteStreamController;
  const buffers = new WholeBuffers();
  // Set by the reader's cancel, an error, or the end: what Node still emits after it goes nowhere.
  let ended = false;
  const fail = (error: unknown) => {
    const reason = corruptData(what, error);
    stop(reason);
    if (ended) return;
    ended = true;
    reader.error(reason);
  };
  const readable = new ReadableStream({
    type: "bytes",
    start(controller) {
      reader = controller;
      const emit = (piece: Uint8Array<ArrayBuffer>) => {
        enqueuePiece(controller, piece);
        node.pause();
      };
      node.on("data", (chunk: Uint8Array) => {
        if (!ended) buffers.take(chunk).forEach(emit);
      });
      node.on("end", () => {
        if (ended) return;
        buffers.rest().forEach(emit);
        ended = true;
        controller.close();
        // A pending read into the reader's own buffer waits for this response.
        controller.byobRequest?.respond(0);
      });
      node.on("error", fail);
      node.pause();
    },
    pull: () => void node.resume(),
    cancel(reason) {
      ended = true;
      stop(reason ?? new EngineError("cancelled", `Stop ${what}: the reader went away`));
      node.destroy();
    },
  });
  // No race with a promise that lives as long as the stream: it would keep something of every chunk.
  const step = (act: (done: (error?: Error | null) => void) => void) =>
    new Promise<void>((resolve, reject) => {
      if (failure) return reject(failure.reason);
      waiting = reject;
      act((error) => error ? reject(corruptData(what, error)) : resolve());
    });
  const guardedStep = async (admitted: Promise<void>, chunk: Uint8Array) => {
    try {
      await admitted;
    } catch (error) {
      fail(error);
      node.destroy();
      throw failure?.reason;
    }
    await step((done) => void node.write(chunk, done));
  };
  const writable = new WritableStream<Uint8Array>({
    write(chunk) {
      if (guard === undefined) return step((done) => void node.write(chunk, done));
      return guardedStep(guard.before(chunk), chunk);
    },
    close: () => step((done) => void node.end(done)),
    abort(reason) {
      // The source's failure, whatever it is: not this transform's.
      stop(reason);
      if (!ended) reader.error(reason);
      ended = true;
      node.destroy();
    },
  }, { highWaterMark: 1 });
  return { readable, writable };
}

/**
 * zlib's output, in whole buffers. zlib hands out parts of them, cut where its input ended; together again they can be given away
 * without a copy, as it takes another buffer when one is full.
 */
class WholeBuffers {
  #part: Uint8Array | undefined;

  /** Takes a part; gives what is whole by now. */
  take(chunk: Uint8Array): Uint8Array<ArrayBuffer>[] {
    const part = this.#part;
    const follows = part !== undefined && part.buffer === chunk.buffer &&
      part.byteOffset + part.length === chunk.byteOffset;
    const before = follows ? [] : this.rest();
    const joined = follows ? new Uint8Array(chunk.buffer, part.byteOffset, part.length + chunk.length) : chunk;
    if (joined.length < joined.buffer.byteLength) {
      this.#part = joined;
      return before;
    }
    this.#part = undefined;
    return [...before, ownBuffer(joined)];
  }

  /** Returns the remaining bytes, as a copy: zlib may still write behind them. */
  rest(): Uint8Array<ArrayBuffer>[] {
    const part = this.#part;
    this.#part = undefined;
    return part === undefined ? [] : [new Uint8Array(part)];
  }
}

function corruptData(what: string, cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  const why = messageOf(cause);
  return new EngineError("corrupt", `${what}: ${why}`, { cause });
}
