import { assert, assertEquals, assertInstanceOf, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { PodStore } from "../../../lib/engine/pods/pod_store.ts";
import { VolumeStore } from "../../../lib/engine/volumes/volume_store.ts";
import { assertConsistent } from "../../fixtures/engine/fake_check.ts";
import { MemoryStore } from "../../../lib/platform/storage/memory_store.ts";
import { type FakeEngine, hookedStore, openFake, spec } from "../../fixtures/engine/fake_engine.ts";
import { started } from "../../fixtures/engine/started.ts";
import { untilTrue } from "../../fixtures/until_true.ts";

async function actions(engine: FakeEngine, id: string): Promise<string[]> {
  return (await engine.events()).filter((event) => event.id === id && event.notFor !== "podman").map(({ action }) =>
    action
  );
}

Deno.test("Containers.start() runs a container on its own address, and ends it in Podman's order of events", async () => {
  await using engine = await openFake();
  const { containers, kernel } = engine;
  const id = await started(engine, { name: "one", labels: { a: "b" }, command: ["serve"] });
  const { state, networks } = containers.resolve(id);
  assertEquals(networks.podman.staticIPs, ["10.87.0.2"]);
  assertEquals(state.network?.interfaces.podman.addresses, [{ address: "10.87.0.2", prefix: 24 }]);
  assert(state.pid > 0 && state.conmonPid > 0 && state.startedAt > 0);
  await containers.stop(id);
  await containers.settled();
  const after = containers.resolve(id).state;
  assertEquals([after.status, after.exitCode, after.pid, after.network], ["exited", 143, 0, undefined]);
  await containers.remove(id);
  const expected = ["create", "init", "start", "stop", "died", "cleanup", "remove"];
  assertEquals(await actions(engine, id), expected);
  const died = (await engine.events()).find(({ action }) => action === "died");
  assertEquals(died?.exitCode, 143);
  const image = "docker.io/library/tiny:latest";
  assertEquals(died?.attributes, { vendor: "us", a: "b", image, name: "one", containerExitCode: "143" });
  assertEquals(kernel.logs.size, 0);
});

Deno.test("Containers.start() of what cannot be run keeps the runtime's words and the shell's exit code", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  for (
    const [program, code, exitCode] of [["missing", "command_not_found", 127], [
      "locked",
      "command_not_executable",
      126,
    ]]
  ) {
    const { record: { id } } = await containers.create(spec({ command: [String(program)] }));
    const error = await assertRejects(() => containers.start(id), EngineError);
    assertEquals(error.code, code);
    const { state } = containers.resolve(id);
    assertEquals([state.status, state.exitCode, state.error], ["created", exitCode, error.message]);
    assertEquals(await containers.wait(id), exitCode);
  }
  await containers.settled();
  await assertConsistent(engine);
});

Deno.test("Containers.start() undoes everything wherever the host fails, and works afterwards", async () => {
  const steps = ["layers.mount", "networks.createNamespace", "networks.setup", "processes.create", "processes.start"];
  let broken = "";
  const hook = (operation: string) => {
    if (operation === broken) throw new EngineError("internal", `broken ${operation}`);
  };
  await using engine = await openFake({ hook });
  const { containers } = engine;
  const { record: { id } } = await containers.create(spec());
  for (const step of [...steps, "networks.checkPorts"].slice(0, steps.length)) {
    broken = step;
    await assertRejects(() => containers.start(id), EngineError, `broken ${step}`);
    broken = "";
    await containers.settled();
    await assertConsistent(engine);
    assertEquals(containers.resolve(id).state.error, `broken ${step}`);
  }
  await containers.start(id);
  assertEquals(containers.resolve(id).state.error, "");
  await assertConsistent(engine);
});

Deno.test("Containers.stop() holds no lock while it waits", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const id = await started(engine, { command: ["stubborn"] });
  const stop = containers.stop(id, { timeout: 1000 });
  const impatient = containers.stop(id, { timeout: 1000 });
  while (containers.resolve(id).state.status !== "stopping") await Promise.resolve();
  assertEquals(containers.list().length, 0);
  assertEquals(await containers.wait(id, ["stopping"]), -1);
  await containers.kill(id, { signal: "USR1" });
  await containers.kill(id, { signal: 9 });
  await Promise.all([stop, impatient]);
  assertEquals(containers.resolve(id).state.exitCode, 137);
});

Deno.test("Containers.start() fills no volume that is mounted with nocopy", async () => {
  await using engine = await openFake();
  const mounted = (options: string[]) => {
    return started(engine, { mounts: [{ type: "volume", source: "v", destination: "/v", options }] });
  };
  await mounted(["nocopy"]);
  assertEquals(engine.volumes.resolve("v").needsCopyUp, true);
  await mounted([]);
  assertEquals(engine.volumes.resolve("v").needsCopyUp, false);
});

Deno.test("Containers.stop() sends the signal it is asked to", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const id = await started(engine);
  await assertRejects(() => containers.stop(id, { signal: "SIGNONSENSE" }), EngineError, "invalid signal: SIGNONSENSE");
  assertEquals(containers.resolve(id).state.status, "running");
  await containers.stop(id, { signal: "SIGINT" });
  assertEquals(containers.resolve(id).state.exitCode, 130);
});

Deno.test("Containers.kill() says what state it found, in Podman's words", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const { record: { id } } = await containers.create(spec({ command: ["exit", "0"] }));
  await containers.start(id);
  await containers.wait(id);
  const error = await assertRejects(() => containers.kill(id), EngineError);
  const text = `can only kill running containers. ${id} is in state exited: container state improper`;
  assertEquals([error.code, error.message, error.sentinel], ["state", text, "container state improper"]);
  await assertRejects(() => containers.kill(id, { signal: "SIGNONSENSE" }), EngineError, "invalid signal: SIGNONSENSE");
});

Deno.test("Containers.remove() says why it will not, and does it when forced", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const id = await started(engine);
  const error = await assertRejects(() => containers.remove(id), EngineError);
  const reason = "running or paused containers cannot be removed without force: container state improper";
  assertEquals(error.message, `cannot remove container ${id} as it is running - ${reason}`);
  await containers.pause(id);
  assertEquals(await containers.remove(id, { force: true }), [{ id }]);
  await assertRejects(
    () => containers.remove(id),
    EngineError,
    `no container with name or ID "${id}" found: no such container`,
  );
  assertEquals(await containers.remove(id, { ignore: true }), []);
  const other = await started(engine, { command: ["stubborn"] });
  const reports = await Promise.all([1, 2, 3].map(() => containers.remove(other, { force: true, timeout: 0 })));
  assertEquals(reports, [[{ id: other }], [{ id: other }], [{ id: other }]]);
  await containers.settled();
  await assertConsistent(engine);
});

Deno.test("Containers restart by their policy, as often as it says, and not against the user", async () => {
  await using engine = await openFake();
  const { containers, kernel } = engine;
  const failing = await started(engine, { command: ["exit", "1"], restartPolicy: { name: "on-failure", retries: 2 } });
  await untilTrue(() => containers.resolve(failing).state.restartCount >= 2);
  await containers.settled();
  assertEquals(containers.resolve(failing).state.status, "exited");
  assertEquals((await actions(engine, failing)).filter((action) => action === "restart").length, 2);
  const steady = await started(engine, { restartPolicy: { name: "always" } });
  kernel.end(steady, 0);
  await containers.wait(steady, ["next-exit"]);
  await containers.wait(steady, ["running"]);
  await containers.stop(steady);
  await containers.settled();
  assertEquals(containers.resolve(steady).state.status, "exited");
  await assertConsistent(engine);
});

Deno.test("Containers.restart() brings back what is removed at its end", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const id = await started(engine, { remove: true });
  const { pid } = containers.resolve(id).state;
  await containers.restart(id);
  assertEquals(containers.resolve(id).state.status, "running");
  assertNotEquals(containers.resolve(id).state.pid, pid);
  await containers.stop(id);
  assertEquals(containers.exists(id), false);
});

Deno.test("Containers.rename() moves the name, and nobody else's", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const { record: { id } } = await containers.create(spec({ name: "old" }));
  await containers.create(spec({ name: "other" }));
  const error = await assertRejects(() => containers.rename("old", "other"), EngineError);
  assertEquals([error.code, error.message], ["name_in_use", 'name "other" is in use: container already exists']);
  await assertRejects(() => containers.rename("old", "a b"), EngineError, "names must match");
  await containers.rename("old", "/new");
  assertEquals(containers.resolve("new").id, id);
  assertEquals([containers.exists("old"), containers.exists("new")], [false, true]);
  await containers.rename("new", "new");
  await containers.create(spec({ name: "old" }));
});

Deno.test("Containers.resolve() finds by name, ID and prefix", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const ids: string[] = [];
  for (let i = 0; i < 40; i++) ids.push((await containers.create(spec({ name: `c${i}` }))).record.id);
  assertEquals(containers.resolve("c7").id, ids[7]);
  assertEquals(containers.resolve(ids[7].slice(0, 12)).id, ids[7]);
  const shared = ids.map((id) => id[0]).find((digit, i, all) => all.indexOf(digit) !== i) ?? "";
  const error = thrown(() => containers.resolve(shared));
  assertEquals(error.message, `more than one result for container "${shared}": container already exists`);
  assertEquals([error.code, containers.exists(shared)], ["ambiguous", true]);
  assertThrows(() => containers.resolve(""), EngineError, "name or ID cannot be empty");
  assertEquals(containers.exists("nobody"), false);
});

Deno.test("Containers without a kernel say so", async () => {
  await using engine = await openFake();
  const { record: { id } } = await engine.containers.create(spec());
  const core = { ...engine.core, host: { unavailable: "no kernel here" } };
  const { Containers } = await import("../../../lib/engine/containers/containers.ts");
  const ports = { ...engine.core.ports, host: core.host };
  const containers = new Containers(
    { ...core, ports },
    engine.networks,
    new VolumeStore(core),
    engine.secrets,
    new PodStore(core),
  );
  await containers.recover();
  assertEquals(containers.resolve(id).id, id);
  for (
    const operation of [() => containers.start(id), () => containers.create(spec()), () => containers.kill("nobody")]
  ) {
    const error = await assertRejects(operation, EngineError, "no kernel here");
    assertEquals(error.code, "unsupported");
  }
});

function thrown(act: () => unknown): EngineError {
  try {
    act();
  } catch (error) {
    assertInstanceOf(error, EngineError);
    return error;
  }
  throw new Error("Nothing was thrown");
}

Deno.test("an end that cannot be recorded is recorded when the disk has room again", async () => {
  let full = false;
  let refused = 0;
  const store = hookedStore(new MemoryStore(), (when) => {
    if (!full || when === "after") return;
    refused++;
    throw new Error("database or disk is full");
  });
  await using engine = await openFake({ store });
  const { containers, kernel } = engine;
  const id = await started(engine);
  full = true;
  kernel.end(id, 3);
  await untilTrue(() => refused >= 3);
  assertEquals(containers.resolve(id).state.status, "running");
  full = false;
  assertEquals(await containers.wait(id), 3);
  assert(engine.complaints.some((text) => text.includes(`Record the end of container ${id}`)));
});
