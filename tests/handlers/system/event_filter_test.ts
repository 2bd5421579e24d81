import { assert, assertEquals, assertThrows } from "@std/assert";
import { eventFilter } from "../../../handlers/system/event_filter.ts";
import type { EngineEvent } from "../../../lib/engine/store/events.ts";

const EVENT: EngineEvent = {
  time: 0,
  type: "container",
  action: "died",
  id: "ab".repeat(32),
  name: "web",
  attributes: { tier: "front" },
};

Deno.test("eventFilter() knows its own words, not those that every object has", () => {
  const fits = (filters: Record<string, string[]>) => eventFilter(filters)?.(EVENT);
  assert(fits({ event: ["die"] }));
  assert(fits({ label: ["tier"] }));
  assertEquals(fits({ label: ["toString"] }), false);
  assertEquals(fits({ event: ["constructor"] }), false);
  for (const key of ["constructor", "toString", "__proto__"]) {
    assertThrows(() => fits(Object.fromEntries([[key, ["x"]]])), Error, "invalid filter key");
  }
});
