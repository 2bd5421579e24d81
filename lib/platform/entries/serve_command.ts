/**
 * `serve` on a host, under Deno and Node: opens the engine, listens, and ends on a signal.
 *
 * @module
 */
import process from "node:process";
import { engineHandler } from "../../../handlers/engine_handler.ts";
import { everySoOften } from "../../engine/containers/ticks.ts";
import type { Engine } from "../../engine/engine.ts";
import { hostClock } from "../clock.ts";
import type { Listener } from "../http/listener.ts";
import { parseServeOptions, type ServeOptions } from "./serve_options.ts";
import { messageOf } from "../../oci/message_of.ts";
import type { Log } from "../../engine/ports/log.ts";
import { outerUser } from "../linux/rootless/outer_user.ts";
import { ownCommand } from "../linux/rootless/user_namespace.ts";
import { needsUserNamespace, runAsUser } from "./user/run_as_user.ts";
import { giveBackWhenIdle } from "./service/idle_memory.ts";
import { isGoingDown, tellReady } from "./service/service_manager.ts";
import { makeServerLog, requestLogger } from "./server_log.ts";
import { endSignal } from "./start/end_signal.ts";
import { openEngineHere } from "./start/engine_here.ts";
import { openDoors, readDoorKeys } from "./start/open_doors.ts";
import { startStep } from "./start/start_failure.ts";
import { tellStart } from "./start/tell_start.ts";
import { USAGE } from "./start/usage.ts";

/** Hooks of {@linkcode serveCommand}. */
export interface ServeHooks {
  /** Installs what the host lacks. */
  setup?: () => Promise<unknown>;
}

/**
 * Serves until SIGTERM, SIGINT or SIGHUP and resolves with the exit code: 0 after a clean stop, 1 when it cannot start, 2 for
 * options that are wrong. Prints one line on standard output when it is ready; everything else goes to standard error.
 */
export async function serveCommand(args: readonly string[], hooks: ServeHooks = {}): Promise<number> {
  let options: ServeOptions;
  try {
    options = parseServeOptions(args, process.env);
  } catch (error) {
    console.error(`gantry: ${messageOf(error)}; see --help`);
    return 2;
  }
  if (options.help) {
    console.log(USAGE.trimEnd());
    return 0;
  }
  const log = makeServerLog({ level: options.logLevel, format: options.logFormat });
  if (needsUserNamespace()) {
    if (options.setup) await hooks.setup?.();
    const code = await runAsUser(options, await ownCommand(), log);
    if (code !== undefined) return code;
  }
  // Listening comes before signals would otherwise end the process at once, in the middle of its start.
  const ended = endSignal();
  // A defect in one call must not take the others, and the containers' supervisor, down with it.
  process.on(
    "unhandledRejection",
    (error) => log("error", `Unhandled: ${error instanceof Error ? error.stack : error}`),
  );
  try {
    if (options.setup && outerUser() === 0) await hooks.setup?.();
    await using server = await startServer(options, log);
    console.log(`gantry: ready on ${server.addresses.join(", ")}`);
    await tellReady(process.env, log);
    // The line to try is for Podman's client, which sends no token, and no certificate before its version 5.
    const open = server.addresses.filter((address) => options.tls === undefined || !address.startsWith("tcp:"));
    await tellStart(server.engine, options.tokenFile === undefined ? open : [], log);
    using _memory = giveBackWhenIdle();
    log("info", `stopping on ${await ended}`);
    if (await isGoingDown(process.env, outerUser() !== 0)) {
      log("info", "the host goes down: containers are stopped");
      await server.stopContainers();
    }
  } catch (error) {
    console.error(`gantry: ${messageOf(error)}`);
    log("debug", error instanceof Error ? error.stack ?? "" : "");
    return 1;
  }
  return 0;
}

/** A server that is ready. Disposing it ends it; containers go on. */
interface Server extends AsyncDisposable {
  readonly engine: Engine;
  readonly addresses: readonly string[];
  /** Stops all of them, as the host goes down. */
  stopContainers(): Promise<void>;
}

async function startServer(options: ServeOptions, log: Log): Promise<Server> {
  const keys = await readDoorKeys(options, log);
  const { root, runroot, runtime, hookFolders, deviceFolders, quadletFolder } = options;
  const { registriesConf, containersConf, authFile, certsDir, dockerHub } = options;
  const access = { registriesConf, containersConf, authFile, certsDir, dockerHub };
  const folders = { root, runroot, runtime, hookFolders, deviceFolders, quadletFolder };
  const engine = await startStep(
    { text: `Open root "${root}" and runroot "${runroot}"`, option: "--root or --runroot" },
    () => openEngineHere({ ...folders, ...access, log }),
  );
  let listeners: Listener[] = [];
  const ended = new AbortController();
  const updates = updateRegularly(engine, options, { log, signal: ended.signal });
  const stop = async () => {
    ended.abort();
    await updates;
    await Promise.all(listeners.map((listener) => listener.close()));
    await engine.close();
  };
  try {
    const handler = engineHandler(engine, { auth: keys.auth, onRequest: requestLogger(log) });
    listeners = await openDoors(options, keys, handler, log, { keptAnswers: true });
  } catch (error) {
    await stop();
    throw error;
  }
  const [first] = listeners;
  if (first !== undefined) engine.serveAt(first.address);
  return {
    engine,
    addresses: listeners.map(({ address }) => address),
    stopContainers: () => engine.stopForShutdown(),
    [Symbol.asyncDispose]: stop,
  };
}

/** Updates containers at the interval of the options, until the signal. Failures are logged. */
async function updateRegularly(
  engine: Engine,
  { autoUpdate, autoUpdateNotify }: ServeOptions,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<void> {
  if (autoUpdate === undefined) return;
  for await (const _ of everySoOften(hostClock(), autoUpdate, signal)) {
    try {
      const { reports, errors } = await engine.autoUpdate({ mode: autoUpdateNotify ? "notify" : "update", signal });
      for (const error of errors) log("warn", error.message);
      for (const { unit, image, updated, error } of reports) {
        const why = error === undefined ? "" : `: ${error}`;
        if (updated !== "false") {
          log(error === undefined ? "info" : "warn", `auto-update ${unit} to ${image}: ${updated}${why}`);
        }
      }
    } catch (error) {
      if (!signal.aborted) log("error", `Auto-update: ${messageOf(error)}`);
    }
  }
}
