import type { Event } from "../../wire/system/event.ts";

/**
 * An event in Docker's words.
 *
 * @param event The event
 * @param bare Without what stands in the event twice, as from version 1.52 on
 */
export function dockerEvent(event: Event, bare: boolean): Event {
  const worded = inDockersWords(event);
  if (!bare) return worded;
  const { status: _status, id: _id, from: _from, ...rest } = worded;
  return rest;
}

function inDockersWords(event: Event): Event {
  if (event.Type === "image" && event.Action === "remove") return { ...event, Action: "delete", status: "delete" };
  if (event.Action === "health_status") {
    const action = `health_status: ${event.HealthStatus}`;
    return { ...event, Action: action, status: action };
  }
  if (event.Action !== "died") return event;
  const { Attributes } = event.Actor;
  const exitCode = Attributes?.containerExitCode ?? "0";
  return {
    ...event,
    Action: "die",
    status: "die",
    Actor: { ...event.Actor, Attributes: { ...Attributes, exitCode } },
  };
}
