/** The part that networks have in containers: addresses, ports, and the namespaces of others. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { assertConsistent } from "../../fixtures/engine/fake_check.ts";
import { openFake, spec } from "../../fixtures/engine/fake_engine.ts";
import { started } from "../../fixtures/engine/started.ts";

const own = { mode: "private" as const };

Deno.test("Containers.start() refuses a port that is taken, and takes it once it is free", async () => {
  await using engine = await openFake();
  const { containers, kernel } = engine;
  const ports = [{ hostIP: "", hostPort: 8080, containerPort: 80, protocol: "tcp" as const, range: 1 }];
  const first = await started(engine, { ports });
  const { record: second } = await containers.create(spec({ ports }));
  const error = await assertRejects(() => containers.start(second.id), EngineError);
  assertEquals(error.code, "port_in_use");
  const words = "cannot listen on the TCP port: listen tcp4 :8080: bind: address already in use";
  assertEquals([error.message, error.sentinel], [words, "address already in use"]);
  assertEquals(containers.resolve(second.id).state.status, "created");
  await containers.remove(first, { force: true });
  await containers.start(second.id);
  await containers.stop(second.id);
  await containers.settled();
  kernel.foreignPorts.add(8080);
  await assertRejects(() => containers.start(second.id), EngineError, "address already in use");
  await containers.settled();
  await assertConsistent(engine);
});

Deno.test("Containers keep their address over a restart, and no two have the same", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const ids = await Promise.all(Array.from({ length: 20 }, () => started(engine)));
  const address = (id: string) => containers.resolve(id).networks.podman.staticIPs[0];
  assertEquals(new Set(ids.map(address)).size, 20);
  const before = address(ids[3]);
  await containers.restart(ids[3]);
  assertEquals(address(ids[3]), before);
  const taken = await containers.create(spec({ networks: { podman: { staticIPs: [before] } } }));
  await assertRejects(() => containers.start(taken.record.id), EngineError, "is already allocated to container ID");
  await containers.remove(ids[3], { force: true });
  await containers.settled();
  await containers.start(taken.record.id);
  assertEquals(address(taken.record.id), before);
  await assertConsistent(engine);
});

Deno.test("Containers that join another's namespaces need it, and keep it", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const { record: { id: base } } = await containers.create(spec({ name: "base" }));
  const network = { mode: "container" as const, value: "base" };
  const namespaces = { network, pid: own, ipc: own, uts: own, cgroup: own };
  const { record } = await containers.create(spec({ name: "guest", namespaces }));
  assertEquals(record.spec.namespaces.network.value, base);
  await assertRejects(() => containers.init("guest"), EngineError, "some dependencies of container");
  await containers.start("guest");
  assertEquals(containers.resolve("base").state.status, "running");
  assertEquals(containers.resolve("guest").state.network, containers.resolve("base").state.network);
  const error = await assertRejects(() => containers.remove("base", { force: true }), EngineError);
  assert(error.message.includes(`has dependent containers which must be removed before it: ${record.id}`));
  assertEquals(await containers.remove("base", { force: true, depend: true }), [{ id: record.id }, { id: base }]);
  await containers.settled();
  await assertConsistent(engine);
});
