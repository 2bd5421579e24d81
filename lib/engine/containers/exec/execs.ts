/** Exec sessions: what the engine offers of them. */
import { randomID } from "../../text/names.ts";
import type { Attachment } from "../../ports/host_port.ts";
import { SIGKILL, SIGTERM } from "../../text/signals.ts";
import type { Context } from "../context.ts";
import { requireHost } from "../../core.ts";
import { parseDetachKeys } from "../streams/detach_keys.ts";
import { exitsWithin } from "../life/wait_for_exit.ts";
import { improperState } from "../failures.ts";
import type { TerminalSize } from "../../records/spec_parts.ts";
import { checkSessionSize } from "./sessions.ts";
import { waitForExecExit } from "./record_exit.ts";
import { improperSession } from "./failures.ts";
import { type ExecConfig, type ExecSession, takesSession } from "./session.ts";
import { type ExecStartOptions, requireRunning, startExec } from "./start.ts";
import { invalid } from "../../errors.ts";

const KILL_WAIT_MS = 10_000;

/**
 * Processes in running containers. A session is created, started once, and asked how it ended; it is forgotten some minutes
 * after its end, and when its container starts anew or goes.
 */
export class ContainerExecs {
  readonly #context: Context;
  /** Starts that have not answered yet. */
  readonly #starts = new Map<string, Promise<unknown>>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Makes a session in a running container and gives its ID. */
  async create(nameOrID: string, config: ExecConfig): Promise<string> {
    const { records, sessions, core } = this.#context;
    requireHost(this.#context.core);
    const { id: containerID, state: { status } } = records.resolve(nameOrID);
    if (config.command.length === 0) {
      throw invalid("must provide a non-empty command to start an exec session", "invalid argument");
    }
    if (status === "paused") {
      throw improperState(`cannot create exec session as container ${containerID} is paused`);
    }
    if (!takesSession(status, config)) throw improperState("can only create exec sessions on running containers");
    if (config.terminal && config.detachKeys !== undefined) parseDetachKeys(config.detachKeys);
    const id = randomID(core.random);
    const fresh = { id, containerID, config, status: "created", pid: 0, exitCode: 0, finishedAt: 0 } as const;
    checkSessionSize(fresh);
    await sessions.save(fresh, sessions.dropExpired(core.clock.now(), containerID));
    return id;
  }

  /** The session, or `no_such_exec`. */
  inspect(id: string): ExecSession {
    return this.#context.sessions.require(id);
  }

  /** The session, if it can be started now; else what is in the way is thrown. */
  startable(id: string): ExecSession {
    const session = this.inspect(id);
    requireRunning(this.#context.records.require(session.containerID), session);
    return session;
  }

  /** A container's sessions. */
  of(containerID: string): ExecSession[] {
    return this.#context.sessions.of(containerID);
  }

  /** Starts its process; with an attachment unless that is to run detached. */
  async start(id: string, options: ExecStartOptions): Promise<Attachment | undefined> {
    const start = startExec(this.#context, id, options);
    if (this.#starts.has(id)) return await start;
    this.#starts.set(id, start);
    try {
      return await start;
    } finally {
      this.#starts.delete(id);
    }
  }

  /** Sets its terminal's size. Of a session that is being started, once it has been: clients ask right behind the start. */
  async resize(id: string, size: TerminalSize): Promise<void> {
    await this.#starts.get(id)?.catch(() => {});
    const { status, containerID } = this.inspect(id);
    if (status !== "running") {
      throw improperSession(`cannot resize container ${containerID} exec session ${id} as it is not running`);
    }
    await requireHost(this.#context.core).processes.execs.resize(id, size);
  }

  /** Forgets it. One that runs is stopped first when forced. */
  async remove(id: string, { force = false }: { force?: boolean } = {}): Promise<void> {
    const { status, containerID } = this.inspect(id);
    if (status === "running") {
      if (!force) {
        throw improperSession(`container ${containerID} exec session ${id} is still running, cannot remove`);
      }
      await this.#stop(id, containerID);
    }
    await this.#context.sessions.drop(id);
  }

  async #stop(id: string, containerID: string): Promise<void> {
    const { processes: { execs } } = requireHost(this.#context.core);
    const end = waitForExecExit(this.#context, id);
    await execs.kill(id, SIGTERM);
    const patience = this.#context.records.require(containerID).stopTimeout * 1000;
    if (await exitsWithin(this.#context, end, patience)) return;
    await execs.kill(id, SIGKILL);
    if (!await exitsWithin(this.#context, end, KILL_WAIT_MS)) {
      throw improperSession(`container ${containerID} exec session ${id} did not end after SIGKILL`);
    }
  }
}
