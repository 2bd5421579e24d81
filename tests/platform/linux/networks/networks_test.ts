import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PortMapping } from "../../../../lib/engine/records/container_record.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import type { NetworkRecord } from "../../../../lib/engine/records/network_record.ts";
import type { NetworkSetup } from "../../../../lib/engine/ports/network_port.ts";
import { addressAt, parseSubnet } from "../../../../lib/engine/text/ip.ts";
import { runCommand } from "../../../../lib/platform/linux/helpers/command.ts";
import { type LinuxNetworks, openNetworks } from "../../../../lib/platform/linux/networks/networks.ts";
import { hostPaths } from "../../../../lib/platform/linux/helpers/paths.ts";
import { openNursery } from "../../../../lib/platform/linux/processes/nursery/nursery.ts";
import { SHARED_FOLDER } from "../../../../lib/platform/linux/networks/subnets.ts";
import { anyPlace } from "../../../fixtures/engine/any_place.ts";
import { ask, askFrom, freePort, serveIn, stop } from "../../../fixtures/platform/traffic.ts";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;

interface Bench {
  networks: LinuxNetworks;
  network: NetworkRecord;
  /** Makes a namespace and connects it. */
  join(id: string, place: number, ports?: PortMapping[]): Promise<NetworkSetup>;
}

async function open(root: string): Promise<LinuxNetworks> {
  const paths = hostPaths(root, join(root, "run"));
  await mkdir(paths.netns, { recursive: true });
  const nursery = await openNursery(paths, () => {});
  const networks = await openNetworks({ paths, runtime: "auto", log: () => {} }, nursery);
  const close = networks.close.bind(networks);
  networks.close = () => close().finally(() => nursery.close());
  return networks;
}

async function withNetwork(run: (bench: Bench) => Promise<void>, extra: Partial<NetworkRecord> = {}): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "gantry-networks-"));
  const networks = await open(root);
  const { interface: name, subnets: [{ subnet }] } = await networks.reserve([], anyPlace);
  const gateway = addressAt(parseSubnet(subnet), 1);
  const network: NetworkRecord = {
    id: "f".repeat(64),
    name: "podman",
    driver: "bridge",
    interface: name,
    created: new Date().toISOString(),
    subnets: [{ subnet, gateway }],
    ipv6: false,
    internal: false,
    dns: false,
    labels: {},
    options: {},
    ...extra,
  };
  const made: NetworkSetup[] = [];
  try {
    await run({
      networks,
      network,
      join: async (id, place, ports = []) => {
        const options: NetworkSetup = {
          containerID: id,
          containerName: id,
          netns: await networks.createNamespace(id),
          ports,
          attachments: [{
            network,
            attachment: {
              aliases: [],
              staticIPs: [addressAt(parseSubnet(subnet), place)],
              interfaceName: "eth0",
            },
          }],
        };
        made.push(options);
        await networks.setup(options);
        return options;
      },
    });
  } finally {
    for (const options of made) {
      await networks.teardown(options);
      await networks.deleteNamespace(options.containerID);
    }
    await networks.remove(network);
    await rm(root, { recursive: true });
    const left = (await runCommand("iptables-save", [])).stdout.split("\n").filter((line) => line.includes(subnet));
    assertEquals(left, []);
    assertEquals((await readdir("/sys/class/net")).includes(name), false);
  }
}

function mapping(hostPort: number, containerPort: number, extra: Partial<PortMapping> = {}): PortMapping {
  return { hostIP: "", hostPort, containerPort, protocol: "tcp", range: 1, ...extra };
}

Deno.test(
  { name: "Networks.setup() connects namespaces with each other, the host and the world's way out", ignore },
  () =>
    withNetwork(async ({ join, network, networks }) => {
      const [a, b] = await Promise.all([join("a", 2), join("b", 3)]);
      const server = await serveIn(a.netns, 80);
      try {
        const address = a.attachments[0]!.attachment.staticIPs[0]!;
        assertEquals(await ask(address, 80), "answer from 80");
        assertEquals(await askFrom(b.netns, address, 80), "answer from 80");
        const { stdout } = await runCommand("nsenter", [`--net=${b.netns}`, "ip", "route", "get", "192.0.2.200"]);
        assert(stdout.includes(`via ${network.subnets[0]!.gateway}`), stdout);
      } finally {
        await stop(server);
      }
      assertEquals((await networks.list()).sort(), ["a", "b"]);
      // A namespace can be used again after a teardown, and a teardown twice is no error.
      await networks.teardown(a);
      await networks.teardown(a);
      const status = await networks.setup(a);
      assertEquals(status.netns, a.netns);
      const given = status.interfaces["podman"]!;
      assertMatch(given.mac, /^02:67(:[0-9a-f]{2}){4}$/);
      assertEquals(given.name, "eth0");
      assertEquals(given.addresses, [{
        address: a.attachments[0]!.attachment.staticIPs[0]!,
        prefix: 22,
        gateway: network.subnets[0]!.gateway,
      }]);
    }),
);

Deno.test(
  { name: "Networks.setup() adds link-local addresses, by which neighbours are reached", ignore },
  () =>
    withNetwork(async ({ join, networks }) => {
      const [a, b] = [await join("a", 2), await join("b", 3)];
      for (const [setup, place] of [[a, 1], [b, 2]] as const) {
        await networks.teardown(setup);
        const linkLocalIPs = [`169.254.7.${place}`, `fe80::7:${place}`];
        const attachments = setup.attachments.map(({ network, attachment }) => ({
          network,
          attachment: { ...attachment, linkLocalIPs },
        }));
        await networks.setup({ ...setup, attachments });
      }
      const { stdout } = await runCommand("nsenter", [`--net=${a.netns}`, "ip", "-brief", "address", "show", "eth0"]);
      for (const address of ["169.254.7.1/16", "fe80::7:1/64"]) assert(stdout.includes(address), stdout);
      const server = await serveIn(a.netns, 80);
      try {
        assertEquals(await askFrom(b.netns, "169.254.7.1", 80), "answer from 80");
      } finally {
        await stop(server);
      }
    }),
);

Deno.test({
  name: "Networks.setup() publishes ports to the host, its loopback, neighbours and the container itself",
  ignore,
}, () =>
  withNetwork(async ({ join, network, networks }) => {
    const port = await freePort();
    const local = await freePort();
    const a = await join("a", 2, [mapping(port, 80), mapping(local, 80, { hostIP: "127.0.0.1" })]);
    const b = await join("b", 3);
    const server = await serveIn(a.netns, 80);
    const gateway = addressAt(parseSubnet(network.subnets[0]!.subnet), 1);
    try {
      assertEquals(await ask("127.0.0.1", port), "answer from 80");
      assertEquals(await ask(gateway, port), "answer from 80");
      assertEquals(await askFrom(b.netns, gateway, port), "answer from 80");
      assertEquals(await askFrom(a.netns, gateway, port), "answer from 80");
      assertEquals(await ask("127.0.0.1", local), "answer from 80");
      assertEquals(await askFrom(b.netns, gateway, local), "");

      const taken = await assertRejects(() => networks.checkPorts([mapping(port, 1)]), EngineError);
      assertEquals(taken.code, "port_in_use");
      assertEquals(
        taken.message,
        `cannot listen on the TCP port: listen tcp4 :${port}: bind: address already in use`,
      );
      for (
        const wish of [
          mapping(local, 1),
          mapping(local - 1, 1, { range: 3 }),
          mapping(port, 1, { hostIP: "127.0.0.1" }),
        ]
      ) {
        await assertRejects(() => networks.checkPorts([wish]), EngineError, "address already in use");
      }
      await networks.checkPorts([mapping(local, 1, { hostIP: gateway })]);
      const error = await assertRejects(() => join("c", 4, [mapping(port, 80)]), EngineError);
      assertEquals(error.code, "port_in_use");
      await networks.teardown(a);
      await assertRejects(() => ask("127.0.0.1", port));
      await networks.checkPorts([mapping(port, 1), mapping(local, 1)]);
    } finally {
      await stop(server);
    }
  }));

Deno.test(
  { name: "Networks.setup() publishes ranges and UDP", ignore },
  () =>
    withNetwork(async ({ join, networks }) => {
      const [port, ports] = await freeRange(networks);
      const a = await join("a", 2, ports);
      const server = await serveIn(a.netns, 9002);
      try {
        assertEquals(await ask("127.0.0.1", port + 2), "answer from 9002");
        await assertRejects(() => networks.checkPorts([ports[1]!]), EngineError, "listen udp4");
      } finally {
        await stop(server);
      }
    }),
);

/** Three ports in a row, from below those the kernel gives to outgoing connections, and what to publish there. */
async function freeRange(networks: LinuxNetworks): Promise<[port: number, ports: PortMapping[]]> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const ports = [mapping(port, 9000, { range: 3 }), mapping(port, 53, { protocol: "udp" })];
    const isFree = await networks.checkPorts(ports).then(() => true, () => false);
    if (isFree) return [port, ports];
  }
  throw new Error("Find ports: nothing is free");
}

Deno.test(
  { name: "Networks.checkPorts() sees listeners of other processes", ignore },
  () =>
    withNetwork(async ({ networks }) => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as { port: number };
      try {
        for (const hostIP of ["", "127.0.0.1"]) {
          const error = await assertRejects(() => networks.checkPorts([mapping(port, 80, { hostIP })]), EngineError);
          assertEquals(error.code, "port_in_use");
        }
        await networks.checkPorts([mapping(port, 80, { hostIP: "127.0.0.2" })]);
        await assertRejects(
          () => networks.checkPorts([mapping(port, 80, { hostIP: "203.0.113.9" })]),
          EngineError,
          "assign",
        );
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
    }),
);

Deno.test(
  { name: "Networks.setup() undoes its parts when it fails", ignore },
  () =>
    withNetwork(async ({ join, networks, network }) => {
      const a = await join("a", 2);
      const netns = await networks.createNamespace("bad");
      const attachment = {
        ...a.attachments[0]!.attachment,
        staticIPs: [addressAt(parseSubnet(network.subnets[0]!.subnet), 9)],
      };
      try {
        const refused = async (wrong: NetworkSetup["attachments"][number], why: string) => {
          const setup = { ...a, containerID: "bad", netns, attachments: [wrong] };
          await assertRejects(() => networks.setup(setup), EngineError, `Set up network: ${why}`);
        };
        await refused({ network, attachment: { ...attachment, staticIPs: ["not an address"] } }, "Parse IP address");
        await refused({ network, attachment: { ...attachment, interfaceName: "lo" } }, "File exists");
        await refused({ network, attachment: { ...attachment, interfaceName: "../eth0" } }, "Invalid argument");
        await refused({ network, attachment: { ...attachment, mac: "01:00:00:00:00:01" } }, "Cannot assign");
        // The last step of all.
        const routes = [{ destination: "203.0.113.0/24", gateway: "192.0.2.1" }];
        await refused({ network: { ...network, routes }, attachment }, "Network is unreachable");
        const { stdout } = await runCommand("nsenter", [`--net=${netns}`, "ip", "-brief", "link"]);
        assertEquals(stdout.trim().split("\n").length, 1);
      } finally {
        await networks.deleteNamespace("bad");
      }
      await networks.deleteNamespace("bad");
      assertEquals(await networks.list(), ["a"]);
    }),
);

Deno.test(
  { name: "Networks.setup() serves names on networks with DNS", ignore },
  () =>
    withNetwork(async ({ join, networks, network }) => {
      const a = await join("a", 2);
      await networks.teardown(a);
      const status = await networks.setup(a);
      assertEquals(status.dnsServers, [network.subnets[0]!.gateway]);
      assertEquals(status.searchDomains, ["dns.podman"]);
    }, { dns: true }),
);

Deno.test(
  { name: "Networks.close() takes idle bridges down and leaves busy ones", ignore },
  () =>
    withNetwork(async ({ join, networks, network }) => {
      const a = await join("a", 2);
      await networks.close();
      assert((await readdir("/sys/class/net")).includes(network.interface));
      await networks.teardown(a);
      assert((await readdir("/sys/class/net")).includes(network.interface));
      await networks.close();
      assert(!(await readdir("/sys/class/net")).includes(network.interface));
      // And it comes back when it is needed.
      await networks.setup(a);
    }),
);

Deno.test(
  { name: "Networks.remove() leaves no rules where an interface is still on its way out", ignore },
  () =>
    withNetwork(async ({ join, network }) => {
      await join("a", 2);
      await runCommand("ip", ["link", "add", "gantry-late", "type", "veth"]);
      await runCommand("ip", ["link", "set", "gantry-late", "master", network.interface]);
      // As the kernel does with those of a namespace: some time after its end.
      setTimeout(() => void runCommand("ip", ["link", "delete", "gantry-late"]), 500);
    }),
);

Deno.test(
  { name: "Networks.reserve() takes down what a killed server with a root that is gone has left", ignore },
  () =>
    withNetwork(async ({ networks, network }) => {
      const root = await mkdtemp(join(tmpdir(), "gantry-killed-"));
      const killed = await open(root);
      const { interface: name, subnets: [{ subnet }] } = await killed.reserve([], anyPlace);
      await runCommand("ip", ["link", "add", name, "type", "bridge"]);
      await killed.reserve([], anyPlace);
      await rm(root, { recursive: true });
      const next = await networks.reserve([], anyPlace);
      assert(!(await readdir("/sys/class/net")).includes(name), `${name} (${subnet}) is still there`);
      assertEquals((await readdir(SHARED_FOLDER)).includes(name), next.interface === name);
      await networks.remove({ ...network, ...next });
    }),
);

Deno.test(
  {
    name:
      "Networks.remove() leaves a bridge alone that another server has by now, as one that was killed would remove it again",
    ignore,
  },
  () =>
    withNetwork(async ({ networks, network }) => {
      const root = await mkdtemp(join(tmpdir(), "gantry-other-"));
      const place = await networks.reserve([], anyPlace);
      const record = { ...network, ...place };
      await networks.remove(record);
      const other = await open(root);
      await other.reserve([], () => place);
      await runCommand("ip", ["link", "add", place.interface, "type", "bridge"]);
      try {
        assertEquals(networks.isMade(record), false);
        await networks.remove(record);
        assert((await readdir("/sys/class/net")).includes(place.interface), "the other server's bridge has gone");
      } finally {
        await other.remove(record);
        await rm(root, { recursive: true });
      }
      assert(!(await readdir("/sys/class/net")).includes(place.interface));
    }),
);

Deno.test(
  {
    name: "Networks.remove() of one of two networks on a bridge leaves the other's rules and place, and the bridge",
    ignore,
  },
  () =>
    withNetwork(async ({ networks, network, join: connect }) => {
      const name = network.interface;
      const place = await networks.reserve([network], (taken) => ({ ...anyPlace(taken), interface: name }));
      const other = { ...network, ...place, id: "e".repeat(64), name: "other" };
      await connect("first", 2);
      const netns = await networks.createNamespace("second");
      const staticIPs = [addressAt(parseSubnet(place.subnets[0].subnet), 2)];
      const attachment = { aliases: [], staticIPs, interfaceName: "eth0" };
      const second = { containerID: "second", containerName: "second", netns, ports: [] };
      await networks.setup({ ...second, attachments: [{ network: other, attachment }] });
      const subnets = [network, other].map((each) => each.subnets[0].subnet);
      const kept = async () => {
        const rules = (await runCommand("nft", ["list", "table", "inet", "gantry"])).stdout;
        const note = JSON.parse(await readFile(join(SHARED_FOLDER, name), "utf8"));
        const [hasBridge, isAllowed] = [rules.includes(`"${name}"`), subnets.map((subnet) => rules.includes(subnet))];
        return { hasBridge, isAllowed, noted: subnets.map((subnet) => note.subnets.includes(subnet)) };
      };
      assertEquals(await kept(), { hasBridge: true, isAllowed: [true, true], noted: [true, true] });
      await networks.teardown({ ...second, attachments: [{ network: other, attachment }] });
      await networks.deleteNamespace("second");
      await networks.remove(other, { sharers: () => [network] });
      assertEquals(await kept(), { hasBridge: true, isAllowed: [true, false], noted: [true, false] });
      assert((await readdir("/sys/class/net")).includes(name));
    }),
);

Deno.test(
  { name: "Networks.remove() leaves the bridge of a network that does not manage it", ignore },
  () =>
    withNetwork(async ({ networks, network }) => {
      const name = network.interface;
      await runCommand("ip", ["link", "add", name, "type", "bridge"]);
      await networks.remove({ ...network, options: { mode: "unmanaged" } });
      assert((await readdir("/sys/class/net")).includes(name));
      await networks.reserve([], () => ({ interface: name, subnets: network.subnets }));
    }),
);
