import { FieldError } from "../../../../engine/errors.ts";
import type { HostContext } from "../../helpers/context.ts";
import type { CgroupLayout } from "../../resources/cgroups.ts";
import { openRuntime, type Runtime, RUNTIME_NAMES } from "./runtime.ts";

/** The runtimes of a host: the server's own, and those that containers name. */
export class Runtimes {
  readonly #context: HostContext;
  readonly #layout: CgroupLayout;
  readonly #others = new Map<string, Promise<Runtime>>();
  readonly own: Runtime;

  private constructor(context: HostContext, layout: CgroupLayout, own: Runtime) {
    this.#context = context;
    this.#layout = layout;
    this.own = own;
  }

  /** Opens the server's own. Throws `EngineError("unsupported")` when it is missing. */
  static async open(context: HostContext, layout: CgroupLayout): Promise<Runtimes> {
    return new Runtimes(context, layout, await openRuntime(context, layout));
  }

  /**
   * The runtime of a name or path: the server's own, which it is when nothing is asked for, or one that is known to work
   * the same way. Throws `EngineError("unsupported")` for any other.
   */
  async of(asked?: string): Promise<Runtime> {
    if (asked === undefined || asked === this.own.name || asked === this.own.path) return this.own;
    for (const name of RUNTIME_NAMES) {
      if (!asked.endsWith(name)) continue;
      const other = await this.#other(name).catch(() => undefined);
      if (other !== undefined && (asked === other.name || asked === other.path)) return other;
    }
    const fault = `runtime "${asked}" is not installed here`;
    throw new FieldError("unsupported", ["runtime"], (name) => `Create container: "${name}": ${fault}`);
  }

  #other(name: string): Promise<Runtime> {
    const known = this.#others.get(name) ?? openRuntime({ ...this.#context, runtime: name }, this.#layout);
    this.#others.set(name, known);
    return known;
  }
}
