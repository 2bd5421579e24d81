import { HTTPError } from "../error.ts";
import { isScalar, type Kind } from "../plan/kind.ts";
import { readPlain, writeScalar } from "./scalar_text.ts";

/**
 * The facts that a codec needs about a value.
 *
 * @example
 * ```ts
 * import type { CodecContext } from "../mod.ts";
 * const isList = ({ kind }: CodecContext) => kind.type === "list";
 * console.assert(isList({ kind: { type: "list", item: { type: "string" } } }));
 * ```
 */
export interface CodecContext {
  readonly kind: Kind;
  /** The most bytes that may be read of a body, for codecs that bound it. */
  readonly limit?: number;
}

/**
 * A body with headers of its own, its content type among them, unless that is for the runtime to write.
 *
 * @example
 * ```ts
 * import type { Encoded } from "../mod.ts";
 * const encoded: Encoded = { body: "a,b\r\n", headers: [["content-type", "text/csv;header=absent"]] };
 * ```
 */
export interface Encoded {
  readonly body: BodyInit;
  readonly headers: Iterable<[name: string, value: string]>;
}

/**
 * Writes and reads bodies of one content type.
 *
 * @example
 * ```ts
 * import { api, type Codec, handler, implement, rest } from "../mod.ts";
 * import { z } from "npm:zod@4.6.7";
 * const lines: Codec = {
 *   type: "text/x-lines",
 *   carries: (kind) => kind.type === "list",
 *   encode: (value) => (value as string[]).join("\n"),
 *   decode: (body) => body.split("\n"),
 * };
 * const Words = z.array(z.string());
 * const sorter = api("x", { Sort: rest("POST(text/x-lines) /sort", [Words], [Words]) }, { codecs: [lines] });
 * const serve = handler(null, implement(sorter, { Sort: (words) => words.toSorted() }));
 * const headers = { "content-type": "text/x-lines" };
 * const response = await serve(new Request("http://localhost/sort", { method: "POST", body: "b\na", headers }));
 * console.assert((await response.json()).join() === "a,b");
 * ```
 */
export interface Codec {
  /** The content type, in lower case and without parameters, as in `application/json`. */
  readonly type: string;
  /** The Content-Type sent; `type` when left out. */
  readonly header?: string;
  /** Whether values of this kind can be carried. */
  carries(kind: Kind): boolean;
  /** Whether it writes plain data, of texts, numbers, booleans, lists and objects, as `JSON.stringify` does. */
  readonly isJSON?: boolean;
  /** Whether it writes any value of this kind, plain or not, as `JSON.stringify` does where that does not throw. */
  stringifies?(kind: Kind): boolean;
  encode(value: unknown, context: CodecContext): string | Uint8Array | Encoded;
  /** Throws for what is not of its type; the transport answers 400 then. */
  decode(body: string, context: CodecContext): unknown;
  /** Reads what is not text, instead of `decode`: the message comes with its headers and no more of a body than is allowed. */
  read?(message: Response, context: CodecContext): unknown;
  /** Whether `read` reads no more than `limit` bytes by itself: it gets the body as it comes then. Else it gets one that is there as a whole. */
  readonly bounds?: boolean;
}

const json: Codec = {
  type: "application/json",
  carries: () => true,
  encode: (value) => JSON.stringify(value) ?? "null",
  decode: (body) => body ? JSON.parse(body) : undefined,
};

const text: Codec = {
  type: "text/plain",
  header: "text/plain;charset=UTF-8",
  carries: isScalar,
  encode: writeScalar,
  decode(body, { kind }) {
    const value = readPlain(body, kind);
    if (value === undefined) throw new SyntaxError(`expected ${kind.type}`);
    return value;
  },
};

/** The codecs of an API: its own first, then what was added, then text and JSON, which carries anything. */
export const codecsOf = (
  own: readonly Codec[] = [],
  more: readonly Codec[] = [],
): readonly Codec[] => [...own, ...more, text, json];

/** Cuts parameters off a content type. */
export const mediaType = (contentType: string): string => contentType.split(";")[0].trim().toLowerCase();

/** Finds the codec for a content type, dialects of JSON included. */
export function findCodec(codecs: readonly Codec[], contentType: string): Codec | undefined {
  const find = (type: string) => codecs.find((codec) => codec.type === type);
  return find(contentType) ?? find(mediaType(contentType).replace(/^.*\+json$/, "application/json"));
}

/**
 * Picks the codec a body is read with.
 *
 * @param given The request's Content-Type
 * @param fallback The type when there is none
 * @throws {HTTPError} 415
 */
export function codecForBody(
  codecs: readonly Codec[],
  given: string | null,
  fallback: string,
  kind: Kind,
): Codec {
  const type = given?.trim() || fallback;
  const codec = findCodec(codecs, type);
  if (codec?.carries(kind)) return codec;
  // One of our own and one that was added may be of the same type.
  const carrying = new Set(codecs.flatMap((candidate) => candidate.carries(kind) ? candidate.type : []));
  const accept = [...carrying].join(", ");
  throw new HTTPError(415, `Read the body: "${mediaType(type)}" is not one of ${accept}`, {
    kind: "media",
    headers: { accept },
  });
}

/** A body and its headers. */
export interface Described {
  readonly body: BodyInit;
  readonly headers: HeadersInit;
}

/** Encodes a value; `headers` are those of a body that brings none. */
export function encodeWith(codec: Codec, headers: HeadersInit, value: unknown, context: CodecContext): Described {
  const made = codec.encode(value, context);
  // A string is as good as bytes here; the type of the library knows ArrayBuffer views only by their buffer.
  return (made as Partial<Encoded>).body === undefined ? { body: made as BodyInit, headers } : made as Encoded;
}
