import { decodeBase64, encodeBase64 } from "../codecs/base64.ts";
import { mediaType } from "../codecs/codec.ts";
import { isRecord } from "../codecs/record.ts";

/** The content type of both ways: a line of JSON for each call, and for each answer. */
export const LINES = "application/x-ndjson";

/** The WebSocket subprotocol of calls that travel over one. */
export const SOCKET = "gantry.batch";

/** The path where batches go, unless told otherwise. */
export const PATH = "/batch";

/**
 * The headers that each call of a batch has of its own. All others are those of the request that carries the batch, where proxies and browsers
 * have their say: what they vouch for cannot be forged within.
 */
export const OWN: readonly string[] = [
  "accept",
  "content-type",
  "idempotency-key",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-unmodified-since",
  "traceparent",
  "tracestate",
  "x-request-id",
];

/** A body in a line: text, or bytes in base64. */
export interface LineBody {
  readonly text?: string;
  readonly base64?: string;
}

/** A call in a batch. */
export interface CallLine extends LineBody {
  readonly id: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** An answer in a batch; without an ID it is that of every call that has none of its own. */
export interface AnswerLine extends LineBody {
  readonly id?: number;
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

const UTF8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Puts a body into a line: as text where it is that. */
export function packBody(bytes: Uint8Array): LineBody {
  if (bytes.length === 0) return {};
  try {
    return { text: UTF8.decode(bytes) };
  } catch {
    return { base64: encodeBase64(bytes) };
  }
}

/** The body of a line, or undefined when it is not what one may be. */
export function unpackBody({ text, base64 }: LineBody): BodyInit | null | undefined {
  if (typeof text === "string") return text;
  if (base64 === undefined) return null;
  // Bytes of no shared memory.
  return typeof base64 === "string" ? decodeBase64(base64) as Uint8Array<ArrayBuffer> | undefined : undefined;
}

type Line = Record<string, unknown> & Pick<CallLine, "headers">;

/** A line's JSON as a record with a list of headers, or undefined. */
export function readLine(text: string): Line | undefined {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(line) || !Array.isArray(line.headers)) return undefined;
  const isPair = (pair: unknown) =>
    Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === "string");
  // Looked at just now.
  return line.headers.every(isPair) ? line as Line : undefined;
}

/** Makes the response of an answer, or undefined when its body is not what one may be. */
export function responseOf(line: AnswerLine): Response | undefined {
  const body = unpackBody(line);
  const isBodyless = /^(204|205|304)$/.test(String(line.status));
  if (body === undefined) return undefined;
  const headers = line.headers.map(([...pair]) => pair);
  return new Response(isBodyless ? null : body, { status: line.status, headers });
}

/** Whether a call is one of small texts both ways, as far as its headers tell. */
export function isBatchable({ headers }: Request): boolean {
  const type = mediaType(headers.get("content-type") ?? "");
  if (type !== "" && !/[/+]json$|^text\/plain$|^application\/x-www-form-urlencoded$/.test(type)) return false;
  return !/x-ndjson|event-stream/.test(headers.get("accept") ?? "") && !headers.has("upgrade");
}

/** The headers that all calls of a batch have in common. */
export function sharedHeaders(request: Request): Headers {
  const headers = new Headers(request.headers);
  for (const name of OWN) headers.delete(name);
  return headers;
}

/** Writes a call as JSON. */
export function callText(id: number, request: Request, body: Uint8Array): string {
  const { pathname, search } = new URL(request.url);
  const headers = [...request.headers].filter(([name]) => OWN.includes(name));
  return JSON.stringify({ id, method: request.method, path: pathname + search, headers, ...packBody(body) });
}
