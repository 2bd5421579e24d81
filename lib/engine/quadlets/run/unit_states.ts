import type { Core } from "../../core.ts";
import type { Table } from "../../store/table.ts";
import type { UnitRecord } from "./unit_record.ts";

/** The states of units, as the store keeps them. */
export class UnitStates {
  readonly #core: Pick<Core, "state" | "clock">;
  readonly #records: Table<UnitRecord>;
  /** The boot of the host that is now. */
  boot = "";

  constructor(core: Pick<Core, "state" | "clock">) {
    this.#core = core;
    this.#records = core.state.table("units");
  }

  /** The state of a unit; `undefined` for one that never ran. */
  get(unit: string): Readonly<UnitRecord> | undefined {
    return this.#records.get(unit);
  }

  /** Every unit that ever ran, instances of templates among them. */
  list(): Readonly<UnitRecord>[] {
    return this.#records.values();
  }

  /** Whether a unit is active in this boot of the host. */
  isActive(unit: string): boolean {
    const record = this.#records.get(unit);
    return record?.status === "active" && record.boot === this.boot;
  }

  /** Stores the state of a unit as of now. */
  async write(unit: string, fields: Pick<UnitRecord, "status"> & Partial<UnitRecord>): Promise<void> {
    const { restarts = 0 } = this.#records.get(unit) ?? {};
    const record = { unit, restarts, since: this.#core.clock.now(), boot: this.boot, ...fields };
    await this.#core.state.commit([this.#records.put(unit, record)]);
  }

  /** Forgets units. */
  async forget(units: readonly string[]): Promise<void> {
    const known = units.filter((unit) => this.#records.has(unit));
    await this.#core.state.commit(known.map((unit) => this.#records.drop(unit)));
  }
}
