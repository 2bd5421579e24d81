import type { HostContext } from "./context.ts";
import { removeEmptyFolders } from "./small_tree.ts";
import { removeTree } from "./tree.ts";

/**
 * Deletes what an earlier server left, behind everything else: nobody waits for it, and what cannot be deleted is told of and
 * left. One tree at a time.
 */
export class Sweeper {
  readonly #log: HostContext["log"];
  readonly #stop = new AbortController();
  #last: Promise<void> = Promise.resolve();

  constructor(log: HostContext["log"]) {
    this.#log = log;
  }

  /** Takes trees on. Their names must be such that nobody makes others of that name. */
  add(paths: readonly string[]): void {
    for (const path of paths) this.#last = this.#last.then(() => this.#remove(path));
  }

  /** Resolves when all that was taken on is done. */
  settled(): Promise<void> {
    return this.#last;
  }

  /** Stops. The next server deletes the rest. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#last;
  }

  async #remove(path: string): Promise<void> {
    const { signal } = this.#stop;
    // Takes no time: it is done at the end, too.
    if (await removeEmptyFolders(path) || signal.aborted) return;
    try {
      await removeTree(path, { signal });
    } catch (error) {
      if (signal.aborted) return;
      this.#log("warn", `Sweep ${JSON.stringify(path)}: ${error instanceof Error ? error.message : error}`);
    }
  }
}

/** Deletes trees behind everything else, where the host has somebody for that. */
export async function sweep(
  { sweeper, log }: Pick<HostContext, "sweeper" | "log">,
  paths: readonly string[],
): Promise<void> {
  if (sweeper !== undefined) return sweeper.add(paths);
  const own = new Sweeper(log);
  own.add(paths);
  await own.settled();
}
