import type { EventLog } from "../events.ts";
import type { ImageRecord } from "../image_record.ts";
import type { Locks } from "../locks.ts";
import type { Clock, Host, NoHost, Random } from "../ports.ts";
import type { State } from "../state.ts";

/** What containers, networks and volumes need of the engine they belong to. */
export interface EngineContext {
  readonly state: State;
  readonly locks: Locks;
  readonly events: EventLog;
  readonly host: Host | NoHost;
  readonly clock: Clock;
  readonly random: Random;
  /** Finds an image by name or ID, as `Images.resolve` does. */
  readonly images: { resolve(nameOrID: string): ImageRecord };
  /** Where what goes wrong behind an answer is told. */
  readonly log: (level: "debug" | "info" | "warn" | "error", message: string) => void;
}
