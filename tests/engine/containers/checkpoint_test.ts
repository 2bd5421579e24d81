import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { configDump, dumpedRecord } from "../../../lib/engine/containers/checkpoint/config_dump.ts";
import { openFake, seeded, spec } from "../../fixtures/engine/fake_engine.ts";
import { until } from "../../fixtures/session.ts";

Deno.test("a checkpoint ends its container as if a user had; a restore goes on with it", async () => {
  await using fake = await openFake();
  const { containers, kernel } = fake;
  const { record: { id } } = await containers.create(spec({ restartPolicy: { name: "always" } }));
  await assertRejects(() => containers.checkpoints.checkpoint(id), EngineError, "is not running, cannot checkpoint");
  await containers.start(id);
  await containers.checkpoints.checkpoint(id);
  await until(() => Promise.resolve(assertEquals(containers.resolve(id).state.status, "exited")));
  const { state } = containers.resolve(id);
  assertEquals([state.stoppedByUser, typeof state.checkpointedAt], [true, "number"]);
  await containers.checkpoints.restore(id);
  const restored = containers.resolve(id).state;
  assertEquals([restored.status, restored.checkpointedAt, restored.stoppedByUser], ["running", undefined, false]);
  assertEquals(kernel.processes.get(id)?.status, "running");
  await assertRejects(() => containers.checkpoints.restore(id), EngineError, "is running or paused, cannot restore");
  await containers.stop(id, { timeout: 0 });
  await assertRejects(() => containers.checkpoints.restore(id), EngineError, "complete checkpoint");
  const actions = (await fake.events()).map(({ action }) => action);
  assertEquals(actions.filter((action) => /checkpoint|restore/.test(action)), ["checkpoint", "restore"]);
});

Deno.test("a container that cannot be frozen is as it was; one that cannot be restored keeps its checkpoint", async () => {
  let broken = "";
  await using fake = await openFake({
    hook: (operation, _, when) => {
      if (operation === broken && when === "before") throw new EngineError("internal", "criu failed: frozen solid");
    },
  });
  const { containers } = fake;
  const { record: { id } } = await containers.create(spec());
  await containers.start(id);
  const before = containers.resolve(id);
  broken = "checkpoints.dump";
  await assertRejects(() => containers.checkpoints.checkpoint(id), EngineError, "frozen solid");
  assertEquals(containers.resolve(id), before);
  broken = "";
  await containers.checkpoints.checkpoint(id);
  await until(() => Promise.resolve(assertEquals(containers.resolve(id).state.status, "exited")));
  broken = "processes.create";
  await assertRejects(() => containers.checkpoints.restore(id), EngineError, "frozen solid");
  broken = "";
  await containers.checkpoints.restore(id);
  assertEquals(containers.resolve(id).state.status, "running");
});

Deno.test("what cannot be exported is refused before it is frozen, and an import that fails leaves nothing", async () => {
  let broken = "";
  await using fake = await openFake({
    hook: (operation) => {
      if (operation === broken) throw new EngineError("internal", "no room");
    },
  });
  const { containers, kernel } = fake;
  await containers.create(spec({ name: "gone", remove: true }));
  await containers.start("gone");
  await assertRejects(() => containers.checkpoints.checkpoint("gone"), EngineError, "unless '--export' is used");
  const other = { mode: "container" as const, value: "gone" };
  const { namespaces } = spec();
  await containers.create(spec({ name: "joined", namespaces: { ...namespaces, network: other } }));
  await containers.start("joined");
  const joined = () => containers.checkpoints.checkpoint("joined", { export: true });
  await assertRejects(joined, EngineError, "cannot export checkpoints of containers with dependencies");
  const { archive } = await containers.checkpoints.checkpoint("gone", { export: true, leaveRunning: true });
  const bytes = await new Response(archive).bytes();
  const options = { name: "copy", fetchImage: () => Promise.resolve() };
  const restore = () => containers.checkpoints.import(new Response(bytes).body!, options);
  broken = "processes.create";
  await assertRejects(restore, EngineError, "no room");
  assertEquals(containers.exists("copy"), false);
  broken = "";
  const { id } = await restore();
  assertEquals(containers.resolve("copy").id, id);
  assertEquals(kernel.processes.get(id)?.status, "running");
  const foreign = () => containers.checkpoints.import(new Response(new Uint8Array(1024)).body!, options);
  await assertRejects(foreign, EngineError, "the archive has no config.dump");
});

Deno.test("dumpedRecord() reads what configDump() wrote, and refuses everything else in words", async () => {
  await using fake = await openFake();
  const { record } = await fake.containers.create(
    spec({ rlimits: [{ type: "RLIMIT_CORE", soft: 1n, hard: 2n ** 64n - 1n }] }),
  );
  const text = configDump(record, "runc", 0);
  assertEquals(configDump(dumpedRecord(text), "runc", 0), text);
  assertEquals(dumpedRecord(text).spec.rlimits, record.spec.rlimits);
  const random = seeded(7);
  for (let round = 0; round < 500; round++) {
    const at = Math.floor(random() * text.length);
    const cut = Math.floor(random() * 40);
    const broken = `${text.slice(0, at)}${'{}[]",:0nul'[Math.floor(random() * 11)]}${text.slice(at + cut)}`;
    try {
      dumpedRecord(broken);
    } catch (error) {
      assertEquals(error instanceof EngineError && error.code, "invalid", `${error}: ${broken}`);
    }
  }
  const foreign = JSON.stringify({ id: record.id, name: "x" });
  for (const [odd, words] of [["{}", "another engine"], [foreign, "another engine"], ["null", "not JSON"]] as const) {
    await assertRejects(() => Promise.resolve().then(() => dumpedRecord(odd)), EngineError, words);
  }
});

Deno.test("dumpedRecord() reads the record of an earlier version, and refuses one of a later version", async () => {
  await using fake = await openFake();
  const { record } = await fake.containers.create(spec({ name: "old" }));
  const { gantryVersion, ...dump } = JSON.parse(configDump(record, "runc", 0));
  // Version 1 named none.
  const old = { ...record, spec: { ...record.spec, name: "old", image: "tiny", mounts: [], stopTimeout: 1 } };
  const first = dumpedRecord(JSON.stringify({ ...dump, gantryRecord: JSON.stringify(old) }));
  assertEquals(first, dumpedRecord(JSON.stringify({ ...dump, gantryVersion })));
  const odd = [[gantryVersion + 1, "unsupported"], [0, "invalid"], ["1", "invalid"], [null, "invalid"]] as const;
  for (const [version, code] of odd) {
    const text = JSON.stringify({ ...dump, gantryVersion: version });
    assertEquals(assertThrows(() => dumpedRecord(text), EngineError).code, code);
  }
});

Deno.test("dumpedRecord() takes mounts and ports of the form that a create request makes, and a bounded number", async () => {
  await using fake = await openFake();
  const { record } = await fake.containers.create(spec());
  const dumped = (changes: object) => configDump({ ...record, ...changes }, "runc", 0);
  const mount = { type: "bind", source: "/srv", destination: "/data", options: ["ro"] };
  const port = { hostIP: "", hostPort: 80, containerPort: 80, protocol: "tcp", range: 1 };
  assertEquals(dumpedRecord(dumped({ mounts: [mount], ports: [port] })).mounts.length, 1);
  const odd: [object, string][] = [
    [{ mounts: [null] }, "a mount"],
    [{ mounts: [{ ...mount, type: "proc" }] }, "a mount"],
    [{ mounts: [{ ...mount, destination: "data" }] }, "a mount"],
    [{ mounts: [{ ...mount, source: "/srv\0/x" }] }, "a mount"],
    [{ mounts: [{ ...mount, options: [1] }] }, "a mount"],
    [{ mounts: [{ ...mount, subPath: {} }] }, "a mount"],
    [{ mounts: [{ ...mount, type: "image" }] }, "a mount"],
    [{ mounts: Array(10_001).fill(mount) }, "more than 10000"],
    [{ ports: [{ ...port, hostPort: 70_000 }] }, "a port"],
    [{ ports: [{ ...port, protocol: "ip" }] }, "a port"],
    [{ ports: ["80"] }, "a port"],
  ];
  for (const [changes, words] of odd) {
    await assertRejects(() => Promise.resolve().then(() => dumpedRecord(dumped(changes))), EngineError, words);
  }
});

Deno.test("a container of a pod is exported, and restored into another pod that shares the same", async () => {
  await using fake = await openFake();
  const { containers, pods } = fake;
  const makePod = async (name: string, shared?: string[]) => (await pods.create({ name, shared })).record;
  const first = await makePod("first");
  await containers.create({ name: "box", image: "tiny", pod: "first" });
  await pods.start("first");
  const { archive } = await containers.checkpoints.checkpoint("box", { export: true });
  const bytes = await new Response(archive).bytes();
  const fetchImage = () => Promise.resolve();
  const restore = (name?: string, pod?: string, body = bytes) =>
    containers.checkpoints.import(new Response(body).body!, { name, pod, fetchImage });
  const second = await makePod("second");
  const { id } = await restore("copy", "second");
  const { spec: { pod, namespaces }, state } = containers.resolve(id);
  assertEquals([pod, state.status, containers.resolve(second.infraID).state.status], [second.id, "running", "running"]);
  assertEquals([namespaces.network.value, namespaces.ipc.value, namespaces.uts.value], Array(3).fill(second.infraID));
  await containers.remove("box", { force: true });
  await restore(undefined, "first");
  assertEquals(containers.resolve("box").spec.pod, first.id, "back into its own");
  const other = await makePod("other", ["ipc"]);
  const refusals: [Promise<unknown>, string][] = [
    [restore("x"), "cannot restore pod container without --pod"],
    [restore("x", "absent"), "no such pod"],
    [restore("x", "other"), `pod ${other.id} does not share the network namespace`],
  ];
  await containers.create(spec({ name: "alone" }));
  await containers.start("alone");
  const alone = await containers.checkpoints.checkpoint("alone", { export: true, leaveRunning: true });
  const aloneBytes = await new Response(alone.archive).bytes();
  refusals.push([restore("x", "first", aloneBytes), "cannot restore non pod container into pod"]);
  for (const [work, message] of refusals) await assertRejects(() => work, EngineError, message);
  assertEquals(containers.exists("x"), false);
});
