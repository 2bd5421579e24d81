import { HTTPError } from "./error.ts";
import { isRecord, readJSON, writeJSON } from "./json.ts";
import { isScalar, type Kind } from "./kind.ts";
import { describeKind, readScalar, writeScalar } from "./scalar_text.ts";

/** What a codec must know of the value at hand. */
export interface CodecContext {
  readonly kind: Kind;
  /** Whether JSON values must be converted after parsing. */
  readonly revive: boolean;
  /** Whether JSON.stringify alone would get values wrong. */
  readonly replace: boolean;
}

/** Writes and reads bodies of one content type. */
export interface Codec {
  /** The content type, in lower case and without parameters, as in `application/json`. */
  readonly type: string;
  /** What goes out as Content-Type; `type` when left out. */
  readonly header?: string;
  /** Whether values of this kind can be carried. */
  carries(kind: Kind): boolean;
  encode(value: unknown, context: CodecContext): string | Uint8Array;
  /** Throws for what is not of its type; the transport answers 400 then. */
  decode(body: string, context: CodecContext): unknown;
}

const json: Codec = {
  type: "application/json",
  carries: () => true,
  encode: (value, { replace }) => writeJSON(value, replace),
  decode: (body, { kind, revive }) => body === "" ? undefined : readJSON(body, revive ? kind : undefined),
};

const text: Codec = {
  type: "text/plain",
  header: "text/plain;charset=UTF-8",
  carries: isScalar,
  encode: (value) => writeScalar(value),
  decode(body, { kind }) {
    const value = readScalar(body, kind);
    if (value === undefined) throw new SyntaxError(`expected ${describeKind(kind)}`);
    return value;
  },
};

const form: Codec = {
  type: "application/x-www-form-urlencoded",
  carries: (kind) => kind.type === "struct" || kind.type === "map",
  encode(value) {
    const parameters = new URLSearchParams();
    for (const [name, item] of Object.entries(isRecord(value) ? value : {})) {
      for (const one of Array.isArray(item) ? item : [item]) {
        if (one !== undefined) parameters.append(name, isRecord(one) ? writeJSON(one, true) : writeScalar(one));
      }
    }
    return parameters.toString();
  },
  decode(body, { kind }) {
    const parameters = new URLSearchParams(body);
    return Object.fromEntries([...new Set(parameters.keys())].map((name) => {
      const field = kind.type === "struct" ? kind.fields.get(name)?.kind : kind.type === "map" ? kind.value : undefined;
      const texts = parameters.getAll(name);
      if (field?.type === "list") return [name, texts.map((item) => readField(item, field.item, name))];
      return [name, readField(texts[texts.length - 1], field ?? { type: "any" }, name)];
    }));
  },
};

function readField(body: string, kind: Kind, name: string): unknown {
  if (kind.type === "struct" || kind.type === "map" || kind.type === "list") return readJSON(body, kind);
  const value = readScalar(body, kind);
  if (value === undefined) throw new SyntaxError(`"${name}" is not ${describeKind(kind)}`);
  return value;
}

/** The content types the transport knows by itself; JSON, which carries anything, stands last. */
export const CODECS: readonly Codec[] = [text, form, json];

/** The codecs of an API: its own first. */
export function codecsOf(own: readonly Codec[] | undefined): readonly Codec[] {
  return own === undefined ? CODECS : [...own, ...CODECS];
}

/** Cuts parameters off a content type. */
export function mediaType(contentType: string): string {
  const semicolon = contentType.indexOf(";");
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

/** Finds the codec for a content type, dialects of JSON included. */
export function findCodec(codecs: readonly Codec[], contentType: string): Codec | undefined {
  const type = mediaType(contentType);
  return codecs.find((codec) => codec.type === type) ??
    (/^application\/[\w.-]+\+json$/.test(type) ? codecs.find((codec) => codec.type === "application/json") : undefined);
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
  const type = given === null || given.trim() === "" ? fallback : given;
  const codec = findCodec(codecs, type);
  if (codec?.carries(kind)) return codec;
  const known = codecs.filter((candidate) => candidate.carries(kind)).map((candidate) => candidate.type);
  throw new HTTPError(415, `Read the body: "${mediaType(type)}" is not one of ${known.join(", ")}`, {
    kind: "media",
    headers: { accept: known.join(", ") },
  });
}
