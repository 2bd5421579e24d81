import { channelBody } from "./channels/channel_body.ts";
import { readChannel } from "./channels/channel_client.ts";
import { type Client, type ClientParts, type Linked, linkWith } from "./call/core_client.ts";
import type { Definition, Operations } from "./definition.ts";
import { exactJSON } from "./codecs/exact_json.ts";
import { exactText } from "./codecs/exact_text.ts";
import { form } from "./codecs/form.ts";
import { headerValues } from "./codecs/header_value.ts";
import { forward } from "./call/forward.ts";
import { heedSignal } from "./call/heed_signal.ts";
import type { Implementation } from "./implement.ts";
import { multipartStreams } from "./forms/multipart_streams.ts";
import { placeHeaders } from "./headers/client_placed.ts";
import { sendDuplex } from "./duplex/duplex_client.ts";
import { readFailures } from "./failures/read_failure.ts";

const PARTS: ClientParts = {
  channel: readChannel,
  forward,
  codecs: [exactText, form, multipartStreams, exactJSON],
  around(plan, make, client) {
    const call = placeHeaders(plan, (client) => sendDuplex(plan, make, client), client);
    // Requests that go where the platform's own do end as those.
    return client.websocket ? call : heedSignal(call);
  },
  failures: readFailures,
  headers: headerValues,
  stream: channelBody,
};

/**
 * Makes the functions of an API elsewhere callable. The value also implements the definition, so that `handler` makes a proxy of it.
 *
 * @param base Where the API is, instead of where its definition says; without a scheme it is https
 * @param client Sends the requests: `fetch` unless told otherwise
 * @throws {TypeError} if the base has no host, or a query or fragment
 *
 * @example
 * ```ts
 * import { api, handler, implement, int64, link, rest } from "./mod.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * const serve = handler(null, implement(calculator, { Add: (a, b) => a + b }));
 * const client = link(calculator, "http://localhost", { fetch: serve });
 * console.assert(await client.Add(1n, 2n, { timeout: 1000 }) === 3n);
 * ```
 */
export function link<const D extends Operations>(
  definition: Definition<D>,
  base?: string,
  client?: Client,
): Linked<D> & Implementation {
  const at = base ?? definition.base;
  // Without a host the first segment of each path would become one, and get the credentials.
  if (typeof at !== "string" || !/^(?!\w[\w+.-]*:\/\/(?:[/?#\s]|$))[^\s/?#][^?#]*$/.test(at)) {
    throw new TypeError(`Link to "${at}": expected a host, or a URL without query and fragment`);
  }
  return linkWith(PARTS, definition, at, client);
}

/**
 * The linker: `API.link` is {@linkcode link}.
 *
 * @example
 * ```ts
 * import { API, link } from "./mod.ts";
 * console.assert(API.link === link);
 * ```
 */
export const API: { readonly link: typeof link } = { link };
