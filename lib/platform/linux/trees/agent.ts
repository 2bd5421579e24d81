/**
 * Running the tree agent.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { arch } from "node:os";
import type { Readable, Writable } from "node:stream";
import { EngineError } from "../../../engine/errors.ts";
import { byteStream, free, isByteStream } from "../../../oci/bytes/byte_stream.ts";
import { written } from "../../http/exchange/written.ts";
import { HELPER_ENVIRONMENT, startProgram } from "../helpers/spawn.ts";
import { AGENT_SCRIPT, SYSTEM_CALLS } from "./agent_script.ts";

const ANSWER_LIMIT = 64 * 1024;
const STDERR_LIMIT = 4096;

/** A tree agent at work: one process, one operation. */
export class Agent implements Disposable {
  readonly #child: ChildProcess;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #said: Promise<string>;
  readonly #ended: Promise<number>;
  #buffered: Buffer = Buffer.alloc(0);

  /** Starts it. `hasInput` gives it a pipe to read from. */
  constructor(args: readonly string[], hasInput = false) {
    const calls = SYSTEM_CALLS[arch()];
    if (calls === undefined) throw new EngineError("unsupported", `Work on files: not available on ${arch()}`);
    const numbers = Object.entries(calls).map(([name, number]) => `${name}=${number}`).join(",");
    this.#child = startProgram("perl", ["-e", AGENT_SCRIPT, numbers, ...args], {
      cwd: "/",
      env: HELPER_ENVIRONMENT,
      stdio: [hasInput ? "pipe" : "ignore", "pipe", "pipe"],
    });
    this.#chunks = this.#child.stdout![Symbol.asyncIterator]();
    this.#said = textOf(this.#child.stderr!);
    this.#ended = once(this.#child, "close").then(([code]) => (code as number | null) ?? -1, () => -1);
    this.#child.once("error", () => {});
  }

  /** The next answer's fields. Throws what the agent says went wrong. A signal that aborts meanwhile ends the agent. */
  async answer(signal?: AbortSignal): Promise<Buffer[]> {
    const aborted = () => this.end();
    signal?.throwIfAborted();
    signal?.addEventListener("abort", aborted);
    try {
      return await this.#next();
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", aborted);
    }
  }

  async #next(): Promise<Buffer[]> {
    if (!await this.#fill(4)) throw await this.#failure();
    const length = this.#buffered.readUInt32BE();
    if (length > ANSWER_LIMIT) throw new EngineError("internal", "Work on files: an answer is too long");
    if (!await this.#fill(4 + length)) throw await this.#failure();
    const body = this.#buffered.subarray(4, 4 + length);
    this.#buffered = this.#buffered.subarray(4 + length);
    const fields: Buffer[] = [];
    for (let at = 0; at < body.length;) {
      const end = at + 4 + body.readUInt32BE(at);
      fields.push(body.subarray(at + 4, end));
      at = end;
    }
    const [word, code, text] = fields.map(String);
    if (word === "error") throw agentError(code!, text!);
    return fields;
  }

  /** Everything the agent writes from now on. It fails when the agent does; cancelling it ends the agent. */
  output(): ReadableStream<Uint8Array> {
    return byteStream({
      next: async () => {
        const bytes = await this.#more();
        if (bytes === undefined && await this.#ended !== 0) throw await this.#failure();
        return bytes;
      },
      cancel: () => this.end(),
    });
  }

  /** Feeds its input to the end of the stream. What the agent does not want any more is cancelled. */
  async feed(source: ReadableStream<Uint8Array>): Promise<void> {
    const stdin: Writable = this.#child.stdin!;
    // A write after the end is told by the agent's answer.
    stdin.once("error", () => {});
    const isOurs = isByteStream(source);
    const reader = source.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        if (!await written(stdin, value)) return await reader.cancel();
        if (isOurs) free(value);
      }
      stdin.end();
    } finally {
      reader.releaseLock();
    }
  }

  /** Ends it. */
  end(): void {
    this.#child.kill("SIGKILL");
    for (const pipe of this.#child.stdio) (pipe as Readable | Writable | null)?.destroy();
  }

  [Symbol.dispose](): void {
    this.end();
  }

  async #failure(): Promise<EngineError> {
    const detail = (await this.#said).trim().split("\n")[0] || "the helper has ended";
    return new EngineError("internal", `Work on files: ${detail}`);
  }

  async #more(): Promise<Uint8Array | undefined> {
    if (this.#buffered.length > 0) {
      const bytes = this.#buffered;
      this.#buffered = Buffer.alloc(0);
      return bytes;
    }
    const next = await this.#chunks.next().catch(() => ({ done: true as const, value: undefined }));
    return next.done ? undefined : next.value;
  }

  async #fill(size: number): Promise<boolean> {
    while (this.#buffered.length < size) {
      const before = this.#buffered;
      this.#buffered = Buffer.alloc(0);
      const more = await this.#more();
      if (more === undefined) return false;
      this.#buffered = Buffer.concat([before, more]);
    }
    return true;
  }
}

function agentError(code: string, text: string): EngineError {
  if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") {
    const sentinel = "no such file or directory";
    return new EngineError("no_such_file", sentinel, { sentinel, cause: new Error(text) });
  }
  if (code === "gone") return new EngineError("state", text);
  if (code === "put") return new EngineError("invalid", text);
  if (code === "ENOSPC") return new EngineError("internal", text, { sentinel: "no space left on device" });
  return new EngineError("internal", text);
}

async function textOf(stream: Readable): Promise<string> {
  let whole = "";
  try {
    for await (const chunk of stream) if (whole.length < STDERR_LIMIT) whole += String(chunk);
  } catch {
    // Destroyed with the agent.
  }
  return whole;
}
