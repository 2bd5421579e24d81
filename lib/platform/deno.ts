/**
 * The engine of this host for `deno serve -A lib/platform/deno.ts`. Callers send the variable `GANTRY_TOKEN` as bearer token;
 * `GANTRY_ROOT` and the other variables of `serve` apply. `Deno.serve` gives no connection away: attach answers 501 here, and
 * everything else works. `deno task serve` has no such gap.
 *
 * @module
 */
import { engineHandler } from "../../handlers/engine_handler.ts";
import { bearer } from "../rest/auth.ts";
import type { Platform } from "../rest/context.ts";
import { entryHandler } from "./entry.ts";
import { openHostEngine } from "./host_engine.ts";
import { parseServeOptions } from "./serve_options.ts";

const serve = entryHandler({
  token: Deno.env.get("GANTRY_TOKEN"),
  advice: '"deno serve" listens on every interface, so that GANTRY_TOKEN must be set to the token that callers send',
  async open(token) {
    const { root, runroot, runtime, registriesConf } = parseServeOptions([], Deno.env.toObject());
    const engine = await openHostEngine({ root, runroot, runtime, registriesConf });
    return engineHandler(engine, { auth: bearer(token) });
  },
  onError: (error) => console.error("gantry: cannot open the engine:", error),
});

/** What `deno serve` calls. */
export default {
  fetch(request: Request, info: Deno.ServeHandlerInfo): Promise<Response> {
    const { remoteAddr } = info;
    const platform: Platform = {
      peer: remoteAddr.transport === "tcp" ? remoteAddr.hostname : undefined,
      upgradeWebSocket: (options) => Deno.upgradeWebSocket(request, options),
    };
    return serve(request, platform);
  },
};
