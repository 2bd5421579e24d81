import { EngineError } from "../../errors.ts";
import type { State } from "../../store/state.ts";
import type { Index, Operation, Table } from "../../store/table.ts";
import type { ExecSession } from "./session.ts";

/** How long an ended session is kept for those who ask how it ended: as in Docker and Podman. */
const LIFE_MS = 5 * 60_000;
/** Sessions without a process that are kept of a container; of more, those that ended first are forgotten first. */
const MOST_IDLE = 1000;
/** Characters of their commands and variables that are kept of a container. */
const MOST_IDLE_CHARACTERS = 2 << 20;
/** Characters of one session's command and variables. */
const MOST_CHARACTERS = 512 * 1024;

/** The records of exec sessions, changed only through here. */
export class Sessions {
  readonly #state: State;
  readonly #table: Table<ExecSession>;
  readonly #byContainer: Index<ExecSession>;

  constructor(state: State) {
    this.#state = state;
    this.#table = state.table("exec_sessions");
    this.#byContainer = this.#table.index(({ containerID }) => [containerID]);
  }

  get(id: string): ExecSession | undefined {
    return this.#table.get(id);
  }

  /** The session under a full ID, or `no_such_exec`. */
  require(id: string): ExecSession {
    const session = this.#table.get(id);
    if (session) return session;
    const sentinel = "no such exec session";
    throw new EngineError("no_such_exec", `no exec session with ID ${id} found: ${sentinel}`, { sentinel });
  }

  all(): ExecSession[] {
    return this.#table.values();
  }

  /** A container's sessions, in the order of their creation. */
  of(containerID: string): ExecSession[] {
    return this.#byContainer.all(containerID);
  }

  save(session: ExecSession, others: readonly Operation[] = []): Promise<void> {
    return this.#state.commit([this.#table.put(session.id, session), ...others]);
  }

  async drop(id: string): Promise<void> {
    await this.#state.commit([this.#table.drop(id)]);
  }

  /** The operations that forget all sessions of a container: for the batch that begins its next life, or ends it for good. */
  dropAll(containerID: string): Operation[] {
    return this.of(containerID).map(({ id }) => this.#table.drop(id));
  }

  /** The operations that forget what ended long ago, and the oldest of a container's that are too many. */
  dropExpired(now: number, containerID: string): Operation[] {
    const isExpired = ({ status, finishedAt }: ExecSession) => status === "exited" && finishedAt < now - LIFE_MS;
    const expired = this.all().filter(isExpired);
    const idle = this.of(containerID).filter((session) => session.status !== "running" && !isExpired(session));
    return [...expired, ...excessSessions(idle)].map(({ id }) => this.#table.drop(id));
  }
}

/** Throws `limit` where a session's command and variables are more than is kept of one. */
export function checkSessionSize(session: Pick<ExecSession, "config">): void {
  const size = charactersOf(session);
  if (size <= MOST_CHARACTERS) return;
  const text = `command and variables have ${size} characters; at most ${MOST_CHARACTERS} are kept`;
  throw new EngineError("limit", `Create exec session: ${text}`);
}

/** Returns the sessions to drop so that one more can be kept: ended sessions go before those that were never started. */
function excessSessions(idle: readonly ExecSession[]): ExecSession[] {
  let characters = idle.reduce((sum, session) => sum + charactersOf(session), 0);
  if (idle.length < MOST_IDLE && characters <= MOST_IDLE_CHARACTERS) return [];
  const end = ({ status, finishedAt }: ExecSession) => status === "exited" ? finishedAt : Infinity;
  const oldestFirst = idle.toSorted((a, b) => end(a) < end(b) ? -1 : end(a) > end(b) ? 1 : 0);
  let count = 0;
  while (idle.length - count >= MOST_IDLE || characters > MOST_IDLE_CHARACTERS) {
    characters -= charactersOf(oldestFirst[count++]);
  }
  return oldestFirst.slice(0, count);
}

function charactersOf({ config: { command, env } }: Pick<ExecSession, "config">): number {
  return [...command, ...env].reduce((sum, text) => sum + text.length, 0);
}
