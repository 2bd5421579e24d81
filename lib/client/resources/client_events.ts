import { withErrors } from "../client_error.ts";
import type { Abortable } from "../container_calls.ts";
import { labelFilters, writeFilters } from "./lookups.ts";
import type { ResourceDialect } from "./resource_dialect.ts";
import type { EventView } from "./resource_views.ts";

/** Something that has happened at an engine. */
export interface EngineEvent {
  /** `container`, `image`, `volume`, `network`, `pod`, … */
  readonly type: string;
  /** `create`, `start`, `died` or Docker's `die`, `remove`, … in the server's word. */
  readonly action: string;
  /** The ID of the object; the name of one that has no other. */
  readonly id: string;
  readonly name: string | undefined;
  readonly time: Date;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Which events are read. */
export interface EventsOptions extends Abortable {
  /** From then on; from now by default. */
  readonly since?: Date;
  /** Up to then; a time that has passed ends the events with the last of them. Without one they go on. */
  readonly until?: Date;
  /** Only of these kinds of objects: `container`, `image`, `volume`, … */
  readonly types?: readonly string[];
  /** Only these actions. */
  readonly actions?: readonly string[];
  /** Only of containers with these names or IDs. */
  readonly containers?: readonly string[];
  /** Only of objects with these labels. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Reads events, as they come. Who leaves the loop ends the connection. */
export async function* readEvents(
  dialect: ResourceDialect,
  { since, until, types = [], actions = [], containers = [], labels = {}, signal }: EventsOptions,
): AsyncGenerator<EngineEvent, void> {
  const filters = writeFilters({ type: types, event: actions, container: containers, ...labelFilters({ labels }) });
  const request = { since: secondsOf(since), until: secondsOf(until), filters };
  const events = await withErrors("Read events", () => dialect.events(request, { signal }));
  for await (const event of events) yield eventOf(event);
}

/** A moment as both trees read it: seconds since 1970, with a fraction. */
function secondsOf(time: Date | undefined): string | undefined {
  return time && (time.getTime() / 1000).toFixed(3);
}

function eventOf({ Type, Action, Actor, time, timeNano }: EventView): EngineEvent {
  const attributes = Actor?.Attributes ?? {};
  const milliseconds = timeNano == null ? (time ?? 0) * 1000 : Number(BigInt(timeNano) / 1_000_000n);
  return {
    type: Type,
    action: Action,
    id: Actor?.ID ?? "",
    name: attributes.name,
    time: new Date(milliseconds),
    attributes,
  };
}
