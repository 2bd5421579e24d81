import { clientError, withErrors } from "../client_error.ts";
import type { Abortable } from "../container_calls.ts";
import type { ResourceDialect } from "../dialects/resources/resource_dialect.ts";
import type { EventView } from "../dialects/resources/resource_views.ts";

/** The events to read. */
export interface EventsOptions extends Abortable {
  /** Begin with events of the past from this moment on. Without it only new events come. */
  readonly since?: Date;
  /** End at this moment, past or to come. Without it the events go on. */
  readonly until?: Date;
  /** The server's filters, of which each has to hold in one of its values: `{ type: ["container"], event: ["die"] }`. */
  readonly filters?: Readonly<Record<string, readonly string[]>>;
}

/** An event of an engine. */
export interface ClientEvent {
  /** The kind of object: `container`, `image`, `network`, `volume`, `secret`, `pod`, …. */
  readonly type: string;
  /** The server's word for it: `create`, `start`, `die`, `remove`, …; Podman and Docker differ in some. */
  readonly action: string;
  /** The object's ID, or its name where it has no ID. */
  readonly id: string;
  /** The object's name, where the server tells it. */
  readonly name: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
  readonly time: Date;
}

/** Reads events one by one until `until`, an abort, or the end of the loop. */
export async function* readEvents(
  dialect: ResourceDialect,
  { since, until, filters, signal }: EventsOptions,
): AsyncGenerator<ClientEvent, void> {
  const range = {
    since: since && secondsOf(since),
    until: until && secondsOf(until),
    filters: filters && JSON.stringify(filters),
  };
  const found = await withErrors("Read events", () => dialect.events(range, { signal }));
  try {
    for await (const view of found) yield eventOf(view);
  } catch (error) {
    throw clientError("Read events", error);
  }
  signal?.throwIfAborted();
}

/** Seconds since 1970 with nine digits of fraction, as both servers read a moment. */
function secondsOf(moment: Date): string {
  const milliseconds = moment.getTime();
  const seconds = Math.floor(milliseconds / 1000);
  return `${seconds}.${String(milliseconds - seconds * 1000).padStart(3, "0")}000000`;
}

function eventOf({ Type, Action, Actor, time, timeNano }: EventView): ClientEvent {
  const attributes = Actor.Attributes ?? {};
  const milliseconds = timeNano == null ? (time ?? 0) * 1000 : Number(timeNano) / 1e6;
  return {
    type: Type,
    action: Action,
    // Podman gives volumes and secrets no ID here.
    id: Actor.ID || (attributes.name ?? ""),
    name: attributes.name,
    attributes,
    time: new Date(milliseconds),
  };
}
