/** The sample in workerd. */
import { upgradeWebSocket } from "../../lib/platform/workers/websocket.ts";
import { sample } from "./sample.ts";

const serve = sample();

export default {
  fetch(request: Request, _bindings: unknown, context: { waitUntil(promise: Promise<unknown>): void }) {
    return serve(request, { upgradeWebSocket, waitUntil: (promise) => context.waitUntil(promise) });
  },
};
