import { findCodec, mediaType } from "../codecs/codec.ts";
import type { ServerParts } from "./core_server.ts";
import { HTTPError } from "../error.ts";
import type { Offer } from "./write_result.ts";

/**
 * Picks the type a client likes best (RFC 9110, 12.5.1).
 *
 * @param header The Accept header; none, or an empty one, accepts everything
 * @param offered What can be written, the most wanted first
 * @returns One of `offered`, or undefined when the client accepts none
 */
export function negotiate(header: string | null, offered: readonly string[]): string | undefined {
  if (!header?.trim() || header === "*/*") return offered[0];
  const wanted = new Map<string, number>();
  for (const range of header.toLowerCase().split(",", 64)) {
    const [type, ...rest] = range.split(";").map((part) => part.trim());
    // A `q` that is not a number counts as 0: not accepted.
    const q = rest.find((part) => part.startsWith("q=")) ?? "q=1";
    if (!wanted.has(type)) wanted.set(type, Math.min(Number.parseFloat(q.slice(2)) || 0, 1));
  }
  const liked = offered.map((type) =>
    wanted.get(type) ?? wanted.get(type.replace(/\/.*/, "/*")) ?? wanted.get("*/*") ?? 0
  );
  const most = Math.max(...liked);
  return most > 0 ? offered[liked.indexOf(most)] : undefined;
}

/**
 * Answers in the content type that `Accept` prefers, of that of the tag and JSON, or 406: the part of a server whose callers choose. Without it answers
 * have the type of the tag. A call that changes something is answered in any case, in the type of the tag: it is done by then (RFC 9110, 12.5.1).
 *
 * @example
 * ```ts
 * import { api, handlerWith, implement, negotiation, rest } from "../server.ts";
 * import { z } from "npm:zod@4.6.7";
 * const words = api("x", { Word: rest("GET /word", [], [z.string()]) });
 * const serve = handlerWith({ negotiate: negotiation }, null, implement(words, { Word: () => "tea" }));
 * const headers = { accept: "application/json" };
 * console.assert(await (await serve(new Request("http://localhost/word", { headers }))).text() === '"tea"');
 * ```
 */
export const negotiation: NonNullable<ServerParts["negotiate"]> = (
  { asTagged, result: { tagged } },
  offer,
  codecs,
) => {
  const json = findCodec(codecs, "application/json");
  const offers = [offer];
  if (json && json !== offer.codec && !tagged) {
    offers.push({
      codec: json,
      headers: { ...offer.headers, "content-type": json.header ?? json.type },
    });
  }
  const varied = offers.length > 1 && !asTagged ? offers.map(addVary) : offers;
  const types = offers.map(({ headers }) => mediaType(headers["content-type"]));
  const [first] = varied;
  return ({ request, name }) => {
    const accept = asTagged ? null : request.headers.get("accept");
    // The most frequent ones.
    if (!accept || accept === "*/*") return first;
    const type = negotiate(accept, types);
    const chosen = varied[types.indexOf(type!)];
    if (chosen) return chosen;
    if (request.method !== "GET" && request.method !== "HEAD") return first;
    throw new HTTPError(406, `Answer "${name}": the client accepts none of ${types.join(", ")}`, { kind: "accept" });
  };
};

/** Adds Accept to the `Vary` of an answer. */
function addVary({ headers, ...offer }: Offer): Offer {
  const { vary } = headers;
  return { ...offer, headers: { ...headers, vary: vary ? `${vary}, accept` : "accept" } };
}
