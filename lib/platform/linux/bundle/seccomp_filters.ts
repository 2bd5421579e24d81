import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SpecSeccomp } from "./spec_types.ts";

/** The compiled filter in base64; crun takes it in place of the rules, other runtimes do not look at it. */
const ANNOTATION = "run.oci.seccomp_bpf_data";
/** How crun's annotations begin that change which filter a container gets. */
const CHOICES = "run.oci.seccomp";
/** The file of the filter that crun has compiled, in a container's folder. */
const FILE = "seccomp.bpf";
/** Profiles differ by capabilities; few combinations are in use on one host. */
const LIMIT = 32;

/**
 * Filters that crun has compiled, for the next containers with the same rules. libseccomp takes 10 to 13 ms for the
 * default profile: twice as long as everything else that crun does for a container.
 */
export class SeccompFilters {
  /** By rules, as JSON; in base64. */
  readonly #compiled = new Map<string, string>();

  /** Annotates a container that has these rules and annotations with its filter, once that is known. */
  annotate(rules: SpecSeccomp | undefined, annotations: Record<string, string>): Record<string, string> {
    const filter = rules && this.#compiled.get(JSON.stringify(rules));
    return filter === undefined ? annotations : { [ANNOTATION]: filter, ...annotations };
  }

  /** Keeps what the runtime has compiled for such a container, if it shows it in its folder. */
  async learn(
    rules: SpecSeccomp | undefined,
    annotations: Record<string, string>,
    runtimeState: string,
  ): Promise<void> {
    // Users may choose another filter for a container this way: it is no one else's.
    if (rules === undefined || Object.keys(annotations).some((name) => name.startsWith(CHOICES))) return;
    const key = JSON.stringify(rules);
    if (this.#compiled.has(key) || this.#compiled.size >= LIMIT) return;
    const filter = await readFile(join(runtimeState, FILE)).catch(() => undefined);
    if (filter !== undefined && filter.length > 0) this.#compiled.set(key, filter.toString("base64"));
  }
}
