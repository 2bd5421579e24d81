/**
 * The engine's ports to the world. `lib/platform` implements these for each runtime; nothing else in `lib/engine` may name a
 * runtime.
 *
 * @module
 */
import type { Host, NoHost } from "./host_port.ts";

/** One record of a table. Values are texts the engine wrote; a store never looks inside. */
export interface Row {
  table: string;
  key: string;
  value: string;
}

/** One change of a {@linkcode Store.commit} batch; `value: null` deletes. */
export interface Change {
  table: string;
  key: string;
  value: string | null;
  /** A value that is deleted, or replaced, must not stay in the store's files. */
  isSecret?: boolean;
}

/** One record of an append-only stream. `seq` rises by at least one per record, in append order. */
export interface StreamEntry {
  seq: number;
  /** Milliseconds since the epoch, with fractions where the clock has them. */
  time: number;
  value: string;
}

/** How much of an append-only stream is kept. */
export interface Retention {
  /** Keep at most this many of the newest records. */
  records?: number;
  /** Keep no more of the newest records than have values of this many bytes in UTF-8. */
  bytes?: number;
}

/** Which records of a stream are kept: those from `first` to `last`; `first` is above `last` where there are none. */
export interface StreamExtent {
  first: number;
  last: number;
  /** The time of the last record; absent where there are none. */
  time?: number;
}

/** Which records of a stream are read. */
export interface StreamRange {
  /** Only records with `time >= since`. */
  since?: number;
  /** Only records with `seq > after`. */
  after?: number;
  /** Only records with `seq <= last`. */
  last?: number;
  /** Only records whose value has no more bytes than this; others are passed over, unread. */
  most?: number;
}

/** Durable records: tables of rows and append-only streams. */
export interface Store {
  /** Its place, for messages: a file's path. */
  readonly place?: string;
  /** Every row there is, in no order that matters. Called once, at start. */
  load(): Promise<Row[]>;
  /** Applies a batch whole or not at all; durable when it resolves. Concurrent calls may be grouped. */
  commit(changes: readonly Change[]): Promise<void>;
  /**
   * Appends to a stream, in order and under consecutive numbers, and drops what `retention` no longer keeps: all of it, or
   * a piece that is larger than what came in. Resolves with what the stream has then.
   */
  append(
    stream: string,
    entries: readonly Omit<StreamEntry, "seq">[],
    retention?: Retention,
  ): Promise<StreamExtent>;
  /**
   * Drops a piece of what `retention` does not keep, small enough not to keep others waiting, and resolves with whether
   * there may be more to drop. Space that is free then goes back to where it came from.
   */
  trim(stream: string, retention: Retention): Promise<boolean>;
  /** Returns the extent of the stream, without reading its values. */
  extent(stream: string): Promise<StreamExtent>;
  /** The stream's records in append order, read in pieces as the reader takes them. */
  read(stream: string, range?: StreamRange): AsyncIterable<StreamEntry>;
  /** Drops a whole stream. */
  drop(stream: string): Promise<void>;
  close(): Promise<void>;
}

/** The properties of a blob that are known before it is stored. */
export interface PutOptions {
  /** The digest the content must have (`sha256:…`); computed when absent. */
  digest?: string;
  /** The exact size in bytes the content must have. */
  size?: number;
  /** The most bytes accepted; more is an `EngineError("limit")`. */
  limit?: number;
  /** It need not last: it is gone when the store is opened anew, unless {@linkcode Blobs.keep} was asked for it. */
  isScratch?: boolean;
  /** Continue what {@linkcode Blobs.staged} reported for `digest`, from this byte on. */
  offset?: number;
  /**
   * Called once with the digest of what is whole and right, before it can be seen: who stores content it does not know the
   * digest of claims it here. The blob waits for the promise; a rejection refuses it.
   */
  admit?: (digest: string) => Promise<void>;
  signal?: AbortSignal;
}

/** Choices for {@linkcode Blobs.fill}. */
export type FillOptions = Pick<PutOptions, "limit" | "admit" | "signal">;

/** Writes a file, which is there and empty, from its beginning on, and tells how many bytes are written so far. */
export type FileWriter = (path: string, signal: AbortSignal) => AsyncIterable<number>;

/** Content-addressed storage. A blob is visible only when whole and verified. Digests are `sha256:<64 hex>`. */
export interface Blobs {
  stat(digest: string): Promise<{ size: number } | undefined>;
  /** The content, or the bytes `start` (inclusive) to `end` (exclusive) of it; `undefined` where there is none. */
  open(digest: string, range?: { start: number; end?: number }): Promise<ReadableStream<Uint8Array> | undefined>;
  /**
   * Stores a stream, whose bytes nobody reads after it. When the source breaks off and the digest was given, what arrived stays staged for a resume;
   * content that is whole but wrong (digest, size, limit) throws `EngineError("corrupt" | "limit")` and leaves nothing.
   */
  put(source: ReadableStream<Uint8Array>, options?: PutOptions): Promise<{ digest: string; size: number }>;
  /**
   * Stores what another program writes into a file of the store. `write` is given the file's path, and tells from time to time, and in the end, how
   * many bytes are written; it stops when the signal aborts. Only stores in files of this machine have it.
   */
  fill?(write: FileWriter, options?: FillOptions): Promise<{ digest: string; size: number }>;
  /**
   * Makes a blob last that was put as scratch; nothing where there is no such blob. A store without it makes no difference between
   * blobs.
   */
  keep?(digest: string): Promise<void>;
  /** How many bytes of an unfinished `put` under this digest are kept; 0 when none. */
  staged(digest: string): Promise<number>;
  /** The digests that something is staged under. */
  listStaged(): Promise<string[]>;
  /** Throws away what is staged under a digest, once nobody puts it. */
  unstage(digest: string): Promise<void>;
  /**
   * Takes a blob out of sight again: it becomes staged, whole, so that a `put` from its end brings it back without its
   * bytes. A store that cannot stage deletes instead. Nothing where there is no such blob.
   */
  restage(digest: string): Promise<void>;
  delete(digest: string): Promise<void>;
  list(): AsyncIterable<{ digest: string; size: number }>;
  /**
   * The file a blob is, `path` below `folder`, made readable for everybody who can reach it, and never to be changed;
   * `undefined` where there is no such blob. Only stores in files of this machine have it.
   */
  file?(digest: string): Promise<{ folder: string; path: string } | undefined>;
}

/** TLS choices for one registry. */
export interface TLSOptions {
  /** Accept any certificate. */
  insecure?: boolean;
  /** PEM certificates to trust besides the system's. */
  ca?: string;
  /** Trust nobody but `ca`: the system's certificates do not count. */
  caOnly?: boolean;
  /** PEM client certificate and key. */
  cert?: string;
  key?: string;
}

/** The network as registries are reached. `fetch` does not follow redirects when `redirect: "manual"` is asked. */
export interface Net {
  fetch(request: Request, tls?: TLSOptions): Promise<Response>;
}

/** An incremental digest. */
export interface Hash {
  /** Takes bytes, which must not change before it resolves; one that returns nothing is done with them. */
  update(bytes: Uint8Array): void | Promise<void>;
  /** `sha256:<hex>`; ends the hash. */
  digest(): Promise<string>;
}

/** Digests and compression, native where the runtime has them. */
export interface Codec {
  hash(): Hash;
  gunzip(): TransformStream<Uint8Array, Uint8Array>;
  /** `level` is 1 (fast) to 9 (small), -1 the usual one. Throws `EngineError("unsupported")` where it cannot be chosen. */
  gzip(level?: number): TransformStream<Uint8Array, Uint8Array>;
  /** For what somebody waits for: faster than the usual level, where that can be chosen. */
  fastGzip(): TransformStream<Uint8Array, Uint8Array>;
  /** Zstandard, decompressing; throws `EngineError("unsupported")` where there is none. */
  unzstd(): TransformStream<Uint8Array, Uint8Array>;
  /** Zstandard, compressing; `level` is 1 to 22. Throws `EngineError("unsupported")` where there is none. */
  zstd(level?: number): TransformStream<Uint8Array, Uint8Array>;
  /** Whether a write to one of the above is done only when its bytes are needed no more: they may be freed then. */
  readonly handsBack?: boolean;
  /** Frees what came out of one of the above and nobody reads any more, where the runtime is late with that. */
  free?(bytes: Uint8Array): void;
}

/** Wall clock and timers. */
export interface Clock {
  /** Milliseconds since the epoch, with fractions where the runtime has them. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Random bytes, cryptographic. */
export interface Random {
  bytes(length: number): Uint8Array;
}

/** All ports. */
export interface Ports {
  store: Store;
  blobs: Blobs;
  net: Net;
  codec: Codec;
  clock: Clock;
  random: Random;
  host: Host | NoHost;
}
