import { ConnectionLost } from "../client_error.ts";
import type { Connection } from "./connection.ts";

/**
 * The connection, with failures of the network as {@linkcode ConnectionLost}. `fetch` throws a TypeError for these, as all sorts of code
 * does for a mistake in a program, which is to stay one.
 */
export function tellLosses(connection: Connection): Connection {
  const { hijack } = connection;
  return {
    fetch: async (request) => watchBody(await orLost(connection.fetch(request))),
    ...hijack && {
      hijack: async (request: Request) => {
        const { response, input } = await orLost(hijack(request));
        return { response: watchBody(response), input };
      },
    },
    openWebSocket: connection.openWebSocket,
    close: () => connection.close(),
  };
}

const BODYLESS = new Set([204, 205, 304]);

async function orLost<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw asLost(error);
  }
}

function asLost(error: unknown): unknown {
  return error instanceof TypeError ? new ConnectionLost(error) : error;
}

function watchBody(response: Response): Response {
  // Chromium has empty bodies for statuses that may have none, and makes no response with one.
  if (response.body === null || BODYLESS.has(response.status)) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { value } = await orLost(reader.read());
      if (value === undefined) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
  return new Response(body, response);
}
