import type { Codec } from "./codec.ts";
import { fieldsOf, readField, readFields } from "./form.ts";
import { writeJSON } from "./json.ts";
import { isStream, type Kind } from "../plan/kind.ts";
import { type Entry, readParts } from "./multipart_parts.ts";
import { isRecord } from "./record.ts";
import { writeScalar } from "./scalar_text.ts";

/**
 * `multipart/form-data` (RFC 7578): a part for each property of a struct or entry of a map. A `File` or `Blob` travels as a file, and so do
 * bytes; a list repeats its part, and what has parts of its own is written as JSON. Parts are read as they come; files are held in memory, once,
 * up to the operation's `limit`: a larger one is a part that is a stream, which takes {@linkcode multipartStreams}.
 *
 * @example
 * ```ts
 * import { api, handler, implement, link, rest } from "../mod.ts";
 * import { z } from "npm:zod@4.6.7";
 *
 * const Photo = z.object({ title: z.string(), file: z.file() });
 * const album = api("album.example.com", { Add: rest("POST(multipart/form-data) /photos", [Photo], [z.string()]) });
 * const serve = handler(null, implement(album, { Add: ({ title, file }) => `${title}: ${file.name}, ${file.size} bytes` }));
 * const client = link(album, "http://localhost", { fetch: serve });
 * const file = new File(["…"], "sea.png", { type: "image/png" });
 * console.assert(await client.Add({ title: "Sea", file }) === "Sea: sea.png, 3 bytes");
 * ```
 */
export const multipart: Codec = {
  type: "multipart/form-data",
  carries: ({ type }) => type === "struct" || type === "map",
  encode(value, { kind }) {
    const body = new FormData();
    for (const [name, item] of fieldsOf(value, kind)) {
      const fieldKind = kind.type === "struct" && kind.fields.get(name)?.kind || kind;
      if (item instanceof Blob) body.append(name, item);
      // The library of types does not know that these bytes are of no shared memory.
      else if (item instanceof Uint8Array) body.append(name, new Blob([item as Uint8Array<ArrayBuffer>]));
      else if (isStream(fieldKind) && typeof item !== "string") {
        throw new TypeError(`Write "${name}" into the form: a stream as a part takes multipartStreams`);
      } else body.append(name, isRecord(item) || Array.isArray(item) ? writeJSON(item) : writeScalar(item));
    }
    // The runtime writes the type, with the boundary in it.
    return { body, headers: [] };
  },
  bounds: true,
  async read({ body, headers }, { kind, limit = Infinity }) {
    const entries = new Entries();
    for await (const entry of readParts(body, headers.get("content-type"), limit)) entries.add(entry);
    return await entries.toStruct(kind);
  },
  decode() {
    throw new SyntaxError("the type has no boundary");
  },
};

/** The parts of a form by their names. */
export class Entries {
  readonly #entries = new Map<string, (string | File)[]>();

  add([name, value]: Entry): void {
    const before = this.#entries.get(name);
    if (before) before.push(value);
    else this.#entries.set(name, [value]);
  }

  /** Makes a struct of them. */
  async toStruct(kind: Kind): Promise<Record<string, unknown>> {
    const read = (bytesOf: (file: File) => unknown) =>
      readFields<string | File>(
        this.#entries.keys(),
        (name) => this.#entries.get(name) ?? [],
        kind,
        (entry, kind, name) =>
          typeof entry === "string" ? readField(entry, kind, name) : kind.type === "bytes" ? bytesOf(entry) : entry,
      );
    // Only where the schema says bytes is a file read: a first round finds out where.
    const files = new Map<File, Uint8Array | undefined>();
    const made = read((file) => files.set(file, undefined));
    if (files.size === 0) return made;
    for (const file of files.keys()) files.set(file, new Uint8Array(await file.arrayBuffer()));
    return read((file) => files.get(file));
  }
}
