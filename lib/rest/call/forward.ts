import { argumentPlaces, resultPlaces } from "../headers/places.ts";
import { HTTPError } from "../error.ts";
import { placeArguments } from "../headers/client_placed.ts";
import type { ClientParts } from "./core_client.ts";
import type { Call } from "../run/call.ts";
import { markForward, PassedChannel, type TextChannel, TEXTS } from "../run/forwarded.ts";
import { writeRequest } from "./write_request.ts";

/** The headers of a request that are sent on. Credentials and cookies are the proxy's own and stay there, but for cookies that a tag names. */
const SENT = [
  "accept",
  "accept-language",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-unmodified-since",
  "last-event-id",
  "traceparent",
  "tracestate",
  "x-request-id",
];

/** The headers of an answer that are not: of the connection (RFC 9110, section 7.6.1), of a body that `fetch` has decoded, and the proxy's own. */
const KEPT_BACK =
  /^(connection|keep-alive|te|trailer|transfer-encoding|upgrade|content-encoding|content-length|set-cookie|(proxy|access-control)-.*)$/;

/** Lets an API elsewhere be served: its requests and answers pass as they came, with the headers that may. */
export const forward: NonNullable<ClientParts["forward"]> = (run, plan, codecs, base, client, { headers, stream }) => {
  const places = argumentPlaces(plan);
  const cookies = resultPlaces(plan).flatMap(({ type, name }) => type === "cookie" ? `${name}=` : []);
  const called = async (...given: unknown[]) => {
    try {
      const result: unknown = await run(...given);
      const texts = (result as Partial<TextChannel> | undefined)?.[TEXTS];
      return texts ? new PassedChannel(tellUpstream(texts, plan.name)) : result;
    } catch (cause) {
      throw cause instanceof HTTPError ? cause : upstreamError(plan.name, cause);
    }
  };
  return markForward(async (...values: unknown[]) => {
    // The last argument of every function is its call.
    const call = values.at(-1) as Call | undefined;
    // Another function calls this one, perhaps with other arguments, and wants the result.
    if (!call?.decoded) return await called(...values);
    values.pop();
    const { request: given, signal, name, parts: { streams } } = call;
    const decoded = call.decoded.slice(0, values.length);
    if (!streams || given.headers.has("upgrade")) return await called(...decoded, call);
    const request = writeOrRefuse(() => writeRequest(plan, codecs, base, decoded, undefined, signal, headers, stream));
    for (const header of SENT) {
      const value = given.headers.get(header);
      if (value !== null) request.headers.set(header, value);
    }
    headers?.write(values, request.headers);
    placeArguments(places, decoded, request.headers);
    try {
      const response = await client.fetch(request);
      const kept = [...response.headers].filter(([header]) => !KEPT_BACK.test(header));
      for (const line of response.headers.getSetCookie()) {
        if (cookies.some((start) => line.startsWith(start))) kept.push(["set-cookie", line]);
      }
      return new Response(response.body, { status: response.status, headers: kept });
    } catch (cause) {
      throw upstreamError(name, cause);
    }
  });
};

/** An argument that cannot be written is the caller's mistake: its own way to write it got as far as here. */
function writeOrRefuse(write: () => Request): Request {
  try {
    return write();
  } catch (cause) {
    throw new HTTPError(400, cause instanceof Error ? cause.message : "Send the call on: it cannot be written", {
      kind: "argument",
      cause,
    });
  }
}

/** Texts that come from the server behind: what breaks on the way is told as its failure. */
function tellUpstream(texts: AsyncIterable<string>, name: string): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = texts[Symbol.asyncIterator]();
      return {
        next: () =>
          iterator.next().catch((cause) => {
            throw cause instanceof HTTPError ? cause : upstreamError(name, cause);
          }),
        return: async () => await iterator.return?.() ?? { done: true, value: undefined },
      };
    },
  };
}

function upstreamError(name: string, cause: unknown): HTTPError {
  const isLate = cause instanceof DOMException && cause.name === "TimeoutError";
  const detail = isLate ? "the server behind took too long" : "the server behind cannot be reached";
  return new HTTPError(isLate ? 504 : 502, `Send "${name}" on: ${detail}`, { cause });
}
