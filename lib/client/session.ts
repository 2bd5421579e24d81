import { ClientError } from "./client_error.ts";
import type { OutputFrame } from "./frames.ts";

/** The outcome of a program that ended. */
export interface RunResult {
  readonly exitCode: number;
  /** Standard output as UTF-8 text, its last end of line included. */
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as it came. */
  readonly stdoutBytes: Uint8Array;
}

/** Standard input for a program: text, bytes or a stream of them. */
export type InputData = string | Uint8Array | ReadableStream<Uint8Array>;

/** How the output of a program is gathered. */
export interface CollectOptions {
  readonly stdin?: InputData;
  /** Called with each piece of output when it comes. */
  readonly onOutput?: (frame: OutputFrame) => void;
}

/** The parts of a {@linkcode Session}. */
export interface SessionParts {
  readonly output: ReadableStream<OutputFrame>;
  /** Absent where standard input is not attached. */
  readonly input?: WritableStream<Uint8Array>;
  /** Resolves with the exit code, after the output has ended. */
  readonly exitCode: () => Promise<number>;
  readonly resize: (size: { h: number; w: number }) => Promise<void>;
  readonly close: () => void;
}

/**
 * A program's streams, both ways: that of an exec session, or those of a container that one is attached to. Disposing it closes the
 * connection; the program goes on.
 *
 * @example
 * ```ts
 * import type { Container } from "./mod.ts";
 * async function upperCase(container: Container, text: string): Promise<string> {
 *   await using session = await container.interact(["tr", "a-z", "A-Z"]);
 *   await session.write(text);
 *   await session.end();
 *   return (await session.collect()).stdout;
 * }
 * ```
 */
export class Session implements AsyncDisposable {
  /** The output in pieces, each with its stream. A terminal's is all standard output. */
  readonly output: ReadableStream<OutputFrame>;
  /** Standard input; an error is thrown by writes where it was not asked for. */
  readonly stdin: WritableStream<Uint8Array>;
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.output = parts.output;
    this.stdin = parts.input ?? noInput();
  }

  /** Writes to standard input. */
  async write(data: string | Uint8Array): Promise<void> {
    const writer = this.stdin.getWriter();
    try {
      await writer.write(typeof data === "string" ? new TextEncoder().encode(data) : data);
    } finally {
      writer.releaseLock();
    }
  }

  /** Ends standard input. */
  async end(): Promise<void> {
    await this.stdin.close();
  }

  /** Resolves with the exit code when the program has ended. Somebody has to read the output: a program waits for its reader. */
  async wait(): Promise<number> {
    return await this.#parts.exitCode();
  }

  /** Changes the size of the program's terminal. */
  async resize(columns: number, rows: number): Promise<void> {
    await this.#parts.resize({ h: rows, w: columns });
  }

  /** Gathers the output and the exit code; with `stdin`, that is sent, and ended, meanwhile. */
  async collect({ stdin, onOutput }: CollectOptions = {}): Promise<RunResult> {
    const sending = stdin === undefined ? undefined : sendTo(this.stdin, stdin);
    const parts: Record<OutputFrame["stream"], Uint8Array<ArrayBuffer>[]> = { stdout: [], stderr: [] };
    const gather = async () => {
      for await (const frame of this.output) {
        onOutput?.(frame);
        parts[frame.stream].push(frame.data.slice());
      }
    };
    try {
      // A source that fails ends it at once; one that is sent leaves the output to come.
      await Promise.race([gather(), sending?.failure].filter((part) => part !== undefined));
    } catch (error) {
      this.close();
      throw error;
    } finally {
      // A source may take its time to let go.
      void sending?.stop();
    }
    const exitCode = await this.#parts.exitCode();
    const [stdoutBytes, stderr] = await Promise.all([
      new Blob(parts.stdout).arrayBuffer().then((buffer) => new Uint8Array(buffer)),
      new Blob(parts.stderr).text(),
    ]);
    return { exitCode, stdout: new TextDecoder().decode(stdoutBytes), stderr, stdoutBytes };
  }

  /** Closes the connection. */
  close(): void {
    this.#parts.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.close();
    return Promise.resolve();
  }
}

/** Input on its way to a program. */
interface Sending {
  /** Rejects where the source fails, or where there is nobody to send to; never resolves. */
  readonly failure: Promise<never>;
  /** Lets go of a source that has more than was wanted. */
  stop(): Promise<void>;
}

/** Sends input, and ends it. A program may end before it has read all: its output and exit code tell more than a broken pipe does. */
function sendTo(target: WritableStream<Uint8Array>, stdin: InputData): Sending {
  const source = stdin instanceof ReadableStream ? stdin : new Response(stdin.slice()).body;
  const reader = (source ?? new Blob().stream()).getReader();
  const writer = target.getWriter();
  // Node 20 has no Promise.withResolvers.
  let reject: (error: unknown) => void = () => {};
  const failure = new Promise<never>((_, refuse) => reject = refuse);
  // It is of no interest once the output has ended.
  failure.catch(() => {});
  const stop = () => reader.cancel().catch(() => {});
  writer.closed.catch(stop);
  const write = async (work: () => Promise<void>) => {
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof ClientError) throw error;
      return false;
    }
  };
  const send = async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return void await write(() => writer.close());
      if (!await write(() => writer.write(value))) return await stop();
    }
  };
  send().catch((error) => {
    writer.abort(error).catch(() => {});
    reject(error);
  });
  return { failure, stop };
}

function noInput(): WritableStream<Uint8Array> {
  const refuse = () => {
    throw new ClientError("unsupported", "Write standard input: it was not attached; ask for it with { stdin: true }");
  };
  return new WritableStream({ write: refuse });
}
