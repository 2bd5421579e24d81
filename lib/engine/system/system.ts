import { hostOf } from "../core.ts";
import { type CheckOptions, type CheckReport, checkSystem } from "./check.ts";
import { type DiskUsage, measureDisk, type UsageKind, type UsageSources } from "./disk_usage.ts";

/** Every family whose space can be measured. */
const ALL_KINDS: readonly UsageKind[] = ["images", "containers", "volumes"];

/** The engine as a whole: the space it takes, and whether its store is sound. */
export class System {
  readonly #sources: UsageSources;
  /** Measurements under way, by what they measure: clients that ask meanwhile get the same. */
  readonly #measurements = new Map<string, Promise<DiskUsage>>();

  constructor(sources: UsageSources) {
    this.#sources = sources;
  }

  /** Counts the bytes in the writable layers of containers, in order; 0 for one that has gone, and without a host. */
  async writableSizes(containerIDs: readonly string[]): Promise<number[]> {
    return await hostOf(this.#sources.core)?.layers.usages(containerIDs) ?? containerIDs.map(() => 0);
  }

  /** Measures the disk space that is taken, of all families or some; see {@linkcode measureDisk}. */
  diskUsage(kinds: readonly UsageKind[] = ALL_KINDS): Promise<DiskUsage> {
    const chosen = new Set(kinds);
    const key = [...chosen].sort().join();
    const running = this.#measurements.get(key);
    if (running !== undefined) return running;
    const measurement = measureDisk(this.#sources, chosen).finally(() => this.#measurements.delete(key));
    this.#measurements.set(key, measurement);
    return measurement;
  }

  /** Checks what images and containers are made of, and mends what it may; see {@linkcode checkSystem}. */
  async check(options: CheckOptions = {}): Promise<CheckReport> {
    // One after the other: two repairs would get in each other's way.
    return await this.#sources.core.locks.with(
      "system.check",
      () => checkSystem(this.#sources, options),
      options.signal,
    );
  }
}
