/**
 * Calls to requests, in the client module.
 *
 * @module
 */
import type { WireOperation, WirePlace } from "../client_table.ts";
import { encodePathValue } from "./shared.ts";
import { isPlainObject, jsonOfValue, textOfValue } from "./values.ts";
import { isAsyncIterable } from "../../../codecs/record.ts";

/** Writes the address and the `RequestInit` of a call. */
export function requestOf(
  operation: WireOperation,
  base: string,
  args: readonly unknown[],
): { url: string; init: RequestInit } {
  const url = base + writePath(operation, args) + writeQuery(operation, args);
  const { body } = operation;
  return { url, init: { method: operation.method, ...(body ? writeBody(body, args) : {}) } };
}

function pickValue(args: readonly unknown[], [argument, ...path]: WirePlace): unknown {
  let value = args[argument];
  for (const key of path) value = isPlainObject(value) ? value[key] : undefined;
  return value;
}

function writePath(operation: WireOperation, args: readonly unknown[]): string {
  return operation.path.map((part, index, parts) => {
    if (typeof part === "string") return part;
    const remainder = part[0] === "*";
    // Without its mark a remainder is a place like any other, which the type of `slice` does not know.
    const place = (remainder ? part.slice(1) : part) as unknown as WirePlace;
    const value = pickValue(args, place);
    const text = value === undefined || value === null ? "" : textOfValue(value);
    const between = parts[index + 1];
    const shared = typeof between === "string" && !between.includes("/") && parts.length > index + 2;
    const encoded = encodePathValue(text, remainder ? "remainder" : shared ? "shared" : "whole");
    if (text === "" || encoded === undefined) {
      throw new TypeError(`Write "${text}" into the path of ${operation.name}: it cannot stand there`);
    }
    return encoded;
  }).join("");
}

function writeQuery(operation: WireOperation, args: readonly unknown[]): string {
  const parts: string[] = [];
  const append = (name: string, value: unknown) => {
    if (value === undefined || value === null) return;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === undefined || item === null) continue;
      const text = isPlainObject(item) || Array.isArray(item) ? jsonOfValue(item) : textOfValue(item);
      parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(text)}`);
    }
  };
  for (const [name, value] of operation.constants) append(name, value);
  for (const argument of operation.maps) {
    for (const [name, value] of Object.entries(args[argument] ?? {})) append(name, value);
  }
  // The last one counts, should a map have an entry of the same name.
  for (const [name, ...place] of operation.query) append(name, pickValue(args, place));
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** A form of several parts; lists repeat their name. */
function multipartOf(value: unknown): FormData {
  const form = new FormData();
  for (const [name, field] of Object.entries(value ?? {})) {
    for (const item of Array.isArray(field) ? field : [field]) {
      if (item instanceof Blob) form.append(name, item);
      else if (item !== undefined && item !== null) {
        form.append(name, isPlainObject(item) ? jsonOfValue(item) : textOfValue(item));
      }
    }
  }
  return form;
}

function streamOf(
  iterator: AsyncIterator<Uint8Array | string>,
  write: (value: Uint8Array | string) => Uint8Array | string = (value) => value,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) return controller.close();
      const piece = write(value);
      controller.enqueue(typeof piece === "string" ? new TextEncoder().encode(piece) : piece);
    },
    async cancel(reason) {
      await iterator.return?.(reason);
    },
  });
}

function encodeBody(value: unknown, type: string): BodyInit {
  if (/json/.test(type)) return jsonOfValue(value);
  if (/^multipart\/form-data/.test(type)) return multipartOf(value);
  if (/^application\/x-www-form-urlencoded/.test(type)) {
    const form = new URLSearchParams();
    for (const [name, field] of Object.entries(value ?? {})) {
      for (const item of Array.isArray(field) ? field : [field]) {
        if (item !== undefined && item !== null) {
          form.append(name, isPlainObject(item) ? jsonOfValue(item) : textOfValue(item));
        }
      }
    }
    return form.toString();
  }
  // Give text or a Blob for a media type without a codec.
  return value instanceof Blob ? value : textOfValue(value);
}

function writeBody(body: NonNullable<WireOperation["body"]>, args: readonly unknown[]): RequestInit {
  const given = body.arguments.map((index) => args[index]);
  if ((body.shape === "value" || body.shape === "stream") && given[0] === undefined) return {};
  const [value] = given;
  const own = body.free && value instanceof Blob && value.type !== "" ? value.type : body.type;
  // The boundary is the platform's to choose.
  const headers: HeadersInit = /^multipart\/form-data/.test(own) ? {} : { "content-type": own };
  if (body.shape === "stream") {
    if (isAsyncIterable(value)) {
      // The types of the module say what is yielded.
      const pieces = value as AsyncIterable<Uint8Array | string>;
      const write = body.lines && ((item: unknown) => jsonOfValue(item) + "\n");
      const whole = value instanceof ReadableStream && !write ? value : streamOf(pieces[Symbol.asyncIterator](), write);
      // The library of types does not know `duplex`, which a stream needs.
      return { headers, body: whole, duplex: "half" } as RequestInit;
    }
    // Bytes, text or a Blob, as the types of the module say.
    return { headers, body: value as BodyInit };
  }
  const whole = body.shape === "value"
    ? value
    : body.shape === "list"
    ? given
    : Object.fromEntries(body.names.map((name, index) => [name, given[index]]));
  return { headers, body: encodeBody(whole, body.type) };
}
