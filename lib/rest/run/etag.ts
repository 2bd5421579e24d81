import type { Finish } from "./core_server.ts";

/**
 * Gives every JSON answer of a GET a weak `ETag`, the digest of its body, and answers 304 without a body when the client has it already
 * (RFC 9110, 13.1.2). An `ETag` that a function has set is kept. Streams and channels are not looked at.
 *
 * @example
 * ```ts
 * import { api, etag, handlerWith, implement, rest } from "../server.ts";
 * import { z } from "npm:zod@4.6.7";
 * const book = api("book.example.com", { Read: rest("GET /book", [], [z.array(z.string())]) });
 * const serve = handlerWith({ finish: [etag] }, null, implement(book, { Read: () => ["a", "word"] }));
 * const tag = (await serve(new Request("http://localhost/book"))).headers.get("etag")!;
 * const again = await serve(new Request("http://localhost/book", { headers: { "if-none-match": tag } }));
 * console.assert(again.status === 304);
 * ```
 */
export const etag: Finish = async (request, response) => {
  const type = response.headers.get("content-type") ?? "";
  if (request.method !== "GET" && request.method !== "HEAD") return response;
  if (response.status !== 200 || !/json/.test(type)) return response;
  const body = await response.arrayBuffer();
  const headers = new Headers(response.headers);
  const tag = headers.get("etag") ?? await digest(body);
  headers.set("etag", tag);
  if (!matches(request.headers.get("if-none-match"), tag)) return new Response(body, { status: 200, headers });
  headers.delete("content-type");
  return new Response(null, { status: 304, headers });
};

async function digest(body: ArrayBuffer): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", body)).subarray(0, 16);
  // Weak, as the same answer may go out compressed or not.
  return `W/"${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
}

/** Compares weakly, as `If-None-Match` does. */
function matches(header: string | null, tag: string): boolean {
  const opaque = (text: string) => text.trim().replace(/^W\//, "");
  return header !== null && (header.trim() === "*" || header.split(",").some((one) => opaque(one) === opaque(tag)));
}
