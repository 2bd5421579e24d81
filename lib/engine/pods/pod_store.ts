import type { Core } from "../core.ts";
import { EngineError } from "../errors.ts";
import type { ContainerRecord } from "../records/container_record.ts";
import type { PodRecord } from "../records/pod_record.ts";
import { fitAttributes } from "../store/event_attributes.ts";
import type { Index, Operation, Table } from "../store/table.ts";
import { findByNameOrID } from "../text/lookup.ts";
import { checkName, randomName } from "../text/names.ts";
import { ambiguousPod, noSuchPod, podExists } from "./pod_errors.ts";

/** Characters of labels that an event tells. */
const LABELS = 16 * 1024;

/** The pod records, and which containers are in each. The operations on pods are in {@linkcode Pods}. */
export class PodStore {
  readonly #core: Pick<Core, "state" | "events" | "locks" | "random">;
  readonly #table: Table<PodRecord>;
  readonly #names: Index<PodRecord>;
  readonly #services: Index<PodRecord>;
  readonly #members: Index<ContainerRecord>;
  /** Names given to pods that are still being made. */
  readonly #reserved = new Set<string>();
  readonly #listeners: ((pod: PodRecord) => Promise<void>)[] = [];

  constructor(core: Pick<Core, "state" | "events" | "locks" | "random">) {
    this.#core = core;
    this.#table = core.state.table("pods");
    this.#names = this.#table.index(({ name }) => [name]);
    this.#services = this.#table.index(({ serviceContainer }) => serviceContainer ? [serviceContainer] : []);
    this.#members = core.state.table<ContainerRecord>("containers").index(({ spec }) => spec.pod ? [spec.pod] : []);
  }

  get(id: string): PodRecord | undefined {
    return this.#table.get(id);
  }

  /** Every pod, oldest first. */
  all(): PodRecord[] {
    return this.#table.values().sort((a, b) => a.created - b.created);
  }

  /** The pod of that name, ID or ID prefix. Throws `no_such_pod`, `ambiguous` or `invalid`. */
  resolve(nameOrID: string): PodRecord {
    if (nameOrID === "") throw new EngineError("invalid", "name or ID cannot be empty");
    return findByNameOrID(this.#table, this.#names, nameOrID, { none: noSuchPod, several: ambiguousPod });
  }

  /** The pod of exactly that name: an ID never stands for it. */
  named(name: string): PodRecord | undefined {
    return this.#names.get(name);
  }

  /** The pod under a full ID, or `no_such_pod`: for use under the pod's lock. */
  require(id: string): PodRecord {
    const record = this.#table.get(id);
    if (!record) throw noSuchPod(id);
    return record;
  }

  /** The containers of a pod, oldest first. */
  membersOf(id: string): ContainerRecord[] {
    return this.#members.all(id).sort((a, b) => a.created - b.created);
  }

  /** The pods that a service container runs for. */
  servedBy(containerID: string): PodRecord[] {
    return this.#services.all(containerID);
  }

  /** Runs `work` while nothing else changes the pod or who is in it. Locks of containers come after this one. */
  locked<T>(id: string, work: () => T | Promise<T>): Promise<T> {
    return this.#core.locks.with(`pod:${id}`, work);
  }

  /** Keeps a name, a random one where none is given, from being taken until the result is disposed. */
  reserve(name?: string): { name: string } & Disposable {
    const isTaken = (text: string) => this.#names.get(text) !== undefined || this.#reserved.has(text);
    if (name !== undefined) {
      checkName(name);
      if (isTaken(name)) throw podExists(name);
    }
    const chosen = name ?? randomName(this.#core.random, isTaken);
    this.#reserved.add(chosen);
    return { name: chosen, [Symbol.dispose]: () => void this.#reserved.delete(chosen) };
  }

  /** The operation that stores a pod. */
  put(record: PodRecord): Operation {
    return this.#table.put(record.id, record);
  }

  /** The operation that forgets a pod. */
  drop(id: string): Operation {
    return this.#table.drop(id);
  }

  /** Calls `listener` when a pod has come to rest: none of its containers is up, or about to be. */
  onRest(listener: (pod: PodRecord) => Promise<void>): void {
    this.#listeners.push(listener);
  }

  /** Tells that a pod has come to rest. */
  async tellRest(pod: PodRecord): Promise<void> {
    for (const listener of this.#listeners) await listener(pod);
  }

  /** Tells the event log what happened to a pod. */
  emit({ id, name, labels }: PodRecord, action: string): void {
    this.#core.events.emit({ type: "pod", action, id, name, attributes: { ...fitAttributes(labels, LABELS), name } });
  }
}
