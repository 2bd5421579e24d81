import { assertEquals, assertMatch } from "@std/assert";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

Deno.test("CompatGetContainer() tells the address in the default network to older clients, and what was asked for", async () => {
  await using test = await openTestEngine();
  const inspect = async (version: string, name: string) =>
    await (await test.send("GET", `/${version}/containers/${name}/json`)).json();
  const start = async (name: string, HostConfig: object = {}) => {
    const body = { Image: TINY_NAME, HostConfig };
    const made = await test.send("POST", `/v1.50/containers/create?name=${name}`, body);
    assertEquals([made.status, (await test.send("POST", `/containers/${name}/start`)).status], [201, 204]);
  };
  await start("plain");
  const { NetworkSettings, HostConfig } = await inspect("v1.50", "plain");
  const [endpoint] = Object.values<{ IPAddress: string; IPAMConfig: unknown }>(NetworkSettings.Networks);
  assertMatch(endpoint.IPAddress, /^10\./);
  assertEquals([NetworkSettings.IPAddress, endpoint.IPAMConfig], [endpoint.IPAddress, null]);
  assertEquals(HostConfig.NetworkMode, "bridge");
  assertEquals((endpoint as unknown as { DNSNames: unknown }).DNSNames, null);
  const later = (await inspect("v1.52", "plain")).NetworkSettings;
  assertEquals(["IPAddress" in later, "Gateway" in later], [false, false]);

  assertEquals((await test.send("POST", "/networks/create", { Name: "web" })).status, 201);
  await start("elsewhere", { NetworkMode: "web", Binds: ["kept:/data"] });
  const elsewhere = await inspect("v1.50", "elsewhere");
  assertEquals([elsewhere.HostConfig.NetworkMode, elsewhere.NetworkSettings.IPAddress], ["web", ""]);
  assertEquals(elsewhere.NetworkSettings.Networks.web.IPAMConfig, null);
  const filters = encodeURIComponent(JSON.stringify({ name: ["elsewhere"] }));
  const [listed] = await (await test.send("GET", `/v1.50/containers/json?filters=${filters}`)).json();
  const Source = test.engine.volumes.mountpoint("kept");
  const mount = { Type: "volume", Name: "kept", Source, Destination: "/data", Driver: "local", Mode: "z", RW: true };
  assertEquals([listed.Mounts, elsewhere.Mounts], [[{ ...mount, Propagation: "" }], [{ ...mount, Propagation: "" }]]);
});

Deno.test("CompatGetContainer() and CompatListContainers() use Docker's words for limits, signals and commands", async () => {
  await using test = await openTestEngine();
  const ask = async (path: string) => await (await test.send("GET", path)).json();
  const Ulimits = [{ Name: "nofile", Soft: 20, Hard: 30 }];
  const HostConfig = { Ulimits, PortBindings: { "80/tcp": [{ HostPort: "8080" }] } };
  const body = { Image: TINY_NAME, Entrypoint: ["sh"], Cmd: ["-c", "sleep 9"], StopSignal: "SIGQUIT", HostConfig };
  assertEquals((await test.send("POST", "/v1.50/containers/create?name=worded", body)).status, 201);
  const look = async () => {
    const [{ Ports: listed, Command }] = await ask("/v1.50/containers/json?all=true");
    const { NetworkSettings: { Ports }, ...inspected } = await ask("/v1.50/containers/worded/json");
    return { ...inspected, Command, ports: [listed.length, Object.keys(Ports).length] };
  };
  const created = await look();
  assertEquals([created.Command, created.Config.StopSignal], ["sh -c 'sleep 9'", "SIGQUIT"]);
  assertEquals([created.HostConfig.Ulimits, created.HostConfig.LogConfig.Config], [Ulimits, {}]);
  // A port leads to a process: without one there is none.
  assertEquals(created.ports, [0, 0]);
  assertEquals(created.HostConfig.PortBindings["80/tcp"][0].HostPort, "8080");
  assertEquals((await test.send("POST", "/containers/worded/start")).status, 204);
  // The image exposes another one.
  assertEquals((await look()).ports, [2, 2]);
  assertEquals((await test.send("POST", "/containers/worded/stop?t=0")).status, 204);
  assertEquals((await look()).ports, [0, 0]);
});

Deno.test("CompatGetContainer() shows the size that a container's terminal was asked for, and [0,0] where it was not", async () => {
  await using test = await openTestEngine();
  const size = async (name: string, HostConfig: object) => {
    const body = { Image: TINY_NAME, Tty: true, HostConfig };
    assertEquals((await test.send("POST", `/v1.50/containers/create?name=${name}`, body)).status, 201);
    return (await (await test.send("GET", `/v1.50/containers/${name}/json`)).json()).HostConfig.ConsoleSize;
  };
  assertEquals([await size("sized", { ConsoleSize: [21, 71] }), await size("plain", {})], [[21, 71], [0, 0]]);
});

Deno.test("Docker's tree refuses a name that a container has already, and a restart policy there is not", async () => {
  await using test = await openTestEngine();
  const tell = async (path: string, body?: unknown) => {
    const reply = await test.send("POST", path, body);
    return [reply.status, (await reply.json()).message];
  };
  const policy = (Name: string, MaximumRetryCount = 0) => ({ RestartPolicy: { Name, MaximumRetryCount } });
  const create = (HostConfig: object) => tell("/v1.50/containers/create", { Image: TINY_NAME, HostConfig });
  const names = "use one of 'no', 'always', 'on-failure', or 'unless-stopped'";
  const unknown = [400, `invalid restart policy: unknown policy 'now'; ${names}`];
  const tooMany = [400, "invalid restart policy: maximum retry count can only be used with 'on-failure'"];
  assertEquals(await create(policy("now")), unknown);
  assertEquals(await create(policy("always", 3)), tooMany);
  assertEquals(await create(policy("on-failure", -1)), [
    400,
    "invalid restart policy: maximum retry count cannot be negative",
  ]);
  assertEquals((await create(policy("on-failure", 3)))[0], 201);
  assertEquals((await test.send("POST", "/containers/create?name=mine", { Image: TINY_NAME })).status, 201);
  assertEquals(await tell("/containers/mine/update", policy("now")), unknown);
  const same = [400, "Renaming a container with the same name as its current name"];
  assertEquals(await tell("/containers/mine/rename?name=mine"), same);
  assertEquals((await test.send("POST", "/containers/mine/rename?name=yours")).status, 204);
});

Deno.test("a container's hostname is one of its names in networks of users, and lists tell its network", async () => {
  await using test = await openTestEngine();
  const ask = async (path: string) => await (await test.send("GET", path)).json();
  assertEquals((await test.send("POST", "/networks/create", { Name: "web" })).status, 201);
  const body = { Image: TINY_NAME, Hostname: "broker", HostConfig: { NetworkMode: "web" } };
  const { Id } = await (await test.send("POST", "/v1.50/containers/create?name=kafka", body)).json();
  assertEquals((await test.send("POST", "/containers/kafka/start")).status, 204);
  const { NetworkSettings: { Networks: { web } }, HostConfig } = await ask("/v1.50/containers/kafka/json");
  assertEquals(web.DNSNames.sort(), ["broker", "kafka", Id.slice(0, 12)].sort());
  assertEquals([HostConfig.PidMode, HostConfig.UTSMode], ["", ""]);
  assertEquals(test.engine.containers.resolve("kafka").networks.web.aliases, [Id.slice(0, 12), "broker"]);
  assertEquals((await test.send("POST", "/networks/create", { Name: "late" })).status, 201);
  assertEquals((await test.send("POST", "/networks/late/connect", { Container: "kafka" })).status, 200);
  assertEquals(test.engine.containers.resolve("kafka").networks.late.aliases, [Id.slice(0, 12), "broker"]);
  const [listed] = await ask("/v1.50/containers/json");
  assertEquals(listed.HostConfig, { NetworkMode: "web" });
});

// Ansible's docker_container makes a container again when these differ from what its tasks ask for.
Deno.test("CompatGetContainer() shows images, binds, mounts, capabilities and security options in the request's words", async () => {
  await using test = await openTestEngine();
  await test.engine.images.tag(TINY_NAME, "docker.io/library/plain", "latest");
  const make = async (name: string, body: object) => {
    const reply = await test.send("POST", `/v1.51/containers/create?name=${name}`, body);
    assertEquals(reply.status, 201, await reply.clone().text());
    return await (await test.send("GET", `/v1.51/containers/${name}/json`)).json();
  };
  const HostConfig = {
    Binds: ["kept:/v:rw", "/tmp:/t:ro", "/tmp:/plain"],
    Mounts: [{ Type: "tmpfs", Target: "/m", TmpfsOptions: { SizeBytes: 1 << 20, Mode: 0o1777 } }],
    Tmpfs: { "/s": "size=1m", "/empty": "" },
    CapAdd: ["net_admin"],
    CapDrop: ["MKNOD"],
    DeviceCgroupRules: ["c 7:128 rwm"],
    SecurityOpt: ["no-new-privileges:true", 'seccomp={"defaultAction":"SCMP_ACT_ALLOW"}', "label=disable"],
    UsernsMode: "host",
  };
  const asked = await make("asked", { Image: "plain", Volumes: { "/unnamed": {} }, HostConfig });
  const { Binds, Mounts, Tmpfs, CapAdd, CapDrop, SecurityOpt, UsernsMode } = asked.HostConfig;
  assertEquals([CapAdd, CapDrop, Mounts, UsernsMode], [["net_admin"], ["MKNOD"], HostConfig.Mounts, "host"]);
  assertEquals(asked.HostConfig.DeviceCgroupRules, HostConfig.DeviceCgroupRules);
  assertEquals(SecurityOpt.toSorted(), HostConfig.SecurityOpt.toSorted());
  assertEquals([Binds, Tmpfs], [HostConfig.Binds, HostConfig.Tmpfs]);
  const list = await (await test.send("GET", "/v1.51/containers/json?all=true")).json();
  assertEquals([asked.Config.Image, list[0].Image], ["plain", "plain"]);
  const native = await (await test.send("GET", "/libpod/containers/asked/json")).json();
  assertEquals([native.ImageName, native.HostConfig.CapAdd], ["docker.io/library/plain:latest", ["CAP_NET_ADMIN"]]);
  // A short name that found an image elsewhere does not stand for it in Docker's words.
  const found = await make("found", { Image: "tiny:1" });
  assertEquals(found.Config.Image, TINY_NAME);
});

Deno.test("CompatGetContainer() lists a container's short ID and hostname among its aliases for clients before 1.45 only", async () => {
  await using test = await openTestEngine();
  assertEquals((await test.send("POST", "/networks/create", { Name: "web" })).status, 201);
  const make = async (name: string, Aliases?: string[]) => {
    const EndpointsConfig = { web: { Aliases } };
    const body = {
      Image: TINY_NAME,
      Hostname: "host",
      HostConfig: { NetworkMode: "web" },
      NetworkingConfig: { EndpointsConfig },
    };
    const { Id } = await (await test.send("POST", `/v1.51/containers/create?name=${name}`, body)).json();
    return Id.slice(0, 12);
  };
  const names = async (name: string, version: string) => {
    const { NetworkSettings } = await (await test.send("GET", `/${version}/containers/${name}/json`)).json();
    return [NetworkSettings.Networks.web.Aliases, NetworkSettings.Networks.web.DNSNames];
  };
  const [plain, named] = [await make("plain"), await make("named", ["db", "host"])];
  assertEquals(await names("plain", "v1.45"), [null, ["plain", plain, "host"]]);
  assertEquals(await names("plain", "v1.44"), [[plain, "host"], ["plain", plain, "host"]]);
  assertEquals(await names("named", "v1.45"), [["db", "host"], ["named", "db", "host", named]]);
});
