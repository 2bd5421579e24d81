import { ChannelSource } from "./channel_source.ts";
import { textBody } from "./ndjson.ts";
import type { BodyPlan } from "../plan/plan_types.ts";
import { streamBody } from "../codecs/stream_body.ts";
import { isAsyncIterable } from "../codecs/record.ts";
import { partsWriter } from "./parts/parts_writer.ts";

/** The key under which a channel that was received has the body it is read from: a proxy passes that on as it came. */
export const RAW: unique symbol = Symbol("gantry.rest.raw");

/**
 * Makes the body of a channel that is an argument, and of a stream as {@linkcode streamBody} does: the part of a client that sends channels. Each
 * value is a line of JSON. The source is read no faster than the lines are sent, and its `return` runs when nobody reads on; when it throws, the
 * body breaks off.
 *
 * @throws {TypeError} if a channel is no AsyncIterable
 *
 * @example
 * ```ts
 * import { api, chan, channelBody, int64, linkWith, rest } from "../client.ts";
 * const meter = api("meter.example.com", { Record: rest("POST /readings", [chan(int64)]) });
 * const sent: string[] = [];
 * const client = linkWith({ stream: channelBody }, meter, "http://localhost", {
 *   async fetch(request) {
 *     sent.push(await request.text());
 *     return new Response(null, { status: 204 });
 *   },
 * });
 * async function* readings() {
 *   yield* [1n, 2n];
 * }
 * await client.Record(readings());
 * console.assert(sent[0] === "1\n2\n");
 * ```
 */
export function channelBody(value: unknown, { item, kind }: BodyPlan): BodyInit {
  if (!item) return streamBody(value);
  if (!isAsyncIterable(value)) throw new TypeError("Send a channel: expected an AsyncIterable of values");
  const { [RAW]: raw } = value as { readonly [RAW]?: ReadableStream<Uint8Array> };
  if (raw) return raw;
  return textBody(new ChannelSource(value, partsWriter(kind)), { after: "\n" });
}
