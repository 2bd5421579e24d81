/**
 * `application/xml` bodies: an export of its own, as it brings a library with it.
 *
 * @module
 */
import { XMLBuilder, XMLParser } from "npm:fast-xml-parser@5.12.1";
import type { Codec } from "./codec.ts";
import type { Kind } from "../plan/kind.ts";
import { withAbsent } from "./form.ts";
import { isRecord } from "./record.ts";
import { describeKind, readScalar, writeScalar } from "./scalar_text.ts";
import { decodeName, encodeName } from "./xml_name.ts";

/**
 * Options of {@linkcode xml}.
 *
 * @example
 * ```ts
 * import { xml, type XMLOptions } from "./xml.ts";
 * const atom: XMLOptions = { root: "feed", type: "application/atom+xml" };
 * console.assert(xml(atom).type === "application/atom+xml");
 * ```
 */
export interface XMLOptions {
  /** The name of the outermost element; `root` by default. Any is read. */
  readonly root?: string;
  /** The content type; `application/xml` by default. */
  readonly type?: string;
}

/** The prefix of an attribute's name in a struct, and the name of text beside attributes. */
const ATTRIBUTE = "@";
const TEXT = "#text";

/**
 * A codec for XML: an element for each property of a struct or entry of a map, repeated for a list. A property whose name begins with `@` is an
 * attribute, `#text` is the text beside it. Of a name that is none in XML, as the key of a map may be, each odd character is written as
 * `_xHHHH_`. Documents with a DOCTYPE are refused.
 *
 * @example
 * ```ts
 * import { api, handler, implement, link, rest } from "../mod.ts";
 * import { xml } from "./xml.ts";
 * import { z } from "npm:zod@4.6.7";
 *
 * const Note = z.object({ "@id": z.number(), line: z.array(z.string()) });
 * const notes = api("notes.example.com", { Put: rest("PUT(application/xml) /note", [Note], [z.string()]) }, {
 *   codecs: [xml({ root: "note" })],
 * });
 * const serve = handler(null, implement(notes, { Put: (note) => `${note["@id"]}: ${note.line}` }));
 * const body = `<note id="7"><line>milk &amp; bread</line></note>`;
 * const headers = { "content-type": "application/xml" };
 * const response = await serve(new Request("http://localhost/note", { method: "PUT", body, headers }));
 * console.assert(await response.text() === "7: milk & bread");
 * console.assert(await link(notes, "http://localhost", { fetch: serve }).Put({ "@id": 1, line: ["tea"] }) !== "");
 * ```
 */
export function xml({ root = "root", type = "application/xml" }: XMLOptions = {}): Codec {
  const shared = { ignoreAttributes: false, attributeNamePrefix: ATTRIBUTE, textNodeName: TEXT };
  // The library takes `entities`, which its types do not know.
  const options = {
    ...shared,
    suppressBooleanAttributes: false,
    entities: ENTITIES,
    attributeValueProcessor: (_name: string, value: unknown) => keepBlanks(String(value)),
  };
  const builder = new XMLBuilder(options);
  const parser = new XMLParser({
    ...shared,
    // White space may be what a text is; where it only separates elements it is left out below.
    trimValues: false,
    // The kinds of the schema say what a text is, not its looks.
    parseTagValue: false,
    parseAttributeValue: false,
    // Character references too: without this &#233; stays as it is.
    htmlEntities: true,
    ignoreDeclaration: true,
    ignorePiTags: true,
  });
  return {
    type,
    carries: (kind) => kind.type === "struct" || kind.type === "map",
    encode: (value) => `<?xml version="1.0" encoding="UTF-8"?>${builder.build({ [root]: plain(value) })}`,
    decode(body, { kind }) {
      if (/<!DOCTYPE/i.test(body)) throw new SyntaxError("a DOCTYPE is not allowed");
      checkReferences(body);
      const document: unknown = parseDocument(parser, body);
      const [outermost] = Object.values(isRecord(document) ? document : {});
      return typed(outermost, kind, root);
    },
  };
}

/**
 * Reads a document.
 *
 * @throws {SyntaxError} with the place of what is wrong, which the library puts behind its words as ".:LINE:COLUMN"
 */
function parseDocument(parser: XMLParser, body: string): unknown {
  if (body.trim() === "") throw new SyntaxError("there is no element");
  try {
    return parser.parse(body, true);
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    const [, what, line, column] = /^(.*?)\.?:(\d+):(\d+)$/s.exec(words) ?? [];
    throw new SyntaxError(what ? `${what}: line ${line}, column ${column}` : words, { cause });
  }
}

/** Characters that stand for a tab and a line feed of an attribute until they are written. No text has them: see {@linkcode ILLEGAL}. */
const TAB = "\x01";
const LINE_FEED = "\x02";

/** In an attribute a parser would make a space of either (XML 1.0, section 3.3.3). */
const keepBlanks = (value: string) => value.replaceAll("\t", TAB).replaceAll("\n", LINE_FEED);

/** The characters that are written as references: a parser would make a line feed of a carriage return. */
const ENTITIES = [
  ["&", "amp"],
  [">", "gt"],
  ["<", "lt"],
  ["'", "apos"],
  ['"', "quot"],
  ["\r", "#13"],
  [TAB, "#9"],
  [LINE_FEED, "#10"],
].map(([char, name]) => ({ regex: new RegExp(char, "g"), val: `&${name};` }));

/** The characters that no document may hold, written or by reference (XML 1.0, section 2.2). */
const ILLEGAL =
  // deno-lint-ignore no-control-regex -- these are what it looks for
  /[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** Throws for a reference to a character that is none. Text in CDATA holds no reference. */
function checkReferences(body: string): void {
  for (const [index, part] of body.split("<![CDATA[").entries()) {
    const text = index === 0 ? part : part.slice(part.indexOf("]]>") + 3);
    for (const [reference, hex, decimal] of text.matchAll(/&#(?:x([\da-f]+)|(\d+));/gi)) {
      const code = hex ? parseInt(hex, 16) : Number(decimal);
      if (code > 0x10FFFF || ILLEGAL.test(String.fromCodePoint(code))) {
        throw new SyntaxError(`"${reference.slice(0, 20)}" is no character`);
      }
    }
  }
}

/**
 * Writes a scalar.
 *
 * @throws {TypeError} if it has a character that XML cannot carry
 */
function writeText(value: unknown): string {
  const text = writeScalar(value);
  const [char] = ILLEGAL.exec(text) ?? [];
  if (char === undefined) return text;
  const code = char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  throw new TypeError(`Write XML: it cannot carry the character U+${code}`);
}

/** Writes the name of a property; `@` makes an attribute of it. */
const writeName = (name: string) =>
  name === TEXT ? name : name.startsWith(ATTRIBUTE) ? ATTRIBUTE + encodeName(name.slice(1)) : encodeName(name);

/** Whether a value is a text that says nothing. */
const isBlank = (value: unknown) => typeof value === "string" && value.trim() === "";

/** Returns a value of unknown kind without the white space between its elements. */
function withoutBlanks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBlanks);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([name, item]) => name !== TEXT || !isBlank(item));
  return Object.fromEntries(entries.map(([name, item]) => [decodeName(name), withoutBlanks(item)]));
}

/** Writes scalars as their text and leaves out what is not there. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return writeText(value);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined && item !== null);
  return Object.fromEntries(entries.map(([name, item]) => [writeName(name), plain(item)]));
}

/** Makes of texts what their kind says; what does not fit is left for the schema to refuse. */
function typed(value: unknown, kind: Kind, name: string): unknown {
  switch (kind.type) {
    case "any":
      return withoutBlanks(value);
    case "list":
      return (Array.isArray(value) ? value : [value]).map((item) => typed(item, kind.item, name));
    case "struct":
    case "map": {
      // An element without anything in it is an empty text.
      const isText = typeof value === "string" && (kind.type === "map" || kind.fields.has(TEXT));
      const fields = isBlank(value) ? {} : isText ? { [TEXT]: value } : value;
      if (!isRecord(fields)) return value;
      const read = Object.fromEntries(
        Object.entries(fields).filter(([name, item]) => name !== TEXT || !isBlank(item)).map(([written, item]) => {
          const name = decodeName(written);
          const of = kind.type === "map" ? kind.value : kind.fields.get(name)?.kind;
          return [name, typed(item, of ?? { type: "any" }, name)];
        }),
      );
      return withAbsent(read, kind);
    }
    default: {
      const text = isRecord(value) && TEXT in value ? value[TEXT] : value;
      if (typeof text !== "string") return text;
      const read = readScalar(kind.type === "string" || kind.type === "text" ? text : text.trim(), kind);
      if (read === undefined) {
        throw new SyntaxError(`at "${name}": "${text.slice(0, 40)}" is not ${describeKind(kind)}`);
      }
      return read;
    }
  }
}
