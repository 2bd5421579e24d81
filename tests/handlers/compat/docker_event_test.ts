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

Deno.test("dockerEvent() says what Docker says of ends and removals", () => {
  const worded = (Type: string, Action: string) => {
    const told = dockerEvent({ ...event, Type, Action }, { bare: false, startOf: () => undefined });
    assertEquals(told.Action, told.status ?? told.Action);
    return told.Action;
  };
  for (const type of ["container", "network", "volume"]) assertEquals(worded(type, "remove"), "destroy");
  const others = [["image", "remove"], ["container", "died"], ["container", "exec_died"], ["secret", "remove"]];
  assertEquals(others.map(([type, action]) => worded(type, action)), ["delete", "die", "exec_die", "remove"]);
  const more = [["container", "exec"], ["image", "loadfromarchive"], ["image", "save"]];
  assertEquals(more.map(([type, action]) => worded(type, action)), ["exec_start", "load", "save"]);
});

Deno.test("dockerEvent() gives networks and volumes no attributes of containers", () => {
  const attributes = { containerExitCode: "0", image: "", name: "web", podId: "" };
  const told = (Type: string) => {
    const one = { ...event, Type, Action: "create", Actor: { ID: "a", Attributes: attributes } };
    return dockerEvent(one, { bare: false, startOf: () => undefined }).Actor.Attributes;
  };
  assertEquals([told("network"), told("volume"), told("container")], [{ name: "web" }, { name: "web" }, attributes]);
});
