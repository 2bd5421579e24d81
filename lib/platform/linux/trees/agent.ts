/**
 * Running the tree agent.
 *
 * @module
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { EngineError } from "../../../engine/errors.ts";
import { byteStream, freeBytes, isByteStream } from "../../../oci/bytes/byte_stream.ts";
import { NO_SPACE } from "../../../oci/system_error.ts";
import { writeAll } from "../../http/exchange/write_all.ts";
import { HELPER_ENVIRONMENT, startProgram } from "../helpers/spawn.ts";
import { FrameReader } from "../perl/frames.ts";
import { perlArguments, type PerlProgram } from "../perl/programs.ts";

const STDERR_LIMIT = 4096;

/** A tree agent at work: one process, one operation. */
export class Agent implements Disposable {
  readonly #child: ChildProcess;
  readonly #frames: FrameReader;
  readonly #said: Promise<string>;
  readonly #ended: Promise<number>;

  /** Starts it: one of its programs, with the name of an operation first. `hasInput` gives it a pipe to read from. */
  constructor(program: PerlProgram, args: readonly string[], hasInput = false) {
    this.#child = startProgram("perl", perlArguments(program, "Work on files", args), {
      cwd: "/",
      env: HELPER_ENVIRONMENT,
      stdio: [hasInput ? "pipe" : "ignore", "pipe", "pipe"],
    });
    this.#frames = new FrameReader(this.#child.stdout!);
    this.#said = textOf(this.#child.stderr!);
    this.#ended = once(this.#child, "close").then(([code]) => (code as number | null) ?? -1, () => -1);
    this.#child.once("error", () => {});
  }

  /** The next answer's fields. Throws what the agent says went wrong. A signal that aborts meanwhile ends the agent. */
  async answer(signal?: AbortSignal): Promise<string[]> {
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

  async #next(): Promise<string[]> {
    const fields = await this.#frames.readTexts();
    if (fields === undefined) throw await this.#failure();
    const [word, code, text] = fields;
    if (word === "error") throw agentError(code!, text!);
    return fields;
  }

  /** Everything the agent writes from now on. It fails when the agent does; cancelling it ends the agent. */
  output(): ReadableStream<Uint8Array> {
    return byteStream({
      next: async () => {
        const bytes = await this.#frames.rest();
        if (bytes === undefined && await this.#ended !== 0) throw await this.#failure();
        return bytes;
      },
      cancel: () => this.end(),
    });
  }

  /** Feeds its input to the end of the stream. A source that the agent does not want any more is cancelled. */
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
        if (!await writeAll(stdin, value)) return await reader.cancel();
        if (isOurs) freeBytes(value);
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
}

function agentError(code: string, text: string): EngineError {
  if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") {
    const sentinel = "no such file or directory";
    return new EngineError("no_such_file", sentinel, { sentinel, cause: new Error(text) });
  }
  if (code === "gone") return new EngineError("state", text);
  if (code === "put") return new EngineError("invalid", text);
  if (code === "ENOSPC") return new EngineError("internal", text, { sentinel: NO_SPACE });
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
