/**
 * The words of a form about one of its files.
 *
 * @example
 * ```ts
 * import type { PartInfo } from "../mod.ts";
 * const named: PartInfo = { filename: "sea.png", type: "image/png" };
 * ```
 */
export interface PartInfo {
  /** The file's name as the sender says it: a foreign text, which may be a path, or hold dots and slashes. */
  readonly filename?: string;
  /** Its content type as the sender says it. */
  readonly type?: string;
}

const known = /* @__PURE__ */ new WeakMap<ReadableStream, PartInfo>();

/**
 * Returns what a form says about a part that is a stream: nothing for other streams. Of several such parts a later one is known once the one before
 * has ended.
 *
 * @example
 * ```ts
 * import { api, handler, implement, link, partOf, rest, stream } from "../mod.ts";
 * import { z } from "npm:zod@4.6.7";
 * const album = api("album.example.com", {
 *   Add: rest("POST(multipart/form-data) /photos (title,file)", [z.string(), stream()], [z.string()]),
 * });
 * const serve = handler(null, implement(album, { Add: (title, file) => `${title}: ${partOf(file).filename}` }));
 * const client = link(album, "http://localhost", { fetch: serve });
 * console.assert(await client.Add("Sea", new File(["…"], "sea.png")) === "Sea: sea.png");
 * ```
 */
export function partOf(stream: ReadableStream): PartInfo {
  return known.get(stream) ?? {};
}

/**
 * Gives a stream the name and type that it has as a part of a form, and returns it. A `File` brings its own.
 *
 * @example
 * ```ts
 * import { namePart, partOf } from "../mod.ts";
 * const stream = namePart(new Blob(["a,b"]).stream(), { filename: "table.csv", type: "text/csv" });
 * console.assert(partOf(stream).filename === "table.csv");
 * ```
 */
export function namePart<S extends ReadableStream>(stream: S, info: PartInfo): S {
  known.set(stream, info);
  return stream;
}
