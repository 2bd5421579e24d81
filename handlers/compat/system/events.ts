import type { Event } from "../../wire/system/event.ts";
import { dockerAction } from "../../wire/system/docker_action.ts";
import { toNanoseconds } from "../../wire/time.ts";
import { dockerNetworkName, inspectMode } from "../networks/names.ts";

/** Choices for {@linkcode dockerEvent}. */
export interface EventView {
  /** The default network has Docker's name. */
  named?: boolean;
  /** Without what stands in the event twice, as from version 1.52 on. */
  bare: boolean;
  /** Returns when a container was started last, in milliseconds since the epoch. */
  startOf: (containerID: string) => number | undefined;
  /** Shows an image's full name. */
  showName?: (name: string) => string;
}

/** An event in Docker's words. */
export function dockerEvent(event: Event, { bare, startOf, showName, named = false }: EventView): Event {
  const shown = withShownName(showName, event.Type === "network" ? withDockersNetwork(event, named) : event);
  const worded = withOwnAttributes(withDuration(inDockersWords(shown), startOf));
  const told = event.Type === "container" && event.Action === "start"
    ? atStart(worded, startOf(event.Actor.ID))
    : worded;
  if (!bare) return told;
  const { status: _status, id: _id, from: _from, ...rest } = told;
  return rest;
}

/** Attributes of containers that Podman gives every event. */
const OF_CONTAINERS: readonly string[] = ["containerExitCode", "image", "podId"];

/** Networks and volumes have no attributes of containers. */
function withOwnAttributes(event: Event): Event {
  const { Type, Actor } = event;
  if (Type !== "network" && Type !== "volume") return event;
  const own = Object.entries(Actor.Attributes ?? {}).filter(([name]) => !OF_CONTAINERS.includes(name));
  return { ...event, Actor: { ...Actor, Attributes: Object.fromEntries(own) } };
}

/** Clients that follow a start read what was logged since its event: it is as old as the process, which writes before it is told. */
function atStart(event: Event, startedAt: number | undefined): Event {
  if (startedAt === undefined) return event;
  const timeNano = toNanoseconds(startedAt);
  // A later start is another event's.
  if (event.timeNano === undefined || timeNano > event.timeNano) return event;
  return { ...event, time: Math.floor(startedAt / 1000), timeNano };
}

/** The default network by Docker's name, and those that are modes of a container by the IDs under which clients find them. */
function withDockersNetwork(event: Event, named: boolean): Event {
  const { Attributes } = event.Actor;
  const { name = "" } = Attributes ?? {};
  const mode = inspectMode(name);
  if (mode !== undefined) {
    const Actor = { ID: mode.Id, Attributes: { ...Attributes, type: mode.Driver } };
    return { ...event, id: mode.Id, Actor };
  }
  if (!named) return event;
  return { ...event, Actor: { ...event.Actor, Attributes: { ...Attributes, name: dockerNetworkName(name) } } };
}

function withShownName(show: EventView["showName"], event: Event): Event {
  const { Type, Actor } = event;
  const { name } = Actor.Attributes ?? {};
  if (Type !== "image" || show === undefined || !name) return event;
  return { ...event, Actor: { ...Actor, Attributes: { ...Actor.Attributes, name: show(name) } } };
}

/** Docker tells how long a container has run, in whole seconds, where it was not started again or removed meanwhile. */
function withDuration(event: Event, startOf: EventView["startOf"]): Event {
  if (event.Type !== "container" || event.Action !== "die") return event;
  const startedAt = startOf(event.Actor.ID) ?? 0;
  const seconds = (event.time ?? 0) - Math.floor(startedAt / 1000);
  if (startedAt === 0 || seconds < 0) return event;
  const { Attributes } = event.Actor;
  return { ...event, Actor: { ...event.Actor, Attributes: { ...Attributes, execDuration: String(seconds) } } };
}

/** Ends of processes, whose exit code Docker tells by another name. */
const ENDS: readonly string[] = ["died", "exec_died"];

function inDockersWords(event: Event): Event {
  const action = dockerAction({ type: event.Type, action: event.Action, health: event.HealthStatus });
  if (action === event.Action) return event;
  const worded = { ...event, Action: action, status: action };
  if (!ENDS.includes(event.Action)) return worded;
  const { Attributes } = event.Actor;
  const exitCode = Attributes?.containerExitCode ?? "0";
  return { ...worded, Actor: { ...event.Actor, Attributes: { ...Attributes, exitCode } } };
}
