/**
 * Logs in systemd's journal, as conmon writes them there and journalctl(1) gives them back.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../../../engine/errors.ts";
import type { LogReadOptions } from "../../../engine/ports/host_port.ts";
import { startProgram } from "../helpers/spawn.ts";

const SOCKET = "/run/systemd/journal/socket";
/** The journal takes entries before it shows them: how long after a container's end it must be silent to have told all. */
const SILENCE = 500;
/** Priority of what conmon read from standard error (`LOG_ERR`); standard output is `LOG_INFO`. */
const ERROR = "3";
/** The end of a line. */
const LINE_FEED = 10;

/** Whether this host has a journal. */
export function hasJournal(): boolean {
  return existsSync(SOCKET);
}

/** A container's entries as lines of the Kubernetes log format, oldest first. */
export function readJournal(
  containerID: string,
  { followUntil, signal }: LogReadOptions,
  program = "journalctl",
): ReadableStream<Uint8Array> {
  const lines = journalLines(program, containerID, followUntil, signal);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await lines.return(undefined);
    },
  }, { highWaterMark: 0 });
}

async function* journalLines(
  program: string,
  containerID: string,
  followUntil: Promise<void> | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, undefined> {
  const follow = followUntil ? ["--follow", "--no-tail"] : [];
  const args = ["--no-pager", "--quiet", "--output=json", ...follow, `CONTAINER_ID_FULL=${containerID}`];
  const child = startProgram(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  let heard = Date.now();
  const lines = createInterface({ input: child.stdout!, crlfDelay: Infinity });
  let failure: EngineError | undefined;
  child.once("error", (error) => {
    failure = new EngineError("internal", `Read journal: ${error.message}`, { cause: error });
    // Ends a read that waits.
    lines.close();
  });
  child.stderr!.resume();
  const stop = () => void child.kill("SIGTERM");
  signal?.addEventListener("abort", stop, { once: true });
  void followUntil?.then(async () => {
    heard = Date.now();
    while (Date.now() - heard < SILENCE && child.exitCode === null) await sleep(SILENCE / 5);
    stop();
  });
  const entries = lines[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await entries.next();
      if (failure) throw failure;
      if (done) return undefined;
      heard = Date.now();
      const line = journalLine(value);
      if (line !== undefined) yield line;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    stop();
  }
}

/** One entry of `journalctl --output=json` as a line; `undefined` for what is no line of a container's. */
export function journalLine(text: string): Uint8Array | undefined {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { MESSAGE: message, __REALTIME_TIMESTAMP: time } = entry;
  // A message that is no text is a list of its bytes, and null where it is too large to be told.
  const bytes = typeof message === "string"
    ? new TextEncoder().encode(message)
    : Array.isArray(message)
    ? Uint8Array.from(message, Number)
    : undefined;
  if (bytes === undefined || typeof time !== "string" || !/^\d{1,17}$/.test(time)) return undefined;
  // conmon 2.1.12 sends a line with its end, older ones without.
  const data = bytes.at(-1) === LINE_FEED ? bytes.subarray(0, -1) : bytes;
  const stream = entry.PRIORITY === ERROR ? "stderr" : "stdout";
  const tag = entry.CONTAINER_PARTIAL_MESSAGE === "true" ? "P" : "F";
  const head = new TextEncoder().encode(`${formatMoment(time)} ${stream} ${tag} `);
  const line = new Uint8Array(head.length + data.length + 1);
  line.set(head);
  line.set(data, head.length);
  line[line.length - 1] = LINE_FEED;
  return line;
}

/** Microseconds since the epoch as RFC 3339. */
function formatMoment(micros: string): string {
  const date = new Date(Number(micros.slice(0, -3)));
  return `${date.toISOString().slice(0, -1)}${micros.slice(-3)}000+00:00`;
}
