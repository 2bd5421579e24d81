import { assertEquals } from "@std/assert";
import { dockerEvent } from "../../../handlers/compat/system/events.ts";

const event = {
  Type: "container",
  Action: "start",
  Actor: { ID: "a", Attributes: null },
  time: 5,
  timeNano: 5_000_000_000n,
};

Deno.test("dockerEvent() makes a start as old as its process, and leaves the event of an earlier start", () => {
  const told = (startedAt?: number) => dockerEvent(event, { bare: false, startOf: () => startedAt });
  assertEquals([told(4900.5).time, told(4900.5).timeNano], [4, 4_900_500_000n]);
  for (const startedAt of [undefined, 6000]) assertEquals(told(startedAt), event);
  const died = { ...event, Action: "died" };
  assertEquals(dockerEvent(died, { bare: false, startOf: () => 1 }).timeNano, event.timeNano);
});
