import type { Engine } from "../../lib/engine/engine.ts";
import type { EngineEvent } from "../../lib/engine/store/events.ts";
import type { Context } from "../../lib/rest/mod.ts";
import { momentParameter } from "../errors.ts";
import { isBefore } from "../path_version.ts";
import { emit } from "../wire/emit.ts";
import { Event } from "../wire/system/event.ts";
import type { EventsQuery } from "../wire/system/system_query.ts";
import { toNanoseconds } from "../wire/time.ts";
import { eventFilter, eventSubjects } from "./event_filter.ts";

/** Milliseconds by which a client may come too late for an event that it waits for. */
const LATE = 1_000;

/** The choices of a tree for {@linkcode streamEvents}. */
export interface EventsView {
  /** The tree's API; Podman's by default. */
  api?: "docker" | "podman";
  /** Which events of its API the tree has; all of them by default. */
  isTold?: (event: EngineEvent) => boolean;
  /** Tells of events of the past second which ones a stream of what happens from now on begins with; none by default. */
  isAwaited?: (event: EngineEvent) => boolean;
  /** Tells a container's image as it was asked for. */
  hasAskedImage?: boolean;
}

/** Streams what happened, and what happens from now on unless told to stop. */
export function streamEvents(
  engine: Engine,
  query: EventsQuery,
  { signal, version }: Context,
  { api = "podman", isAwaited, isTold, hasAskedImage = false }: EventsView = {},
): AsyncIterable<Event> {
  const [since, until] = [momentParameter("since", query.since), momentParameter("until", query.until)];
  const follow = query.stream ?? true;
  const isPodman4 = isBefore(version, 5, 0) && !isBefore(version, 2, 0);
  const wanted = eventFilter(query.filters, api);
  const asked = isPodman4 ? bothOf(isKnownToPodman4, wanted) : wanted;
  const ofTree = bothOf(({ notFor }) => notFor !== api, isTold);
  const filter = bothOf(ofTree, asked);
  const now = Date.now();
  const begin = isAwaited && follow && since === undefined && until === undefined
    ? {
      since: now - LATE,
      filter: (event: EngineEvent) => (event.time >= now || isAwaited(event)) && filter(event),
    }
    : { since, filter };
  const list = engine.events.list({ ...begin, about: eventSubjects(query.filters), until, follow, signal });
  // Podman 4 takes an event without an exit code for a broken one, whatever it is about.
  const legacy = isBefore(version, 5, 0);
  return mapValues(list, (event) => {
    const image = hasAskedImage ? event.askedImage ?? event.image : event.image;
    return wireEvent({ ...event, image, ...legacy && { exitCode: event.exitCode ?? 0 } });
  });
}

/** Podman 4 ends with a crash at the first event of a kind that it does not know. */
function isKnownToPodman4({ type, action }: EngineEvent): boolean {
  return !/^(?:secret|artifact)$/.test(type) && !/^(?:update|pull-error)$/.test(action);
}

function bothOf<T>(first: (value: T) => boolean, second: ((value: T) => boolean) | undefined): (value: T) => boolean {
  return second === undefined ? first : (value) => first(value) && second(value);
}

/** Changes each value of a sequence. By hand, so that a reader that waits can be ended. */
export function mapValues<From, To>(source: AsyncIterable<From>, change: (value: From) => To): AsyncIterable<To> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = source[Symbol.asyncIterator]();
      return {
        async next() {
          const next = await iterator.next();
          return next.done ? { done: true, value: undefined } : { done: false, value: change(next.value) };
        },
        async return() {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** An event as both trees tell it. */
function wireEvent(event: EngineEvent): Event {
  const attributes: Record<string, string> = {
    ...event.attributes,
    image: event.image ?? "",
    name: event.name ?? "",
    podId: event.attributes.podId ?? "",
  };
  if (event.exitCode !== undefined) attributes.containerExitCode = String(event.exitCode);
  return emit(Event, {
    Type: event.type,
    Action: event.action,
    Actor: { ID: event.id, Attributes: attributes },
    scope: "local",
    HealthStatus: event.health,
    time: Math.floor(event.time / 1000),
    timeNano: toNanoseconds(event.time),
    status: event.action,
    id: event.id,
    from: event.image ?? "",
  });
}
