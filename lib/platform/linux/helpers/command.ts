/**
 * Running host programs.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { freeBytes, isByteStream } from "../../../oci/bytes/byte_stream.ts";
import { sleep } from "../../../oci/sleep.ts";
import { programFolders, startProgram } from "./spawn.ts";
import { writeAll } from "../../http/exchange/write_all.ts";

/** How a program is run. */
export interface CommandOptions {
  /** The standard input; empty by default. A stream's failure kills the program and is thrown as it is. */
  stdin?: string | Uint8Array | ReadableStream<Uint8Array>;
  cwd?: string;
  /** Milliseconds until it is killed; 60,000 by default, `Infinity` for no limit. */
  timeout?: number;
  signal?: AbortSignal;
  /** Exit codes that are no error; `[0]` by default. */
  accept?: readonly number[];
  /** The most bytes of standard output kept; more is an error. 16 MiB by default. */
  limit?: number;
  /** Takes standard output piece by piece, as much as there is of it; none of it is kept then. */
  output?: (text: string) => void;
  /** The same for bytes that are no text. */
  bytes?: (chunk: Uint8Array) => void;
  /** Variables besides the few that every program gets. */
  env?: Readonly<Record<string, string>>;
}

/** The exit code and output of a program. */
export interface CommandResult {
  code: number;
  stdout: string;
  /** The first 64 KiB. */
  stderr: string;
}

/** A program that could not be run, was killed, or ended with a code that was not accepted. */
export class CommandError extends Error {
  override name = "CommandError";

  constructor(
    message: string,
    /** The exit code; -1 when it was killed or never ran. */
    readonly code: number,
    readonly stderr: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const OUTPUT_LIMIT = 16 * 1024 * 1024;
const STDERR_LIMIT = 64 * 1024;
const TIMEOUT = 60_000;
/** The rest of this process's environment is not for others: it may hold a token, or steer them (`TAR_OPTIONS`). */
const PASSED_ON = ["HOME", "TMPDIR", "NETAVARK_FW"];

/**
 * Runs a program to its end. Throws {@linkcode CommandError} with the program's standard error as the detail, or the
 * reason of the signal, or the failure of the stream it was fed from.
 */
export async function runCommand(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  options.signal?.throwIfAborted();
  const child = startProgram(program, args, {
    stdio: [options.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    cwd: options.cwd,
    env: {
      ...Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]])),
      PATH: programFolders().join(":"),
      LC_ALL: "C",
      ...options.env,
    },
  });
  let stopped: { why: string; cause?: unknown } | undefined;
  const stop = (why: string, cause?: unknown) => {
    stopped ??= { why, cause };
    child.kill("SIGKILL");
  };
  const aborted = () => stop("cancelled", options.signal?.reason);
  options.signal?.addEventListener("abort", aborted);
  const timeout = options.timeout ?? TIMEOUT;
  const over = new AbortController();
  // The probe of a health check may have any time.
  if (timeout !== Infinity) sleep(timeout, over.signal).then(() => stop(`no end after ${timeout} ms`), () => {});
  try {
    const limit = options.limit ?? OUTPUT_LIMIT;
    const { bytes } = options;
    if (bytes !== undefined) child.stdout!.on("data", (chunk: Uint8Array) => bytes(chunk));
    const stdout = bytes !== undefined
      ? () => ""
      : options.output === undefined
      ? collect(child.stdout!, limit, () => stop(`more than ${limit} bytes of output`))
      : hand(child.stdout!, options.output);
    const stderr = collect(child.stderr!, STDERR_LIMIT);
    const fed = options.stdin === undefined ? undefined : feed(child.stdin!, options.stdin).catch((error) => {
      stop("its input failed", error);
    });
    const code = await new Promise<number>((resolve, reject) => {
      child.once(
        "error",
        (error) => reject(new CommandError(`Run "${program}": ${error.message}`, -1, "", { cause: error })),
      );
      child.once("close", (code) => resolve(code ?? -1));
    });
    // A program that ended well may leave input unread (tar after its end marker): nothing waits for that input.
    if (stopped === undefined && (options.accept ?? [0]).includes(code)) {
      return { code, stdout: stdout(), stderr: stderr() };
    }
    await fed;
    options.signal?.throwIfAborted();
    if (stopped?.cause !== undefined) throw stopped.cause;
    const detail = stopped?.why ?? stderr().trim().slice(-4096);
    throw new CommandError(`Run "${program}": ${detail || `exit code ${code}`}`, code, stderr());
  } finally {
    over.abort();
    options.signal?.removeEventListener("abort", aborted);
  }
}

/** Gathers a stream's text up to `limit` bytes; drops the rest, after calling `over` once. */
function collect(stream: Readable, limit: number, over?: () => void): () => string {
  const chunks: Uint8Array[] = [];
  let size = 0;
  stream.on("data", (chunk: Uint8Array) => {
    if (size > limit) return;
    size += chunk.length;
    if (size > limit) over?.();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString("utf8");
}

/** Hands a stream's text on as it comes; a character is never cut in two. */
function hand(stream: Readable, output: (text: string) => void): () => string {
  const decoder = new TextDecoder();
  stream.on("data", (chunk: Uint8Array) => output(decoder.decode(chunk, { stream: true })));
  return () => "";
}

/** Writes the input with back-pressure. A program that stops reading ends the feeding without an error. */
async function feed(stdin: Writable, input: string | Uint8Array | ReadableStream<Uint8Array>): Promise<void> {
  let closed = false;
  const close = () => closed = true;
  stdin.once("error", close);
  stdin.once("close", close);
  if (typeof input === "string" || input instanceof Uint8Array) {
    stdin.end(input);
    return;
  }
  const isOurs = isByteStream(input);
  const reader = input.getReader();
  try {
    while (!closed) {
      const { done, value } = await reader.read();
      if (done) break;
      if (value.length > 0 && await writeAll(stdin, value) && isOurs) freeBytes(value);
    }
    if (closed) await reader.cancel().catch(() => {});
    else stdin.end();
  } finally {
    reader.releaseLock();
  }
}
