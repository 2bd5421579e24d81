import type { EngineContext } from "./containers/context.ts";
import { EngineError } from "./errors.ts";
import type { NetworkRecord } from "./network_record.ts";

/** The engine's networks: their records, and the addresses given out in them. */
export class Networks {
  readonly #context: EngineContext;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** The network of that name, ID or ID prefix. Throws `no_such_network` or `ambiguous`. */
  resolve(_nameOrID: string): NetworkRecord {
    throw new EngineError("unsupported", `Not yet on ${typeof this.#context.host}`);
  }

  exists(_nameOrID: string): boolean {
    throw new EngineError("unsupported", "Not yet");
  }

  list(): NetworkRecord[] {
    throw new EngineError("unsupported", "Not yet");
  }

  /** The network containers get that name none; made when it is first asked for. */
  ensureDefault(): Promise<NetworkRecord> {
    throw new EngineError("unsupported", "Not yet");
  }
}
