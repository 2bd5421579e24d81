/**
 * Starting conmon, the supervisor that outlives this process.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { closeOnExec } from "../libc.ts";
import type { ContainerRecord } from "../../../engine/container_record.ts";
import type { RestoreImages } from "../../../engine/checkpoint_port.ts";
import { EngineError } from "../../../engine/errors.ts";
import type { ContainerPaths, HostPaths } from "../paths.ts";
import { logArguments } from "./log_sources.ts";
import { PortHolder } from "./port_holder.ts";
import type { Runtime } from "./runtime.ts";
import { runtimeError } from "./runtime_errors.ts";

/** How long a supervisor may take to answer. */
export const CREATE_TIMEOUT = 120_000;
const MESSAGE_LIMIT = 1024 * 1024;
/** Where supervisors look for programs. */
export const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** What a supervisor is started with. */
export interface ConmonOptions {
  program: string;
  /** The interpreter that lets conmon hold published ports; without it they are not held. */
  perl?: string;
  runtime: Runtime;
  record: ContainerRecord;
  paths: HostPaths;
  container: ContainerPaths;
  /** Bring the container back from these images in place of creating it. */
  restore?: RestoreImages & { images: string };
  /** Moves the supervisor out of this process's cgroups. */
  adopt: (pid: number) => Promise<void>;
  /** Writes the bundle, whose folder is there already. The runtime starts when it is done. */
  prepare: () => Promise<void>;
}

/** A supervisor whose container was created. */
export interface Supervisor {
  pid: number;
  containerPid: number;
  /** Resolves when the supervisor has ended; the exit file is written by then. */
  ended: Promise<void>;
}

/**
 * Starts conmon, which has the runtime create the container. Throws the runtime's failure as an `EngineError`. With
 * `--sync` conmon stays this process's child: its end is heard of at once, and it is reaped here, whatever init does.
 */
export async function startConmon(options: ConmonOptions): Promise<Supervisor> {
  closeOnExec();
  const holder = new PortHolder(options.record.ports);
  const [program, args] = holder.wrap(options.program, conmonArgs(options), options.perl);
  const child = spawn(program, args, {
    // conmon leaves its note about lack of memory in its working folder.
    cwd: options.container.bundle,
    env: { PATH, LC_ALL: "C", _OCI_SYNCPIPE: "3", _OCI_STARTPIPE: "4" },
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
    detached: true,
  });
  const failed = new Promise<never>((_, reject) => {
    child.once(
      "error",
      (error) => reject(new EngineError("internal", `Run conmon: ${error.message}`, { cause: error })),
    );
  });
  failed.catch(() => {});
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  if (child.pid === undefined) return await failed;
  const pid = child.pid;
  // Indices 3 and 4 were asked for as pipes above.
  const [, , stderr, sync, start] = child.stdio as unknown as [null, null, Readable, Readable, Writable];
  const timer = setTimeout(() => child.kill("SIGKILL"), CREATE_TIMEOUT);
  try {
    const errors = readAll(stderr);
    start.on("error", () => {});
    const begun = options.prepare().then(() => start.end("\0"));
    // The kernel takes 10 ms and more for the first move between cgroups, then little for those that follow at once, as
    // the runtime's do: this one goes first and waits beside the other work. What conmon has started by then ends up in the
    // container's own cgroup all the same.
    const answer = Promise.race([readLine(sync), failed]);
    const [message] = await Promise.all([answer, options.adopt(pid), begun]);
    return { pid, containerPid: await readPid(message, options.runtime.name, errors, holder), ended };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    clearTimeout(timer);
    for (const pipe of [stderr, sync, start]) pipe.destroy();
    release(child);
  }
}

function conmonArgs({ runtime, record, paths, container, restore }: ConmonOptions): string[] {
  const { id, spec, process, log } = record;
  const limited = spec.logSizeMax !== undefined && spec.logSizeMax > 0;
  return [
    ...["--api-version", "1", "--sync", "--cid", id, "--cuuid", id, "--name", record.name || id],
    ...["--runtime", runtime.program, ...runtime.args.flatMap((arg) => ["--runtime-arg", arg])],
    ...["--bundle", container.bundle, "--container-pidfile", container.pidFile],
    ...["--exit-dir", paths.exits, "--full-attach", "--log-level", "error"],
    // An fsync at every container's end would cost more than the container.
    ...["--no-sync-log", ...logArguments(log, spec.logOptions.tag)],
    ...restore ? restoreArgs(restore) : [],
    // The supervisor counts the time: it goes on when this server does not.
    ...spec.timeout ? ["--timeout", String(spec.timeout)] : [],
    ...limited ? ["--log-size-max", String(spec.logSizeMax)] : [],
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
export async function readPid(
  message: string,
  runtimeName: string,
  errors: Promise<string>,
  holder?: PortHolder,
): Promise<number> {
  let answer: { data?: number; message?: string } = {};
  try {
    // The end of a short life may have come with it, on a line of its own.
    answer = JSON.parse(message.split("\n", 1)[0]!);
  } catch {
    // conmon ended without an answer, or broke off: its standard error says why.
  }
  if (answer.data !== undefined && answer.data > 0) return answer.data;
  if (answer.message !== undefined) throw runtimeError(runtimeName, answer.message);
  const text = (await errors).trim();
  holder?.check(text);
  throw new EngineError("internal", `Run conmon: ${text || "no answer"}`, { sentinel: "container create failed" });
}

/** The container's life must not hold up this process's end. */
function release(child: ChildProcess): void {
  child.unref();
}

/** Reads a pipe up to the first line's end. */
export async function readLine(stream: Readable): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk as Uint8Array);
    if (text.includes("\n") || text.length > MESSAGE_LIMIT) break;
  }
  return text;
}

/** Reads a pipe's text, the first of it. */
export async function readAll(stream: Readable): Promise<string> {
  const chunks: string[] = [];
  try {
    for await (const chunk of stream) {
      if (chunks.length < 16) chunks.push(new TextDecoder().decode(chunk as Uint8Array));
    }
  } catch {
    // Destroyed when nobody asks any more.
  }
  return chunks.join("");
}
