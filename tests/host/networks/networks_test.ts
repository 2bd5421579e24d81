/** Networks with real containers: Debian's podman and the Docker CLI as clients, netavark and aardvark-dns on the host. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { ok, runOk } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

/** An address of a container in a network, as its inspection tells it. */
const ADDRESS = "{{with index .NetworkSettings.Networks %s}}{{.IPAddress}}{{end}}";

Deno.test("podman --remote network: create, ls, inspect, exists, rm and prune", async () => {
  await using session = await Session.shared();
  const podman = async (...args: string[]) => ok(await session.server.podman(...args), args.join(" "));
  const unnamed = (await podman("network", "create")).trim();
  assertMatch(unnamed, /^gantry\d+$/);
  await podman(
    ...["network", "create", "--subnet", "10.66.1.0/24", "--gateway", "10.66.1.254", "--ip-range", "10.66.1.128/25"],
    ...["--label", "team=a", "--opt", "mtu=1400", "--opt", "isolate=true", "--internal", "lan"],
  );
  await podman("network", "create", "--ipv6", "--disable-dns", "dual");
  const [lan] = JSON.parse(await podman("network", "inspect", "lan"));
  assertEquals(lan.subnets[0].gateway, "10.66.1.254");
  assertEquals([lan.internal, lan.options.mtu, lan.labels.team, lan.dns_enabled], [true, "1400", "a", true]);
  const [dual] = JSON.parse(await podman("network", "inspect", "dual"));
  assertEquals([dual.subnets.length, dual.ipv6_enabled, dual.dns_enabled], [2, true, false]);
  const names = async (...args: string[]) =>
    (await podman("network", "ls", "--format", "{{.Name}}", ...args)).trim().split("\n").filter(Boolean).sort();
  assertEquals(await names(), ["dual", "lan", "podman", unnamed].sort());
  assertEquals(await names("--filter", "label=team=a"), ["lan"]);
  assertEquals((await session.server.podman("network", "exists", "lan")).code, 0);
  assertEquals((await session.server.podman("network", "exists", "nothing")).code, 1);
  const again = await session.server.podman("network", "create", "lan");
  assertEquals(again.code, 125);
  assertStringIncludes(again.stderr, "network name lan already used: network already exists");
  await podman("pull", "--tls-verify=false", session.image);
  await podman("create", "--name", "user", "--network", "lan", session.image, "true");
  const used = await session.server.podman("network", "rm", "lan");
  assert(used.code !== 0);
  assertStringIncludes(used.stderr, "network is being used");
  assertEquals((await podman("network", "rm", "-f", "lan")).trim(), "lan");
  assertEquals((await session.server.podman("container", "exists", "user")).code, 1);
  assertEquals((await podman("network", "prune", "-f")).trim().split("\n").sort(), ["dual", unnamed].sort());
  assertEquals(await names(), ["podman"]);
});

Deno.test("containers of a network find each other by names and aliases, and those of others do not", async () => {
  await using session = await Session.shared();
  const { image } = session;
  const podman = async (...args: string[]) => ok(await session.server.podman(...args), args.join(" "));
  await podman("pull", "--tls-verify=false", image);
  for (const name of ["front", "back"]) await podman("network", "create", name);
  const run = (name: string, ...args: string[]) => podman("run", "-d", "--name", name, ...args, image, "sleep", "1000");
  await run("db", "--network", "back", "--network-alias", "store");
  await run("app", "--network", "front", "--network", "back");
  await run("proxy", "--network", "front");
  const lookup = async (from: string, name: string) =>
    // It resolves as programs do, and says what it found before it fails for lack of a capability.
    (await session.server.podman("exec", from, "ping", "-c", "1", "-W", "1", name)).stdout;
  const address = async (name: string, network: string) =>
    (await podman("inspect", "--format", ADDRESS.replace("%s", JSON.stringify(network)), name)).trim();
  const db = await address("db", "back");
  assertMatch(db, /^10\.\d+\.\d+\.\d+$/);
  for (const name of ["db", "store"]) {
    assertStringIncludes(await lookup("app", name), db, `app finds ${name}`);
  }
  assertStringIncludes(await podman("exec", "db", "nslookup", "store.dns.podman"), db);
  await podman("rename", "db", "base");
  await until(async () => assertStringIncludes(await lookup("app", "base"), db));
  assert(!(await lookup("app", "db")).includes(db), "the name is another one now");
  await podman("rename", "base", "db");
  await podman("rename", "db", "store");
  await until(async () => assert(!(await lookup("app", "db")).includes(db)));
  await podman("rename", "store", "db");
  await until(async () => assertStringIncludes(await lookup("app", "db"), db));
  assertStringIncludes(await lookup("app", "store"), db, "an alias stays that was a name for a while");
  await until(async () => assertStringIncludes(await lookup("app", "db"), db));
  assertMatch(
    await podman("exec", "app", "ip", "route", "get", "192.0.2.1"),
    /dev eth0/,
    "the first network's way out",
  );
  assertStringIncludes(await lookup("proxy", "app"), await address("app", "front"));
  assert(!(await lookup("proxy", "db")).includes(db), "the proxy is not in that network");
  const links = await podman("exec", "app", "sh", "-c", "ls /sys/class/net; cat /etc/resolv.conf; cat /etc/hosts");
  assertMatch(links, /eth0\neth1\n/);
  assertMatch(links, /search dns\.podman/);
  assertEquals([...links.matchAll(/^\S+\s+.*\bapp$/gm)].length, 2, links);
  const [{ NetworkSettings }] = JSON.parse(await podman("inspect", "app"));
  assertEquals(Object.keys(NetworkSettings.Networks).sort(), ["back", "front"]);
  assert(await address("app", "front") !== await address("app", "back"));
});

Deno.test("connect and disconnect change a running container at once, and a stopped one at its next start", async () => {
  await using session = await Session.shared();
  const { image, server } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", "--tls-verify=false", image);
  await podman("network", "create", "--subnet", "10.66.2.0/24", "lan");
  await podman("run", "-d", "--name", "web", image, "sleep", "1000");
  await podman("run", "-d", "--name", "peer", "--cap-add", "NET_RAW", "--network", "lan", image, "sleep", "1000");
  const inside = (script: string) => podman("exec", "web", "sh", "-c", script);
  await podman(
    ...[
      "network",
      "connect",
      "--ip",
      "10.66.2.9",
      "--mac-address",
      "02:11:22:33:44:55",
      "--alias",
      "site",
      "lan",
      "web",
    ],
  );
  assertMatch(await inside("ip addr show eth1"), /02:11:22:33:44:55[\s\S]*10\.66\.2\.9\/24/);
  assertMatch(await inside("cat /etc/hosts"), /^10\.66\.2\.9\s.*web$/m);
  assertMatch(await inside("cat /etc/resolv.conf"), /nameserver 10\.66\.2\.1/);
  assertStringIncludes(await podman("exec", "peer", "nslookup", "site"), "10.66.2.9");
  await podman("exec", "peer", "ping", "-c", "1", "-W", "2", "10.66.2.9");
  const twice = await server.podman("network", "connect", "lan", "web");
  assertStringIncludes(twice.stderr, "network is already connected");
  await podman("network", "disconnect", "lan", "web");
  assertEquals((await inside("ls /sys/class/net")).includes("eth1"), false);
  assertEquals((await inside("cat /etc/hosts")).includes("10.66.2.9"), false);
  assertEquals((await inside("cat /etc/resolv.conf")).includes("10.66.2.1"), false);
  await podman("stop", "-t", "0", "web");
  await podman("network", "connect", "--ip", "10.66.2.11", "lan", "web");
  await podman("network", "disconnect", "podman", "web");
  await podman("start", "web");
  assertMatch(await inside("ip addr"), /10\.66\.2\.11\/24/);
  assertStringIncludes(await podman("exec", "peer", "nslookup", "web"), "10.66.2.11");
});

Deno.test("docker network: create, connect, inspect, disconnect and rm", async () => {
  await using session = await Session.shared();
  const { image, server } = session;
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  ok(await server.podman("pull", "--tls-verify=false", image));
  await docker("network", "create", "--subnet", "10.66.3.0/24", "--label", "a=b", "lan");
  const listed = await docker("network", "ls", "--format", "{{.Name}} {{.Driver}} {{.Scope}}");
  for (const line of ["bridge bridge local", "host host local", "none null local", "lan bridge local"]) {
    assertStringIncludes(listed, line);
  }
  await docker("run", "-d", "--name", "one", "--network", "lan", "--ip", "10.66.3.10", image, "sleep", "1000");
  await docker("run", "-d", "--name", "two", image, "sleep", "1000");
  await docker("network", "connect", "--ip", "10.66.3.20", "--alias", "second", "lan", "two");
  const [{ Containers, IPAM, Labels }] = JSON.parse(await docker("network", "inspect", "lan"));
  const found = Object.values<{ Name: string; IPv4Address: string }>(Containers);
  assertEquals(found.map(({ Name, IPv4Address }) => `${Name} ${IPv4Address}`).sort(), [
    "one 10.66.3.10/24",
    "two 10.66.3.20/24",
  ]);
  assertEquals([IPAM.Config[0].Gateway, Labels.a], ["10.66.3.1", "b"]);
  assertStringIncludes(await docker("exec", "one", "nslookup", "second"), "10.66.3.20");
  await docker("network", "disconnect", "bridge", "two");
  assertEquals((await docker("exec", "two", "ls", "/sys/class/net")).trim().split(/\s+/), ["eth1", "lo"]);
  const refused = await server.docker("network", "rm", "lan");
  assertStringIncludes(refused.stderr, "network is being used");
  await docker("rm", "-f", "one", "two");
  await docker("network", "rm", "lan");
  assertEquals((await docker("network", "ls", "--quiet", "--filter", "name=^lan$")).trim(), "");
});

Deno.test("one create places a container in several networks, with users of its own too, and a restart keeps its places", async () => {
  await using session = await Session.shared();
  const { image, server } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  // Users of a namespace are nobody on the host.
  await Deno.chmod(server.folder, 0o755);
  await podman("pull", "--tls-verify=false", image);
  await podman("network", "create", "--subnet", "10.66.6.0/24", "--subnet", "fd00:66:6::/64", "one");
  await podman("network", "create", "--subnet", "10.66.7.0/24", "--ip-range", "10.66.7.64/26", "two");
  const place = "one:ip=10.66.6.9,ip=fd00:66:6::9,mac=02:00:00:00:06:09,alias=first,interface_name=wan0";
  const maps = ["--uidmap", "0:200000:65536", "--gidmap", "0:200000:65536"];
  await podman("run", "-d", "--name", "c", "--network", place, "--network", "two", ...maps, image, "sleep", "1000");
  const look = () => podman("exec", "c", "sh", "-c", "ip addr; ip route; ip -6 route");
  const before = await look();
  for (const text of ["wan0", "10.66.6.9/24", "fd00:66:6::9/64", "02:00:00:00:06:09", "10.66.7.6"]) {
    assertStringIncludes(before, text);
  }
  assertMatch(before, /default via 10\.66\.6\.1 dev wan0/);
  assertMatch(before, /default via fd00:66:6::1 dev wan0/);
  const [{ NetworkSettings }] = JSON.parse(await podman("inspect", "c"));
  const { one, two } = NetworkSettings.Networks;
  assertEquals([one.IPAddress, one.GlobalIPv6Address, one.MacAddress], [
    "10.66.6.9",
    "fd00:66:6::9",
    "02:00:00:00:06:09",
  ]);
  await podman("restart", "-t", "0", "c");
  const [again] = JSON.parse(await podman("inspect", "c"));
  assertEquals(again.NetworkSettings.Networks.two.IPAddress, two.IPAddress);
  assertEquals(again.NetworkSettings.Networks.one.IPAddress, "10.66.6.9");
  await podman("network", "disconnect", "one", "c");
  await podman("network", "connect", "--ip", "10.66.6.77", "one", "c");
  assertStringIncludes(await look(), "10.66.6.77/24");
  await podman("run", "-d", "--name", "joined", "--network", "container:c", image, "sleep", "1000");
  assertStringIncludes(await podman("exec", "joined", "ip", "addr"), "10.66.6.77/24");
});

Deno.test("DNS servers are a container's, a network's, and change while containers run", async () => {
  await using session = await Session.shared();
  const { image, server } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", "--tls-verify=false", image);
  // The world's servers, each of which has an answer of its own.
  using _first = await answerNames("127.0.66.1", [192, 0, 2, 1]);
  using _second = await answerNames("127.0.66.2", [192, 0, 2, 2]);
  using _third = await answerNames("127.0.66.3", [192, 0, 2, 3]);
  const create = { name: "lan", dns_enabled: true, network_dns_servers: ["127.0.66.1"] };
  await (await server.request("POST", "/v5.0.0/libpod/networks/create", { body: create })).text();
  await podman("run", "-d", "--name", "a", "--network", "lan", image, "sleep", "1000");
  await podman("run", "-d", "--name", "b", "--network", "lan", "--dns", "127.0.66.3", image, "sleep", "1000");
  const lookup = async (from: string) => (await server.podman("exec", from, "nslookup", "name.example.")).stdout;
  assertStringIncludes(await lookup("a"), "192.0.2.1");
  assertStringIncludes(await lookup("b"), "192.0.2.3");
  const update = { adddnsservers: ["127.0.66.2"], removednsservers: ["127.0.66.1"] };
  const updated = await server.request("POST", "/v5.0.0/libpod/networks/lan/update", { body: update });
  assertEquals(updated.status, 204, await updated.text());
  await until(async () => assertStringIncludes(await lookup("a"), "192.0.2.2"));
});

Deno.test("host and none are networks to an inspection, and no networks to connect to", async () => {
  await using session = await Session.shared();
  const { image, server } = session;
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  ok(await server.podman("pull", "--tls-verify=false", image));
  for (const mode of ["host", "none"]) {
    await docker("create", "--name", mode, "--network", mode, image, "true");
    const [{ NetworkSettings }] = JSON.parse(await docker("inspect", mode));
    assertEquals(Object.keys(NetworkSettings.Networks), [mode]);
    const refused = await server.docker("network", "connect", "bridge", mode);
    assertStringIncludes(refused.stderr, "invalid network mode");
  }
});

Deno.test("networks survive a server that is killed, and a removal leaves no interface and no rule", async () => {
  await using session = await Session.shared();
  const { image, server } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", "--tls-verify=false", image);
  await podman("network", "create", "--subnet", "10.66.4.0/24", "--opt", "isolate=true", "lan");
  const [{ network_interface: bridge }] = JSON.parse(await podman("network", "inspect", "lan"));
  await podman("run", "-d", "--name", "a", "--network", "lan", image, "sleep", "1000");
  await server.crash();
  await podman("run", "-d", "--name", "b", "--network", "lan", image, "sleep", "1000");
  assertStringIncludes(await podman("exec", "b", "nslookup", "a"), "10.66.4.2");
  // Names are answered after changes that follow each other closely.
  for (let round = 0; round < 5; round++) {
    await podman("network", "disconnect", "lan", "a");
    await podman("network", "connect", "lan", "a");
    assertStringIncludes(await podman("exec", "b", "nslookup", "a"), "10.66.4.");
  }
  await podman("rm", "-f", "-t", "0", "a", "b");
  await podman("network", "rm", "lan");
  await until(async () => {
    const links = (await Array.fromAsync(Deno.readDir("/sys/class/net"))).map(({ name }) => name);
    assertEquals(links.includes(bridge), false);
  });
  for (const program of ["iptables-save", "nft list ruleset"]) {
    const [command, ...args] = program.split(" ");
    const { stdout } = await new Deno.Command(command, { args }).output();
    const text = new TextDecoder().decode(stdout);
    assertEquals(text.split("\n").filter((line) => line.includes("10.66.4.") || line.includes(`"${bridge}"`)), []);
  }
});

/** Answers every look-up of an address with the same one, at a loopback address of the host. */
async function answerNames(host: string, address: number[]): Promise<Disposable> {
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address: client }) => {
    const end = query.indexOf(0, 12) + 5;
    const reply = Buffer.concat([
      query.subarray(0, end),
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, ...address]),
    ]);
    // A response with one answer, and none of the question's additional records.
    reply.set([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0], 2);
    socket.send(reply, port, client);
  });
  socket.bind(53, host);
  await once(socket, "listening");
  return { [Symbol.dispose]: () => socket.close() };
}

Deno.test("a container in a network namespace of the host tells that namespace's addresses", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", "-q", image);
  const name = `gantry-${crypto.randomUUID().slice(0, 8)}`;
  const ip = (...args: string[]) => runOk(["ip", "-n", name, ...args]);
  await runOk(["ip", "netns", "add", name]);
  try {
    await ip("link", "add", "one", "type", "veth", "peer", "name", "two");
    await ip("address", "add", "198.51.100.7/24", "dev", "one");
    await ip("address", "add", "2001:db8::7/64", "dev", "one", "nodad");
    await ip("address", "add", "203.0.113.9/28", "dev", "two");
    for (const link of ["one", "two"]) await ip("link", "set", link, "up");
    await ip("route", "add", "default", "via", "198.51.100.1");
    await podman("run", "-d", "--name=guest", `--network=ns:/run/netns/${name}`, image, "sleep", "1000");
    const [{ NetworkSettings: native }] = JSON.parse(await podman("inspect", "guest"));
    assertEquals([native.IPAddress, native.IPPrefixLen, native.Gateway], ["198.51.100.7", 24, "198.51.100.1"]);
    assertEquals([native.GlobalIPv6Address, native.GlobalIPv6PrefixLen], ["2001:db8::7", 64]);
    assertEquals(native.SecondaryIPAddresses, [{ Addr: "203.0.113.9", PrefixLength: 28 }]);
    const docker = await (await server.request("GET", "/containers/guest/json")).json();
    assertEquals(docker.NetworkSettings.SecondaryIPAddresses, [{ Addr: "203.0.113.9", PrefixLen: 28 }]);
    await podman("stop", "-t", "0", "guest");
    assertEquals(await podman("inspect", "--format", "{{.NetworkSettings.IPAddress}}", "guest"), "\n");
    await podman("run", "-d", "--name=owner", image, "sleep", "1000");
    await podman("run", "-d", "--name=sharer", "--network=container:owner", image, "sleep", "1000");
    const address = (name: string) => podman("inspect", "--format", "{{.NetworkSettings.IPAddress}}", name);
    assertMatch(await address("owner"), /^10\./);
    assertEquals(await address("sharer"), await address("owner"));
  } finally {
    await podman("rm", "-f", "-t", "0", "guest");
    await runOk(["ip", "netns", "delete", name]);
  }
});
