/**
 * Exec sessions with a terminal, and those nobody is attached to: supervised by conmon.
 *
 * @module
 */
import { once } from "node:events";
import { readTextBounded } from "../../helpers/bounded_read.ts";
import type { Readable, Writable } from "node:stream";
import { EngineError } from "../../../../engine/errors.ts";
import type { ExecStart } from "../../../../engine/ports/exec_port.ts";
import type { Attachment } from "../../../../engine/ports/host_port.ts";
import { HELPER_ENVIRONMENT, startProgram } from "../../helpers/spawn.ts";
import type { ExecPaths } from "../../helpers/paths.ts";
import { attachTo } from "../attach/attach.ts";
import { CREATE_TIMEOUT, readAll, readLine, readPid } from "../nursery/conmon.ts";
import { commandOf, type Runtime } from "../runtime/runtime.ts";
import { runtimeError } from "../runtime/runtime_errors.ts";

/** The most that is read of a runtime's log of a failure, in bytes. */
const LOG_LIMIT = 64 * 1024;

/** A process with somebody to see its end. */
export interface Supervised {
  pid: number;
  /** The supervisor's pid. */
  supervisor: number;
  /** Resolves when the supervisor has ended; the exit file is written by then. */
  ended: Promise<void>;
  attachment?: Attachment;
}

/** The options of conmon for a session. */
export interface SupervisedOptions {
  conmon: string;
  runtime: Runtime;
  paths: ExecPaths;
  start: ExecStart;
  adopt: (pid: number) => Promise<void>;
  /** Sets the terminal's size, once there is one. */
  resize: () => Promise<void>;
}

/** Starts conmon, which has the runtime run the process, after the attachment is in place. Throws the runtime's failure. */
export async function startSupervised(options: SupervisedOptions): Promise<Supervised> {
  const { start: { streams, size }, paths } = options;
  const child = startProgram(options.conmon, conmonArgs(options), {
    cwd: paths.folder,
    env: { ...HELPER_ENVIRONMENT, _OCI_SYNCPIPE: "3", _OCI_STARTPIPE: "4", ...streams && { _OCI_ATTACHPIPE: "5" } },
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe", "pipe"],
    detached: true,
  });
  const failed = once(child, "error").then(([error]) => {
    throw new EngineError("internal", `Run conmon: ${error.message}`, { cause: error });
  });
  failed.catch(() => {});
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  if (child.pid === undefined) return await failed;
  // Asked for as pipes above.
  const [, , stderr, sync, start, attach] = child.stdio as unknown as [
    ...[null, null, Readable],
    ...[Readable, Writable, Readable],
  ];
  start.on("error", () => {});
  const errors = readAll(stderr);
  const timer = setTimeout(() => child.kill("SIGKILL"), CREATE_TIMEOUT);
  let attachment: Attachment | undefined;
  try {
    await options.adopt(child.pid);
    const answer = Promise.race([readLine(sync), failed]);
    start.write("\0");
    if (streams !== undefined) {
      await Promise.race([readLine(attach), failed]);
      attachment = await attachTo(paths.folder, streams);
      if (size !== undefined) await options.resize();
      start.write("\0");
    }
    start.end();
    const pid = await readPid(await answer, options.runtime.name, errors);
    child.unref();
    return { pid, supervisor: child.pid, ended, attachment };
  } catch (error) {
    attachment?.close();
    child.kill("SIGKILL");
    throw await readFailure(options) ?? error;
  } finally {
    clearTimeout(timer);
    for (const pipe of [stderr, sync, start, attach]) pipe.destroy();
  }
}

/** Returns the failure that the runtime logged: conmon reports nothing of a runtime that fails before it opens the terminal. */
async function readFailure({ runtime, paths }: SupervisedOptions): Promise<EngineError | undefined> {
  const text = await readTextBounded(paths.log, LOG_LIMIT).catch(() => undefined) ?? "";
  return text.trim() === "" ? undefined : runtimeError(runtime.name, text);
}

function conmonArgs({ runtime, paths, start }: SupervisedOptions): string[] {
  const { id, record, process, streams } = start;
  const [program, ...before] = commandOf(runtime);
  return [
    ...["--api-version", "1", "--sync", "--cid", record.id, "--cuuid", id, "--name", record.name || record.id],
    ...["--runtime", program],
    ...[...before, "--log", paths.log].flatMap((arg) => ["--runtime-arg", arg]),
    ...["--bundle", paths.folder, "--container-pidfile", paths.pidFile, "--exit-dir", paths.exits],
    ...["--full-attach", "--log-level", "error", "--no-sync-log", "--log-path", "none"],
    ...process.terminal ? ["--terminal"] : streams?.stdin ? ["--stdin"] : [],
    ...["--exec", "--exec-process-spec", paths.process, ...streams ? ["--exec-attach"] : []],
  ];
}
