/** The log of a server: lines on standard error, as text or as JSON. */
import type { RequestEntry } from "../../../handlers/monitor/watch_requests.ts";
import { RequestError } from "../../../handlers/request_error.ts";
import { EngineError } from "../../engine/errors.ts";
import type { Log, LogLevel } from "../../engine/ports/log.ts";
import { messageOf } from "../../oci/message_of.ts";
import { logLines, printableLines } from "../../oci/printable.ts";
import { HTTPError } from "../../rest/mod.ts";

/** The levels of `--log-level`, the quietest first. */
export const LOG_LEVELS: readonly LogLevel[] = ["error", "warn", "info", "debug"];

/** The forms of `--log-format`. */
export const LOG_FORMATS = ["text", "json"] as const;

/** A form of the log: `text` is for people, `json` has one object in each line. */
export type LogFormat = typeof LOG_FORMATS[number];

/** How a server's log is written. */
export interface ServerLogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Takes a whole line without its end; `console.error` by default. */
  readonly write?: (line: string) => void;
  /** Milliseconds since the epoch; `Date.now` by default. */
  readonly now?: () => number;
}

/** Writes to standard error, as long as somebody reads it: under Deno a terminal that is closed makes every line an error. */
function writeLine(line: string): void {
  try {
    console.error(line);
  } catch {
    // Nobody can be told.
  }
}

/** Makes the log of a server. Lines less important than the level are left out. */
export function makeServerLog({ level: most, format, write = writeLine, now = Date.now }: ServerLogOptions): Log {
  const least = LOG_LEVELS.indexOf(most);
  return (level, message) => {
    if (LOG_LEVELS.indexOf(level) > least) return;
    const time = new Date(now()).toISOString();
    const line = format === "json"
      ? JSON.stringify({ time, level, message: printableLines(message).trimEnd() })
      : `${time} gantry: ${level}: ${logLines(message)}`;
    write(line);
  };
}

/**
 * Returns a function that writes requests to a log: each at `debug`; one that asked for a change in vain at `info`, whatever its status; one
 * that failed here at `error`, with the reason, and with the stack where the reason is a defect.
 */
export function requestLogger(log: Log): (entry: RequestEntry) => void {
  return (entry) => {
    const { method, path, status, duration, error } = entry;
    const reason = error === undefined ? "" : `: ${reasonOf(error, status)}`;
    log(levelOf(entry), `${method} ${path} ${status} in ${duration.toFixed(1)} ms${reason}`);
  };
}

function levelOf({ method, status, error }: RequestEntry): LogLevel {
  // An operation that cannot be had here is an answer.
  if (status >= 500 && status !== 501 && !isOfCaller(error)) return "error";
  // Clients of other versions ask for paths that nobody serves, as Podman 4 after each run, and get on without.
  if (error instanceof HTTPError && error.kind === "route") return "debug";
  const isChange = method !== "GET" && method !== "HEAD";
  return status >= 400 && isChange ? "info" : "debug";
}

/** The codes of failures of the server itself. */
const OURS: readonly string[] = ["internal", "corrupt", "unavailable", "timeout"];

/** Whether a failure is its caller's. Podman answers 500 for much that is, and a caller who has gone gets no answer. */
function isOfCaller(error: unknown): boolean {
  if (error instanceof DOMException && error.name === "AbortError") return true;
  return error instanceof RequestError || (error instanceof EngineError && !OURS.includes(error.code));
}

function reasonOf(error: unknown, status: number): string {
  const isMeant = isOfCaller(error) || [EngineError, HTTPError, RequestError].some((kind) => error instanceof kind);
  return status === 500 && error instanceof Error && !isMeant ? error.stack ?? error.message : messageOf(error);
}
