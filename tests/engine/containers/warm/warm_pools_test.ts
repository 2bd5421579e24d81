import { assert, assertEquals, assertRejects } from "@std/assert";
import type { ContainerRecord, ContainerSpec } from "../../../../lib/engine/records/container_record.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { WAITING_LABEL, WARM_LABEL } from "../../../../lib/engine/containers/warm/warm_request.ts";
import { type FakeEngine, openFake, spec } from "../../../fixtures/engine/fake_engine.ts";
import { FakeKernel } from "../../../fixtures/engine/fake_kernel.ts";
import { MemoryStore } from "../../../../lib/platform/storage/memory_store.ts";
import { untilTrue } from "../../../fixtures/until_true.ts";

const none: Partial<ContainerSpec> = { namespaces: { ...spec().namespaces, network: { mode: "none" } } };

/** A request for a container like which `count` are to wait. */
function warm(count: number | string, options: Partial<ContainerSpec> = {}): ContainerSpec {
  return spec({ ...none, labels: { [WARM_LABEL]: String(count), mine: "yes" }, ...options });
}

/** The containers that wait. */
function waitingIn({ containers }: FakeEngine): ContainerRecord[] {
  return containers.list({ all: true }).filter(({ spec: { labels } }) => Object.hasOwn(labels, WAITING_LABEL));
}

/** Makes a container by a request and lets those be made that are to wait. */
async function create({ containers }: FakeEngine, request: ContainerSpec): Promise<ContainerRecord> {
  const { record, warnings } = await containers.create(request);
  assertEquals(warnings, []);
  await containers.settled();
  return record;
}

Deno.test("a request like an earlier one gets a container that waits, by its own name, and another takes its place", async () => {
  await using engine = await openFake();
  const first = await create(engine, warm(2, { name: "first", createCommand: ["run", "--name=first"] }));
  assertEquals(first.state.status, "created");
  const waiting = waitingIn(engine);
  assertEquals(waiting.map(({ state }) => state.status), ["initialized", "initialized"]);
  for (const { spec: { labels } } of waiting) {
    assertEquals(labels, { vendor: "us", [WARM_LABEL]: "2", [WAITING_LABEL]: "true" }, "none of the request's own");
  }
  const second = await create(engine, warm(2, { name: "second", createCommand: ["run", "--name=second"] }));
  assert(waiting.some(({ id }) => id === second.id));
  assertEquals([second.name, second.state.status], ["second", "initialized"]);
  assertEquals(second.spec.labels, { vendor: "us", [WARM_LABEL]: "2", mine: "yes" });
  assertEquals(second.spec.createCommand, ["run", "--name=second"]);
  assertEquals(waitingIn(engine).length, 2);
  assertEquals(engine.containers.resolve("second").id, second.id);
  await engine.containers.start("second");
  assertEquals(engine.containers.resolve("second").state.status, "running");
  const told = (await engine.events()).filter(({ id }) => id === second.id).map(({ action, name }) =>
    `${action} ${name}`
  );
  const before = `warm-${second.id.slice(0, 12)}`;
  assertEquals(told, [`create ${before}`, `init ${before}`, "create second", "start second"]);
});

Deno.test("no container that waits is given twice, and those that come too early get one of their own", async () => {
  await using engine = await openFake();
  await create(engine, warm(3));
  const waiting = new Set(waitingIn(engine).map(({ id }) => id));
  const made = await Promise.all(Array.from({ length: 8 }, () => engine.containers.create(warm(3))));
  const ids = made.map(({ record }) => record.id);
  assertEquals(new Set(ids).size, 8);
  assertEquals(ids.filter((id) => waiting.has(id)).length, 3);
  await engine.containers.settled();
  assertEquals(waitingIn(engine).length, 3);
  assertEquals(waitingIn(engine).filter(({ id }) => ids.includes(id)), []);
});

Deno.test("requests that differ in more than the name wait apart, and so many wait in all", async () => {
  await using engine = await openFake();
  await create(engine, warm(16, { command: ["one"] }));
  await create(engine, warm(16, { command: ["two"] }));
  assertEquals(waitingIn(engine).length, 32);
  // The kind that was asked for the longest ago makes room.
  await create(engine, warm(4, { command: ["three"] }));
  const commands = Map.groupBy(waitingIn(engine), ({ process }) => process.args.join(" "));
  assertEquals([...commands].map(([command, { length }]) => `${length} ${command}`).sort(), ["16 two", "4 three"]);
});

Deno.test("a name that is taken is told, and the container goes on waiting", async () => {
  await using engine = await openFake();
  await create(engine, warm(1, { name: "mine" }));
  const [{ id }] = waitingIn(engine);
  const error = await assertRejects(() => engine.containers.create(warm(1, { name: "mine" })), EngineError);
  assertEquals(error.code, "name_in_use");
  assertEquals((await create(engine, warm(1, { name: "other" }))).id, id);
});

Deno.test("a container that waits cannot be used; removed or changed by somebody, it ends the others", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const ends = [
    (id: string) => containers.remove(id),
    (id: string) => containers.stop(id),
    (id: string) => containers.rename(id, "kept"),
  ];
  for (const end of ends) {
    await create(engine, warm(3));
    const [{ id }] = waitingIn(engine);
    const uses = [
      () => containers.start(id),
      () => containers.attach(id, { stdin: true, stdout: true, stderr: true }),
      () => containers.resize(id, { height: 24, width: 80 }),
      () => containers.files.mount(id),
      () => containers.files.write(id, "/", new Blob([new Uint8Array(1024)]).stream()),
    ];
    for (const use of uses) {
      const error = await assertRejects(use, EngineError, "waits for a create request like its own");
      assertEquals(error.code, "state");
    }
    assertEquals(waitingIn(engine).length, 3);
    await end(id);
    await containers.settled();
    assertEquals(waitingIn(engine), []);
  }
  assertEquals(containers.list({ all: true }).length, ends.length);
});

Deno.test("none waits any more when no request came for ten minutes, and after the engine's end", async () => {
  const kernel = new FakeKernel();
  const store = new MemoryStore();
  await using engine = await openFake({ kernel, store });
  await create(engine, warm(2));
  assertEquals(waitingIn(engine).length, 2);
  kernel.pass(11 * 60_000);
  await untilTrue(() => waitingIn(engine).length === 0);
  const { id } = await create(engine, warm(2));
  assertEquals(waitingIn(engine).length, 2);
  // While another is made.
  await engine.containers.create(warm(2));
  await engine.containers.close();
  assertEquals(waitingIn(engine), []);
  assert(engine.containers.exists(id));
  await engine.containers.create(warm(2));
  await engine.containers.settled();
  assertEquals(waitingIn(engine), [], "an engine that closes keeps none");
});

Deno.test("what waited when the engine was killed is removed by its next run, and nothing else", async () => {
  const kernel = new FakeKernel();
  const store = new MemoryStore();
  const first = await openFake({ kernel, store });
  const { id } = await create(first, warm(2));
  const taken = await create(first, warm(2));
  const waiting = waitingIn(first).map((record) => record.id);
  assertEquals(waiting.length, 2);
  await using second = await openFake({ kernel, store });
  assertEquals(second.containers.list({ all: true }).map((record) => record.id).sort(), [id, taken.id].sort());
  assertEquals(waiting.filter((gone) => kernel.layers.has(gone) || kernel.processes.has(gone)), []);
});

Deno.test("where no container can wait, a warning says why", async () => {
  await using engine = await openFake();
  const { containers, networks } = engine;
  const other = await create(engine, spec({ name: "other" }));
  await networks.create({ name: "named", dns: true });
  const bridge = { ...spec().namespaces, network: { mode: "bridge" as const } };
  const port = { hostIP: "", hostPort: 0, containerPort: 80, protocol: "tcp" as const, range: 1 };
  const place = { destination: "/data", options: [] };
  const bind = { ...place, type: "bind" as const, source: "/srv" };
  const volume = { ...place, type: "volume" as const, source: "named" };
  const cases: [Partial<ContainerSpec>, string][] = [
    [{ namespaces: { ...spec().namespaces, network: { mode: "container", value: other.id } } }, "it goes with others"],
    [{ namespaces: bridge, ports: [port] }, "it publishes ports"],
    [{ namespaces: bridge, networks: { named: {} } }, 'network "named" tells others its name'],
    [
      { namespaces: bridge, networks: { podman: { aliases: ["other"] } } },
      "it has addresses or names of its own",
    ],
    [{ privileged: true }, "it is privileged, and told its name"],
    [{ volumesFrom: [other.id] }, "it goes with others"],
    [{ timeout: 30 }, "its time would run while it waits"],
    [{ links: [`${other.id}:db`] }, "it goes with others"],
    [{ mounts: [bind] }, "it mounts files that others may change"],
    [{ mounts: [volume] }, "it mounts files that others may change"],
    [{ conmonPidFile: "/run/pid" }, "a file of the host tells of it"],
  ];
  for (const [options, why] of cases) {
    const { warnings } = await containers.create(warm(1, options));
    assertEquals(warnings, [`No containers wait for requests like this one: ${why}`]);
  }
  await containers.settled();
  assertEquals(waitingIn(engine), []);
});

Deno.test("a label that says no number from 1 to 16 is refused, and so is the one of those that wait", async () => {
  await using engine = await openFake();
  for (const text of ["", "0", "17", "100", "two", "-1", "1.5"]) {
    const error = await assertRejects(() => engine.containers.create(warm(text)), EngineError);
    assertEquals(error.message, `label "io.gantry.warm": "${text}" is no number of containers from 1 to 16`);
    assertEquals(error.code, "invalid");
  }
  const own = spec({ labels: { [WAITING_LABEL]: "true" } });
  await assertRejects(() => engine.containers.create(own), EngineError, `label "${WAITING_LABEL}" is the engine's own`);
  assertEquals(engine.containers.list({ all: true }), []);
});
