import type { ContainerRecord } from "../../records/container_record.ts";
import { type Core, hostOf, requireHost } from "../../core.ts";
import type { Operation, Table } from "../../store/table.ts";
import type { VolumeStore } from "../../volumes/volume_store.ts";

/** How often users have mounted a container's tree and not unmounted it. */
interface UserMounts {
  count: number;
}

/**
 * The uses that keep a container's tree mounted, besides its process: work on its files, which ends with this process, and mounts
 * that users requested, which outlast it. A tree is unmounted when it has no use any more.
 */
export class TreeUses {
  readonly #core: Core;
  readonly #volumes: VolumeStore;
  readonly #mounts: Table<UserMounts>;
  readonly #uses = new Map<string, number>();

  constructor(core: Core, volumes: VolumeStore) {
    this.#core = core;
    this.#volumes = volumes;
    this.#mounts = core.state.table("tree_mounts");
  }

  /** How often users have mounted it. */
  count(id: string): number {
    return this.#mounts.get(id)?.count ?? 0;
  }

  /** The operation that sets it. */
  setCount(id: string, count: number): Operation {
    return count > 0 ? this.#mounts.put(id, { count }) : this.#mounts.drop(id);
  }

  /** The operations that take every mount back. */
  forget(id: string): Operation[] {
    return this.#mounts.has(id) ? [this.#mounts.drop(id)] : [];
  }

  /** Keeps the tree mounted from now on; {@linkcode release} ends that. */
  take(id: string): void {
    this.#uses.set(id, (this.#uses.get(id) ?? 0) + 1);
  }

  /** Ends a use. */
  release(id: string): void {
    const left = (this.#uses.get(id) ?? 1) - 1;
    if (left > 0) this.#uses.set(id, left);
    else this.#uses.delete(id);
  }

  /** Whether a user has mounted it, or work on its files goes on. */
  isUsed(id: string): boolean {
    return this.#uses.has(id) || this.count(id) > 0;
  }

  /** Unmounts the tree of a container that has no process, and the devices of its volumes, unless somebody needs it. */
  async unmount({ id }: Pick<ContainerRecord, "id">): Promise<void> {
    if (this.isUsed(id)) return;
    await requireHost(this.#core).layers.unmount(id);
    await this.#volumes.leave(id);
  }

  /** Forgets mounts that a boot has undone. */
  async recover(): Promise<void> {
    const host = hostOf(this.#core);
    if (host === undefined) return;
    const gone: Operation[] = [];
    for (const id of this.#mounts.keys()) if (!await host.trees.isMounted(id)) gone.push(this.#mounts.drop(id));
    await this.#core.state.commit(gone);
  }
}
