import { messageOf } from "../../../oci/message_of.ts";
import { BackgroundWork } from "../../containers/background_work.ts";
import { type Core, hostOf, requireHost } from "../../core.ts";
import { EngineError } from "../../errors.ts";
import { noSuchQuadlet } from "../quadlet_names.ts";
import type { QuadletSpec } from "../spec/quadlet_spec.ts";
import { beginWork, type BegunWork } from "./begin_work.ts";
import { endWork } from "./end_work.ts";
import type { LoadedUnits } from "./load_units.ts";
import { StartRates } from "./start_rates.ts";
import { planStart, planStop } from "./unit_graph.ts";
import type { UnitParts } from "./unit_parts.ts";
import type { UnitRecord } from "./unit_record.ts";
import { UnitStates } from "./unit_states.ts";
import { withinTime } from "../../within_time.ts";

/** Targets that are reached when the engine is up. */
const REACHED = new Set(["default.target", "multi-user.target"]);

/**
 * Runs the units of quadlets where there is no systemd: starts and stops them in their order, starts them again by their rules, and
 * knows how they are. Its records outlast the server.
 */
export class UnitRunner {
  readonly states: UnitStates;
  readonly #core: Core;
  readonly #parts: UnitParts;
  readonly #load: () => Promise<LoadedUnits>;
  readonly #closing = new AbortController();
  readonly #background: BackgroundWork;
  /** The waits of units for their ends and for their next starts. */
  readonly #watches = new Map<string, AbortController>();
  readonly #rates: StartRates;

  constructor(core: Core, parts: UnitParts, load: () => Promise<LoadedUnits>) {
    this.#core = core;
    this.#parts = parts;
    this.#load = load;
    this.states = new UnitStates(core);
    this.#background = new BackgroundWork(core.log);
    this.#rates = new StartRates(core.clock);
  }

  /**
   * Starts a unit with all that it needs, and resolves when it is ready. One that is active stays as it is. Throws `EngineError`:
   * `no_such_quadlet`, `unsupported` where there is no host, `invalid` for units that cannot be ordered, or why it failed.
   */
  async start(name: string): Promise<void> {
    requireHost(this.#core);
    const loaded = await this.#load();
    const { unit } = this.#require(loaded, name);
    await this.#startAll(unit, loaded, { isUser: true });
  }

  /** Stops a unit, and before it those that need it. One that does not run stays as it is. */
  async stop(name: string): Promise<void> {
    await this.#stopAll(name, await this.#load());
  }

  /** Stops a unit, and starts it again with those that ran and had to stop with it. */
  async restart(name: string): Promise<void> {
    requireHost(this.#core);
    const loaded = await this.#load();
    const stopped = await this.#stopAll(name, loaded);
    await this.start(name);
    for (const unit of stopped) await this.#startAll(unit, loaded, { isUser: true });
  }

  /** Stops a unit and those that need it; returns those that ran. */
  async #stopAll(name: string, loaded: LoadedUnits): Promise<string[]> {
    const { unit } = this.#require(loaded, name);
    const active = this.states.list().flatMap((record) => loaded.find(record.unit) ?? []);
    const nodes = [...new Map([...loaded.units.values(), ...active].map((spec) => [spec.unit, spec])).values()];
    const running: string[] = [];
    for (const one of planStop(unit, nodes)) {
      const spec = loaded.find(one);
      if (this.states.get(one)?.status === "active") running.push(one);
      if (spec !== undefined) await this.#stopOne(spec);
    }
    return running.reverse();
  }

  /** Starts the units that a target wants, in the background: those that have no state in this boot of the host. */
  async startWanted(only?: ReadonlySet<string>): Promise<void> {
    if (hostOf(this.#core) === undefined) return;
    const loaded = await this.#load();
    for (const { unit, file, plan } of loaded.units.values()) {
      const isWanted = plan.wantedBy.some((target) => REACHED.has(target));
      const isDue = only === undefined ? this.states.get(unit)?.boot !== this.states.boot : only.has(file);
      if (!isWanted || !isDue) continue;
      this.#background.run(`start ${unit}`, this.#startAll(unit, loaded, { isUser: true }));
    }
  }

  /** Goes on where the last server left: watches what runs, ends what it was ending, starts what is due. */
  async recover(): Promise<void> {
    const host = hostOf(this.#core);
    if (host === undefined) return;
    this.states.boot = await host.bootID() ?? "";
    const loaded = await this.#load();
    for (const record of this.states.list()) {
      const spec = loaded.find(record.unit);
      if (spec === undefined) await this.states.forget([record.unit]);
      else this.#background.run(`recover ${record.unit}`, this.#recoverOne(record, spec, loaded));
    }
    await this.startWanted();
  }

  /** Resolves when no start and no end goes on; units that wait for their next start are left out. */
  async settled(): Promise<void> {
    await this.#background.settled();
  }

  /** Watches no longer. Units go on. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const watch of this.#watches.values()) watch.abort();
    await this.#background.settled();
  }

  #require(loaded: LoadedUnits, name: string): QuadletSpec {
    const spec = loaded.find(name);
    if (spec !== undefined) return spec;
    throw loaded.errors.get(name) ?? noSuchQuadlet(name);
  }

  async #recoverOne(record: Readonly<UnitRecord>, spec: QuadletSpec, loaded: LoadedUnits): Promise<void> {
    const { status, containerID, boot, unit, isWaiting } = record;
    if (boot !== this.states.boot) {
      // A boot ends all units: those that a target wants are started as after any boot.
      if (status !== "inactive" && status !== "failed") await endWork(this.#parts, spec);
      return;
    }
    if (status === "deactivating") return await this.#stopOne(spec);
    if (status === "activating") return await this.#startAll(unit, loaded, { isUser: !isWaiting });
    if (status === "active" && containerID !== undefined) this.#watch(spec, containerID);
  }

  async #startAll(unit: string, loaded: LoadedUnits, { isUser }: { isUser: boolean }): Promise<void> {
    const steps = planStart(unit, (name) => loaded.find(name));
    const begun = new Map<string, Promise<void>>();
    for (const step of steps) {
      const start = this.#startStep(step.unit, loaded, isUser, async () => {
        await Promise.allSettled(step.after.map((name) => begun.get(name)));
        for (const name of step.required) {
          await begun.get(name)?.catch((error) => {
            throw new EngineError("state", `Start ${step.unit}: it requires ${name}: ${messageOf(error)}`, {
              cause: error,
            });
          });
        }
      });
      // Each has its outcome in its record: those that are only wanted fail no other one.
      start.catch(() => {});
      begun.set(step.unit, start);
    }
    await Promise.allSettled(begun.values());
    await begun.get(unit);
  }

  async #startStep(unit: string, loaded: LoadedUnits, isUser: boolean, ready: () => Promise<void>): Promise<void> {
    const spec = loaded.find(unit);
    if (spec === undefined) return;
    await ready();
    for (const name of spec.plan.conflicts) {
      const other = loaded.find(name);
      if (other !== undefined) await this.#stopOne(other);
    }
    await this.#core.locks.with(`unit ${unit}`, () => this.#startOne(spec, isUser));
  }

  /** Starts one unit; the caller holds its lock. */
  async #startOne(spec: QuadletSpec, isUser: boolean): Promise<void> {
    const { unit, plan } = spec;
    const old = this.states.get(unit);
    if (this.states.isActive(unit)) return;
    this.#unwatch(unit);
    const excess = this.#rates.note(unit, plan.startLimit);
    if (excess !== undefined) {
      await this.states.write(unit, { status: "failed", reason: excess });
      throw new EngineError("state", `Start ${unit}: ${excess}`);
    }
    const restarts = isUser ? 0 : (old?.restarts ?? 0) + 1;
    await this.states.write(unit, { status: "activating", restarts });
    let begun: BegunWork;
    try {
      begun = await withinTime(
        { clock: this.#core.clock, ms: plan.startTimeout, signal: this.#closing.signal },
        (signal) => beginWork(this.#parts, spec, signal),
      );
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      await this.#fail(spec, messageOf(error));
      throw error;
    }
    const { containerID } = begun;
    const isActive = containerID !== undefined || plan.remains;
    await this.states.write(unit, { status: isActive ? "active" : "inactive", restarts, containerID });
    if (spec.work.kind === "container" && containerID === undefined) await endWork(this.#parts, spec);
    if (containerID !== undefined) this.#watch(spec, containerID);
  }

  async #stopOne(spec: QuadletSpec): Promise<void> {
    const { unit } = spec;
    this.#unwatch(unit);
    await this.#core.locks.with(`unit ${unit}`, async () => {
      this.#unwatch(unit);
      const { status } = this.states.get(unit) ?? { status: "inactive" };
      if (status === "inactive") return;
      if (status !== "failed") {
        await this.states.write(unit, { status: "deactivating" });
        await endWork(this.#parts, spec);
      }
      await this.states.write(unit, { status: "inactive" });
      this.#rates.forget(unit);
    });
  }

  /** Waits for the end of a unit's container behind all answers. */
  #watch(spec: QuadletSpec, containerID: string): void {
    const watch = new AbortController();
    this.#watches.set(spec.unit, watch);
    const end = this.#parts.containers.wait(containerID, ["exited"], { signal: watch.signal });
    void end.then((code) => code, (error) => watch.signal.aborted ? undefined : messageOf(error)).then((outcome) => {
      if (outcome === undefined || watch.signal.aborted) return;
      this.#background.run(`handle the end of ${spec.unit}`, this.#onEnd(spec, watch, outcome));
    });
  }

  async #onEnd(spec: QuadletSpec, watch: AbortController, outcome: number | string): Promise<void> {
    const { unit, plan } = spec;
    await this.#core.locks.with(`unit ${unit}`, async () => {
      // Somebody stopped it, or started it again, meanwhile.
      if (this.#watches.get(unit) !== watch || watch.signal.aborted) return;
      this.#watches.delete(unit);
      const isSuccess = typeof outcome === "number" && (outcome === 0 || plan.successCodes.includes(outcome));
      if (!isSuccess) {
        return await this.#fail(
          spec,
          typeof outcome === "number" ? `the container exited with status ${outcome}` : outcome,
        );
      }
      await endWork(this.#parts, spec);
      const isDue = plan.restart === "always" || plan.restart === "on-success";
      if (isDue) return await this.#scheduleStart(spec);
      await this.states.write(unit, { status: plan.remains ? "active" : "inactive" });
      if (!plan.remains) this.#endBound(unit);
    });
  }

  /** Notes a failure, cleans up, and has the unit start again where its rule says so. */
  async #fail(spec: QuadletSpec, reason: string): Promise<void> {
    const { unit, plan: { restart } } = spec;
    try {
      await endWork(this.#parts, spec);
    } catch (error) {
      this.#core.log("warn", `Clean up after ${unit}: ${messageOf(error)}`);
    }
    await this.states.write(unit, { status: "failed", reason });
    this.#core.log("warn", `Unit ${unit} failed: ${reason}`);
    const isDue = restart === "always" || restart === "on-failure";
    if (isDue) await this.#scheduleStart(spec);
    else this.#endBound(unit);
  }

  async #scheduleStart(spec: QuadletSpec): Promise<void> {
    const { unit, plan: { restartDelay } } = spec;
    const wait = new AbortController();
    this.#watches.set(unit, wait);
    await this.states.write(unit, { status: "activating", isWaiting: true });
    void this.#core.clock.sleep(restartDelay, wait.signal).then(() => true, () => false).then((isDue) => {
      if (!isDue || this.#watches.get(unit) !== wait) return;
      this.#background.run(`start ${unit} again`, this.#startAgain(unit));
    });
  }

  async #startAgain(unit: string): Promise<void> {
    const loaded = await this.#load();
    if (loaded.find(unit) !== undefined) await this.#startAll(unit, loaded, { isUser: false });
  }

  /** Stops the units that are bound to one that has ended. */
  #endBound(unit: string): void {
    this.#background.run(`stop what is bound to ${unit}`, this.#stopBound(unit));
  }

  async #stopBound(unit: string): Promise<void> {
    const loaded = await this.#load();
    for (const spec of this.states.list().flatMap((record) => loaded.find(record.unit) ?? [])) {
      if (spec.plan.bindsTo.includes(unit)) await this.#stopOne(spec);
    }
  }

  #unwatch(unit: string): void {
    this.#watches.get(unit)?.abort();
    this.#watches.delete(unit);
  }
}
