/**
 * The copy of crun that is run in place of its file.
 *
 * crun runs from nothing that a container could write to (CVE-2019-5736): it makes a copy of itself at each start and loads
 * itself again from there, which is most of what it costs. One copy that nobody can change serves all starts.
 *
 * @module
 */
import { statSync } from "node:fs";
import type { HostContext } from "../../helpers/context.ts";
import type { Nursery } from "../nursery/nursery.ts";
import { readRuntimeVersion, type Runtime, withPath } from "./runtime.ts";

/** The copies of the runtimes of a host. */
export class SealedRuntimes {
  readonly #nursery: Nursery;
  readonly #log: HostContext["log"];
  readonly #copies = new Map<string, Promise<string | undefined>>();

  constructor(nursery: Nursery, log: HostContext["log"]) {
    this.#nursery = nursery;
    this.#log = log;
    // The copies went with the process that held them.
    nursery.onLost(() => this.#copies.clear());
  }

  /** The runtime as it is called by its copy; as it is where it needs none, or there can be none. */
  async of(runtime: Runtime): Promise<Runtime> {
    if (runtime.name !== "crun") return runtime;
    const { ino, mtimeMs, size } = statSync(runtime.path);
    // Another version may have been installed.
    const key = `${runtime.path}:${ino}:${mtimeMs}:${size}`;
    const known = this.#copies.get(key) ?? this.#copy(runtime);
    this.#copies.set(key, known);
    const path = await known;
    return path === undefined ? runtime : withPath(runtime, path);
  }

  async #copy({ path, version, args }: Runtime): Promise<string | undefined> {
    try {
      const copy = await this.#nursery.seal(path);
      if (await readRuntimeVersion(copy, args) === version) return copy;
      this.#log("debug", `Copy "${path}": the copy says that it is another version`);
    } catch (error) {
      this.#log("debug", `Copy "${path}": ${(error as Error).message}`);
    }
    return undefined;
  }
}
