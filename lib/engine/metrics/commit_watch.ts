/** A watch over the commits of the store: how long each took, and whether the store is well. */
import { EngineError } from "../errors.ts";
import type { Clock } from "../ports/ports.ts";
import { messageOf } from "../../oci/message_of.ts";
import type { DurationHistogram } from "./counts.ts";

/** Milliseconds after which a commit that has no answer says that the store is not well. */
const PATIENCE = 5000;

/** Watches commits, one at a time. */
export class CommitWatch {
  readonly #clock: Pick<Clock, "now">;
  readonly #durations: DurationHistogram;
  #began?: number;
  /** Why the last commit failed; absent after one that went well. */
  #failure?: { error: unknown };

  constructor(clock: Pick<Clock, "now">, durations: DurationHistogram) {
    this.#clock = clock;
    this.#durations = durations;
  }

  /** Runs a commit and notes how it went. */
  async around(commit: () => Promise<void>): Promise<void> {
    const began = this.#began = this.#clock.now();
    let outcome = "failed";
    try {
      await commit();
      outcome = "done";
      this.#failure = undefined;
    } catch (error) {
      this.#failure = { error };
      throw error;
    } finally {
      this.#began = undefined;
      this.#durations.add({ outcome }, (this.#clock.now() - began) / 1000);
    }
  }

  /** @throws {EngineError} `unavailable` if the last commit failed, or one has taken too long */
  check(): void {
    if (this.#failure) {
      const { error } = this.#failure;
      throw new EngineError("unavailable", `The store failed at its last commit: ${messageOf(error)}`, {
        cause: error,
      });
    }
    const taken = this.#began === undefined ? 0 : this.#clock.now() - this.#began;
    if (taken > PATIENCE) {
      throw new EngineError("unavailable", `The store has not answered for ${(taken / 1000).toFixed(0)} seconds`);
    }
  }
}
