/**
 * The engine of this host for `deno serve -A lib/platform/entries/deno.ts`. Callers send the variable `GANTRY_TOKEN` as bearer token;
 * `GANTRY_ROOT` and the other variables of `serve` apply. `Deno.serve` gives no connection away: attach answers 501 here, and
 * everything else works. `deno task serve` has no such gap.
 *
 * @module
 */
import { engineHandler } from "../../../handlers/engine_handler.ts";
import { bearer } from "../../rest/auth.ts";
import type { Platform } from "../../rest/context.ts";
import { entryHandler } from "./entry.ts";
import { openHostEngine } from "./host_engine.ts";
import { idleBody } from "../http/exchange/idle_body.ts";
import { IdleWatch } from "../http/idle_watch.ts";
import { Peer } from "../http/exchange/node_request.ts";
import { type RefusableOptions, serveRefusable } from "../refused_body.ts";
import { endSignal } from "./start/end_signal.ts";
import { parseServeOptions } from "./serve_options.ts";

const serve = entryHandler({
  token: Deno.env.get("GANTRY_TOKEN"),
  advice: '"deno serve" listens on every interface, so that GANTRY_TOKEN must be set to the token that callers send',
  async open(token) {
    const { root, runroot, runtime, registriesConf } = parseServeOptions([], Deno.env.toObject());
    const engine = await openHostEngine({ root, runroot, runtime, registriesConf });
    // "deno serve" stops listening on a signal and then waits for everything else to end by itself; an engine does not.
    void endSignal().then(() => engine.close()).finally(() => Deno.exit(0));
    return engineHandler(engine, { auth: bearer(token) });
  },
  onError: (error) => console.error("gantry: cannot open the engine:", error),
});

/** Gives up bodies of which nothing comes for 60 seconds, as the other listeners do. */
const idle = new IdleWatch(60_000);

/** How bodies are read: each byte is waited for as long as other listeners do. `Deno.serve` reads a body to its end once it is cancelled. */
const BODIES: RefusableOptions = {
  open: (body) => idleBody(body, idle).getReader(),
  endRefused: (reader) => reader.cancel(),
};

/**
 * `Deno.serve` aborts a request's signal when all went well, too. This one fires only when the peer goes away before the answer;
 * after it the cancelled body tells, or the closed socket.
 */
class ServedRequest extends Request {
  readonly #peer: Peer;

  constructor(request: Request, peer: Peer) {
    super(request);
    this.#peer = peer;
  }

  override get signal(): AbortSignal {
    return this.#peer.signal;
  }
}

/** What `deno serve` calls. */
export default {
  async fetch(request: Request, { remoteAddr }: Deno.ServeHandlerInfo): Promise<Response> {
    const peer = new Peer();
    const leave = () => peer.leave();
    request.signal.addEventListener("abort", leave);
    const platform: Platform = {
      peer: remoteAddr.transport === "tcp" ? remoteAddr.hostname : undefined,
      upgradeWebSocket(options) {
        const upgraded = Deno.upgradeWebSocket(request, options);
        upgraded.socket.addEventListener("close", leave);
        return upgraded;
      },
    };
    try {
      return await serveRefusable(request, (request) => serve(new ServedRequest(request, peer), platform), BODIES);
    } finally {
      request.signal.removeEventListener("abort", leave);
    }
  },
};
