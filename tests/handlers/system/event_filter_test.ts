import { assert, assertEquals, assertThrows } from "@std/assert";
import { eventFilter, eventSubjects } from "../../../handlers/system/event_filter.ts";
import type { EngineEvent, EventType } from "../../../lib/engine/store/events.ts";

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

Deno.test("eventFilter() finds what happened by Podman's word and by Docker's, of the objects of which Docker says it", () => {
  const types: EventType[] = ["container", "image", "network", "volume", "pod", "secret"];
  const found = (action: string, word: string, rest: Partial<EngineEvent> = {}) =>
    types.filter((type) => eventFilter({ event: [word] })?.({ ...EVENT, type, action, ...rest }));
  assertEquals(found("died", "died"), types);
  assertEquals(found("died", "die"), types);
  assertEquals(found("exec_died", "exec_die"), types);
  assertEquals(found("remove", "remove"), types);
  assertEquals(found("remove", "destroy"), ["container", "network", "volume"]);
  assertEquals(found("remove", "delete"), ["image"]);
  assertEquals(found("untag", "delete"), []);
  assertEquals(found("health_status", "health_status: healthy", { health: "healthy" }), types);
  assertEquals(found("health_status", "health_status: unhealthy", { health: "healthy" }), []);
});

Deno.test("eventSubjects() has what every event that passes is about, and nothing where events of other objects pass too", () => {
  assertEquals(eventSubjects({ Container: ["a", "b"], event: ["start"] }), ["a", "b"]);
  assertEquals(eventSubjects({ event: ["start"], container: [], volume: ["v"] }), ["v"]);
  assertEquals(eventSubjects({ network: ["n"] }), ["n"]);
  // Events of a pod's containers pass for the pod, and those of an image's for the image.
  assertEquals(eventSubjects({ pod: ["p"], image: ["i"], label: ["l"], type: ["container"] }), undefined);
  assertEquals(eventSubjects(), undefined);
});

Deno.test("eventFilter() takes Docker's further keys in its tree alone", () => {
  const fits = (key: string, value: string) => eventFilter({ [key]: [value] }, "docker")?.(EVENT);
  assertEquals([fits("scope", "local"), fits("scope", "swarm")], [true, false]);
  for (const key of ["config", "daemon", "node", "plugin", "secret", "service"]) {
    assertEquals(fits(key, "web"), false, key);
    assertThrows(() => eventFilter({ [key]: ["web"] }), Error, `invalid filter key "${key}"`);
  }
  const secret: EngineEvent = { ...EVENT, type: "secret" };
  assertEquals(eventFilter({ secret: ["web"] }, "docker")?.(secret), true);
  assertThrows(() => eventFilter({ constructor: ["x"] }, "docker"), Error, "invalid filter key");
});
