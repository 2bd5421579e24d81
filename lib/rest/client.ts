/**
 * The client alone, for bundles that count their bytes: JSON, text and streams, and what else is named in `linkWith`. Its `api` trusts the
 * definition, and `link` is that of `./mod.ts` without channels, forms, exact JSON and header values.
 *
 * @example
 * ```ts
 * import { api, chan, linkWith, readChannel, rest } from "./client.ts";
 * import { z } from "npm:zod@4.6.7";
 *
 * const clock = api("clock.example.com", { Ticks: rest("GET /ticks", [], [chan(z.number())]) });
 * const fetch = () => Promise.resolve(new Response("1\n2\n"));
 * const client = linkWith({ channel: readChannel }, clock, "http://localhost", { fetch });
 * for await (const tick of await client.Ticks()) console.assert(tick > 0);
 * ```
 * @module
 */
import { type Client, type Linked, linkWith } from "./call/core_client.ts";
import type { Definition, Operations } from "./definition.ts";
import type { Implementation } from "./implement.ts";

export { channelBody } from "./channels/channel_body.ts";
export { readChannel } from "./channels/channel_client.ts";
export { type Client, type ClientParts, type Linked, linkWith } from "./call/core_client.ts";
export { api, apiWith } from "./define.ts";
export type { DefinitionParts } from "./plan/plan.ts";
export { exactKinds } from "./plan/exact_kinds.ts";
export { spreadQuery } from "./plan/spread_query.ts";
export { namespace, rest } from "./definition.ts";
export { HTTPError } from "./error.ts";
export { exactJSON } from "./codecs/exact_json.ts";
export { exactText } from "./codecs/exact_text.ts";
export { form } from "./codecs/form.ts";
export { header } from "./call/header.ts";
export { headerValues } from "./codecs/header_value.ts";
export { instance } from "./plan/instance.ts";
export { type ClientHooks, hooks } from "./call/hooks.ts";
export { bytes, chan, error, int64, stream, time, uint64 } from "./plan/marker.ts";
export { multipart } from "./codecs/multipart.ts";
export { multipartStreams } from "./forms/multipart_streams.ts";
export { namePart, type PartInfo, partOf } from "./forms/part_info.ts";
export { type Outcome, outcomeOf } from "./failures/outcome.ts";
export { placeHeaders } from "./headers/client_placed.ts";
export { readFailures } from "./failures/read_failure.ts";
export { retry, type RetryOptions } from "./call/retry.ts";
export { socketProtocols } from "./channels/socket_protocols.ts";
export { streamBody } from "./codecs/stream_body.ts";
export { sendDuplex } from "./duplex/duplex_client.ts";

/**
 * {@linkcode linkWith} without any part.
 *
 * @example
 * ```ts
 * import { api, link, rest } from "./client.ts";
 * import { z } from "npm:zod@4.6.7";
 * const greeter = api("greeter.example.com", { Greet: rest("GET /hello/{name=%v}", [z.string()], [z.string()]) });
 * const client = link(greeter, "http://localhost", { fetch: ({ url }) => Promise.resolve(new Response(url)) });
 * console.assert(await client.Greet("ann") === "http://localhost/hello/ann");
 * ```
 */
export function link<const D extends Operations>(
  definition: Definition<D>,
  base?: string,
  client?: Client,
): Linked<D> & Implementation {
  return linkWith({}, definition, base, client);
}
