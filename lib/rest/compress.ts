import type { Finish } from "./core_server.ts";
import { negotiate } from "./accept.ts";

/** Options of {@linkcode compress}. */
export interface CompressOptions {
  /** The smallest body worth the trouble, in bytes; 1024 by default. */
  readonly least?: number;
}

/**
 * Compresses answers with gzip or deflate where the client takes them. Streams and channels go out as they are, as compression would hold
 * their values back. Do not use it where an answer holds both a secret and text of somebody else's choice (the BREACH attack).
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
    return new Response(new Blob([body]).stream().pipeThrough(new CompressionStream(encoding)), {
      status,
      headers: made,
    });
  };
}

function chooseEncoding(header: string | null): "gzip" | "deflate" | undefined {
  if (header === null) return undefined;
  // Without a slash the names are types all the same, but for the star.
  const chosen = negotiate(header.replaceAll("*", "*/*"), ["gzip", "deflate"]);
  return chosen === "gzip" || chosen === "deflate" ? chosen : undefined;
}
