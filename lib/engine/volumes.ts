import type { EngineContext } from "./containers/context.ts";
import { EngineError } from "./errors.ts";

/** A volume as stored. */
export interface VolumeRecord {
  name: string;
  driver: "local";
  /** ISO 8601. */
  created: string;
  labels: Record<string, string>;
  options: Record<string, string>;
  /** Made for one container, and removed with it when asked. */
  anonymous: boolean;
  /** Nothing was copied into it yet: the first container to mount it fills it from its image. */
  needsCopyUp: boolean;
  /** The folder on the host. */
  mountpoint: string;
}

/** The engine's volumes. */
export class Volumes {
  readonly #context: EngineContext;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** The volume of that name or unambiguous prefix. Throws `no_such_volume`. */
  resolve(_name: string): VolumeRecord {
    throw new EngineError("unsupported", `Not yet on ${typeof this.#context.host}`);
  }

  exists(_name: string): boolean {
    throw new EngineError("unsupported", "Not yet");
  }

  list(): VolumeRecord[] {
    throw new EngineError("unsupported", "Not yet");
  }
}
