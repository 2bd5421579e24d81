import type { Event } from "../../wire/event.ts";

/** An event in Docker's words. */
export function dockerEvent(event: Event): Event {
  if (event.Type === "image" && event.Action === "remove") return { ...event, Action: "delete", status: "delete" };
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
