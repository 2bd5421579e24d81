/** The API's server and client in workerd: `/?call=BASE` calls one served elsewhere, and everything else is served. */
import { upgradeWebSocket } from "../../../lib/platform/workers/websocket.ts";
import type { Bindings, DurableObjectNamespace, DurableObjectState } from "../../../lib/platform/workers/runtime.ts";
import { serveEverything } from "./pairing_api.ts";
import { runCases } from "./pairing_cases.ts";

/** In an object, so that what one request leaves behind the next one finds. */
export class Everything {
  readonly #serve = serveEverything();
  readonly #state: DurableObjectState;

  constructor(state: DurableObjectState, _bindings: Bindings) {
    this.#state = state;
  }

  fetch(request: Request): Promise<Response> {
    return this.#serve(request, { upgradeWebSocket, waitUntil: (promise) => this.#state.waitUntil(promise) });
  }
}

export default {
  async fetch(request: Request, { EVERYTHING }: { EVERYTHING: DurableObjectNamespace }): Promise<Response> {
    const base = new URL(request.url).searchParams.get("call");
    if (base === null) return EVERYTHING.get(EVERYTHING.idFromName("everything")).fetch(request);
    try {
      return Response.json(await runCases({ base }));
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  },
};
