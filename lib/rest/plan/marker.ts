import { decodeBase64 } from "../codecs/base64.ts";
import type { Schema, Validated } from "./schema.ts";

/**
 * The meaning of a marker: how its values travel as text and in JSON.
 *
 * @example
 * ```ts
 * import { MARKER, type MarkerKind, time } from "../mod.ts";
 * const kind: MarkerKind = time[MARKER];
 * console.assert(kind === "time");
 * ```
 */
export type MarkerKind = "int64" | "uint64" | "time" | "bytes" | "stream" | "stream?" | "chan" | "error";

/**
 * The key under which a schema of this module says what it is.
 *
 * @example
 * ```ts
 * import { int64, MARKER } from "../mod.ts";
 * console.assert(int64[MARKER] === "int64");
 * ```
 */
export const MARKER: unique symbol = Symbol();

/**
 * A schema that the transport knows by name, for values that JSON Schema cannot describe.
 *
 * @example
 * ```ts
 * import { int64, type Marker, MARKER } from "../mod.ts";
 * const kindOf = (marker: Marker<unknown>) => marker[MARKER];
 * console.assert(kindOf(int64 as Marker<unknown>) === "int64");
 * ```
 */
export interface Marker<Input, Output = Input> extends Schema<Input, Output> {
  readonly [MARKER]: MarkerKind;
}

/** A body of one stream or channel, as its marker plans it: what no API without one takes stands with the marker. */
export interface StreamedBody {
  readonly shape: "stream" | "channel";
  /** The content type where nothing else says one. */
  readonly contentType: string;
  readonly item?: Schema;
}

const STREAMED: unique symbol = /* @__PURE__ */ Symbol();

const streamed = (body: StreamedBody) => ({ [STREAMED]: body });

/** The plan of a body of this schema where it is a stream or a channel; empty for any other. */
export function streamedBody(
  schema: Schema & { readonly [STREAMED]?: StreamedBody } | undefined,
): Partial<StreamedBody> {
  return schema?.[STREAMED] ?? {};
}

const OCTETS = "application/octet-stream";

/** Makes a {@linkcode Marker}: `accept` returns the value, or undefined when it does not fit. */
export function marker<Input, Output = Input>(
  kind: MarkerKind,
  expected: string,
  json: Record<string, unknown>,
  accept: (value: unknown) => Output | undefined,
): Marker<Input, Output> {
  const validate = (value: unknown): Validated<Output> => {
    const accepted = accept(value);
    return accepted === undefined ? { issues: [{ message: `Expected ${expected}` }] } : { value: accepted };
  };
  return {
    [MARKER]: kind,
    "~standard": { version: 1, vendor: "gantry", validate, jsonSchema: { input: () => json, output: () => json } },
  };
}

function integer(value: unknown, low: bigint, high: bigint): bigint | undefined {
  let exact: bigint;
  if (typeof value === "bigint") exact = value;
  else if (typeof value === "number" && Number.isSafeInteger(value)) exact = BigInt(value);
  else return undefined;
  return exact >= low && exact <= high ? exact : undefined;
}

/**
 * A signed 64-bit integer, a `bigint` here and a plain number in JSON.
 *
 * @example
 * ```ts
 * import { int64, rest } from "../mod.ts";
 * const get = rest("GET /things/{id=%v}", [int64]);
 * ```
 */
export const int64: Marker<bigint | number, bigint> = /* @__PURE__ */ marker(
  "int64",
  "an integer from -2^63 to 2^63-1",
  { type: "integer", format: "int64" },
  (value) => integer(value, -(2n ** 63n), 2n ** 63n - 1n),
);

/**
 * An unsigned 64-bit integer, a `bigint` here and a plain number in JSON.
 *
 * @example
 * ```ts
 * import { rest, uint64 } from "../mod.ts";
 * const limit = rest("PUT /limit?bytes=%v", [uint64]);
 * console.assert(limit.args.length === 1);
 * ```
 */
export const uint64: Marker<bigint | number, bigint> = /* @__PURE__ */ marker(
  "uint64",
  "an integer from 0 to 2^64-1",
  { type: "integer", format: "uint64", minimum: 0 },
  (value) => integer(value, 0n, 2n ** 64n - 1n),
);

/**
 * A point in time, a `Date` here and RFC 3339 text on the wire.
 *
 * @example
 * ```ts
 * import { api, link, rest, time } from "../mod.ts";
 * const log = api("log.example.com", { Since: rest("GET /log?since=%v", [time]) });
 * const client = link(log, "http://localhost", {
 *   fetch({ url }) {
 *     console.assert(url.endsWith("?since=1970-01-01T00%3A00%3A00.000Z"));
 *     return Promise.resolve(new Response(null, { status: 204 }));
 *   },
 * });
 * await client.Since(new Date(0));
 * ```
 */
export const time: Marker<Date> = /* @__PURE__ */ marker(
  "time",
  "a time in the form of RFC 3339",
  { type: "string", format: "date-time" },
  (value) => value instanceof Date && !Number.isNaN(value.getTime()) ? value : undefined,
);

/**
 * Bytes, a `Uint8Array` here and base64 on the wire.
 *
 * @example
 * ```ts
 * import { api, bytes, handler, implement, rest } from "../mod.ts";
 * const keys = api("keys.example.com", { Size: rest("GET /size?key=%v", [bytes], [bytes]) });
 * const serve = handler(null, implement(keys, { Size: (key) => Uint8Array.of(key.length) }));
 * console.assert(await (await serve(new Request("http://localhost/size?key=AQID"))).text() === "Aw==");
 * ```
 */
export const bytes: Marker<Uint8Array> = /* @__PURE__ */ marker(
  "bytes",
  "bytes in base64",
  { type: "string", contentEncoding: "base64" },
  (value) => value instanceof Uint8Array ? value : typeof value === "string" ? decodeBase64(value) : undefined,
);

/**
 * Stands as the last result of a function that can fail: the client gets the error as the last element instead of a throw.
 *
 * @example
 * ```ts
 * import { api, error, handler, HTTPError, implement, int64, link, rest } from "../mod.ts";
 * const stock = api("stock.example.com", { Take: rest("POST /take?n=%v", [int64], [int64, error]) });
 * const serve = handler(null, implement(stock, {
 *   Take: (n) => {
 *     if (n > 5n) throw new HTTPError(409, "Take: there are only 5");
 *     return 5n - n;
 *   },
 * }));
 * const client = link(stock, "http://localhost", { fetch: serve });
 * const [left, failure] = await client.Take(7n);
 * console.assert(left === undefined && failure?.message === "Take: there are only 5");
 * ```
 */
export const error: Marker<Error | undefined> & { readonly [MARKER]: "error" } = /* @__PURE__ */ marker<
  Error | undefined
>(
  "error",
  "an error",
  {},
  (value) => value instanceof Error ? value : undefined,
  // The marker's kind is the first argument.
) as Marker<Error | undefined> & { readonly [MARKER]: "error" };

/**
 * The values that a client may pass, and a server may return, where a definition says {@linkcode stream}.
 *
 * @example
 * ```ts
 * import type { StreamSource } from "../mod.ts";
 * async function* pieces() {
 *   yield "text and ";
 *   yield new TextEncoder().encode("bytes");
 * }
 * const sources: StreamSource[] = ["text", new Blob(["blob"]), pieces()];
 * ```
 */
export type StreamSource =
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>
  | Blob
  | Uint8Array
  | string;

/**
 * A raw byte stream, in its own content type.
 *
 * @example
 * ```ts
 * import { stream, type StreamMarker } from "../mod.ts";
 * const tar: StreamMarker = stream("application/x-tar");
 * console.assert(tar.type === "application/x-tar");
 * ```
 */
export interface StreamMarker extends Marker<StreamSource | Response, ReadableStream<Uint8Array>> {
  readonly [MARKER]: "stream";
  readonly type: string | undefined;
  /**
   * Returns the same stream as one that may be left out, which a part of a form can be: the first of its streams. Where it does not come, the
   * function gets `undefined`.
   *
   * @example
   * ```ts
   * import { api, handler, implement, link, rest, stream } from "../mod.ts";
   * import { z } from "npm:zod@4.6.7";
   * const album = api("album.example.com", {
   *   Add: rest("POST(multipart/form-data) /photos (title,file)", [z.string(), stream().optional()], [z.string()]),
   * });
   * const serve = handler(null, implement(album, { Add: (title, file) => `${title}: ${file ? "a photo" : "none"}` }));
   * console.assert(await link(album, "http://localhost", { fetch: serve }).Add("Sea") === "Sea: none");
   * ```
   */
  optional(): OptionalStreamMarker;
}

/**
 * A raw byte stream that may be left out: a part of a form.
 *
 * @example
 * ```ts
 * import { type OptionalStreamMarker, stream } from "../mod.ts";
 * const cover: OptionalStreamMarker = stream("image/png").optional();
 * console.assert(cover.type === "image/png");
 * ```
 */
export interface OptionalStreamMarker
  extends Marker<StreamSource | Response | undefined, ReadableStream<Uint8Array> | undefined> {
  readonly [MARKER]: "stream?";
  readonly type: string | undefined;
}

/**
 * A raw byte stream. As an argument it is the request's body, of any content type; as a result it is the response's body in
 * `type` (`application/octet-stream` when nothing says more), and a `Response` a function returns goes out as it is. Both may be
 * given as anything that yields bytes or text, such as an async generator; what arrives is a `ReadableStream`. A part of a form may be
 * `stream().optional()`.
 *
 * @param type The content type, as in `application/x-tar`
 *
 * @example
 * ```ts
 * import { api, handler, implement, link, rest, stream } from "../mod.ts";
 * const files = api("files.example.com", { Copy: rest("POST /copy", [stream()], [stream("text/plain")]) });
 * const client = link(files, "http://localhost", { fetch: handler(null, implement(files, { Copy: (body) => body })) });
 * console.assert(await new Response(await client.Copy("some text")).text() === "some text");
 * ```
 */
export function stream(type?: string): StreamMarker {
  const made = marker<StreamSource | Response, ReadableStream<Uint8Array>>(
    "stream",
    "a byte stream",
    { type: "string", contentMediaType: type ?? OCTETS, format: "binary" },
    (value) => value instanceof ReadableStream ? value : undefined,
  );
  const validate = made["~standard"].validate;
  return {
    ...made,
    ...streamed({ shape: "stream", contentType: type ?? OCTETS }),
    [MARKER]: "stream",
    type,
    optional: () => ({
      "~standard": {
        ...made["~standard"],
        validate: (value) => value === undefined ? { value } : validate(value),
      },
      [MARKER]: "stream?",
      type,
    }),
  };
}

/** The schema as the stream it is, which may be one that can be left out. */
export function streamMarkerOf(schema: Schema): StreamMarker | OptionalStreamMarker | undefined {
  return markerIs<StreamMarker>(schema, "stream") ?? markerIs<OptionalStreamMarker>(schema, "stream?");
}

/**
 * Values that arrive one after the other, until the sender ends them or `close` is called.
 *
 * @example
 * ```ts
 * import type { Channel } from "../mod.ts";
 * async function first<T>(channel: Channel<T>): Promise<T | undefined> {
 *   for await (const value of channel) return value; // leaving the loop closes the channel
 * }
 * ```
 */
export interface Channel<T> extends AsyncIterable<T> {
  /** Ends the channel and lets the sender know. */
  close(): void | Promise<void>;
}

/**
 * A channel of values of one schema.
 *
 * @example
 * ```ts
 * import { chan, type ChannelMarker, int64 } from "../mod.ts";
 * const numbers: ChannelMarker<typeof int64> = chan(int64);
 * console.assert(numbers.item === int64);
 * ```
 */
export interface ChannelMarker<S extends Schema> extends
  Marker<
    AsyncIterable<NonNullable<S["~standard"]["types"]>["input"]>,
    Channel<NonNullable<S["~standard"]["types"]>["output"]>
  > {
  readonly [MARKER]: "chan";
  readonly item: S;
}

/**
 * A channel of values. As a result the function returns an `AsyncIterable`, which travels as WebSocket messages, SSE or JSON lines. As an argument,
 * of which the body is then nothing else, the client passes an `AsyncIterable` and the function gets a {@linkcode Channel} of checked values: one
 * line of JSON each (`application/x-ndjson`), read no faster than the function reads, and returned when the function is done before they are.
 *
 * @example
 * ```ts
 * import { api, chan, handler, implement, int64, link, rest } from "../mod.ts";
 * const clock = api("clock.example.com", { Ticks: rest("GET /ticks?n=%v", [int64], [chan(int64)]) });
 * const serve = handler(null, implement(clock, {
 *   async *Ticks(n) {
 *     for (let tick = 0n; tick < n; tick++) yield tick;
 *   },
 * }));
 * const seen: bigint[] = [];
 * for await (const tick of await link(clock, "http://localhost", { fetch: serve }).Ticks(3n)) seen.push(tick);
 * console.assert(seen.join() === "0,1,2");
 * ```
 */
export function chan<S extends Schema>(item: S): ChannelMarker<S> {
  const made = marker<AsyncIterable<unknown>, Channel<unknown>>(
    "chan",
    "a channel",
    { type: "array" },
    // A channel that arrives is one to be closed, whatever it was when it was sent.
    (value) => Symbol.asyncIterator in Object(value) ? value as Channel<unknown> : undefined,
  );
  // The item's types are phantoms: the marker looks at no value, each is checked against `item` as it arrives.
  const planned = streamed({ shape: "channel", contentType: "application/x-ndjson", item });
  return { ...made, ...planned, [MARKER]: "chan", item } as ChannelMarker<S>;
}

/** The schema as the marker it is, or undefined when it is not of that kind. */
export function markerIs<M extends { readonly [MARKER]: MarkerKind }>(
  schema: Schema,
  kind: M[typeof MARKER],
): M | undefined {
  // The symbol is this module's own: what carries it was made here, as what it says.
  return (schema as Partial<Record<typeof MARKER, MarkerKind>>)[MARKER] === kind ? schema as unknown as M : undefined;
}
