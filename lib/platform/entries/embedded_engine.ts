/** Clients of engines of this program. This file alone reaches the engine: a client of a server elsewhere does not load it. */
import process from "node:process";
import { PartialFailure } from "../../../handlers/partial_failure.ts";
import { HTTPError } from "../../rest/mod.ts";
import { engineHandler, type EngineHandlerOptions } from "../../../handlers/engine_handler.ts";
import { ClientError } from "../../client/client_error.ts";
import type { Connection } from "../../client/connections/connection.ts";
import { connectHandler } from "../../client/connections/in_process.ts";
import type { Engine } from "../../engine/engine.ts";
import { EngineError } from "../../engine/errors.ts";
import { openHostEngine } from "./host_engine.ts";
import { parseServeOptions } from "./serve_options.ts";

/** The caller has an engine's error, and that of a wrong request, as its own. Of a defect it is told nothing, so that the log is. */
const options: EngineHandlerOptions = {
  onError(error, { name }) {
    const isTold = error instanceof EngineError || error instanceof HTTPError || error instanceof PartialFailure;
    if (!isTold) console.error(`Answer "${name}":`, error);
  },
};

/** A connection to an engine, which stays open when the connection is closed. */
export function connectEngine(engine: Engine): Connection {
  return connectHandler(engineHandler(engine, options));
}

/**
 * Opens the engine of this host for this program, on the folders and by the variables of `gantry serve`; closing the connection closes it.
 *
 * @throws {ClientError} `unreachable`, with the reason
 */
export async function connectEmbedded(): Promise<Connection> {
  const { root, runroot, runtime, registriesConf } = parseServeOptions([], process.env);
  const engine = await openHostEngine({ root, runroot, runtime, registriesConf }).catch((cause) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `Open this host's engine: no server's socket is there, and in this process: ${why}`;
    throw new ClientError("unreachable", message, { cause });
  });
  return connectHandler(engineHandler(engine, options), () => engine.close());
}
