/** The sample in workerd, in a Durable Object as the engine is, so that its diary is one. */
import { upgradeWebSocket } from "../../lib/platform/workers/websocket.ts";
import type { Bindings, DurableObjectNamespace, DurableObjectState } from "../../lib/platform/workers/runtime.ts";
import { sample } from "./sample.ts";

export class Sample {
  readonly #serve = sample();
  readonly #state: DurableObjectState;
  readonly #patience: number | undefined;

  constructor(state: DurableObjectState, { SOCKET_PATIENCE: patience }: Bindings & { SOCKET_PATIENCE?: string }) {
    this.#state = state;
    this.#patience = patience === undefined ? undefined : Number(patience);
  }

  fetch(request: Request): Promise<Response> {
    return this.#serve(request, {
      upgradeWebSocket,
      socketPatience: this.#patience,
      waitUntil: (promise) => this.#state.waitUntil(promise),
    });
  }
}

export default {
  fetch(request: Request, { SAMPLE }: { SAMPLE: DurableObjectNamespace }) {
    return SAMPLE.get(SAMPLE.idFromName("sample")).fetch(request);
  },
};
