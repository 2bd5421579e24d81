import type { Finish } from "./core_server.ts";
import { negotiate } from "./accept.ts";

/**
 * Options of {@linkcode compress}.
 *
 * @example
 * ```ts
 * import { api, type CompressOptions, handler, implement, rest } from "../mod.ts";
 * const options: CompressOptions = { least: 4096 };
 * const serve = handler(null, implement(api("x", { Ping: rest("GET /ping") }), { Ping() {} }), { compress: options });
 * ```
 */
export interface CompressOptions {
  /** The smallest body worth the trouble, in bytes; 1024 by default. */
  readonly least?: number;
}

/**
 * Compresses answers with gzip or deflate where the client takes them. Streams and channels go out as they are, as compression would hold
 * their values back. Do not use it where an answer holds both a secret and text of somebody else's choice (the BREACH attack).
 *
 * @example
 * ```ts
 * import { api, compress, handlerWith, implement, rest } from "../server.ts";
 * import { z } from "npm:zod@4.6.7";
 * const book = api("book.example.com", { Read: rest("GET /book", [], [z.string()]) });
 * const serve = handlerWith({ finish: [compress()] }, null, implement(book, { Read: () => "word ".repeat(1000) }));
 * const response = await serve(new Request("http://localhost/book", { headers: { "accept-encoding": "gzip" } }));
 * console.assert(response.headers.get("content-encoding") === "gzip");
 * ```
 */
export function compress({ least = 1024 }: CompressOptions = {}): Finish {
  return async (request, response) => {
    const { headers } = response;
    // A 304 has the headers its 200 would have.
    if (response.status === 304) headers.append("vary", "accept-encoding");
    const type = headers.get("content-type") ?? "";
    if (response.body === null || headers.has("content-encoding") || !/^text\/|json|xml|csv|javascript/.test(type)) {
      return response;
    }
    const body = await response.arrayBuffer();
    const made = new Headers(headers);
    made.append("vary", "accept-encoding");
    const { status } = response;
    const encoding = chooseEncoding(request.headers.get("accept-encoding"));
    if (encoding === undefined || body.byteLength < least) return new Response(body, { status, headers: made });
    made.set("content-encoding", encoding);
    made.delete("content-length");
    // Workers would compress what says that it is, once more. `encodeBody` is theirs, which the types of ResponseInit do not know.
    const init = { status, headers: made, encodeBody: "manual" } as ResponseInit;
    return new Response(new Blob([body]).stream().pipeThrough(new CompressionStream(encoding)), init);
  };
}

function chooseEncoding(header: string | null): "gzip" | "deflate" | undefined {
  if (header === null) return undefined;
  // Without a slash the names are types all the same, but for the star.
  const chosen = negotiate(header.replaceAll("*", "*/*"), ["gzip", "deflate", "identity"]);
  return chosen === "gzip" || chosen === "deflate" ? chosen : undefined;
}
