import { messageOf } from "../../../oci/message_of.ts";
import { inParallel } from "../../concurrency.ts";
import type { ContainerRecord, ContainerSpec } from "../../records/container_record.ts";
import type { State } from "../../store/state.ts";
import type { Table } from "../../store/table.ts";
import { randomID } from "../../text/names.ts";
import { type Context, emitEvent, type MadeContainer, type WarmContainers, withContainerLock } from "../context.ts";
import { createFromSpec } from "../create/create.ts";
import { improperState } from "../failures.ts";
import { initContainer } from "../life/lifecycle.ts";
import { removeContainer } from "../remove.ts";
import { tellName } from "../rename.ts";
import { findObstacle, requestKey, WAITING_LABEL, WARM_LABEL, warmCount } from "./warm_request.ts";

/** Milliseconds after the last request like theirs until containers no longer wait. */
const IDLE = 10 * 60_000;
/** Milliseconds that a container given out has for its start before another one is made, which takes the machine's time. */
const HEAD_START = 250;
/** How many are removed together. */
const AT_ONCE = 8;

/** The containers that wait for one kind of request. */
interface Pool {
  readonly key: string;
  readonly spec: ContainerSpec;
  /** How many are to wait. */
  readonly wanted: number;
  /** The containers that do, each with its warnings, and how to no longer hear of it. */
  readonly waiting: { id: string; warnings: string[]; unhear: () => void }[];
  /** Milliseconds since the epoch. */
  lastRequest: number;
  /** The work that makes further ones. */
  filling?: Promise<void>;
  readonly end: AbortController;
}

/**
 * Containers that wait for create requests, their trees mounted, their networks up and their processes made: a request that is the same as an
 * earlier one but for the name gets one of them, and its start only has to let the process go.
 *
 * A container that waits is one like any other: it is listed as initialized and with a label, counts for its image and network, and can be
 * removed, which ends the pool. It cannot be started. The engine's end, or the next beginning, removes all that wait.
 */
export class WarmPools implements WarmContainers {
  readonly #pools = new Map<string, Pool>();
  /** The containers that wait, by ID: what an earlier run left of them is removed. */
  readonly #table: Table<Record<never, never>>;
  readonly #most: number;
  /** The number of containers that are being made. */
  #underWay = 0;
  #isClosed = false;

  /** @param most How many wait in all */
  constructor(state: State, most: number) {
    this.#table = state.table("warmContainers");
    this.#most = most;
  }

  /**
   * Gives the container that a request asks for: one that waits for it, or one that `make` makes. From then on as many wait for the next
   * such requests as its label says; where none can, a warning says why. Throws `invalid` for a wrong label, and as a creation does.
   */
  async give(context: Context, spec: ContainerSpec, make: () => Promise<MadeContainer>): Promise<MadeContainer> {
    const wanted = warmCount(spec);
    if (wanted === 0 || this.#most === 0 || this.#isClosed) return await make();
    const key = requestKey(spec);
    const known = this.#pools.get(key);
    const given = known && await this.#handOut(context, known, spec);
    const made = given ?? await make();
    const obstacle = given === undefined ? findObstacle(context, spec, made.record) : undefined;
    if (obstacle !== undefined) {
      return { ...made, warnings: [...made.warnings, `No containers wait for requests like this one: ${obstacle}`] };
    }
    // Not with the labels of the request, by which clients take a container for one of theirs.
    const { [WARM_LABEL]: count } = spec.labels;
    const labels = { [WARM_LABEL]: count, [WAITING_LABEL]: "true" };
    this.#keep(context, key, { ...spec, name: undefined, createCommand: [], labels }, wanted);
    return made;
  }

  /** Throws `state` for a container that waits: it belongs to the request that comes for it. */
  requireTaken({ id }: Pick<ContainerRecord, "id">): void {
    if (!this.#table.has(id)) return;
    throw improperState(`container ${id} waits for a create request like its own and cannot be used before`);
  }

  /** Removes what an earlier run of the engine left. Called once, at start. */
  async recover(context: Context): Promise<void> {
    await this.#remove(context, this.#table.keys());
  }

  /** Removes all that wait. */
  async close(context: Context): Promise<void> {
    this.#isClosed = true;
    const pools = [...this.#pools.values()];
    await Promise.all(pools.map((pool) => this.#end(context, pool)));
    // One that was being made is removed by its maker.
    await Promise.all(pools.map(({ filling }) => filling?.catch(() => {})));
  }

  async #handOut(context: Context, pool: Pool, spec: ContainerSpec): Promise<MadeContainer | undefined> {
    for (let next = pool.waiting.shift(); next !== undefined; next = pool.waiting.shift()) {
      const { id, warnings } = next;
      try {
        const record = await withContainerLock(context, id, () => this.#take(context, pool, id, spec));
        next.unhear();
        if (record !== undefined) return { record, warnings };
      } catch (error) {
        // A name that is taken says nothing of the container.
        if (!pool.end.signal.aborted) pool.waiting.unshift(next);
        else this.#discard(context, next);
        throw error;
      }
      // It has changed, or its image is another one by now.
      this.#discard(context, next);
    }
    return undefined;
  }

  /** Makes a container that waits the request's own. The caller holds the lock. */
  async #take(context: Context, pool: Pool, id: string, spec: ContainerSpec): Promise<ContainerRecord | undefined> {
    const { core, records } = context;
    const record = records.get(id);
    if (pool.end.signal.aborted || record?.state.status !== "initialized") return undefined;
    if (spec.rootfs === undefined && core.images.resolve(spec.image).id !== record.imageID) return undefined;
    using reserved = records.reserve(id, spec.name);
    const { [WAITING_LABEL]: _, ...others } = record.spec.labels;
    const labels = { ...others, ...spec.labels };
    const { createCommand } = spec;
    const own = { name: reserved.name, created: core.clock.now(), spec: { ...record.spec, labels, createCommand } };
    const taken = { ...record, ...own };
    await records.save(taken, [this.#table.drop(id)]);
    emitEvent(context, taken, "create");
    await tellName(context, taken, record.name);
    return taken;
  }

  #keep(context: Context, key: string, spec: ContainerSpec, wanted: number): void {
    const lastRequest = context.core.clock.now();
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = { key, spec, wanted, waiting: [], lastRequest, end: new AbortController() };
      this.#pools.set(key, pool);
      this.#endWhenIdle(context, pool).catch((error) => {
        context.core.log("error", `End containers that wait: ${messageOf(error)}`);
      });
    }
    pool.lastRequest = lastRequest;
    if (pool.filling !== undefined) return;
    pool.filling = this.#fill(context, pool).finally(() => pool.filling = undefined);
    context.background("make containers that wait for a request", pool.filling);
  }

  async #fill(context: Context, pool: Pool): Promise<void> {
    const { signal } = pool.end;
    try {
      await context.core.clock.sleep(HEAD_START, signal);
      while (!signal.aborted && pool.waiting.length < pool.wanted && await this.#makeRoom(context, pool)) {
        await this.#makeOne(context, pool);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #makeOne(context: Context, pool: Pool): Promise<void> {
    const id = randomID(context.core.random);
    const spec = { ...pool.spec, name: `warm-${id.slice(0, 12)}` };
    this.#underWay++;
    try {
      const { warnings } = await createFromSpec(context, spec, id, [this.#table.put(id, {})]);
      await initContainer(context, id);
      if (pool.end.signal.aborted) return await this.#remove(context, [id]);
      const unhear = context.changes.on(id, () => {
        if (!this.#table.has(id)) return;
        // Somebody removed, ended or changed it: it is no longer what the next request asks for, nor may others come in its place.
        context.background("end containers that wait", this.#end(context, pool));
      });
      pool.waiting.push({ id, warnings, unhear });
    } catch (error) {
      await this.#remove(context, [id]);
      throw error;
    } finally {
      this.#underWay--;
    }
  }

  /** Whether one more may wait; the pool that was asked for nothing the longest ends for it. */
  async #makeRoom(context: Context, pool: Pool): Promise<boolean> {
    while (this.#count() >= this.#most) {
      const others = [...this.#pools.values()].filter((other) => other !== pool && other.waiting.length > 0);
      const [oldest] = others.sort((one, other) => one.lastRequest - other.lastRequest);
      if (oldest === undefined) return false;
      await this.#end(context, oldest);
    }
    return true;
  }

  #count(): number {
    return [...this.#pools.values()].reduce((sum, { waiting }) => sum + waiting.length, this.#underWay);
  }

  async #endWhenIdle(context: Context, pool: Pool): Promise<void> {
    const { clock } = context.core;
    for (;;) {
      const rest = pool.lastRequest + IDLE - clock.now();
      if (rest <= 0) return await this.#end(context, pool);
      try {
        await clock.sleep(rest, pool.end.signal);
      } catch {
        // It has ended already.
        return;
      }
    }
  }

  async #end(context: Context, pool: Pool): Promise<void> {
    if (this.#pools.get(pool.key) === pool) this.#pools.delete(pool.key);
    pool.end.abort();
    const gone = pool.waiting.splice(0);
    for (const { unhear } of gone) unhear();
    await this.#remove(context, gone.map(({ id }) => id));
  }

  /** Removes one that is not given out, behind the answer to the request. */
  #discard(context: Context, { id, unhear }: Pool["waiting"][number]): void {
    unhear();
    context.background("remove a container that waited", this.#remove(context, [id]));
  }

  /** Removes containers that wait. The next run of the engine removes those that cannot be removed now. */
  async #remove(context: Context, ids: readonly string[]): Promise<void> {
    await inParallel(ids, AT_ONCE, async (id) => {
      try {
        await removeContainer(context, id, { force: true, ignore: true, volumes: true, timeout: 0 });
        await context.core.state.commit([this.#table.drop(id)]);
      } catch (error) {
        context.core.log("warn", `Remove container ${id}, which waited for a request: ${messageOf(error)}`);
      }
    });
  }
}
