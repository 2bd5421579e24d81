/**
 * `gantry gateway`: a door over TCP to an engine elsewhere.
 *
 * @module
 */
import process from "node:process";
import { messageOf } from "../../../oci/message_of.ts";
import type { Connection } from "../../../client/connections/connection.ts";
import type { Log } from "../../../engine/ports/log.ts";
import { connectAddress } from "../connect_address.ts";
import { makeServerLog, requestLogger } from "../server_log.ts";
import { tellReady } from "../service/service_manager.ts";
import { endSignal } from "../start/end_signal.ts";
import { openDoors, readDoorKeys } from "../start/open_doors.ts";
import { gatewayHandler } from "./gateway_handler.ts";
import { GATEWAY_USAGE, type GatewayOptions, parseGatewayOptions, readEngineKeys } from "./gateway_options.ts";

/** Milliseconds that the engine has to answer at the start. */
const FIRST_ANSWER = 5000;

/**
 * Passes requests on until SIGTERM, SIGINT or SIGHUP and resolves with the exit code: 0 after a clean stop, 1 when it cannot start, 2 for options
 * that are wrong. Prints one line on standard output when it is ready. An engine that does not answer yet is a warning.
 */
export async function gatewayCommand(args: readonly string[]): Promise<number> {
  let options: GatewayOptions;
  try {
    options = parseGatewayOptions(args, process.env);
  } catch (error) {
    console.error(`gantry: ${messageOf(error)}; see --help`);
    return 2;
  }
  if (options.help) {
    console.log(GATEWAY_USAGE.trimEnd());
    return 0;
  }
  const log = makeServerLog({ level: options.logLevel, format: options.logFormat });
  const ended = endSignal();
  process.on(
    "unhandledRejection",
    (error) => log("error", `Unhandled: ${error instanceof Error ? error.stack : error}`),
  );
  try {
    const keys = await readDoorKeys(options, log);
    const connection = connectAddress(options.to, await readEngineKeys(options, log));
    const handler = gatewayHandler({ connection, address: options.to, auth: keys.auth, onRequest: requestLogger(log) });
    const listeners = await openDoors(options, keys, handler, log);
    console.log(`gantry: ready on ${listeners.map(({ address }) => address).join(", ")}`);
    await tellReady(process.env, log);
    await tellEngine(connection, options.to, log);
    log("info", `stopping on ${await ended}`);
    await Promise.all(listeners.map((listener) => listener.close()));
    await connection.close();
    return 0;
  } catch (error) {
    console.error(`gantry: ${messageOf(error)}`);
    log("debug", error instanceof Error ? error.stack ?? "" : "");
    return 1;
  }
}

/** Logs whether the engine answers. */
async function tellEngine(connection: Connection, address: string, log: Log): Promise<void> {
  try {
    const signal = AbortSignal.timeout(FIRST_ANSWER);
    const response = await connection.fetch(new Request("http://localhost/_ping", { signal }));
    await response.body?.cancel();
    const server = response.headers.get("server") ?? "";
    if (response.ok) log("info", `the engine at ${address} answers${server && ` (${server})`}`);
    else {log(
        "warn",
        `the engine at ${address} answers ${response.status}; --to-token-file or --to-tls-cert may be missing`,
      );}
  } catch (error) {
    log("warn", `the engine at ${address} does not answer yet: ${messageOf(error)}`);
  }
}
