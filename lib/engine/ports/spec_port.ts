import type { ContainerSpec } from "../records/container_record.ts";

/** The host's checks of a spec before a container is made of it. */
export interface SpecPort {
  /** Throws `EngineError("invalid" | "unsupported")` naming what of the spec this machine does not have. */
  check(spec: ContainerSpec): Promise<void>;
  /** The environment of this process, without what is the engine's own business. */
  environment(): Record<string, string>;
}
