/** A value that writes headers when it is sent: a result into the response, an argument into the request. Called in order. */
export interface HeaderWriter {
  writeHeadersHTTP(headers: Headers): void;
}

/** A value that reads headers when it arrives. */
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

/** What an encoder on the client writes a request to: headers and body, and nothing else. */
export interface RequestWriter {
  header(): Headers;
  /** Kept for writers shared with responses; a request has no status, so it does nothing there. */
  writeHeader(status: number): void;
  write(chunk: Uint8Array | string): void;
}

/** What lets values write and read headers: the part of a client or server that does. */
export interface HeaderValues {
  /** Whether any of `values` writes headers. */
  writes(values: readonly unknown[]): boolean;
  /** Lets those of `values` that write headers do so, in order. */
  write(values: readonly unknown[], headers: Headers): void;
  /** Lets those of `values` that read headers do so, in order. The message is not asked for its headers when none does. */
  read(values: readonly unknown[], message: { readonly headers: Headers }): void;
}

/** Calls `writeHeadersHTTP` and `readHeadersHTTP` where values have them. */
export const headerValues: HeaderValues = {
  writes: (values) => values.some(isHeaderWriter),
  write(values, headers) {
    for (const value of values) if (isHeaderWriter(value)) value.writeHeadersHTTP(headers);
  },
  read(values, message) {
    for (const value of values) if (isHeaderReader(value)) value.readHeadersHTTP(message.headers);
  },
};
