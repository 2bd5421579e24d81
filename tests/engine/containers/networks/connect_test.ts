import { assert, assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../../lib/engine/errors.ts";
import type { ContainerSpec } from "../../../../lib/engine/records/container_record.ts";
import { type FakeEngine, openFake, spec } from "../../../fixtures/engine/fake_engine.ts";
import { FakeKernel } from "../../../fixtures/engine/fake_kernel.ts";
import { MemoryStore } from "../../../../lib/platform/storage/memory_store.ts";

const LAN = "10.9.1.0/24";

async function openWorld(options: Parameters<typeof openFake>[0] = {}): Promise<FakeEngine> {
  const engine = await openFake(options);
  await engine.networks.create({ name: "lan", subnets: [{ subnet: LAN }], dns: true });
  return engine;
}

async function runContainer({ containers }: FakeEngine, options: Partial<ContainerSpec> = {}): Promise<string> {
  const { record } = await containers.create(spec({ name: "c", ...options }));
  await containers.start("c");
  return record.id;
}

/** The networks that the host has a container in. */
function connectedTo({ kernel }: FakeEngine, id: string): string[] {
  return kernel.connected.get(id)?.attachments.map(({ network }) => network.name) ?? [];
}

Deno.test("connect() of a running container leases an address and connects at once; disconnect() gives it back", async () => {
  await using engine = await openWorld();
  const id = await runContainer(engine);
  const { networks } = engine.containers;
  await networks.connect("lan", "c", { aliases: ["db"], staticIPs: ["10.9.1.7"], mac: "02:00:00:00:00:09" });
  const record = engine.containers.resolve("c");
  assertEquals(record.networks.lan, {
    aliases: ["db", id.slice(0, 12)],
    staticIPs: ["10.9.1.7"],
    mac: "02:00:00:00:00:09",
    interfaceName: "eth1",
    routePlace: 1,
  });
  assertEquals(Object.keys(record.state.network?.interfaces ?? {}), ["podman", "lan"]);
  assertEquals(connectedTo(engine, id), ["podman", "lan"]);
  await assertRejects(
    () => networks.connect("lan", "c"),
    EngineError,
    'container c is already connected to network "lan": network is already connected',
  );
  await networks.disconnect("podman", "c");
  assertEquals(connectedTo(engine, id), ["lan"]);
  assertEquals(Object.keys(engine.containers.resolve("c").networks), ["lan"]);
  await assertRejects(
    () => networks.disconnect("podman", "c"),
    EngineError,
    "container c is not connected to network podman",
  );
  // Another container may have the address that was given back.
  await networks.disconnect("lan", "c");
  await engine.containers.create(spec({ name: "next", networks: { lan: { staticIPs: ["10.9.1.7"] } } }));
  await engine.containers.start("next");
  assertEquals(engine.core.intents.open().length, 0);
  const events = (await engine.events()).filter(({ type, notFor }) => type === "network" && notFor !== "podman");
  assertEquals(events.map(({ action, name }) => [action, name]), [
    ["create", "lan"],
    ["connect", "lan"],
    ["disconnect", "podman"],
    ["disconnect", "lan"],
  ]);
});

Deno.test("connect() of a stopped container counts from its next start on", async () => {
  await using engine = await openWorld();
  const { record } = await engine.containers.create(spec({ name: "c" }));
  await engine.containers.networks.connect("lan", "c", { staticIPs: ["10.9.1.8"], interfaceName: "lan0" });
  assertEquals(connectedTo(engine, record.id), []);
  await engine.containers.start("c");
  assertEquals(connectedTo(engine, record.id), ["podman", "lan"]);
  const { interfaces } = engine.containers.resolve("c").state.network!;
  assertEquals([interfaces.lan.name, interfaces.lan.addresses[0].address], ["lan0", "10.9.1.8"]);
  await engine.containers.stop("c");
  await engine.containers.networks.disconnect("lan", "c");
  await engine.containers.start("c");
  assertEquals(connectedTo(engine, record.id), ["podman"]);
});

Deno.test("connect() refuses what cannot be, and leaves a container as it was when the host fails", async () => {
  let fail = false;
  await using engine = await openWorld({
    hook: (operation, _, when) => {
      if (fail && operation === "networks.setup" && when === "before") throw new Error("no such bridge");
    },
  });
  const id = await runContainer(engine);
  const { networks } = engine.containers;
  const before = engine.containers.resolve("c");
  const refused: [() => Promise<unknown>, string][] = [
    [() => networks.connect("nowhere", "c"), "unable to find network with name or ID nowhere: network not found"],
    [() => networks.connect("lan", "nobody"), "no such container"],
    [() => networks.connect("lan", "c", { staticIPs: ["192.0.2.1"] }), "not in any subnet on network lan"],
    [() => networks.connect("lan", "c", { mac: "zz" }), "invalid MAC address"],
    [() => networks.connect("lan", "c", { aliases: ["a b"] }), 'invalid network alias "a b"'],
    [() => networks.connect("lan", "c", { interfaceName: "eth0" }), "interface eth0 is already used"],
  ];
  for (const [call, text] of refused) await assertRejects(call, EngineError, text);
  fail = true;
  await assertRejects(() => networks.connect("lan", "c"), Error, "no such bridge");
  fail = false;
  assertEquals(engine.containers.resolve("c"), before);
  assertEquals([connectedTo(engine, id), engine.core.intents.open().length], [["podman"], 0]);
  await engine.containers.create(
    spec({ name: "host", namespaces: { ...spec().namespaces, network: { mode: "host" } } }),
  );
  const error = await assertRejects(() => networks.connect("lan", "host"), EngineError);
  assertEquals([error.message, error.code], ['"host" is not supported: invalid network mode', "state"]);
});

Deno.test("published ports lead to the first network with a way out, and follow when that one goes", async () => {
  const published: string[] = [];
  await using engine = await openWorld({
    hook: (operation, id, when) => void (operation === "networks.publish" && when === "after" && published.push(id)),
  });
  const ports = [{ hostIP: "", hostPort: 8080, containerPort: 80, protocol: "tcp" as const, range: 1 }];
  const id = await runContainer(engine, { ports });
  await engine.containers.networks.connect("lan", "c");
  assertEquals(published, [], "they stay where they are");
  await engine.containers.networks.disconnect("podman", "c");
  assertEquals(published, [id]);
});

Deno.test("a connection that is cut short is undone by the next engine, whichever moment it is cut at", async () => {
  for (const moment of ["before", "after"] as const) {
    for (const verb of ["connect", "disconnect"] as const) {
      const kernel = new FakeKernel();
      const store = new MemoryStore();
      let dead = false;
      const reached = Promise.withResolvers<void>();
      const first = await openWorld({
        kernel,
        store,
        hook: (operation, _, when) => {
          if (!dead || !/^networks\.(setup|teardown)$/.test(operation) || when !== moment) return;
          reached.resolve();
          // The engine never goes on.
          return new Promise(() => {});
        },
      });
      const id = await runContainer(first);
      if (verb === "disconnect") await first.containers.networks.connect("lan", "c");
      dead = true;
      void first.containers.networks[verb]("lan", "c");
      await reached.promise;
      await first.host.close();
      await using second = await openFake({ kernel, store });
      const record = second.containers.resolve("c");
      assertEquals(
        [connectedTo(second, id), Object.keys(record.networks)],
        [["podman"], ["podman"]],
        `${verb} ${moment}`,
      );
      assertEquals(Object.keys(record.state.network?.interfaces ?? {}), ["podman"]);
      assertEquals(second.core.intents.open().length, 0);
      await second.containers.networks.connect("lan", "c", { staticIPs: ["10.9.1.2"] });
    }
  }
});

Deno.test("ContainerNetworks.remove() refuses a network in use, and takes its containers along by force", async () => {
  await using engine = await openWorld();
  await runContainer(engine, { networks: { lan: {} } });
  const { networks } = engine.containers;
  const error = await assertRejects(() => networks.remove("lan"), EngineError);
  assertEquals(error.code, "in_use");
  assertEquals(
    error.message,
    '"lan" has associated containers with it. Use -f to forcibly delete containers and pods: network is being used',
  );
  await assertRejects(() => networks.remove("podman"), EngineError, "default network podman cannot be removed");
  await networks.remove("lan", { force: true });
  assertEquals([engine.containers.exists("c"), engine.networks.exists("lan")], [false, false]);
  await assertRejects(() => networks.remove("lan"), EngineError, "network not found");
});

Deno.test("a network is not removed under a container that is being made in it", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  await using engine = await openWorld({
    hook: (operation, _, when) => {
      if (operation !== "layers.create" || when !== "before") return;
      reached.resolve();
      return promise;
    },
  });
  const made = engine.containers.create(spec({ networks: { lan: {} } }));
  await reached.promise;
  await assertRejects(() => engine.containers.networks.remove("lan"), EngineError, "network is being used");
  resolve();
  assertEquals(Object.keys((await made).record.networks), ["lan"]);
});

Deno.test("ContainerNetworks.list() and prune() go by filters and use", async () => {
  await using engine = await openWorld();
  await runContainer(engine, { networks: { lan: {} } });
  const { networks } = engine.containers;
  await engine.networks.create({ name: "blue", labels: { color: "blue", team: "a" } });
  await engine.networks.create({ name: "red", labels: { color: "red" } });
  const names = async (filters: Record<string, string[]>) => (await networks.list(filters)).map(({ name }) => name);
  assertEquals(await names({}), ["blue", "lan", "podman", "red"]);
  const rows: [Record<string, string[]>, string[]][] = [
    [{ name: ["l"] }, ["blue", "lan"]],
    [{ name: ["^l", "red"] }, ["lan", "red"]],
    [{ label: ["color"] }, ["blue", "red"]],
    [{ label: ["color", "team=a"] }, ["blue"]],
    [{ "label!": ["color=red"] }, ["blue", "lan", "podman"]],
    [{ driver: ["macvlan"] }, []],
    [{ driver: ["bridge"], name: ["lan"] }, ["lan"]],
    [{ id: [engine.networks.resolve("red").id.slice(0, 8)] }, ["red"]],
    [{ dangling: ["true"] }, ["blue", "red"]],
    [{ dangling: ["false"] }, ["lan", "podman"]],
    [{ until: ["1"] }, []],
  ];
  for (const [filters, expected] of rows) assertEquals(await names(filters), expected, JSON.stringify(filters));
  const bad: [Record<string, string[]>, string][] = [
    [{ color: ["red"] }, 'invalid filter "color"'],
    [{ constructor: ["red"] }, 'invalid filter "constructor"'],
    [{ dangling: ["perhaps"] }, 'invalid dangling filter value "perhaps"'],
    [{ until: ["soon"] }, 'failed to parse value as time or duration: "soon"'],
    [{ until: ["1", "2"] }, "specify exactly one timestamp"],
  ];
  for (const [filters, text] of bad) await assertRejects(() => networks.list(filters), EngineError, text);
  await assertRejects(() => networks.prune({ name: ["lan"] }), EngineError, 'invalid filter "name"');
  assertEquals(await networks.prune({ label: ["color=red"] }), [{ name: "red" }]);
  assertEquals(await networks.prune(), [{ name: "blue" }]);
  assertEquals(await names({}), ["lan", "podman"]);
  assert(engine.networks.exists("lan"));
});
