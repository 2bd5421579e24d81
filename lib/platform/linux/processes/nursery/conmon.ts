/**
 * Starting conmon, the supervisor that outlives this process.
 *
 * @module
 */
import { isIPv6 } from "node:net";
import type { ContainerRecord } from "../../../../engine/records/container_record.ts";
import { logTag } from "../../../../engine/text/logs/log_attributes.ts";
import type { RestoreImages } from "../../../../engine/ports/checkpoint_port.ts";
import { EngineError } from "../../../../engine/errors.ts";
import type { ContainerPaths, HostPaths } from "../../helpers/paths.ts";
import { logArguments } from "../../logs/log_sources.ts";
import type { Launcher } from "./launcher.ts";
import type { Nursery } from "./nursery.ts";
import { isUserNetwork } from "../../../../engine/records/user_network.ts";
import { bridgeNamespace } from "../../networks/bridge_command.ts";
import { PortHolder } from "./port_holder.ts";
import { commandOf, type Runtime } from "../runtime/runtime.ts";
import { runtimeError } from "../runtime/runtime_errors.ts";

/** How long a supervisor may take to answer. */
export const CREATE_TIMEOUT = 120_000;

/** The options of a supervisor. */
export interface ConmonOptions {
  program: string;
  nursery: Nursery;
  runtime: Runtime;
  record: ContainerRecord;
  paths: HostPaths;
  container: ContainerPaths;
  /** The path of the log. */
  logPath: string;
  /** Has the runtime create the container in another mount namespace, to which a link leads by then. */
  launch?: { launcher: Launcher; link: string };
  /** Bring the container back from these images in place of creating it. */
  restore?: RestoreImages & { images: string };
}

/** A supervisor whose container was created. */
export interface Supervisor {
  pid: number;
  containerPid: number;
  /** Resolves when the supervisor has ended; the exit file is written by then. */
  ended: Promise<unknown>;
}

/** A conmon that is on its way. */
export interface ConmonStart {
  /** As its options have it. */
  launch: ConmonOptions["launch"];
  /** Has the runtime create the container of the bundle. Throws the runtime's failure as an `EngineError`. */
  finish(): Promise<Supervisor>;
  kill(): void;
  /** Resolves when it has ended. */
  ended: Promise<unknown>;
}

/**
 * Starts conmon in the bundle of a container. With `--sync` conmon stays the nursery's child: its end is heard of at once, and it is
 * reaped, whatever init does.
 *
 * @param waits It does nothing before `finish()`: what it needs need not be there
 */
export async function beginConmon(options: ConmonOptions, waits = false): Promise<ConmonStart> {
  const { nursery, program, container, record, runtime } = options;
  // The process that hands on what comes to an ordinary user's ports, or carries the whole network, has them.
  const isHeld = bridgeNamespace() !== undefined || isUserNetwork(record.spec.namespaces.network.mode);
  // In a network, IPv6 has a process that listens there.
  const hasNetwork = Object.keys(record.networks).length > 0;
  const held = isHeld ? [] : record.ports.filter(({ hostIP }) => !hasNetwork || !isIPv6(hostIP));
  const holder = new PortHolder(held);
  // conmon leaves its note about lack of memory in its working folder.
  const conmon = await nursery.conmon(container.bundle, holder.fields, [program, ...conmonArgs(options)], waits);
  const { kill, ended } = conmon;
  return {
    launch: options.launch,
    kill,
    ended,
    async finish() {
      if (waits) conmon.goOn();
      const timer = setTimeout(kill, CREATE_TIMEOUT);
      try {
        const { pid, line, errors } = await conmon.said;
        const containerPid = readPid(line, runtime.name, errors, holder);
        return { pid, containerPid, ended };
      } catch (error) {
        kill();
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function conmonArgs({ runtime, record, paths, container, logPath, launch, restore }: ConmonOptions): string[] {
  const { id, spec, process, log } = record;
  const [runtimeProgram, ...before] = launch?.launcher.commandOf(runtime, launch.link) ?? commandOf(runtime);
  const { sizeMax = spec.logSizeMax ?? 0 } = log;
  return [
    ...["--api-version", "1", "--sync", "--cid", id, "--cuuid", id, "--name", record.name || id],
    ...["--runtime", runtimeProgram, ...before.flatMap((arg) => ["--runtime-arg", arg])],
    ...["--bundle", container.bundle, "--container-pidfile", container.pidFile],
    ...["--exit-dir", paths.exits, "--full-attach", "--log-level", "error"],
    // An fsync at every container's end would cost more than the container.
    ...["--no-sync-log", ...logArguments({ ...log, path: logPath }, logTag(record))],
    ...restore ? restoreArgs(restore) : [],
    // The supervisor counts the time: it goes on when this server does not.
    ...spec.timeout ? ["--timeout", String(spec.timeout)] : [],
    ...sizeMax > 0 ? ["--log-size-max", String(sizeMax)] : [],
    ...process.terminal ? ["--terminal"] : spec.stdin ? ["--stdin"] : [],
  ];
}

function restoreArgs({ images, tcpEstablished, tcpClose, fileLocks }: NonNullable<ConmonOptions["restore"]>): string[] {
  const options = [
    ...tcpEstablished ? ["--tcp-established"] : [],
    ...tcpClose ? ["--tcp-close"] : [],
    ...fileLocks ? ["--file-locks"] : [],
  ];
  return ["--restore", images, ...options.flatMap((option) => ["--runtime-opt", option])];
}

/** Reads conmon's answer. Throws the runtime's failure, and the holder's where one had to go before conmon. */
function readPid(message: string, runtimeName: string, errors: string, holder: PortHolder): number {
  let answer: { data?: number; message?: string } = {};
  try {
    // The end of a short life may have come with it, on a line of its own.
    answer = JSON.parse(message.split("\n", 1)[0]!);
  } catch {
    // conmon ended without an answer, or broke off: its standard error says why.
  }
  if (answer.data !== undefined && answer.data > 0) return answer.data;
  if (answer.message !== undefined) throw runtimeError(runtimeName, answer.message);
  const text = errors.trim();
  holder.check(text);
  throw new EngineError("internal", `Run conmon: ${text || "no answer"}`, { sentinel: "container create failed" });
}
