/**
 * The one framing of helpers, for requests and answers: a frame is its length (4 bytes, big-endian) and then fields, each with its
 * length before it. The first field is a word. `common.pl` is the same for the other side.
 *
 * Lengths and no separators, because fields hold paths, command lines and output, in which every byte may occur. conmon's pipes
 * are not ours and speak lines (`conmon.ts`).
 *
 * @module
 */
import { Buffer } from "node:buffer";
import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { clearTimeout, setTimeout } from "node:timers";
import { EngineError } from "../../../engine/errors.ts";
import { freeBytes } from "../../../oci/bytes/byte_stream.ts";

/** The bytes of a length. */
const HEAD = 4;
/** The longest frame that a helper may send: a process's status is the longest text in one. */
const LIMIT = 2 * 1024 * 1024;

/** Returns the bytes of a frame. They come in two pieces, so that a large last field is not copied. */
export function frameOf(...fields: [string, ...(string | Uint8Array)[]]): [Uint8Array, Uint8Array] {
  const bytes = fields.map((field) => typeof field === "string" ? Buffer.from(field) : field);
  const last = bytes.pop()!;
  const before = bytes.flatMap((field) => [lengthOf(field.length), field]);
  const size = bytes.reduce((sum, field) => sum + HEAD + field.length, HEAD + last.length);
  return [Buffer.concat([lengthOf(size), ...before, lengthOf(last.length)]), last];
}

/** Returns a field as text. */
export function fieldText(field: Uint8Array<ArrayBuffer>): string {
  return Buffer.from(field.buffer).toString();
}

function lengthOf(length: number): Buffer {
  const head = Buffer.alloc(HEAD);
  head.writeUInt32BE(length);
  return head;
}

/** Cuts a helper's output into frames. */
export class FrameReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #head = Buffer.alloc(HEAD);
  #chunk: Uint8Array = new Uint8Array(0);
  #at = 0;

  constructor(stream: Readable) {
    // Node lets the output of a process that has exited flow away where nobody reads it yet, and the iterator begins at its first turn.
    stream.on("readable", () => {});
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /**
   * The fields of the next frame, each in a buffer of its own that belongs to the caller; `undefined` at the end, also of a stream
   * that was destroyed or cut off. Throws `EngineError("internal")` for what is no frame.
   */
  async read(): Promise<Uint8Array<ArrayBuffer>[] | undefined> {
    const fields: Uint8Array<ArrayBuffer>[] = [];
    let left = await this.#length(LIMIT);
    while (left !== undefined && left > 0) {
      const length = await this.#length(left - HEAD);
      if (length === undefined) return undefined;
      const field = new Uint8Array(length);
      if (!await this.#fill(field)) return undefined;
      fields.push(field);
      left -= HEAD + length;
    }
    return left === undefined ? undefined : fields;
  }

  /** The fields of the next frame as texts, as {@linkcode read} gives them. */
  async readTexts(): Promise<string[] | undefined> {
    return (await this.read())?.map(fieldText);
  }

  /** The bytes after the frames that were read, in pieces of any size; `undefined` at the end. */
  async rest(): Promise<Uint8Array | undefined> {
    const held = this.#chunk.subarray(this.#at);
    if (held.length === 0) return await this.#next();
    this.#chunk = new Uint8Array(0);
    this.#at = 0;
    return held;
  }

  async #length(most: number): Promise<number | undefined> {
    if (!await this.#fill(this.#head)) return undefined;
    const length = this.#head.readUInt32BE();
    if (length > most) {
      throw new EngineError("internal", `Read helper: a length of ${length} bytes, at most ${most} fit`);
    }
    return length;
  }

  async #fill(target: Uint8Array): Promise<boolean> {
    for (let filled = 0; filled < target.length;) {
      if (this.#at === this.#chunk.length) {
        freeBytes(this.#chunk);
        const next = await this.#next();
        if (next === undefined) return false;
        this.#chunk = next;
        this.#at = 0;
      }
      const part = this.#chunk.subarray(this.#at, this.#at + target.length - filled);
      target.set(part, filled);
      filled += part.length;
      this.#at += part.length;
    }
    return true;
  }

  async #next(): Promise<Uint8Array | undefined> {
    const next = await this.#chunks.next().catch(() => ({ done: true, value: undefined } as const));
    return next.done ? undefined : next.value;
  }
}

/** Milliseconds that a helper may take over an answer for which it waits for nobody. */
const PATIENCE = 20_000;

/**
 * Reads the answer of a helper that waits for nobody, as {@linkcode FrameReader.readTexts} gives it. One that does not answer within
 * `patience` milliseconds, since it is stopped or waits for a broken disk, is killed, and its answer is `undefined`.
 */
export async function readPrompt(
  child: ChildProcess,
  answers: FrameReader,
  patience: number = PATIENCE,
): Promise<string[] | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => {
    child.kill("SIGKILL");
    late.resolve(undefined);
  }, patience);
  try {
    return await Promise.race([answers.readTexts(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
