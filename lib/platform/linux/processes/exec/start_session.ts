/**
 * Starting the process of an exec session. Its supervisor is a process of the nursery, which loads nothing but the runtime.
 *
 * @module
 */
import { join } from "node:path";
import type { ExecStart, ExecStreams } from "../../../../engine/ports/exec_port.ts";
import type { Attachment } from "../../../../engine/ports/host_port.ts";
import { readTextBounded } from "../../helpers/bounded_read.ts";
import type { ExecPaths } from "../../helpers/paths.ts";
import { attachmentOver } from "../attach/attach.ts";
import { CREATE_TIMEOUT } from "../nursery/conmon.ts";
import type { Nursery } from "../nursery/nursery.ts";
import { firstConnection, type NurserySockets } from "../nursery/nursery_sockets.ts";
import { runtimeError } from "../runtime/runtime_errors.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** The most that is read of a runtime's log of a failure, in bytes. */
const LOG_LIMIT = 64 * 1024;

/** A process with somebody to see its end. */
export interface Supervised {
  pid: number;
  /** The supervisor's pid. */
  supervisor: number;
  /** Resolves when the supervisor has ended; the exit file is written by then. */
  ended: Promise<unknown>;
  attachment?: Attachment;
}

/** The options of a session's supervisor. */
export interface SessionOptions {
  nursery: Nursery;
  sockets: NurserySockets;
  runtime: Runtime;
  paths: ExecPaths;
  start: ExecStart;
}

/** Runs the process of a session, and attaches to it where somebody asks. Throws the runtime's failure. */
export async function startSession(options: SessionOptions): Promise<Supervised> {
  const { nursery, sockets, start: { id, streams } } = options;
  using expected = streams && await sockets.expect(id);
  const supervisor = await nursery.exec(fieldsOf(options));
  const timer = setTimeout(supervisor.kill, CREATE_TIMEOUT);
  try {
    const { pid, line, errors } = await supervisor.said;
    if (!/^\d+\n$/.test(line)) throw runtimeError(options.runtime.name, errors.trim() || await readLog(options.paths));
    const rest = { pid: Number(line), supervisor: pid, ended: supervisor.ended };
    return {
      ...rest,
      ...expected && streams &&
        {
          attachment: attachmentOver(
            await firstConnection(expected.connection, supervisor, lostSupervisor),
            wantedOf(streams),
          ),
        },
    };
  } finally {
    clearTimeout(timer);
  }
}

function lostSupervisor(): Error {
  return runtimeError("exec", "the supervisor was lost");
}

/** Reads the runtime's log: what it has to say once there is a terminal goes there else, which nobody sees. */
async function readLog({ log }: ExecPaths): Promise<string> {
  return await readTextBounded(log, LOG_LIMIT).catch(() => undefined) ?? "";
}

function fieldsOf({ runtime, paths, start }: SessionOptions): string[] {
  const { id, record, streams, size, process: { terminal } } = start;
  const [log, console] = terminal ? [["--log", paths.log], ["--console-socket", "console"]] : [[], []];
  return [
    paths.folder,
    join("exit", record.id),
    id,
    lettersOf(streams, terminal),
    ...[String(size?.height ?? 0), String(size?.width ?? 0)],
    runtime.hidden,
    ...[runtime.path, ...runtime.args, ...log],
    ...["exec", "--detach", "--pid-file", paths.pidFile, "--process", paths.process, ...console, record.id],
  ];
}

/** As `exec.pl` says. */
function lettersOf(streams: ExecStreams | undefined, terminal: boolean): string {
  const { stdin, stdout, stderr, isMerged } = streams ?? { stdin: false, stdout: false, stderr: false };
  const letters = { a: streams !== undefined, i: stdin, o: stdout, e: stderr, m: isMerged === true, t: terminal };
  return Object.entries(letters).map(([letter, isSet]) => isSet ? letter : "").join("");
}

/** Standard output that goes where standard error does comes as that. */
function wantedOf(streams: ExecStreams): ExecStreams {
  return { ...streams, stderr: streams.stderr || streams.isMerged === true };
}
