import { readlinkSync } from "node:fs";
import type { HostContext } from "../../helpers/context.ts";
import { findProgram } from "../../helpers/programs.ts";
import { isRootless } from "../../rootless/outer_user.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Nursery } from "./nursery.ts";

/** From so many supervisors on a small namespace is worth the program that enters it. */
const WORTHWHILE = 50;

/** Programs here are on the ground of every namespace (see `launch.pl`); another folder may be a mount of its own. */
const GROUND = /^\/(proc|usr|s?bin|nix)\//;

/**
 * Has runtimes create containers in small mount namespaces (see `launch.pl`), where there are many containers, or a tree of control groups
 * is to be hidden from the runtime.
 */
export class Launcher {
  readonly #context: HostContext;
  readonly #nursery: Nursery;
  readonly #program: string;

  private constructor(context: HostContext, nursery: Nursery, program: string) {
    this.#context = context;
    this.#nursery = nursery;
    this.#program = program;
  }

  /**
   * Gives the launcher of a host; `undefined` where there is no nsenter(1), for an ordinary user, who may not come back to a namespace, and
   * below another root than that of the mount namespace, which is where one comes back to.
   */
  static async open(context: HostContext, nursery: Nursery): Promise<Launcher | undefined> {
    if (isRootless() || readlinkSync("/proc/self/root") !== "/") return undefined;
    const program = await findProgram("nsenter");
    return program === undefined ? undefined : new Launcher(context, nursery, program);
  }

  /** Whether a runtime is to create a container in a namespace of its own, beside so many others. */
  isWorthwhile(runtime: Runtime, others: number): boolean {
    return runtime.name === "crun" && (runtime.hidden !== "" || others >= WORTHWHILE);
  }

  /** The runtime's program and its arguments before every subcommand, in the namespace that a link leads to by then. */
  commandOf({ path, args }: Runtime, link: string): [string, ...string[]] {
    return [this.#program, `--mount=${link}`, path, ...args];
  }

  /**
   * Makes the namespace with the paths of {@linkcode lentPaths}, a whole one where it cannot be a small one, and lets it go in the end: the
   * runtime is not in it any more.
   */
  async open(link: string, { path, hidden }: Runtime, paths: readonly string[] | undefined): Promise<AsyncDisposable> {
    const { root, runroot } = this.#context.paths;
    const lent = GROUND.test(path) ? paths ?? [] : [];
    const why = await this.#nursery.launch([link, hidden, root, runroot, ...lent]);
    if (why !== "") this.#context.log("debug", `Make a small mount namespace: ${why}`);
    // A nursery that is lost has let all of them go.
    return { [Symbol.asyncDispose]: () => this.#nursery.land(link).catch(() => {}) };
  }
}
