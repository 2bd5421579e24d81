import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { requireHost } from "../../../lib/engine/core.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { AddressPool } from "../../../lib/engine/networks/address_pool.ts";
import { choosePlace } from "../../../lib/engine/networks/choose_place.ts";
import type { NetworkWish } from "../../../lib/engine/networks/create_network.ts";
import { DEFAULT_NETWORK, DEFAULT_NETWORK_ID } from "../../../lib/engine/networks/networks.ts";
import { SubnetSet } from "../../../lib/engine/text/subnet_set.ts";
import { hostCodec } from "../../../lib/platform/codec.ts";
import { openFake } from "../../fixtures/engine/fake_engine.ts";
import type { Hook } from "../../fixtures/engine/fake_host.ts";

const free = { interfaces: new Set<string>(), bridges: new Set<string>(), subnets: new SubnetSet() };
const random = (length: number) => new Uint8Array(length).fill(7);

Deno.test("Networks.ensureDefault() gives the default network the ID it has everywhere", async () => {
  const hash = hostCodec().hash();
  hash.update(new TextEncoder().encode(DEFAULT_NETWORK));
  assertEquals(await hash.digest(), `sha256:${DEFAULT_NETWORK_ID}`);
  await using engine = await openFake();
  const { id, subnets } = await engine.networks.ensureDefault();
  assertEquals(id, DEFAULT_NETWORK_ID);
  assertMatch(subnets[0].subnet, /\/22$/, "room for a bridge's worth of containers");
});

Deno.test("Networks.create() chooses what a request leaves open", async () => {
  await using engine = await openFake();
  const plain = await engine.networks.create({});
  assertEquals(plain.name, plain.interface);
  assertMatch(plain.subnets[0].subnet, /^10\.8\d\.\d+\.0\/24$/);
  assertEquals(plain.subnets[0].gateway, plain.subnets[0].subnet.replace(/0\/24$/, "1"));
  assertEquals([plain.driver, plain.internal, plain.dns, plain.ipv6, plain.labels], [
    "bridge",
    false,
    false,
    false,
    {},
  ]);
  const both = await engine.networks.create({ name: "both", ipv6: true, dns: true });
  assertEquals(both.subnets.length, 2);
  assertMatch(both.subnets[1].subnet, /^fd[0-9a-f]{2}:[0-9a-f:]+::\/64$/);
  assert(both.ipv6 && both.dns);
  const [, , inner] = await Promise.all(
    ["a", "b", "c"].map((name) => engine.networks.create({ name, internal: true })),
  );
  assertEquals(inner.subnets[0].gateway, undefined, "nothing needs an address of the bridge");
  const all = engine.networks.list();
  assertEquals(all.map(({ name }) => name), ["a", "b", "both", "c", plain.name].sort());
  assertEquals(new Set(all.flatMap(({ subnets }) => subnets.map(({ subnet }) => subnet))).size, 6, "no two are equal");
  assertEquals(new Set(all.map((network) => network.interface)).size, 5);
});

Deno.test("Networks.create() gives nobody the place of a network that is not gone from the host yet", async () => {
  const reached = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const hook: Hook = async (operation) => {
    if (operation !== "networks.remove") return;
    reached.resolve();
    await gone.promise;
  };
  await using engine = await openFake({ hook });
  const first = await engine.networks.create({ name: "first", interface: "br-first" });
  const removal = engine.networks.remove("first", () => {});
  await reached.promise;
  assertEquals(engine.networks.exists("first"), false);
  const second = await engine.networks.create({ name: "second" });
  assert(second.subnets[0].subnet !== first.subnets[0].subnet && second.interface !== first.interface);
  const same = { name: "third", subnets: [{ subnet: first.subnets[0].subnet }] };
  await assertRejects(() => engine.networks.create(same), EngineError, "subnet");
  gone.resolve();
  await removal;
  assertEquals((await engine.networks.create(same)).subnets[0].subnet, first.subnets[0].subnet);
});

Deno.test("Networks.create() keeps every field of a request, in canonical form", async () => {
  await using engine = await openFake();
  const { id: _, created: __, ...record } = await engine.networks.create({
    name: "full",
    interface: "br-full",
    subnets: [
      { subnet: "10.9.8.7/24", gateway: "10.9.8.254", leaseRange: { start: "10.9.8.10", end: "10.9.8.20" } },
      { subnet: "FD00:1::/64", leaseRange: { start: "fd00:1::0:9" } },
    ],
    routes: [{ destination: "192.0.2.0/24", gateway: "10.9.8.2", metric: 7 }, {
      destination: "198.51.100.0/24",
      type: "blackhole",
    }],
    dns: true,
    dnsServers: ["9.9.9.9", "2620:fe::0fe"],
    labels: { team: "a" },
    options: { mtu: "1400", isolate: "1", metric: "5", vlan: "", no_default_route: "t" },
  });
  assertEquals(record, {
    name: "full",
    driver: "bridge",
    interface: "br-full",
    subnets: [
      { subnet: "10.9.8.0/24", gateway: "10.9.8.254", leaseRange: { start: "10.9.8.10", end: "10.9.8.20" } },
      { subnet: "fd00:1::/64", gateway: "fd00:1::1", leaseRange: { start: "fd00:1::9" } },
    ],
    routes: [{ destination: "192.0.2.0/24", gateway: "10.9.8.2", metric: 7 }, {
      destination: "198.51.100.0/24",
      type: "blackhole",
    }],
    ipv6: true,
    internal: false,
    dns: true,
    dnsServers: ["9.9.9.9", "2620:fe::fe"],
    labels: { team: "a" },
    options: { mtu: "1400", isolate: "true", metric: "5", vlan: "0", no_default_route: "true" },
  });
});

Deno.test("Networks.create() refuses what cannot be, in Podman's words", async () => {
  await using engine = await openFake();
  await engine.networks.create({ name: "there", interface: "br0", subnets: [{ subnet: "10.1.0.0/16" }] });
  const rows: [NetworkWish, EngineError["code"], string][] = [
    [{ name: "there" }, "name_in_use", "network name there already used: network already exists"],
    [{ name: "a b" }, "invalid", "network name a b invalid: names must match"],
    [
      { name: "host" },
      "invalid",
      'cannot create network with name "host" because it conflicts with a valid network mode',
    ],
    [{ driver: "weave" }, "invalid", 'failed to find driver or plugin "weave"'],
    [{ interface: "br0" }, "invalid", "bridge name br0 already in use"],
    [
      { interface: "a".repeat(16) },
      "invalid",
      "interface name is too long: interface names must be 15 characters or less",
    ],
    [{ interface: "a/b" }, "invalid", "interface name contains / or : or whitespace characters"],
    [{ subnets: [{ subnet: "10.10.134.0" }] }, "invalid", "invalid CIDR address: 10.10.134.0"],
    [{ subnets: [{ subnet: "10.10.134.0/65" }] }, "invalid", "invalid CIDR address: 10.10.134.0/65"],
    [
      { subnets: [{ subnet: "10.1.2.0/24" }] },
      "invalid",
      "subnet 10.1.2.0/24 is already used on the host or by another",
    ],
    [
      { subnets: [{ subnet: "10.2.0.0/24", gateway: "10.3.0.1" }] },
      "invalid",
      "gateway 10.3.0.1 not in subnet 10.2.0.0/24",
    ],
    [
      { subnets: [{ subnet: "10.2.0.0/24", leaseRange: { end: "10.3.0.1" } }] },
      "invalid",
      "lease range end ip 10.3.0.1 not in subnet 10.2.0.0/24",
    ],
    [
      { subnets: [{ subnet: "10.2.0.0/24", leaseRange: { start: "10.2.0.9", end: "10.2.0.1" } }] },
      "invalid",
      "ends before it starts",
    ],
    [{ subnets: [{ subnet: "10.2.0.0/24" }, { subnet: "10.2.0.9/24" }] }, "invalid", "duplicate subnets detected"],
    [{ subnets: [{ subnet: "10.2.0.0/24" }, { subnet: "10.2.0.0/25" }] }, "invalid", "overlapping subnets detected"],
    [{ options: { color: "red" } }, "invalid", "unsupported bridge network option color"],
    [{ options: { constructor: "red" } }, "invalid", "unsupported bridge network option constructor"],
    [{ options: { mtu: "-1" } }, "invalid", 'failed to parse "mtu" option: "-1"'],
    [{ options: { vlan: "4095" } }, "invalid", 'failed to parse "vlan" option: "4095"'],
    [{ options: { isolate: "maybe" } }, "invalid", "failed to parse isolate option"],
    [{ addressSource: "magic" }, "invalid", 'unsupported ipam driver "magic"'],
    [{ addressSource: "none", subnets: [{ subnet: "10.2.0.0/24" }] }, "invalid", "none ipam driver is set but subnets"],
    [{ driver: "ipvlan" }, "invalid", "ipam driver dhcp is not supported with ipvlan"],
    [
      { driver: "macvlan", addressSource: "host-local" },
      "invalid",
      "macvlan driver needs at least one subnet specified",
    ],
    [{ driver: "macvlan", options: { mode: "sideways" } }, "invalid", 'unknown macvlan mode "sideways"'],
    [{ dnsServers: ["1.1.1.1"] }, "invalid", "cannot set NetworkDNSServers if DNS is not enabled for the network"],
    [{ dns: true, dnsServers: ["one"] }, "invalid", "unable to parse ip one specified in NetworkDNSServers"],
    [{ routes: [{ destination: "192.0.2.0/24" }] }, "invalid", "route gateway nil"],
    [{ routes: [{ destination: "192.0.2.1/24", gateway: "10.0.0.1" }] }, "invalid", "route destination invalid"],
    [{ routes: [{ destination: "192.0.2.0/24", gateway: "fd00::1" }] }, "invalid", "of different versions of IP"],
    [{ labels: { big: "x".repeat(600_000) } }, "limit", "labels and options have"],
  ];
  for (const [wish, code, text] of rows) {
    const error = await assertRejects(() => engine.networks.create(wish), EngineError, text);
    assertEquals(error.code, code, text);
  }
  assertEquals(engine.networks.list().length, 1);
  assertEquals((await engine.networks.create({ name: "there" }, { ignore: true })).interface, "br0");
});

Deno.test("choosePlace() takes nothing that the machine has, and shares a bridge only where that is asked for", () => {
  const taken = {
    ...free,
    interfaces: new Set(["gantry0"]),
    bridges: new Set(["gantry1"]),
    subnets: new SubnetSet(["10.87.0.0/16"]),
  };
  const chosen = choosePlace({ subnets: [], versions: [4, 6] }, taken, random);
  assertEquals(chosen, {
    interface: "gantry2",
    subnets: [{ subnet: "10.86.0.0/24" }, { subnet: "fd07:707:707:707::/64" }],
  });
  const own = { interface: "gantry1", subnets: [{ subnet: "10.87.4.0/24" }], versions: [] };
  assertThrows(() => choosePlace(own, taken, random), EngineError, "bridge name gantry1 already in use");
  assertEquals(choosePlace({ ...own, isShared: true }, taken, random).interface, "gantry1");
  const full = { ...free, subnets: new SubnetSet(["10.0.0.0/8"]) };
  const error = assertThrows(() => choosePlace({ subnets: [], versions: [4] }, full, random), EngineError);
  assertEquals(error.code, "limit");
});

Deno.test("AddressPool.take() stays in the lease range, and claims may leave it", () => {
  const pool = new AddressPool({
    subnet: "10.9.0.0/24",
    gateway: "10.9.0.11",
    leaseRange: { start: "10.9.0.10", end: "10.9.0.12" },
  });
  assertEquals([pool.take("a"), pool.take("b")], ["10.9.0.10", "10.9.0.12"]);
  assertThrows(() => pool.take("c"), EngineError, "failed to find free IP in range: 10.9.0.10 - 10.9.0.12");
  assertEquals(pool.claim("c", "10.9.0.99"), "10.9.0.99");
  pool.release("a");
  assertEquals(pool.take("d"), "10.9.0.10");
  const end = new AddressPool({ subnet: "10.9.0.0/30", leaseRange: { start: "10.9.0.0", end: "10.9.0.3" } });
  assertEquals([end.take("a"), end.take("b")], ["10.9.0.1", "10.9.0.2"]);
  assertThrows(() => end.take("c"), EngineError);
});

Deno.test("Networks.updateServers() changes the servers once, and only where names are answered", async () => {
  await using engine = await openFake();
  await engine.networks.create({ name: "dns", dns: true, dnsServers: ["1.1.1.1"] });
  const updated = await engine.networks.updateServers("dns", { add: ["9.9.9.9", "9.9.9.9"], remove: ["1.1.1.1"] });
  assertEquals(updated.dnsServers, ["9.9.9.9"]);
  assertEquals(await engine.networks.updateServers("dns", { add: ["9.9.9.9"] }), updated);
  await engine.networks.create({ name: "mute" });
  await assertRejects(
    () => engine.networks.updateServers("mute", { add: ["1.1.1.1"] }),
    EngineError,
    "DNS is not enabled",
  );
  await assertRejects(
    () => engine.networks.updateServers("dns", { add: ["one"] }),
    EngineError,
    "unable to parse ip one",
  );
  await assertRejects(() => engine.networks.updateServers("none", {}), EngineError, "network not found");
});

Deno.test("Networks.recover() finishes a removal that was cut short", async () => {
  const removed: string[] = [];
  let fail = true;
  const hook = (operation: string, id: string, when: string) => {
    if (operation !== "networks.remove" || when !== "before") return;
    if (fail) throw new Error("cut short");
    removed.push(id);
  };
  await using engine = await openFake({ hook });
  const { id } = await engine.networks.create({ name: "going" });
  engine.kernel.bridges.add(id);
  await assertRejects(() => engine.networks.remove("going", () => {}), Error, "cut short");
  assertEquals(engine.networks.exists("going"), false);
  assertEquals(engine.core.intents.open("network.remove").length, 1);
  fail = false;
  await engine.networks.recover();
  assertEquals([removed, engine.core.intents.open().length], [[id], 0]);
});

Deno.test("Networks.remove() writes nothing down for a network that never was on the host, and recover() gives up its place", async () => {
  const acts: string[] = [];
  let fail = true;
  const hook = (operation: string, id: string, when: string) => {
    if (when !== "before" || !["networks.remove", "networks.releaseUnrecorded"].includes(operation)) return;
    if (fail) throw new Error("cut short");
    acts.push(`${operation} ${id}`);
  };
  await using engine = await openFake({ hook });
  await engine.networks.create({ name: "stays" });
  await engine.networks.create({ name: "going" });
  await assertRejects(() => engine.networks.remove("going", () => {}), Error, "cut short");
  assertEquals([engine.networks.exists("going"), engine.core.intents.open().length], [false, 0]);
  fail = false;
  await engine.networks.recover();
  assertEquals(acts, ["networks.releaseUnrecorded stays"]);
});

Deno.test("Networks.remove() tells the host which networks have the same bridge, and recover() does so of a removal that was cut short", async () => {
  const told: string[][] = [];
  let fail = false;
  await using engine = await openFake();
  const { networks } = requireHost(engine.core);
  const remove = networks.remove.bind(networks);
  networks.remove = async (network, options) => {
    told.push(options?.sharers?.().map(({ name }) => name) ?? []);
    if (fail) throw new Error("cut short");
    await remove(network, options);
  };
  const options = { mode: "unmanaged" };
  for (const name of ["one", "two", "three"]) {
    const { id } = await engine.networks.create({ name, interface: "shared0", options });
    engine.kernel.bridges.add(id);
  }
  await engine.networks.create({ name: "apart" });
  await engine.networks.remove("two", () => {});
  fail = true;
  await assertRejects(() => engine.networks.remove("one", () => {}), Error, "cut short");
  fail = false;
  await engine.networks.recover();
  assertEquals(engine.core.intents.open().length, 0);
  await engine.networks.remove("three", () => {});
  assertEquals(told, [["one", "three"], ["three"], ["three"], []]);
});
