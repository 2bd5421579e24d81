/**
 * The parts of workerd that the entry uses, as types: its own would be in the way of those of Deno.
 *
 * @module
 */

/** The bindings of the entry; all of them are optional. */
export interface Bindings {
  /** The token callers must send. */
  readonly GANTRY_TOKEN?: string;
  /** The text of a registries.conf. */
  readonly GANTRY_REGISTRIES?: string;
  /** The Durable Object class {@linkcode GantryEngine}: with it, state lasts. */
  readonly ENGINE?: DurableObjectNamespace;
  /** The bucket for the bytes of blobs, of this deployment alone; beside `ENGINE` only. Without it they are in the object's SQLite. */
  readonly BLOBS?: R2Bucket;
}

/** An R2 bucket. */
export interface R2Bucket {
  get(key: string): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>;
  put(key: string, value: ArrayBufferView): Promise<unknown>;
  delete(keys: string[]): Promise<void>;
  list(options: { prefix: string; startAfter?: string; limit: number }): Promise<{ objects: { key: string }[] }>;
}

/** A Durable Object class. */
export interface DurableObjectNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

/** The context by which work outlives its request. */
export interface ExecutionContext {
  waitUntil(promise: Promise<unknown>): void;
}

/** The state of a Durable Object. */
export interface DurableObjectState extends ExecutionContext {
  readonly storage: {
    readonly sql: SQLStorage;
    /** Runs `work` as one transaction, which an exception undoes. */
    transactionSync<T>(work: () => T): T;
    /** Resolves when everything written has lasted. */
    sync(): Promise<void>;
  };
}

/** SQLite inside a Durable Object. */
export interface SQLStorage {
  exec(query: string, ...bindings: (string | number | ArrayBuffer | null)[]): SQLCursor;
}

/** Rows of a query, read once. */
export interface SQLCursor extends Iterable<Record<string, string | number | ArrayBuffer | null>> {
  toArray(): Record<string, string | number | ArrayBuffer | null>[];
}

declare global {
  /** Two ends of a WebSocket. */
  var WebSocketPair: undefined | { new (): { 0: WebSocket; 1: WebSocket & { accept(): void } } };
}
