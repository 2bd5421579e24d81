/**
 * A value that writes headers when it is sent: a result into the response, an argument into the request. Called in order.
 *
 * @example
 * ```ts
 * import type { HeaderWriter } from "../mod.ts";
 * class Page implements HeaderWriter {
 *   readonly total = 70;
 *   writeHeadersHTTP(headers: Headers) {
 *     headers.set("x-total", String(this.total));
 *   }
 * }
 * const headers = new Headers();
 * new Page().writeHeadersHTTP(headers);
 * console.assert(headers.get("x-total") === "70");
 * ```
 */
export interface HeaderWriter {
  writeHeadersHTTP(headers: Headers): void;
}

/**
 * A value that reads headers when it arrives.
 *
 * @example
 * ```ts
 * import type { HeaderReader } from "../mod.ts";
 * class Page implements HeaderReader {
 *   total = 0;
 *   readHeadersHTTP(headers: Headers) {
 *     this.total = Number(headers.get("x-total"));
 *   }
 * }
 * const page = new Page();
 * page.readHeadersHTTP(new Headers({ "x-total": "70" }));
 * console.assert(page.total === 70);
 * ```
 */
export interface HeaderReader {
  readHeadersHTTP(headers: Headers): void;
}

/** Tells whether `value` writes headers. */
export function isHeaderWriter(value: unknown): value is HeaderWriter {
  return typeof value === "object" && value !== null &&
    typeof (value as Partial<HeaderWriter>).writeHeadersHTTP === "function";
}

/** Tells whether `value` reads headers. */
export function isHeaderReader(value: unknown): value is HeaderReader {
  return typeof value === "object" && value !== null &&
    typeof (value as Partial<HeaderReader>).readHeadersHTTP === "function";
}

/**
 * The target of an encoder on the client: a request's headers and body, and nothing else.
 *
 * @example
 * ```ts
 * import { type RequestWriter, writerCodec } from "../mod.ts";
 * const write = (writer: RequestWriter, value: unknown) => {
 *   writer.header().set("x-rows", String((value as string[]).length));
 *   for (const row of value as string[]) writer.write(`${row}\n`);
 * };
 * const codec = writerCodec("text/x-rows", { write, decode: (body) => body.trimEnd().split("\n") });
 * console.assert(codec.type === "text/x-rows");
 * ```
 */
export interface RequestWriter {
  header(): Headers;
  /** Kept for writers shared with responses; a request has no status, so it does nothing there. */
  writeHeader(status: number): void;
  write(chunk: Uint8Array | string): void;
}

/** The part of a client or server that lets values write and read headers. */
export interface HeaderValues {
  /** Whether any of `values` writes headers. */
  writes(values: readonly unknown[]): boolean;
  /** Lets those of `values` that write headers do so, in order. */
  write(values: readonly unknown[], headers: Headers): void;
  /** Lets those of `values` that read headers do so, in order. The message is not asked for its headers when none does. */
  read(values: readonly unknown[], message: { readonly headers: Headers }): void;
}

/**
 * Calls `writeHeadersHTTP` and `readHeadersHTTP` where values have them.
 *
 * @example
 * ```ts
 * import { api, handlerWith, headerValues, implement, instance, rest } from "../server.ts";
 * import { z } from "npm:zod@4.6.7";
 * const Time = z.object({ at: z.string() });
 * class Stamp {
 *   at = "noon";
 *   writeHeadersHTTP(headers: Headers) {
 *     headers.set("x-at", this.at);
 *   }
 * }
 * const clock = api("x", { Now: rest("GET /now", [], [instance(Time, () => new Stamp())]) });
 * const serve = handlerWith({ headers: headerValues }, null, implement(clock, { Now: () => new Stamp() }));
 * console.assert((await serve(new Request("http://localhost/now"))).headers.get("x-at") === "noon");
 * ```
 */
export const headerValues: HeaderValues = {
  writes: (values) => values.some(isHeaderWriter),
  write(values, headers) {
    for (const value of values) if (isHeaderWriter(value)) value.writeHeadersHTTP(headers);
  },
  read(values, message) {
    for (const value of values) if (isHeaderReader(value)) value.readHeadersHTTP(message.headers);
  },
};
