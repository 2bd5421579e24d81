import { ChannelSource } from "./channel_source.ts";
import type { Platform } from "./context.ts";
import { HTTPError } from "./error.ts";
import { FLOW } from "./flow.ts";
import { textBody } from "./ndjson.ts";
import { acceptsEvents, eventFrame } from "./sse.ts";
import { chooseProtocol, sendValues, wantsWebSocket } from "./websocket_channel.ts";

export { type OpenChannel, openChannel, type OpenOptions } from "./open_channel.ts";

/** What {@linkcode channelResponse} knows of the call. */
export interface ChannelContext {
  readonly request: Request;
  readonly platform: Platform;
  /** Aborts when the peer goes away. */
  readonly signal: AbortSignal;
  /** The content type of newline-delimited values; `application/x-ndjson` by default. */
  readonly contentType?: string;
  /** The JSON text of a value. */
  encode(value: unknown): string;
  /** The words for an error that the peer may read; by default those of an `HTTPError`, and none of any other. */
  describe?(error: unknown): string;
}

/**
 * Sends what `source` yields, as the request asks for it: one WebSocket text message per value (`Upgrade: websocket`; closed
 * with 1000 at the end, 1011 and a reason on failure), server-sent events (`Accept: text/event-stream`; an event `end` closes
 * them, an event `error` carries a failure), or one line of JSON per value. The source is read no faster than the peer reads,
 * and its `return` runs when the peer goes away.
 *
 * @throws What the source throws at once, before there is a status
 * @throws {HTTPError} 501 for a WebSocket where the runtime has none
 */
export async function channelResponse(source: AsyncIterable<unknown>, context: ChannelContext): Promise<Response> {
  const { request, platform, signal } = context;
  const describe = context.describe ?? defaultDescribe;
  const overWebSocket = wantsWebSocket(request);
  if (overWebSocket && platform.upgradeWebSocket === undefined) {
    throw new HTTPError(501, "Open a WebSocket: this runtime has none to give", { kind: "unimplemented" });
  }
  const values = new ChannelSource(source, (value) => context.encode(value));
  await values.settle();
  if (overWebSocket) {
    const protocol = chooseProtocol(request);
    const { socket, response } = upgrade(values, () => platform.upgradeWebSocket!({ protocol }));
    const sent = sendValues(values, socket, { flow: protocol === FLOW, describe });
    platform.waitUntil?.(sent);
    return response;
  }
  if (acceptsEvents(request.headers.get("accept"))) {
    const end = {
      done: eventFrame("", "end"),
      failed: (error: unknown) => eventFrame(JSON.stringify(describe(error)), "error"),
    };
    return new Response(textBody(values, eventFrame, signal, end), {
      headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    });
  }
  return new Response(textBody(values, (text) => text + "\n", signal), {
    headers: { "content-type": context.contentType ?? "application/x-ndjson" },
  });
}

function upgrade<T>(values: ChannelSource, take: () => T): T {
  try {
    return take();
  } catch (error) {
    values.release();
    throw error;
  }
}

function defaultDescribe(error: unknown): string {
  return error instanceof HTTPError ? error.message : "Internal error";
}
