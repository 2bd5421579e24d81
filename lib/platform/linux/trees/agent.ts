/**
 * Running the tree agent.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { EngineError } from "../../../engine/errors.ts";
import { byteStream, freeBytes, isByteStream } from "../../../oci/bytes/byte_stream.ts";
import { NO_SPACE } from "../../../oci/system_error.ts";
import { writeAll } from "../../http/exchange/write_all.ts";
import { HELPER_ENVIRONMENT, startProgram } from "../helpers/spawn.ts";
import { FrameReader } from "../perl/frames.ts";
import { type Carriers, firstConnection } from "../processes/nursery/nursery_sockets.ts";
import { exitCodeOf } from "../processes/nursery/nursery.ts";
import { perlArguments, type PerlProgram } from "../perl/programs.ts";

const STDERR_LIMIT = 4096;

/** The process of an agent. */
interface AgentProcess {
  /** The source of its answers, and of what it writes after them. */
  output: Readable;
  /** The stream that it reads from, if it does. */
  input?: Writable;
  /** Its standard error, when it has ended. */
  said: Promise<string>;
  /** Resolves with its exit code when it has ended: 0 where it ended well. Never rejects. */
  ended: Promise<number>;
  kill(): void;
}

/** Starts a program of its own as an agent: one of the agent's programs, with the name of an operation first. */
export function startAgent(program: PerlProgram, args: readonly string[]): Agent {
  const child = startProgram("perl", perlArguments(program, "Work on files", args), {
    cwd: "/",
    env: HELPER_ENVIRONMENT,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.once("error", () => {});
  return new Agent({
    output: child.stdout!,
    said: textOf(child.stderr!),
    ended: once(child, "close").then(([code]) => (code as number | null) ?? -1, () => -1),
    kill() {
      child.kill("SIGKILL");
      for (const pipe of child.stdio) (pipe as Readable | Writable | null)?.destroy();
    },
  });
}

/** Choices for {@linkcode forkAgent}. */
interface ForkOptions {
  /** It is fed. */
  hasInput?: boolean;
  /** The exit codes of an agent that did its work; 0 by default. */
  well?: readonly number[];
}

/** Has a process of the nursery be an agent: an operation's name, and its arguments. */
export async function forkAgent(
  { nursery, sockets, runroot }: Carriers,
  args: readonly string[],
  { hasInput = false, well = [0] }: ForkOptions = {},
): Promise<Agent> {
  const key = randomUUID();
  using expected = await sockets.expect(key);
  const helper = await nursery.tree([runroot, key, ...args]);
  const said = helper.said.then(({ errors }) => errors, ({ message }: Error) => message);
  try {
    const lost = () => new EngineError("internal", "Work on files: the helper has ended");
    const exitCode = helper.ended.then(exitCodeOf);
    const ended = exitCode.then((code) => well.includes(code) ? 0 : code);
    const { socket, frames } = await firstConnection(expected.connection, { ended }, lost);
    const kill = () => {
      helper.kill();
      socket.destroy();
    };
    const input = hasInput ? { input: socket } : {};
    return new Agent({ output: socket, ...input, said, ended: exitCode, kill }, frames, well);
  } catch {
    throw failureOf(await said);
  }
}

/** The output of an agent that is forked when its first bytes are asked for. */
export interface LateOutput {
  /** It fails when the agent does; cancelling it ends the agent. */
  stream: ReadableStream<Uint8Array>;
  /** Resolves with the agent's exit code when it has ended. */
  exitCode(): Promise<number>;
}

/**
 * The output of an agent that only reads and has no answer before it.
 *
 * @param well The exit codes of an agent that did its work
 */
export function lateOutput(carriers: Carriers, args: readonly string[], well?: readonly number[]): LateOutput {
  let forked: Promise<Agent> | undefined;
  const agent = () => forked ??= forkAgent(carriers, args, { well });
  return {
    stream: byteStream({
      next: async () => await (await agent()).piece(),
      cancel: async () => (await forked)?.end(),
    }),
    exitCode: async () => await (await agent()).ended,
  };
}

/**
 * Looks at a path as the agent's `find` does, and returns its answer. Throws what the agent says went wrong. A signal that aborts meanwhile ends
 * it.
 */
export async function lookUp({ nursery }: Carriers, path: readonly string[], signal?: AbortSignal): Promise<string[]> {
  signal?.throwIfAborted();
  const helper = await nursery.look(path);
  signal?.addEventListener("abort", helper.kill);
  try {
    const { line, errors } = await helper.said;
    signal?.throwIfAborted();
    if (line === "") throw failureOf(errors);
    return checkAnswer(line.split("\0"));
  } finally {
    signal?.removeEventListener("abort", helper.kill);
  }
}

/** A tree agent at work: one process, one operation. */
export class Agent implements Disposable {
  readonly #process: AgentProcess;
  readonly #frames: FrameReader;
  readonly #well: readonly number[];

  /** `frames` are those of its output, where something was read of it already; `well` the exit codes of one that did its work. */
  constructor(process: AgentProcess, frames?: FrameReader, well: readonly number[] = [0]) {
    this.#process = process;
    this.#frames = frames ?? new FrameReader(process.output);
    this.#well = well;
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
    return checkAnswer(fields);
  }

  /** How far the agent is, as it tells that: bytes, until it has done its work. An agent that is not waited for to the end is ended. */
  async *progress(signal: AbortSignal): AsyncGenerator<number, void> {
    let isDone = false;
    try {
      while (!isDone) {
        const [word, bytes] = await this.answer(signal);
        isDone = word === "done";
        yield Number(bytes);
      }
      if (!this.#well.includes(await this.#process.ended)) throw await this.#failure();
    } finally {
      if (!isDone) this.end();
    }
  }

  /** Everything the agent writes from now on. It fails when the agent does; cancelling it ends the agent. */
  output(): ReadableStream<Uint8Array> {
    return byteStream({ next: () => this.piece(), cancel: () => this.end() });
  }

  /** The next bytes that the agent writes; `undefined` behind the last ones. Throws where it failed. */
  async piece(): Promise<Uint8Array | undefined> {
    const bytes = await this.#frames.rest();
    if (bytes === undefined && !this.#well.includes(await this.#process.ended)) throw await this.#failure();
    return bytes;
  }

  /** Feeds its input to the end of the stream. A source that the agent does not want any more is cancelled. */
  async feed(source: ReadableStream<Uint8Array>): Promise<void> {
    const stdin = this.#process.input!;
    // A write after the end is told by the agent's answer.
    stdin.once("error", () => {});
    const isOurs = isByteStream(source);
    const reader = source.getReader();
    // The source may be silent when the agent ends.
    const stop = () => void reader.cancel().catch(() => {});
    stdin.once("close", stop);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        if (!await writeAll(stdin, value)) return await reader.cancel();
        if (isOurs) freeBytes(value);
      }
      stdin.end();
    } finally {
      stdin.off("close", stop);
      reader.releaseLock();
    }
  }

  /** Resolves with its exit code when it has ended. */
  get ended(): Promise<number> {
    return this.#process.ended;
  }

  /** Ends it. */
  end(): void {
    this.#process.kill();
  }

  [Symbol.dispose](): void {
    this.end();
  }

  async #failure(): Promise<EngineError> {
    return failureOf(await this.#process.said);
  }
}

/** The failure of an agent that gave no answer, by its standard error. */
function failureOf(said: string): EngineError {
  return new EngineError("internal", `Work on files: ${said.trim().split("\n")[0] || "the helper has ended"}`);
}

/** The fields of an answer. Throws what they say went wrong. */
function checkAnswer(fields: string[]): string[] {
  const [word, code, text] = fields;
  if (word === "error") throw agentError(code!, text!);
  return fields;
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
