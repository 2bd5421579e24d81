import type { ContainerRecord } from "../../records/container_record.ts";
import type { TerminalSize } from "../../records/spec_parts.ts";
import { linkVariables } from "../life/link_variables.ts";
import type { ExecProcess } from "../../ports/exec_port.ts";
import type { Attachment } from "../../ports/host_port.ts";
import { detachOnKeys } from "../streams/attach.ts";
import { type Context, emitEvent } from "../context.ts";
import { requireHost } from "../../core.ts";
import { DEFAULT_DETACH_KEYS, parseDetachKeys } from "../streams/detach_keys.ts";
import { improperState, isCode } from "../failures.ts";
import { onProcess } from "../life/on_process.ts";
import { recordExecExit, waitForExecExit } from "./record_exit.ts";
import { improperSession } from "./failures.ts";
import { type ExecSession, takesSession } from "./session.ts";

/** Exit codes that clients know failures of a start by: those of a shell, and Podman's for what failed before the command. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const FAILED = 125;

/** How a session is started. */
export interface ExecStartOptions {
  /** Attach to nothing, and answer when the process runs. */
  detach: boolean;
  size?: TerminalSize;
}

/**
 * Starts a session's process. Where the runtime cannot, the session has ended with a code that says so, and the
 * error is thrown on. The attachment's output ends once the end is on record.
 */
export async function startExec(
  context: Context,
  id: string,
  { detach, size }: ExecStartOptions,
): Promise<Attachment | undefined> {
  const { sessions, core } = context;
  const session = sessions.require(id);
  const record = context.records.require(session.containerID);
  requireRunning(record, session);
  const { config } = session;
  // Only who sits at a terminal types; other input may hold any bytes.
  const keys = parseDetachKeys(config.terminal ? config.detachKeys ?? DEFAULT_DETACH_KEYS : "");
  const streams = { stdin: config.attachStdin, stdout: config.attachStdout, stderr: config.attachStderr };
  // On record before it is done: a process that outlives this engine is known to the next.
  const begun: ExecSession = { ...session, status: "running" };
  await core.locks.with(`exec:${id}`, async () => {
    requireCreated(sessions.require(id));
    await sessions.save(begun);
  });
  const whenEnded = waitForExecExit(context, id);
  try {
    const start = {
      id,
      record,
      process: processOf(context, record, begun),
      streams: detach ? undefined : streams,
      size,
    };
    const { pid, attachment } = await onProcess(context, record.id, notRunning(record.id, "exited"), () => {
      const { execs } = requireHost(core).processes;
      return core.executing.use(() => execs.start(start));
    });
    emitEvent(context, record, "exec", undefined, { execID: id });
    await core.locks.with(`exec:${id}`, async () => {
      const now = sessions.get(id);
      // It may have ended already.
      if (now?.status === "running") await sessions.save({ ...now, pid });
    });
    return attachment && untilEnded(attachment, whenEnded, keys);
  } catch (error) {
    await recordExecExit(context, id, { code: failureCode(error), time: core.clock.now(), isUnstarted: true });
    throw error;
  }
}

/** Throws unless the container runs, as the session sees it, and the session was not started yet. */
export function requireRunning(record: ContainerRecord, session: ExecSession): void {
  if (!takesSession(record.state.status, session.config)) {
    throw improperState(notRunning(record.id, record.state.status));
  }
  requireCreated(session);
}

function requireCreated({ id, containerID, status }: ExecSession): void {
  if (status === "created") return;
  const state = status === "exited" ? "stopped" : status;
  throw improperSession(
    `can only start created exec sessions, while container ${containerID} session ${id} state is "${state}"`,
  );
}

function notRunning(id: string, status: string): string {
  return `cannot exec in a container that is not running; container ${id} is ${status}`;
}

function processOf(context: Context, record: ContainerRecord, { config }: ExecSession): ExecProcess {
  const { command: args, user, workdir, terminal, privileged } = config;
  const hasTerm = [...record.process.env, ...config.env].some((entry) => entry.startsWith("TERM="));
  const links = linkVariables(context, record);
  const env = [...links, ...config.env, ...terminal && !hasTerm ? ["TERM=xterm"] : []];
  return { args, env, user, workdir, terminal, privileged };
}

function failureCode(error: unknown): number {
  if (isCode(error, "command_not_found")) return NOT_FOUND;
  return isCode(error, "command_not_executable") ? NOT_EXECUTABLE : FAILED;
}

/**
 * Ends the output only once the exit is known: a client that has read all of it asks for the exit code next. A client that
 * detaches does not wait for the exit.
 */
function untilEnded(live: Attachment, whenEnded: Promise<void>, keys: Uint8Array): Attachment {
  let isClosed = false;
  let leave = () => {};
  const close = () => {
    isClosed = true;
    leave();
    live.close();
  };
  // No race with a promise that lives as long as the stream: it would keep every chunk.
  const unlessClosed = <T>(step: Promise<T>) =>
    new Promise<T | undefined>((resolve, reject) => {
      leave = () => resolve(undefined);
      if (isClosed) leave();
      // In any case: what fails after the close is nobody's unhandled failure.
      step.then(resolve, reject);
    });
  const reader = live.output.getReader();
  const output = new ReadableStream({
    async pull(controller) {
      const next = await unlessClosed(reader.read());
      if (next && !next.done) return controller.enqueue(next.value);
      await unlessClosed(whenEnded);
      controller.close();
    },
    cancel: close,
  }, { highWaterMark: 0 });
  const attachment = { output, input: live.input, close };
  return { ...attachment, input: detachOnKeys(attachment, keys) };
}
