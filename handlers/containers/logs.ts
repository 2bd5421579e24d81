import type { Engine } from "../../lib/engine/engine.ts";
import { logAttributes } from "../../lib/engine/text/logs/log_attributes.ts";
import type { LogsOptions } from "../../lib/engine/containers/options.ts";
import type { LogRecord } from "../../lib/engine/text/logs/k8s_log.ts";
import type { Context } from "../../lib/rest/mod.ts";
import { badParameter, momentParameter } from "../errors.ts";
import { sendOverSocket, wantsWebSocket } from "../socket_bytes.ts";
import type { LogsQuery } from "../wire/containers/container_query.ts";
import { gatherBody, gatherPieces, type Piece } from "./gather.ts";
import { addFrameHeader, MULTIPLEXED_STREAM, RAW_STREAM } from "./stream_frames.ts";
import { RequestError } from "../request_error.ts";

/** How the trees differ. */
export interface LogsForm {
  /** Output of a terminal goes out as it is; the native tree frames it all the same. */
  rawTerminal: boolean;
  /** Each line begins with the attributes of its log: tag, labels, variables. */
  details?: boolean;
}

const encoder = new TextEncoder();

/** Answers with a container's log in frames, from `since` to `until`, at most `tail` lines, and on while it runs. */
export async function answerLogs(
  engine: Engine,
  name: string,
  query: LogsQuery,
  context: Context,
  form: LogsForm,
): Promise<Response> {
  if (!query.stdout && !query.stderr) {
    throw new RequestError("malformed", "bad parameters: you must choose at least one stream");
  }
  const record = engine.containers.resolve(name);
  const raw = form.rawTerminal && record.spec.terminal;
  const { timestamps = false } = query;
  const details = form.details ? encoder.encode(`${formatAttributes(logAttributes(record))} `) : undefined;
  const write = (batch: readonly LogRecord[], piece: Piece) => {
    for (const record of batch) writeRecord(record, piece, { timestamps, raw, details });
  };
  const options = readOptions(query);
  const open = (signal: AbortSignal) => engine.containers.logs(record.id, { ...options, signal });
  const headers = { "Content-Type": raw ? RAW_STREAM : MULTIPLEXED_STREAM };
  const isSocket = wantsWebSocket(context.request);
  if (!query.follow && !isSocket) {
    // A call whose signal nobody has asked for ends with its function: its body is sent as it is, not passed on piece by piece.
    const records = engine.containers.logs(record.id, {
      ...options,
      get signal() {
        return context.signal;
      },
    });
    return new Response(await gatherBody(records, write), { headers });
  }
  // A reply that ends early must end a reader that waits, too.
  const stop = new AbortController();
  const body = gatherPieces(endingWith(open(AbortSignal.any([stop.signal, context.signal])), stop), write);
  return isSocket ? sendOverSocket(context, body) : new Response(body, { headers });
}

/** A generator that waits cannot be told to return: its signal ends the wait. One that does not wait has to be told. */
function endingWith<T>(records: AsyncIterable<T>, stop: AbortController): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = records[Symbol.asyncIterator]();
      return {
        next: () => iterator.next(),
        async return() {
          stop.abort();
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

function readOptions(query: LogsQuery): LogsOptions {
  return {
    stdout: query.stdout ?? false,
    stderr: query.stderr ?? false,
    follow: query.follow ?? false,
    since: momentParameter("since", query.since),
    until: momentParameter("until", query.until),
    tail: tailLines(query.tail),
  };
}

/** The form of one record. */
interface RecordForm {
  timestamps: boolean;
  raw: boolean;
  details: Uint8Array | undefined;
}

function writeRecord(record: LogRecord, piece: Piece, { timestamps, raw, details }: RecordForm): void {
  const stamp = timestamps ? encoder.encode(`${record.time.replace(/\+00:00$/, "Z")} `) : undefined;
  const size = record.data.length + (stamp?.length ?? 0) + (details?.length ?? 0);
  if (!raw) addFrameHeader(piece, record.stream, size);
  if (stamp) piece.add(stamp);
  if (details) piece.add(details);
  piece.add(record.data);
}

/** Returns a log's attributes as Docker writes them: names and values as in a query, in the names' order. */
function formatAttributes(attributes: readonly [name: string, value: string][]): string {
  return attributes.map((pair) => pair.map(escapeQuery).join("=")).join(",");
}

/** Escapes a text as Go's `url.QueryEscape` does. A half of a pair of letters, which has no bytes, becomes U+FFFD. */
function escapeQuery(text: string): string {
  const escaped = encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+");
  return escaped.replaceAll(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** `all` and negative numbers are all there is. */
function tailLines(text = "all"): number | undefined {
  if (text === "all") return undefined;
  if (!/^-?\d{1,15}$/.test(text)) throw badParameter("tail", text, "not a number");
  const count = Number(text);
  return count < 0 ? undefined : count;
}
