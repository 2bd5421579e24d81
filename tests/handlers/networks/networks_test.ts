/** Networks in both trees, over an engine with a fake kernel and over one without any. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openTestEngine, type TestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

/** A reply as tests look at it. */
// deno-lint-ignore no-explicit-any -- the fields of a foreign JSON text
type Reply = { status: number; body: any };

async function send(test: TestEngine, method: string, path: string, body?: unknown): Promise<Reply> {
  const reply = await test.send(method, path, body);
  const text = await reply.text();
  return { status: reply.status, body: reply.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text };
}

function query(filters: unknown): string {
  return `filters=${encodeURIComponent(typeof filters === "string" ? filters : JSON.stringify(filters))}`;
}

for (const host of [true, false]) {
  const where = host ? "on a host" : "without a kernel";

  Deno.test(`the native tree makes, lists, inspects, updates and removes networks ${where}`, async () => {
    await using test = await openTestEngine({ pulled: host, host });
    const made = await send(test, "POST", "/libpod/networks/create", {
      name: "net",
      driver: "bridge",
      created: "0001-01-01T00:00:00Z",
      dns_enabled: true,
      subnets: [{ subnet: "10.9.8.0/24", lease_range: { start_ip: "10.9.8.10", end_ip: "10.9.8.20" } }],
      routes: [{ destination: "192.0.2.0/24", gateway: "10.9.8.2" }],
      labels: { team: "a" },
      options: { "com.docker.network.driver.mtu": "1400", "com.docker.network.bridge.name": "br9", isolate: "true" },
      network_dns_servers: ["9.9.9.9"],
    });
    assertEquals(made.status, 200, JSON.stringify(made.body));
    assertMatch(made.body.id, /^[0-9a-f]{64}$/);
    assertMatch(made.body.created, /^\d{4}-\d\d-\d\dT/);
    const { id, created: _, ...network } = made.body;
    assertEquals(network, {
      name: "net",
      driver: "bridge",
      network_interface: "br9",
      subnets: [{
        subnet: "10.9.8.0/24",
        gateway: "10.9.8.1",
        lease_range: { start_ip: "10.9.8.10", end_ip: "10.9.8.20" },
      }],
      routes: [{ destination: "192.0.2.0/24", gateway: "10.9.8.2" }],
      ipv6_enabled: false,
      internal: false,
      dns_enabled: true,
      network_dns_servers: ["9.9.9.9"],
      labels: { team: "a" },
      options: { mtu: "1400", isolate: "true" },
      ipam_options: { driver: "host-local" },
    });
    assertEquals((await send(test, "GET", `/libpod/networks/${id.slice(0, 12)}/json`)).body, {
      ...made.body,
      containers: {},
    });
    assertEquals((await send(test, "GET", "/libpod/networks/net/exists")).status, 204);
    assertEquals((await send(test, "GET", "/libpod/networks/no/exists")).body.cause, "network not found");
    const names = async (filters: unknown) =>
      // The names of a list.
      (await send(test, "GET", `/libpod/networks/json?${query(filters)}`)).body.map(({ name }: { name: string }) =>
        name
      );
    assertEquals(await names({}), ["net", "podman"]);
    assertEquals(await names({ label: { "team=a": true } }), ["net"]);
    const update = { adddnsservers: ["1.1.1.1"], removednsservers: ["9.9.9.9"] };
    assertEquals((await send(test, "POST", "/libpod/networks/net/update", update)).status, 204);
    assertEquals((await send(test, "GET", "/libpod/networks/net")).body.network_dns_servers, ["1.1.1.1"]);
    const again = { name: "net" };
    assertEquals((await send(test, "POST", "/libpod/networks/create", again)).status, 409);
    const ignored = await send(test, "POST", "/libpod/networks/create?ignoreIfExists=true", again);
    assertEquals([ignored.status, ignored.body.id], [200, id]);
    // As an error: Podman's clients cannot read that of a report.
    const kept = await send(test, "DELETE", "/libpod/networks/podman");
    assertEquals([kept.status, kept.body.message], [400, "default network podman cannot be removed"]);
    assertEquals((await send(test, "DELETE", "/libpod/networks/net")).body, [{ Name: "net", Err: null }]);
    const gone = await send(test, "DELETE", "/libpod/networks/net");
    assertEquals([gone.status, gone.body.cause], [404, "network not found"]);
  });

  Deno.test(`Docker's tree makes, lists, inspects and removes networks ${where}`, async () => {
    await using test = await openTestEngine({ pulled: host, host });
    const made = await send(test, "POST", "/v1.44/networks/create", {
      Name: "web",
      EnableIPv6: true,
      IPAM: { Driver: "default", Config: [{ Subnet: "10.9.8.0/24", IPRange: "10.9.8.64/26", Gateway: "10.9.8.3" }] },
      Options: { "com.docker.network.driver.mtu": "1400", "com.docker.network.bridge.enable_icc": "true", odd: "1" },
      Attachable: true,
      Labels: { "com.docker.compose.network": "web" },
    });
    assertEquals([made.status, made.body.Warning], [201, '"odd: 1" is not a recognized option']);
    const { body } = await send(test, "GET", "/v1.44/networks/web?verbose=false");
    const { Created: _, IPAM, ...network } = body;
    assertEquals(network, {
      Name: "web",
      Id: made.body.Id,
      Scope: "local",
      Driver: "bridge",
      EnableIPv4: true,
      EnableIPv6: true,
      Internal: false,
      Attachable: true,
      Ingress: false,
      ConfigFrom: { Network: "" },
      ConfigOnly: false,
      Options: { "com.docker.network.driver.mtu": "1400", "com.docker.network.bridge.enable_icc": "true" },
      Labels: { "com.docker.compose.network": "web" },
      Containers: {},
    });
    assertEquals(IPAM.Driver, "default");
    assertEquals(IPAM.Config[0], { Subnet: "10.9.8.0/24", IPRange: "10.9.8.64/26", Gateway: "10.9.8.3" });
    assertMatch(IPAM.Config[1].Subnet, /^fd.*::\/64$/);
    const { Status } = (await send(test, "GET", "/v1.52/networks/web")).body;
    assertEquals(Status.IPAM.Subnets["10.9.8.0/24"], { IPsInUse: 0, DynamicIPsAvailable: 64 });
    assertEquals((await send(test, "POST", "/networks/create", { Name: "web" })).status, 409);
    const listed = (await send(test, "GET", "/networks")).body;
    assertEquals(listed.map((each: { Name: string; Driver: string }) => [each.Name, each.Driver]), [
      ["bridge", "bridge"],
      ["web", "bridge"],
      ["host", "host"],
      ["none", "null"],
    ]);
    assertEquals((await send(test, "GET", `/networks?${query({ name: ["doesnotexist"] })}`)).body, []);
    assertEquals((await send(test, "GET", "/networks/bridge")).body.Name, "bridge");
    assertEquals((await send(test, "GET", "/networks/podman")).body.Name, "podman");
    assertEquals((await send(test, "GET", "/networks/host")).body.Driver, "host");
    for (const name of ["host", "none"]) assertEquals((await send(test, "DELETE", `/networks/${name}`)).status, 403);
    assertEquals((await send(test, "DELETE", "/networks/bridge")).status, 403);
    assertEquals((await send(test, "DELETE", "/networks/web")).status, 204);
    assertEquals((await send(test, "GET", "/networks/web")).status, 404);
  });
}

Deno.test("networks: bad input answers as in Podman", async () => {
  await using test = await openTestEngine({ pulled: false });
  await send(test, "POST", "/libpod/networks/create", { name: "lan" });
  const rows: [method: string, path: string, body: unknown, status: number, text: string][] = [
    [
      "POST",
      "/libpod/networks/create",
      { subnets: [{ subnet: "10.10.134.0" }] },
      400,
      "invalid CIDR address: 10.10.134.0",
    ],
    ["GET", "/v3.4.0/libpod/networks/json", undefined, 400, "given version is not supported"],
    ["POST", "/libpod/networks/create", { id: "abc" }, 500, "ID can not be set for network create"],
    ["POST", "/libpod/networks/create", { name: 5 }, 400, "name"],
    ["POST", "/libpod/networks/create", { ipam_options: { driver: "x" } }, 500, 'unsupported ipam driver "x"'],
    ["POST", "/libpod/networks/create", { ipam_options: { color: "x" } }, 500, "unsupported ipam option color"],
    [
      "POST",
      "/libpod/networks/create",
      { routes: [{ destination: "192.0.2.0/24", route_type: "scenic" }] },
      500,
      'unknown route type "scenic"',
    ],
    ["POST", "/networks/create", { Name: "" }, 400, "network name cannot be empty"],
    ["POST", "/networks/create", { Name: "host" }, 403, "host is a pre-defined network"],
    ["POST", "/networks/create", { Name: "bridge" }, 403, "bridge is a pre-defined network and cannot be made"],
    ["POST", "/networks/create", { Name: "podman" }, 403, "podman is a pre-defined network and cannot be made"],
    ["DELETE", "/networks/podman", undefined, 403, "podman is a pre-defined network and cannot be removed"],
    ["POST", "/libpod/networks/create", { name: "podman" }, 409, "network already exists"],
    ["POST", "/networks/create", { Name: "a", Driver: "overlay" }, 400, 'failed to find driver or plugin "overlay"'],
    ["POST", "/networks/create", { Name: "a", Ingress: true }, 501, "Create network: Ingress is not supported"],
    [
      "POST",
      "/networks/create",
      { Name: "a", Options: { "com.docker.network.bridge.enable_icc": "false" } },
      501,
      'Options "com.docker.network.bridge.enable_icc=false" is not supported',
    ],
    [
      "POST",
      "/networks/create",
      { Name: "a", IPAM: { Config: [{ Subnet: "ten" }] } },
      400,
      "invalid CIDR address: ten",
    ],
    ["POST", "/libpod/networks/lan/update", { adddnsservers: ["one"] }, 500, "unable to parse ip one"],
    ["POST", "/libpod/networks/no/update", {}, 500, "network not found"],
    ["POST", "/libpod/networks/no/connect", { container: "c" }, 404, "network not found"],
    ["POST", "/libpod/networks/lan/connect", { container: "c" }, 404, "no such container"],
    ["POST", "/networks/lan/disconnect", { Container: "c" }, 404, "no such container"],
    ["POST", "/networks/host/connect", { Container: "c" }, 403, "cannot be connected to"],
    ["GET", "/networks/no", undefined, 404, "network not found"],
    ["GET", "/networks/lan?scope=swarm", undefined, 400, "invalid argument"],
    ...["/networks", "/libpod/networks/json"].flatMap((path): typeof rows => [
      ["GET", `${path}?${query("garb1age}")}`, undefined, 500, "invalid character 'g' looking for beginning of value"],
      ["GET", `${path}?${query('{"label":["testl')}`, undefined, 500, "unexpected end of JSON input"],
      ["GET", `${path}?${query({ color: ["red"] })}`, undefined, 500, 'invalid filter "color"'],
      [
        "GET",
        `${path}?${query({ dangling: ["true", "0"] })}`,
        undefined,
        500,
        "got more than one value for filter key",
      ],
    ]),
    ...["/networks/prune", "/libpod/networks/prune"].flatMap((path): typeof rows => [
      ["POST", `${path}?${query("garb1age}")}`, undefined, 500, "invalid character 'g' looking for beginning of value"],
      ["POST", `${path}?${query({ name: ["lan"] })}`, undefined, 500, 'invalid filter "name"'],
    ]),
  ];
  for (const [method, path, body, status, text] of rows) {
    const reply = await send(test, method, path, body);
    assertEquals(reply.status, status, `${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(reply.body)}`);
    assertStringIncludes(reply.body.message, text);
  }
  assertEquals((await send(test, "GET", "/libpod/networks/json")).body.length, 2);
});

Deno.test("networks: a container is connected and disconnected in both trees, and seen in the network", async () => {
  await using test = await openTestEngine();
  await send(test, "POST", "/libpod/networks/create", { name: "lan", subnets: [{ subnet: "10.9.8.0/24" }] });
  const { Id } = (await send(test, "POST", "/libpod/containers/create", { image: TINY_NAME, name: "c" })).body;
  await send(test, "POST", "/libpod/containers/c/start");
  const wish = { container: "c", static_ips: ["10.9.8.7"], static_mac: "02:00:00:00:00:07", aliases: ["db"] };
  const done = await send(test, "POST", "/libpod/networks/lan/connect", wish);
  assertEquals([done.status, done.body], [200, "OK\n"]);
  const twice = await send(test, "POST", "/networks/lan/connect", { Container: "c" });
  assertEquals([twice.status, twice.body.cause], [403, "network is already connected"]);
  assertEquals((await send(test, "POST", "/libpod/networks/lan/connect", wish)).status, 500);
  const native = (await send(test, "GET", "/libpod/networks/lan/json")).body.containers;
  assertEquals(native[Id].name, "c");
  assertEquals(native[Id].interfaces.eth1.subnets, [{ ipnet: "10.9.8.7/24" }]);
  const { Containers } = (await send(test, "GET", "/networks/lan")).body;
  assertEquals([Containers[Id].Name, Containers[Id].IPv4Address], ["c", "10.9.8.7/24"]);
  const inspected = (await send(test, "GET", "/containers/c/json")).body.NetworkSettings.Networks;
  assertEquals(Object.keys(inspected).sort(), ["lan", "podman"]);
  assert(inspected.lan.Aliases.includes("db"));
  assertEquals(inspected.lan.IPAMConfig.IPv4Address, "10.9.8.7");
  const refused = await send(test, "DELETE", "/networks/lan");
  assertEquals([refused.status, refused.body.cause], [403, "network is being used"]);
  assertEquals((await send(test, "POST", "/networks/bridge/disconnect", { Container: "c", Force: true })).status, 200);
  const again = await send(test, "POST", "/libpod/networks/podman/disconnect", { Container: "c" });
  assertEquals([again.status, again.body.message], [500, "container c is not connected to network podman"]);
  const ipam = {
    IPAMConfig: { IPv4Address: "", LinkLocalIPs: ["169.254.7.7"] },
    Aliases: ["x"],
    DriverOpts: { "com.docker.network.endpoint.ifname": "wan0" },
  };
  assertEquals(
    (await send(test, "POST", "/networks/bridge/connect", { Container: "c", EndpointConfig: ipam })).status,
    200,
  );
  assertEquals(test.engine.containers.resolve("c").networks.podman.interfaceName, "wan0");
  const more = (await send(test, "GET", "/containers/c/json")).body.NetworkSettings.Networks.podman;
  assertEquals(more.IPAMConfig.LinkLocalIPs, ["169.254.7.7"]);
  assertEquals((await send(test, "POST", "/libpod/networks/prune")).body, []);
  assertEquals((await send(test, "DELETE", "/libpod/networks/lan?force=true")).body, [{ Name: "lan", Err: null }]);
  assertEquals((await send(test, "GET", "/libpod/containers/c/exists")).status, 404);
});

Deno.test("networks: a prune tells what went", async () => {
  await using test = await openTestEngine({ pulled: false });
  for (const name of ["a", "b"]) await send(test, "POST", "/libpod/networks/create", { name, labels: { [name]: "" } });
  assertEquals((await send(test, "POST", `/networks/prune?${query({ label: ["a"] })}`)).body, {
    NetworksDeleted: ["a"],
  });
  assertEquals((await send(test, "POST", `/libpod/networks/prune?${query({ until: ["500000"] })}`)).body, []);
  const rest = (await send(test, "POST", `/libpod/networks/prune?${query({ until: ["5000000000"] })}`)).body;
  assertEquals(rest, [{ Name: "b", Error: null }]);
});

Deno.test("CompatListNetworks() tells networks of users from those of every machine", async () => {
  await using test = await openTestEngine();
  await send(test, "POST", "/networks/create", { Name: "mine" });
  const names = async (filters: unknown) => {
    const { status, body } = await send(test, "GET", `/v1.50/networks?${query(filters)}`);
    return status === 200 ? body.map(({ Name }: { Name: string }) => Name).sort() : [status, body.message];
  };
  await test.engine.networks.ensureDefault();
  assertEquals(await names({ type: ["custom"] }), ["mine"]);
  assertEquals(await names({ type: ["builtin"] }), ["bridge", "host", "none"]);
  assertEquals(await names({ scope: ["local"], name: ["min"] }), ["mine"]);
  assertEquals(await names({ scope: ["swarm"] }), []);
  assertEquals(await names({ type: ["other"] }), [400, "invalid filter 'type=other'"]);
});

Deno.test("auxiliary addresses of a network are nobody's, not the gateway's either, and are shown by their names", async () => {
  await using test = await openTestEngine();
  const AuxiliaryAddresses = { router: "10.9.9.1", printer: "10.9.9.3" };
  const create = (aux: Record<string, string>, more = {}) => {
    const IPAM = { Config: [{ Subnet: "10.9.9.0/29", AuxiliaryAddresses: aux, ...more }] };
    return send(test, "POST", "/v1.44/networks/create", { Name: "lan", IPAM });
  };
  const refused = await create({ router: "10.9.8.1" });
  assertEquals(refused.status, 400);
  assertStringIncludes(refused.body.message, "auxiliary address 10.9.8.1 not in subnet 10.9.9.0/29");
  assertEquals((await create({ router: "10.9.9.1" }, { Gateway: "10.9.9.1" })).status, 400);
  assertEquals((await create(AuxiliaryAddresses)).status, 201);
  const { IPAM } = (await send(test, "GET", "/v1.44/networks/lan")).body;
  assertEquals(IPAM.Config, [{ Subnet: "10.9.9.0/29", Gateway: "10.9.9.2", AuxiliaryAddresses }]);
  const usage = (await send(test, "GET", "/v1.52/networks/lan")).body.Status.IPAM.Subnets["10.9.9.0/29"];
  assertEquals(usage.DynamicIPsAvailable, 3);
  const addresses = [];
  for (const name of ["a", "b"]) {
    const body = { Image: TINY_NAME, Cmd: ["stubborn"], HostConfig: { NetworkMode: "lan" } };
    await send(test, "POST", `/v1.44/containers/create?name=${name}`, body);
    await send(test, "POST", `/v1.44/containers/${name}/start`);
    const { NetworkSettings } = (await send(test, "GET", `/v1.44/containers/${name}/json`)).body;
    addresses.push(NetworkSettings.Networks.lan.IPAddress);
  }
  assertEquals(addresses, ["10.9.9.4", "10.9.9.5"]);
});
