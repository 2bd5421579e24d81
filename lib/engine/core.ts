import { Slots } from "./concurrency.ts";
import { EngineError } from "./errors.ts";
import type { EventLog } from "./store/events.ts";
import type { Intents } from "./store/intents.ts";
import type { Locks } from "./store/locks.ts";
import type { ResolvedOptions } from "./options.ts";
import type { Host, NoHost } from "./ports/host_port.ts";
import type { Clock, Ports, Random } from "./ports/ports.ts";
import type { State } from "./store/state.ts";
import type { Log } from "./ports/log.ts";

/** The services that the parts of the engine share. */
export interface Core {
  readonly ports: Ports;
  /** `ports.host`, `ports.clock` and `ports.random`, which most parts need. */
  readonly host: Host | NoHost;
  readonly clock: Clock;
  readonly random: Random;
  readonly state: State;
  readonly intents: Intents;
  readonly events: EventLog;
  readonly locks: Locks;
  /** Starts of containers, and of further processes in them, as many at once as the host does well: in a burst the first are soon there. */
  readonly starting: Slots;
  readonly executing: Slots;
  readonly options: ResolvedOptions;
  readonly log: Log;
}

/** The host, or `EngineError("unsupported")` with the deployment's reason where there is none. */
export function requireHost(core: Pick<Core, "ports">): Host {
  const { host } = core.ports;
  if ("unavailable" in host) throw new EngineError("unsupported", host.unavailable);
  return host;
}

/** The host, or `undefined` where there is none. */
export function hostOf(core: Pick<Core, "ports">): Host | undefined {
  const { host } = core.ports;
  return "unavailable" in host ? undefined : host;
}

/** Milliseconds of a start, after which it waits for something else than a processor: a hook, a slow disk. Others have its turn then. */
const START_PATIENCE = 1_000;

/** The turns of starts on a host; as many as come where it names no number. */
export function startTurns(host: Host | NoHost): Pick<Core, "starting" | "executing"> {
  const atOnce = "unavailable" in host ? undefined : host.processes.startsAtOnce;
  const turns = () => new Slots(atOnce ?? Infinity, START_PATIENCE);
  return { starting: turns(), executing: turns() };
}
