import { existsSync } from "node:fs";
import { join } from "node:path";
import { endSharedMemory } from "../bundle/mounts/shared_memory.ts";
import { SubPaths } from "../bundle/mounts/sub_paths.ts";
import { clearSecrets } from "../bundle/tree/secret_files.ts";
import { leaveHosts } from "../bundle/tree/shared_hosts.ts";
import { CleanUp } from "../helpers/clean_up.ts";
import type { HostContext } from "../helpers/context.ts";
import { containerPaths } from "../helpers/paths.ts";
import { removeFile, removeFolder } from "../helpers/tree.ts";
import { closeLogTarget } from "../logs/log_target.ts";
import type { Cgroups } from "../resources/cgroups.ts";
import { readFacts } from "./facts.ts";
import type { Supervisors } from "./nursery/supervisors.ts";

/** The parts that know of a container's process. */
interface LeftoversParts {
  cgroups: Cgroups;
  supervisors: Supervisors;
  /** Runs a command of a container's runtime. */
  run(command: string, ...args: string[]): Promise<void>;
  /** Forgets how a container ended. */
  forget(containerID: string): void;
}

/** The files, mounts and groups that a container's process leaves. */
export class Leftovers {
  readonly #context: HostContext;
  readonly #parts: LeftoversParts;

  constructor(context: HostContext, parts: LeftoversParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Deletes all but the user namespace, which is there before the process is made. */
  async delete(containerID: string): Promise<void> {
    const container = containerPaths(this.#context.paths, containerID);
    const facts = readFacts(container.facts);
    const state = join(this.#context.paths.runtime, containerID);
    // All else that a life leaves comes after the bundle and goes before these: mostly nothing was there yet.
    const { bundle, exit, shared, parts, logPlace } = container;
    if (![bundle, exit, shared, parts, logPlace, state].some((path) => existsSync(path))) return;
    const cleanUp = new CleanUp();
    if (facts === undefined) await cleanUp.step(() => this.#parts.supervisors.endUnknown(containerID));
    if (existsSync(state)) {
      const isOver = facts?.privatePid === true && !facts.hooked && existsSync(container.exit);
      // The runtime holds nothing of an ended container but this folder and its cgroup.
      await cleanUp.step(() => isOver ? removeFolder(state) : this.#deleteByForce(containerID));
    }
    await cleanUp.step(() => this.#parts.supervisors.settled(containerID, facts));
    // The secrets that it was started with go first, whatever becomes of the rest.
    await cleanUp.step(() => removeFile(container.config));
    await cleanUp.step(() => clearSecrets(container.bundle));
    await cleanUp.step(() => this.#parts.cgroups.remove(facts?.cgroup ?? this.#parts.cgroups.pathOf(containerID)));
    await cleanUp.step(() => leaveHosts(container.bundle));
    await Promise.all([
      cleanUp.step(() => removeFile(container.exit)),
      cleanUp.step(() => removeFolder(container.bundle)),
      cleanUp.step(() => endSharedMemory(container.shared)),
      cleanUp.step(() => new SubPaths(container.parts)[Symbol.asyncDispose]()),
      cleanUp.step(() => closeLogTarget(container)),
    ]);
    this.#parts.forget(containerID);
    cleanUp.done(`Clean up container ${containerID}`);
  }

  async #deleteByForce(containerID: string): Promise<void> {
    await this.#parts.run("delete", "--force", containerID).catch(async (error) => {
      // A creation that was cut short leaves a folder which the runtime itself cannot read.
      this.#context.log("debug", `Delete container ${containerID}: ${error.message}`);
      await removeFolder(join(this.#context.paths.runtime, containerID));
    });
  }
}
