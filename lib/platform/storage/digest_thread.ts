/**
 * A thread that digests files while they are written. SHA-256 takes two to three milliseconds a megabyte, in which a server's own thread answers
 * nobody. It reads what has been written, which the kernel has in memory, so that no bytes go from thread to thread.
 *
 * @module
 */
import process from "node:process";

/** A file is followed from its beginning to `end`; `isLast` asks for its digest. Without an `end` it is let go. */
interface Order {
  id: number;
  path: string;
  end?: number;
  isLast?: boolean;
}

/** The hexadecimal digits of a digest, or why there is none; for an order in between only how many bytes are digested. */
interface Outcome {
  id: number;
  at?: number;
  hex?: string;
  error?: string;
}

/** The thread's program, without what differs from runtime to runtime. It is a text, as a program of one file has no second one to start. */
const PROGRAM = `
const files = new Map();
const buffer = new Uint8Array(1 << 20);
const follow = ({ id, path, end, isLast }) => {
  try {
    if (!files.has(id) && end !== undefined) files.set(id, { at: 0, file: fs.openSync(path, "r"), hash: createHash("sha256") });
    const state = files.get(id);
    if (state === undefined) return { id };
    while (state.at < end) {
      const got = fs.readSync(state.file, buffer, 0, Math.min(buffer.length, end - state.at), state.at);
      // Zeros at the end come into the file when it is whole.
      if (got === 0 && !isLast) return { id, at: state.at };
      if (got === 0) throw new Error("the file ends at " + state.at);
      state.hash.update(buffer.subarray(0, got));
      state.at += got;
    }
    if (end !== undefined && !isLast) return { id, at: state.at };
    files.delete(id);
    fs.closeSync(state.file);
    return { id, hex: state.hash.digest("hex") };
  } catch (error) {
    return { id, error: String(error) };
  }
};
`;
const WEB = `import { createHash } from "node:crypto";
import fs from "node:fs";
${PROGRAM}
self.onmessage = ({ data }) => self.postMessage(follow(data));
`;
const NODE = `const { createHash } = require("node:crypto");
const fs = require("node:fs");
const { parentPort } = require("node:worker_threads");
${PROGRAM}
parentPort.on("message", (data) => parentPort.postMessage(follow(data)));
`;

/** A thread as both runtimes have it. */
interface Thread {
  send(order: Order): void;
  end(): void;
}

/** A caller that waits for a digest, and is told how far it has come. */
type Waiting = PromiseWithResolvers<string> & { onProgress?: (end: number) => void };

/** The thread, while there is a file that it follows, and who waits for digests. */
let current: { thread: Thread; waiting: Map<number, Waiting> } | undefined;
let count = 0;

/** A file that the thread digests. */
export class FollowedFile {
  readonly #id = count++;
  readonly #path: string;
  readonly #digest: Waiting;

  /**
   * Begins to follow a file.
   *
   * @param onProgress Told up to where the file was read, which is not done again
   */
  constructor(path: string, onProgress?: (end: number) => void) {
    this.#path = path;
    this.#digest = { ...Promise.withResolvers<string>(), onProgress };
    this.#digest.promise.catch(() => {});
    current ??= startThread();
    current.waiting.set(this.#id, this.#digest);
  }

  /** Tells that the file is written up to there. */
  reach(end: number): void {
    this.#send({ end });
  }

  /** Resolves with the digest; rejects where the thread could not read the file, or has ended. */
  async digest(end: number): Promise<string> {
    this.#send({ end, isLast: true });
    return `sha256:${await this.#digest.promise}`;
  }

  /** Lets the file go; the thread ends with the last one. */
  close(): void {
    this.#send({});
    this.#digest.reject(new Error("closed"));
    if (current?.waiting.delete(this.#id) !== true || current.waiting.size > 0) return;
    current.thread.end();
    current = undefined;
  }

  #send(more: Pick<Order, "end" | "isLast">): void {
    if (current?.waiting.has(this.#id)) current.thread.send({ id: this.#id, path: this.#path, ...more });
  }
}

function startThread(): NonNullable<typeof current> {
  const waiting = new Map<number, Waiting>();
  const take = ({ id, at, hex, error }: Outcome) => {
    if (at !== undefined) waiting.get(id)?.onProgress?.(at);
    if (error !== undefined) waiting.get(id)?.reject(new Error(error));
    else if (hex !== undefined) waiting.get(id)?.resolve(hex);
  };
  const fail = (error: unknown) => {
    if (current?.waiting === waiting) current = undefined;
    for (const { reject } of waiting.values()) reject(error);
  };
  return { waiting, thread: typeof Deno === "undefined" ? startNode(take, fail) : startWeb(take, fail) };
}

/** Deno's threads by Node's interface take 30 ms for each message. */
function startWeb(take: (outcome: Outcome) => void, fail: (error: unknown) => void): Thread {
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(WEB)}`, { type: "module" });
  worker.onmessage = ({ data }) => take(data);
  worker.onerror = (event) => {
    event.preventDefault();
    fail(new Error(event.message));
  };
  return { send: (order) => worker.postMessage(order), end: () => worker.terminate() };
}

function startNode(take: (outcome: Outcome) => void, fail: (error: unknown) => void): Thread {
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const worker = new Worker(NODE, { eval: true });
  worker.unref();
  worker.on("message", take);
  worker.on("error", fail);
  return { send: (order) => worker.postMessage(order), end: () => void worker.terminate() };
}
