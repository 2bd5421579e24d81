import type { NetworkRecord } from "../../../engine/records/network_record.ts";
import { SubnetSet } from "../../../engine/text/subnet_set.ts";
import type { HostPlacesRead } from "./host_places.ts";
import { type Reservation, subnetsOfNote } from "./notes.ts";

/**
 * The subnets that the host, notes and records have together, and the bridges of the records: brought up to date by what has changed, as a
 * choice beside ten thousand networks would look at all of them.
 */
export class TakenPlaces {
  readonly subnets: SubnetSet = new SubnetSet();
  /** How many notes each root has. */
  readonly #roots = new Map<string, number>();
  readonly #bridges = new Map<string, number>();
  #host: HostPlacesRead = { interfaces: new Set(), subnets: new Set() };
  /** The records of the last choice, and the number of the choice that each was last in. */
  readonly #records = new Map<NetworkRecord, number>();
  #choice = 0;

  /** Whether a record's bridge has that name. */
  hasBridge(name: string): boolean {
    return this.#bridges.has(name);
  }

  /** The roots that have notes. */
  roots(): string[] {
    return [...this.#roots.keys()];
  }

  /** Takes a note for another, or for none: either may be absent. */
  setNote(before: Reservation | undefined, after: Reservation | undefined): void {
    for (const subnet of after ? subnetsOfNote(after) : []) this.subnets.add(subnet);
    for (const subnet of before ? subnetsOfNote(before) : []) this.subnets.delete(subnet);
    if (after) countUp(this.#roots, after.root);
    if (before) countDown(this.#roots, before.root);
  }

  setHost(host: HostPlacesRead): void {
    if (host === this.#host) return;
    for (const subnet of host.subnets) this.subnets.add(subnet);
    for (const subnet of this.#host.subnets) this.subnets.delete(subnet);
    this.#host = host;
  }

  /** Takes the records that there are now. Whether one has gone since. */
  setRecords(records: readonly NetworkRecord[]): boolean {
    const choice = ++this.#choice;
    let count = 0;
    // A record is never changed in place: the same object has the same place. One that leaves is told of twice for a while.
    for (const record of records) {
      const last = this.#records.get(record);
      if (last === choice) continue;
      if (last === undefined) this.#add(record);
      this.#records.set(record, choice);
      count++;
    }
    if (this.#records.size === count) return false;
    for (const [record, last] of this.#records) if (last !== choice) this.#drop(record);
    return true;
  }

  #add({ driver, interface: name, subnets }: NetworkRecord): void {
    if (driver !== "bridge") return;
    countUp(this.#bridges, name);
    for (const { subnet } of subnets) this.subnets.add(subnet);
  }

  #drop(record: NetworkRecord): void {
    this.#records.delete(record);
    if (record.driver !== "bridge") return;
    countDown(this.#bridges, record.interface);
    for (const { subnet } of record.subnets) this.subnets.delete(subnet);
  }
}

function countUp(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function countDown(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1;
  if (left > 0) counts.set(key, left);
  else counts.delete(key);
}
