import { assertEquals } from "@std/assert";
import { dockerEvent } from "../../../handlers/compat/system/events.ts";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

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

Deno.test("dockerEvent() tells how long a container has run, unless it was started again since", () => {
  const told = (startedAt?: number) => {
    const died = { ...event, Action: "died", time: 65 };
    return dockerEvent(died, { bare: false, startOf: () => startedAt }).Actor.Attributes?.execDuration;
  };
  assertEquals([told(5_500), told(65_900), told(70_000), told(0), told(undefined)], [
    "60",
    "0",
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("CompatGetEvents tells what Docker tells: images as they were asked for, signals, and nothing of Podman's alone", async () => {
  await using test = await openTestEngine();
  await test.engine.images.tag(TINY_NAME, "docker.io/library/tiny", "latest");
  const since = Date.now() / 1000;
  const body = { Image: "tiny", Cmd: ["serve"] };
  const { Id } = await (await test.send("POST", "/v1.50/containers/create", body)).json();
  for (const path of ["start", "kill?signal=KILL", "wait"]) await test.send("POST", `/containers/${Id}/${path}`);
  await test.send("DELETE", `/containers/${Id}`);
  const events = async (tree: string) => {
    const query = `stream=false&since=${since}&until=${Date.now() / 1000 + 1}&filters={"type":["container"]}`;
    const text = await (await test.send("GET", `${tree}/events?${query}`)).text();
    return text.trim().split("\n").map((line) => JSON.parse(line));
  };
  const docker = await events("/v1.50");
  const actions = docker.map(({ Action }) => Action);
  assertEquals([actions.includes("kill"), actions.includes("die"), actions.at(-1)], [true, true, "destroy"]);
  assertEquals(actions.filter((action) => ["init", "cleanup"].includes(action)), []);
  assertEquals(new Set(docker.flatMap(({ from, Actor }) => [from, Actor.Attributes.image])), new Set(["tiny"]));
  assertEquals(docker.find(({ Action }) => Action === "kill").Actor.Attributes.signal, "9");
  const native = await events("/libpod");
  assertEquals(native.some(({ Action }) => Action === "init"), true);
  assertEquals(new Set(native.map(({ from }) => from)), new Set(["docker.io/library/tiny:latest"]));
});

Deno.test("CompatGetEvents tells of networks joined and left, and of a stop's signal, in Docker's order; Podman's API in its own", async () => {
  await using test = await openTestEngine();
  const since = Date.now() / 1000;
  const create = async (body: object) => {
    const made = await test.send("POST", "/v1.50/containers/create", { Image: TINY_NAME, Cmd: ["serve"], ...body });
    return (await made.json()).Id as string;
  };
  await test.send("POST", "/v1.50/networks/create", { Name: "lan" });
  const Id = await create({ HostConfig: { NetworkMode: "bridge" } });
  // Of a container without a process Docker tells at its start.
  await test.send("POST", "/v1.50/networks/lan/connect", { Container: Id });
  for (const path of ["start", "stop"]) await test.send("POST", `/containers/${Id}/${path}`);
  const alone = await create({ HostConfig: { NetworkMode: "none" } });
  for (const path of ["start", "kill"]) await test.send("POST", `/containers/${alone}/${path}`);
  const events = async (path: string, filters: object) => {
    const until = Date.now() / 1000 + 1;
    const query = `stream=false&since=${since}&until=${until}&filters=${JSON.stringify(filters)}`;
    const text = await (await test.send("GET", `${path}/events?${query}`)).text();
    const all: { Type: string; Action: string; Actor: { ID: string; Attributes: Record<string, string> } }[] = text
      .trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
    return all;
  };
  const told = async (path: string, id: string) => {
    const all = await events(path, { type: ["container", "network"] });
    const mine = all.filter(({ Actor }) => Actor.ID === id || Actor.Attributes.container === id);
    return mine.map(({ Type, Action, Actor: { Attributes } }) =>
      [Action, ...Type === "network" ? [Attributes.name] : [], ...Action === "kill" ? [Attributes.signal] : []].join(
        " ",
      )
    );
  };
  const life = ["create", "connect bridge", "connect lan", "start", "kill 15", "disconnect bridge", "disconnect lan"];
  assertEquals(await told("/v1.50", Id), [...life, "die", "stop"]);
  assertEquals(await told("/libpod", Id), ["create", "connect lan", "init", "start", "stop", "died", "cleanup"]);
  const lone = ["create", "connect none", "start", "kill 9", "disconnect none", "die"];
  assertEquals(await told("/v1.50", alone), lone);
  const networks: { Id: string; Name: string; Driver: string }[] = await (await test.send("GET", "/v1.50/networks"))
    .json();
  for (const { Id: network, Name: name, Driver: type } of networks.filter(({ Name }) => Name !== "host")) {
    const container = name === "none" ? alone : Id;
    const [joined] = await events("/v1.50", { network: [name], event: ["connect"] });
    assertEquals(joined?.Actor, { ID: network, Attributes: { container, name, type } });
  }
});
