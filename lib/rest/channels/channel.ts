import { ChannelSource } from "./channel_source.ts";
import type { Platform } from "../context.ts";
import { duplexOf, upgradeError } from "../run/duplex_call.ts";
import { HTTPError } from "../error.ts";
import type { TextParts } from "./parts/encode_parts.ts";
import { FLOW } from "./flow.ts";
import { asksFailures, failureLine } from "./failure_line.ts";
import { type BodyCall, textBody } from "./ndjson.ts";
import { type Resumable, RESUME } from "./resumable.ts";
import { acceptsEvents, EVENT_END, eventFrame, eventHead, HEARTBEAT } from "./sse.ts";
import { chooseProtocol, sendValues, wantsWebSocket } from "./websocket_channel.ts";

export { type OpenChannel, openChannel, type OpenOptions } from "./open_channel.ts";

/** Milliseconds of silence after which server-sent events get a comment: proxies give up after 30 s or more. */
const QUIET = 15_000;

/** What {@linkcode channelResponse} knows of the call. */
export interface ChannelContext extends BodyCall {
  readonly request: Request;
  readonly platform: Platform;
  /** Aborts when the peer goes away. */
  readonly signal: AbortSignal;
  /** The content type of newline-delimited values; `application/x-ndjson` by default. */
  readonly contentType?: string;
  /** The JSON text of a value. */
  encode(value: unknown): string | Promise<string>;
  /** The same for a body, where long texts within may stand by themselves; that of `encode` by default. */
  encodeParts?(value: unknown): string | TextParts | Promise<string | TextParts>;
  /** The words for an error that the peer may read; by default those of an `HTTPError`, and none of any other. */
  describe?(error: unknown): string;
  /**
   * Called before a WebSocket is taken: the request is over then, which some runtimes tell as an abort. Returns what is called when the peer
   * goes away before the end.
   */
  detach?(): () => void;
  /** Milliseconds of silence after which server-sent events get a comment; 15,000 by default. */
  readonly heartbeat?: number;
}

/**
 * Sends what `source` yields, as the request asks for it: one WebSocket text message per value (`Upgrade: websocket`; closed
 * with 1000 at the end, 1011 and a reason on failure), server-sent events (`Accept: text/event-stream`; an event `end` closes
 * them, an event `error` carries a failure), or one line of JSON per value (a failure breaks the body off, or is the
 * last line where the client asks for that). The source is read no faster than the peer reads,
 * and its `return` runs when the peer goes away.
 * For HEAD it runs at once, without a value having been asked for.
 *
 * @throws What the source throws at once, before there is a status
 * @throws {HTTPError} 501 for a WebSocket where the runtime has none
 */
export async function channelResponse(source: AsyncIterable<unknown>, context: ChannelContext): Promise<Response> {
  const { request, platform } = context;
  const describe = context.describe ?? defaultDescribe;
  const duplex = duplexOf(platform);
  if (duplex) {
    const values = new ChannelSource(source, (value) => context.encode(value));
    await values.settle();
    return duplex.send(values, describe);
  }
  const overWebSocket = wantsWebSocket(request);
  if (overWebSocket && platform.upgradeWebSocket === undefined) {
    throw new HTTPError(501, "Open a WebSocket: this runtime has none to give", { kind: "unimplemented" });
  }
  if (!overWebSocket && acceptsEvents(request.headers.get("accept"))) return await eventResponse(source, context);
  const headers = { "content-type": context.contentType ?? "application/x-ndjson", vary: "accept" };
  if (request.method === "HEAD") return headResponse(source, headers);
  if (overWebSocket) {
    const values = new ChannelSource(source, (value) => context.encode(value));
    await values.settle();
    const protocol = chooseProtocol(request);
    const left = context.detach?.();
    const { socket, response } = upgrade(request, values, () => platform.upgradeWebSocket!({ protocol }), left);
    const sent = sendValues(values, socket, {
      flow: protocol === FLOW,
      describe,
      left,
      patience: platform.socketPatience,
    });
    platform.waitUntil?.(sent);
    return response;
  }
  const values = new ChannelSource(source, encoderOf(context));
  await values.settle();
  const failed = asksFailures(request) ? (error: unknown) => failureLine(describe(error)) : undefined;
  return new Response(textBody(values, { after: "\n", failed }, context), { headers });
}

/** The head of an answer whose values nobody wants. */
function headResponse(source: AsyncIterable<unknown>, headers: Record<string, string>): Response {
  Promise.resolve(source[Symbol.asyncIterator]().return?.()).catch(() => {});
  return new Response(null, { headers });
}

async function eventResponse(source: AsyncIterable<unknown>, context: ChannelContext): Promise<Response> {
  const { describe = defaultDescribe } = context;
  const encode = encoderOf(context);
  const resume = (source as Partial<Resumable<unknown>>)[RESUME];
  const after = context.request.headers.get("last-event-id") || undefined;
  if (!resume && after === END) {
    await source[Symbol.asyncIterator]().return?.();
    return new Response(null, { status: 204 });
  }
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store", vary: "accept" };
  if (context.request.method === "HEAD") return headResponse(source, headers);
  let id: string | undefined;
  const values = resume === undefined
    ? new ChannelSource(source, encode)
    : new ChannelSource(resume.open(after), (pair) => {
      // What `open` yields are pairs, as its type says.
      const [place, value] = pair as [string, unknown];
      id = place;
      return encode(value);
    });
  await values.settle();
  // An EventSource knows no end: it comes back for more until it is told that there is none (HTML Standard, section 9.2.3).
  if (resume && after && values.ended) return new Response(null, { status: 204 });
  const frames = {
    before: resume === undefined ? () => DATA : () => eventHead(undefined, id),
    after: EVENT_END,
    // The ID of a channel that cannot be resumed tells, when the client comes back, that it has seen the end.
    done: eventFrame("", "end", resume ? undefined : END),
    failed: (error: unknown) => eventFrame(JSON.stringify(describe(error)), "error"),
    idle: { text: HEARTBEAT, after: resume?.heartbeat ?? context.heartbeat ?? QUIET },
  };
  return new Response(textBody(values, frames, context), { headers });
}

/** The ID of the end. */
const END = "end";

const DATA = /* @__PURE__ */ eventHead();

function encoderOf(context: ChannelContext): NonNullable<ChannelContext["encodeParts"]> {
  return (value) => context.encodeParts ? context.encodeParts(value) : context.encode(value);
}

function upgrade<T>(request: Request, values: ChannelSource, take: () => T, left?: () => void): T {
  try {
    return take();
  } catch (error) {
    left?.();
    values.release();
    throw upgradeError(request, error);
  }
}

function defaultDescribe(error: unknown): string {
  return error instanceof HTTPError ? error.message : "Internal error";
}
