import { mkdirSync } from "node:fs";
import type { ContainerRecord } from "../../../../engine/records/container_record.ts";
import { beginConmon, type ConmonOptions, type ConmonStart } from "./conmon.ts";

/** The dependencies of early supervisors. */
interface EarlyParts {
  /** Deletes what an earlier life of the container has left. */
  clear(containerID: string): Promise<void>;
  /** The options of conmon for the container, but for a restoration. */
  optionsFor(record: ContainerRecord): Promise<ConmonOptions>;
}

/**
 * Supervisors of containers that come up: each loads while the container's tree is mounted, its network made and its bundle written, and
 * waits for all of this. The server's death is the end of those that wait: the pipe that they wait for closes, and they find no bundle.
 */
export class EarlySupervisors {
  readonly #parts: EarlyParts;
  readonly #waiting = new Map<string, Promise<ConmonStart>>();

  constructor(parts: EarlyParts) {
    this.#parts = parts;
  }

  /** Starts the supervisor of a container, behind the caller; what fails is told by {@linkcode take}. */
  begin(record: ContainerRecord): void {
    if (this.#waiting.has(record.id) || !canWait(record)) return;
    const start = this.#start(record);
    start.catch(() => {});
    this.#waiting.set(record.id, start);
  }

  /** Gives the supervisor that waits for a container, in whose bundle nothing else is; `undefined` where there is none. */
  async take(containerID: string): Promise<ConmonStart | undefined> {
    const start = this.#waiting.get(containerID);
    this.#waiting.delete(containerID);
    return await start;
  }

  /** Ends the supervisor that waits for a container, if there is one. */
  async drop(containerID: string): Promise<void> {
    const start = await this.take(containerID).catch(() => undefined);
    start?.kill();
    await start?.ended;
  }

  async #start(record: ContainerRecord): Promise<ConmonStart> {
    await this.#parts.clear(record.id);
    const options = await this.#parts.optionsFor(record);
    mkdirSync(options.container.bundle, { mode: 0o700 });
    return await beginConmon(options, true);
  }
}

/** Ports are held by who starts; a log that the caller names, or that has older files, is made ready first. */
function canWait({ ports, log }: ContainerRecord): boolean {
  return ports.length === 0 && !log.kept && !log.older;
}
