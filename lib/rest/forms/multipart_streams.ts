import type { Codec } from "../codecs/codec.ts";
import { Entries, multipart } from "../codecs/multipart.ts";
import { heldPart, Parts } from "../codecs/multipart_parts.ts";
import { isRecord } from "../codecs/record.ts";
import { HTTPError } from "../error.ts";
import { beginStreams } from "./begin_streams.ts";
import { formError, isOptionalPart, streamedNames } from "./streamed_form.ts";
import { writeForm } from "./write_form.ts";

/** The most bytes of all that comes before the streamed parts, which is held: fields and files, with their heads. */
const HELD = 4_194_304;

/**
 * {@linkcode multipart} with parts that are streams: the fields of a form that a definition calls `stream`, by the tag's rules. They come last in
 * the form, in the order of the rules. On a server it is one of `formStreams`.
 *
 * @example
 * ```ts
 * import { api, linkWith, multipartStreams, rest, stream } from "../client.ts";
 * import { z } from "npm:zod@4.6.7";
 * const album = api("album.example.com", {
 *   Add: rest("POST(multipart/form-data) /photos (title,file)", [z.string(), stream()]),
 * });
 * let sent: FormData | undefined;
 * const client = linkWith({ codecs: [multipartStreams] }, album, "http://localhost", {
 *   async fetch(request) {
 *     sent = await request.formData();
 *     return new Response(null, { status: 204 });
 *   },
 * });
 * async function* pieces() {
 *   yield "one and ";
 *   yield "two";
 * }
 * await client.Add("Sea", pieces());
 * console.assert(await (sent?.get("file") as File).text() === "one and two");
 * ```
 */
export const multipartStreams: Codec = {
  type: "multipart/form-data",
  carries: ({ type }) => type === "struct" || type === "map",
  bounds: true,
  encode(value, context) {
    const names = streamedNames(context.kind);
    return names.length > 0 && isRecord(value)
      ? writeForm(value, context.kind, names)
      : multipart.encode(value, context);
  },
  async read(message, context) {
    const { kind, limit = Infinity } = context;
    const names = streamedNames(kind);
    if (names.length === 0) return await multipart.read!(message, context);
    const parts = new Parts(message.body, message.headers.get("content-type"), limit);
    try {
      const entries = new Entries();
      let size = 0;
      const count = (bytes: number) => {
        if ((size += bytes) <= HELD) return;
        const detail = `what comes before "${names[0]}" is larger than ${HELD} bytes`;
        throw new HTTPError(413, `Read the body as multipart/form-data: ${detail}`, { kind: "limit" });
      };
      for (;;) {
        const head = await parts.next();
        if (head === undefined || names.includes(head.name)) {
          const form = await beginStreams(parts, head, names, isOptionalPart(kind, names[0]));
          return { ...await entries.toStruct(kind), ...form };
        }
        count(head.length);
        entries.add([head.name, await heldPart(parts, head, count)]);
      }
    } catch (cause) {
      const error = formError(cause);
      await parts.close(error);
      throw error;
    }
  },
  decode() {
    throw new SyntaxError("the type has no boundary");
  },
};
