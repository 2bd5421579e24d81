import type { Client } from "../call/core_client.ts";
import type { CallOptions } from "../plan/function_types.ts";
import { readJSON } from "../codecs/json.ts";
import type { Channel } from "../plan/marker.ts";
import { openChannel } from "./open_channel.ts";
import type { Plan } from "../plan/plan_types.ts";
import { check, wrongResult } from "../call/read_result.ts";

/**
 * Opens the channel that a call results in: the part of a client that reads channels.
 *
 * @example
 * ```ts
 * import { api, chan, int64, linkWith, readChannel, rest } from "../client.ts";
 * const clock = api("clock.example.com", { Ticks: rest("GET /ticks", [], [chan(int64)]) });
 * const client = linkWith({ channel: readChannel }, clock, "http://localhost", {
 *   fetch: () => Promise.resolve(new Response("1\n2\n")),
 * });
 * console.assert((await Array.fromAsync(await client.Ticks())).length === 2);
 * ```
 */
export function readChannel(
  plan: Plan,
  request: Request,
  fetch: (request: Request) => Promise<Response>,
  options: CallOptions,
  client: Client,
): Channel<unknown> {
  const { item, kind } = plan.result;
  const upgrade = client.prepare?.(request) ?? request;
  const websocket = options.websocket ?? (plan.method === "GET" && isSocketFirst(upgrade, client) && "first");
  if (websocket && plan.method !== "GET") throw notOverWebSocket(plan);
  return openChannel({
    request,
    upgrade,
    fetch,
    receive: client.receive,
    websocket,
    openWebSocket: client.openWebSocket,
    // That of the call and its timeout, in one.
    signal: request.signal,
    async decode(text) {
      let value: unknown;
      try {
        value = readJSON(text, kind);
      } catch (cause) {
        throw wrongResult(plan, cause, cause);
      }
      return item === undefined ? value : await check(plan, item, value);
    },
  });
}

/** Whether a channel is a WebSocket unless its call says otherwise: where one can be opened that carries all that the request says. */
export function isSocketFirst({ headers }: Request, { websocket, openWebSocket, receive }: Client): boolean {
  const isAble = openWebSocket !== undefined || typeof WebSocket === "function";
  // A page sets no header of a WebSocket; a credential travels as a subprotocol.
  const isPlain = [...headers.keys()].every((name) => name === "accept" || name === "authorization");
  return websocket === true && isAble && isPlain && receive === undefined;
}

/** A WebSocket begins with a GET that has no body (RFC 6455, section 4.1). */
function notOverWebSocket({ name, method }: Plan): TypeError {
  return new TypeError(
    `Open "${name}" over a WebSocket: it is called with ${method}, and a WebSocket is opened with GET`,
  );
}
