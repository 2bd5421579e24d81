import type { Event } from "../../wire/system/event.ts";
import { toNanoseconds } from "../../wire/time.ts";

/** Choices for {@linkcode dockerEvent}. */
export interface EventView {
  /** Without what stands in the event twice, as from version 1.52 on. */
  bare: boolean;
  /** Returns when a container was started last, in milliseconds since the epoch. */
  startOf: (containerID: string) => number | undefined;
}

/** An event in Docker's words. */
export function dockerEvent(event: Event, { bare, startOf }: EventView): Event {
  const worded = inDockersWords(event);
  const told = event.Type === "container" && event.Action === "start"
    ? atStart(worded, startOf(event.Actor.ID))
    : worded;
  if (!bare) return told;
  const { status: _status, id: _id, from: _from, ...rest } = told;
  return rest;
}

/** Clients that follow a start read what was logged since its event: it is as old as the process, which writes before it is told. */
function atStart(event: Event, startedAt: number | undefined): Event {
  if (startedAt === undefined) return event;
  const timeNano = toNanoseconds(startedAt);
  // A later start is another event's.
  if (event.timeNano === undefined || timeNano > event.timeNano) return event;
  return { ...event, time: Math.floor(startedAt / 1000), timeNano };
}

/** Kinds of objects that are destroyed, where an image is deleted. */
const DESTROYED: readonly string[] = ["container", "network", "volume"];

/** Ends of processes. */
const ENDS: ReadonlyMap<string, string> = new Map([["died", "die"], ["exec_died", "exec_die"]]);

function inDockersWords(event: Event): Event {
  if (event.Action === "remove" && DESTROYED.includes(event.Type)) {
    return { ...event, Action: "destroy", status: "destroy" };
  }
  if (event.Type === "image" && event.Action === "remove") return { ...event, Action: "delete", status: "delete" };
  if (event.Action === "health_status") {
    const action = `health_status: ${event.HealthStatus}`;
    return { ...event, Action: action, status: action };
  }
  const action = ENDS.get(event.Action);
  if (action === undefined) return event;
  const { Attributes } = event.Actor;
  const exitCode = Attributes?.containerExitCode ?? "0";
  return {
    ...event,
    Action: action,
    status: action,
    Actor: { ...event.Actor, Attributes: { ...Attributes, exitCode } },
  };
}
