import type { State } from "../../store/state.ts";
import type { Operation, Table } from "../../store/table.ts";

/** The result of a probe. */
export interface HealthLogEntry {
  /** Milliseconds since the epoch. */
  start: number;
  end: number;
  /** 0: healthy; 1: not; 125: it could not be run; -1: it took too long. */
  exitCode: number;
  output: string;
}

/** How a container is, as far as its probes have told in this life of it. */
export interface HealthState {
  /** `reset` where they begin anew, `stopped` where the container ended under one. */
  status: "reset" | "starting" | "healthy" | "unhealthy" | "stopped";
  failingStreak: number;
  /** Failures in a row of the check for readiness. */
  notReady?: number;
  /** The newest last. */
  log: HealthLogEntry[];
  /** Of the check of a container that is coming up. */
  startup: { passed: boolean; successes: number; failures: number };
  /** The container is to be started again when it has ended, because it was unhealthy. */
  restart?: boolean;
}

/** The state of a container whose probes have not run. */
export const FRESH_HEALTH: HealthState = {
  status: "reset",
  failingStreak: 0,
  log: [],
  startup: { passed: false, successes: 0, failures: 0 },
};

/** The health of containers, by ID. Beside their records, which are larger and change less often. */
export class HealthStates {
  readonly #state: State;
  readonly #table: Table<HealthState>;

  constructor(state: State) {
    this.#state = state;
    this.#table = state.table("health");
  }

  /** `undefined` for one that was never up, or has no check. */
  get(id: string): HealthState | undefined {
    return this.#table.get(id);
  }

  async save(id: string, health: HealthState): Promise<void> {
    await this.#state.commit([this.put(id, health)]);
  }

  put(id: string, health: HealthState): Operation {
    return this.#table.put(id, health);
  }

  drop(id: string): Operation[] {
    return this.#table.has(id) ? [this.#table.drop(id)] : [];
  }
}
