import type { Clock } from "../../ports/ports.ts";
import type { UnitPlan } from "../spec/unit_plan.ts";

/** How often units were started lately: one that fails at once must not be started for ever. */
export class StartRates {
  readonly #clock: Pick<Clock, "now">;
  readonly #starts = new Map<string, number[]>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Notes a start. Returns why it may not be, where the unit's limit is reached. */
  note(unit: string, { count, interval }: UnitPlan["startLimit"]): string | undefined {
    const now = this.#clock.now();
    const recent = (this.#starts.get(unit) ?? []).filter((time) => time > now - interval);
    if (count > 0 && interval > 0 && recent.length >= count) {
      return `it was started ${count} times within ${interval / 1000} s`;
    }
    this.#starts.set(unit, [...recent, now]);
    return undefined;
  }

  /** Forgets the starts of a unit. */
  forget(unit: string): void {
    this.#starts.delete(unit);
  }
}
