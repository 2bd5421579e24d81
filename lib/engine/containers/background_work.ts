import { messageOf } from "../../oci/message_of.ts";
import type { Core } from "../core.ts";

/** Work that goes on behind answers: clean-ups, automatic removals, restarts by policy. Its failures are logged. */
export class BackgroundWork {
  readonly #log: Core["log"];
  readonly #running = new Set<Promise<void>>();

  constructor(log: Core["log"]) {
    this.#log = log;
  }

  /** Keeps track of work. `what` completes the words "Failed to". */
  run(what: string, work: Promise<unknown>): void {
    const done = work.then(() => {}, (error) => {
      this.#log("error", `Failed to ${what}: ${messageOf(error)}`);
    }).finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  /** Resolves when none goes on. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
