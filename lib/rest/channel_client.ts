import type { Client } from "./core_client.ts";
import type { CallOptions } from "./function_types.ts";
import { readJSON } from "./json.ts";
import type { Channel } from "./marker.ts";
import { openChannel } from "./open_channel.ts";
import type { Plan } from "./plan_types.ts";
import { check } from "./read_result.ts";

/** Opens the channel that a call results in: the part of a client that reads channels. */
export function readChannel(
  plan: Plan,
  request: Request,
  fetch: (request: Request) => Promise<Response>,
  options: CallOptions,
  client: Client,
): Channel<unknown> {
  const { websocket, signal } = options;
  const { item, kind } = plan.result;
  return openChannel({
    request: websocket ? client.prepare?.(request) ?? request : request,
    fetch,
    receive: websocket ? undefined : client.receive,
    websocket,
    openWebSocket: client.openWebSocket,
    signal,
    async decode(text) {
      const value = readJSON(text, kind);
      return item === undefined ? value : await check(plan, item, value);
    },
  });
}
