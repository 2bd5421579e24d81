/**
 * Checks a layer's tar and rewrites it for overlay, as a stream: OCI image-spec "layer".
 *
 * Every header is read, checked and written anew, so that what unpacks the result cannot understand it otherwise than it
 * was checked; payload passes through as it is. Nothing of the input reaches the output that is not listed here:
 *
 * - names, owners by number, modes, whole and fractional modification times, devices, links, `SCHILY.xattr.*` byte for byte
 *   (those of overlay itself are dropped: they would steer the mount);
 * - `.wh.x` as a character device 0:0 named `x`;
 * - `.wh..wh..opq` as its folder's entry, written (again) with the attribute `trusted.overlay.opaque=y` and all that the
 *   folder's own entry said, since unpacking a folder twice applies the second entry's mode and owner.
 *
 * Tar libraries for the web decode PAX values as UTF-8, which ruins binary attributes such as `security.capability`, and
 * none writes a header as it was read; hence our own.
 *
 * @module
 */
import { byteTransform } from "../bytes/byte_stream.ts";
import { concatBytes } from "../bytes/bytes.ts";
import { LayerError } from "./layer_error.ts";
import { LAYER_LIMITS, type LayerLimits } from "./layer_limits.ts";
import { type EntryRewriter, layerRewriter } from "./layer_rewriter.ts";
import { parsePAX, type PAXRecord } from "./pax.ts";
import { BLOCK, isZero, paddingOf, readHeader, type TarHeader, untilZero } from "./tar_header.ts";

/** Bytes of an extended header or long name: ten times what any file system's attributes can be. */
const EXTENSION_LIMIT = 1024 * 1024;

/** Output pieces smaller than this are collected, larger ones passed on as they are. */
const DIRECT = 16 * 1024;
const COLLECT = 128 * 1024;

/**
 * A plain layer tar in, a tar that GNU tar (`--xattrs --xattrs-include='*'`) unpacks into an overlay lower folder out. The
 * stream fails with {@linkcode LayerError}.
 *
 * @param isUsers Whether the overlay is mounted with `userxattr`, in a user namespace: the mark is `user.overlay.opaque` then
 */
export function overlayLayer(
  limits: Partial<LayerLimits> = {},
  isUsers = false,
): ReadableWritablePair<Uint8Array, Uint8Array> {
  return rewriteTar(limits, (bounds, write) => layerRewriter(bounds, write, isUsers));
}

/**
 * A plain tar in, what the rewriter writes out: its pieces and the kept entries' content, whole blocks of it, and two blocks
 * of zeros at the end. The stream fails with {@linkcode LayerError}.
 */
export function rewriteTar(
  limits: Partial<LayerLimits>,
  makeRewriter: (limits: LayerLimits, write: (bytes: Uint8Array) => void) => EntryRewriter,
): ReadableWritablePair<Uint8Array, Uint8Array> {
  const bounds = { ...LAYER_LIMITS, ...limits };
  const output = new Output();
  const reader = new LayerReader(bounds, output, makeRewriter(bounds, (bytes) => output.write(bytes)));
  return byteTransform({
    transform(chunk, emit) {
      output.emit = emit;
      reader.push(chunk);
    },
    flush(emit) {
      output.emit = emit;
      reader.end();
    },
  });
}

/** Gathers small pieces, so that a layer of many small files does not become as many stream chunks. */
class Output {
  #pieces: Uint8Array[] = [];
  #size = 0;

  /** Takes the bytes that go out. */
  emit: (bytes: Uint8Array) => void = () => {};

  write(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (bytes.length >= DIRECT) this.flush();
    this.#pieces.push(bytes);
    this.#size += bytes.length;
    if (bytes.length >= DIRECT || this.#size >= COLLECT) this.flush();
  }

  flush(): void {
    if (this.#size === 0) return;
    // Parts of what was given, which goes back to whoever gave it.
    this.emit(concatBytes(this.#pieces));
    this.#pieces = [];
    this.#size = 0;
  }
}

/** The meaning of the bytes that come next. */
type State =
  | { at: "header" }
  /** The body of an extended header or long name, gathered. */
  | { at: "extension"; flag: string; size: number; left: number; parts: Uint8Array[] }
  /** A file's content and padding: passed on, or swallowed. */
  | { at: "payload"; left: number; keep: boolean }
  /** After the end marker: whatever follows is no part of the archive. */
  | { at: "end" };

class LayerReader {
  #state: State = { at: "header" };
  #partial: Uint8Array = new Uint8Array(0);
  #bytes = 0;
  #zeros = 0;
  #records: PAXRecord[] = [];
  #longName: Uint8Array | undefined;
  #longLink: Uint8Array | undefined;

  constructor(
    private readonly limits: LayerLimits,
    private readonly output: Output,
    private readonly rewriter: EntryRewriter,
  ) {}

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.limits.bytes) {
      throw new LayerError("limit", `larger than ${this.limits.bytes} bytes unpacked`);
    }
    for (let at = 0; at < chunk.length;) at += this.#step(chunk, at);
    this.output.flush();
  }

  end(): void {
    const clean = this.#state.at === "end" || (this.#state.at === "header" && this.#partial.length === 0);
    const pending = this.#records.length > 0 || this.#longName !== undefined || this.#longLink !== undefined;
    if (!clean || (pending && this.#state.at !== "end")) throw new LayerError("corrupt", "it ends within an entry");
    this.output.write(new Uint8Array(2 * BLOCK));
    this.output.flush();
  }

  /** Takes some bytes of the chunk from `at` on; returns how many. */
  #step(chunk: Uint8Array, at: number): number {
    const state = this.#state;
    if (state.at === "end") return chunk.length - at;
    if (state.at === "header") return this.#takeHeader(chunk, at);
    const bytes = chunk.subarray(at, at + state.left);
    state.left -= bytes.length;
    if (state.at === "payload") {
      if (state.keep) this.output.write(bytes);
      if (state.left === 0) this.#state = { at: "header" };
    } else {
      state.parts.push(new Uint8Array(bytes));
      if (state.left === 0) this.#extend(state.flag, concatBytes(state.parts).subarray(0, state.size));
    }
    return bytes.length;
  }

  #takeHeader(chunk: Uint8Array, at: number): number {
    const missing = BLOCK - this.#partial.length;
    const bytes = chunk.subarray(at, at + missing);
    if (bytes.length < missing) {
      // The rest comes with the next chunk.
      this.#partial = concatBytes([this.#partial, bytes]);
      return bytes.length;
    }
    // A copy: rewriters remember names, and the chunk is not theirs.
    const block = concatBytes([this.#partial, bytes]);
    this.#partial = new Uint8Array(0);
    this.#header(block);
    return missing;
  }

  #header(block: Uint8Array): void {
    if (isZero(block)) {
      if (++this.#zeros === 2) this.#state = { at: "end" };
      return;
    }
    if (this.#zeros > 0) throw new LayerError("corrupt", "an end block is followed by an entry");
    const header = readHeader(block);
    if ("xgLK".includes(header.flag)) {
      if (header.size > EXTENSION_LIMIT) throw new LayerError("limit", "an extended header is too large");
      this.#state = {
        at: "extension",
        flag: header.flag,
        size: header.size,
        left: wholeBlocks(header.size),
        parts: [],
      };
      if (header.size === 0) this.#extend(header.flag, new Uint8Array(0));
      return;
    }
    this.#entry(header);
  }

  #extend(flag: string, body: Uint8Array): void {
    this.#state = { at: "header" };
    // Global headers hold comments (git's commit); nothing in layers follows from them, as with Docker.
    if (flag === "g") parsePAX(body);
    else if (flag === "x") this.#records = parsePAX(body);
    else if (flag === "L") this.#longName = untilZero(body);
    else this.#longLink = untilZero(body);
  }

  #entry(header: TarHeader): void {
    const records = this.#records;
    const full = {
      ...header,
      name: this.#longName ?? header.name,
      link: this.#longLink ?? header.link,
    };
    const named = { name: this.#longName !== undefined, link: this.#longLink !== undefined };
    this.#records = [];
    this.#longName = this.#longLink = undefined;
    const { size, keep } = this.rewriter(full, records, named);
    this.#state = size === 0 ? { at: "header" } : { at: "payload", left: wholeBlocks(size), keep };
  }
}

function wholeBlocks(size: number): number {
  return size + paddingOf(size);
}
