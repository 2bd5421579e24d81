import { EngineError } from "../../errors.ts";
import type { State } from "../../state.ts";
import type { Index, Operation, Table } from "../../table.ts";
import type { ExecSession } from "./session.ts";

/** How long an ended session is kept for those who ask how it ended: as in Docker and Podman. */
const LIFE_MS = 5 * 60_000;

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

  /** The operations that forget what ended long ago. */
  dropExpired(now: number): Operation[] {
    const expired = this.all().filter(({ status, finishedAt }) => status === "exited" && finishedAt < now - LIFE_MS);
    return expired.map(({ id }) => this.#table.drop(id));
  }
}
