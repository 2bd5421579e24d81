import { assert, assertEquals, assertInstanceOf, assertMatch, assertRejects } from "@std/assert";
import type { ContainerSpec, PortMapping } from "../../../../lib/engine/records/container_record.ts";
import { anonymousVolumes } from "../../../../lib/engine/containers/create/mounts.ts";
import type { MountSpec } from "../../../../lib/engine/records/mount_spec.ts";
import { mountOptions } from "../../../../lib/engine/containers/create/mount_options.ts";
import { WAITING_LABEL } from "../../../../lib/engine/containers/warm/warm_request.ts";
import { EngineError, FieldError } from "../../../../lib/engine/errors.ts";
import type { ExecutionConfig } from "../../../../lib/oci/image_config.ts";
import { assertConsistent } from "../../../fixtures/engine/fake_check.ts";
import { IMAGE, openFake, spec } from "../../../fixtures/engine/fake_engine.ts";

const own = { mode: "private" as const };

function port(containerPort: number, hostPort: number, more: Partial<PortMapping> = {}): PortMapping {
  return { hostIP: "", hostPort, containerPort, protocol: "tcp", range: 1, ...more };
}

function mount<T extends "bind" | "volume" | "tmpfs">(type: T, source: string, destination: string) {
  const options: string[] = [];
  return { type, source, destination, options };
}

function namespaces(more: Partial<ContainerSpec["namespaces"]>): ContainerSpec["namespaces"] {
  return { network: { mode: "bridge" }, pid: own, ipc: own, uts: own, cgroup: own, ...more };
}

/** The record a spec and an image's config make. */
async function made(
  options: Partial<ContainerSpec>,
  config: ExecutionConfig = {},
  proxyEnv: Record<string, string> = {},
) {
  const image = { ...IMAGE, config: { ...IMAGE.config, config } };
  await using engine = await openFake({ image, proxyEnv });
  return await engine.containers.create(spec(options));
}

Deno.test("createContainer() puts the command together as Podman does", async () => {
  const image = { Entrypoint: ["/entry"], Cmd: ["default", "args"] };
  const rows: [Partial<ContainerSpec>, ExecutionConfig, string[]][] = [
    [{}, image, ["/entry", "default", "args"]],
    [{ command: ["mine"] }, image, ["/entry", "mine"]],
    [{ entrypoint: ["/other"] }, image, ["/other"]],
    [{ entrypoint: ["/other"], command: ["mine"] }, image, ["/other", "mine"]],
    [{ entrypoint: [], command: [] }, image, ["default", "args"]],
    [{ entrypoint: [""], command: ["mine"] }, image, ["mine"]],
    [{ command: ["mine"] }, {}, ["mine"]],
    [{}, { Cmd: ["sh"] }, ["sh"]],
  ];
  for (const [options, config, args] of rows) assertEquals((await made(options, config)).record.process.args, args);
  await assertRejects(() => made({}), EngineError, "no command or entrypoint provided");
});

Deno.test("mountOptions() fills in Podman's defaults, and only what is not said", () => {
  const rows: [MountSpec["type"], string, string][] = [
    ["tmpfs", "", "rw,rprivate,nosuid,nodev,tmpcopyup"],
    ["tmpfs", "size=1m,notmpcopyup,dev,exec", "size=1m,dev,exec,rw,rprivate,nosuid"],
    ["tmpfs", "tmpcopyup,suid", "tmpcopyup,suid,rw,rprivate,nodev"],
    ["volume", "ro", "ro,rprivate,nosuid,nodev,rbind"],
    ["bind", "", "rprivate,rbind"],
    ["bind", "bind,ro", "bind,ro,private"],
    ["bind", "rslave,rbind", "rslave,rbind"],
  ];
  for (const [type, asked, given] of rows) {
    assertEquals(mountOptions({ type, options: asked.split(",").filter((option) => option !== "") }).join(), given);
  }
});

Deno.test("createContainer() refuses a bind of what is not there, or makes it a folder where that is asked", async () => {
  await using engine = await openFake();
  const missing = mount("bind", "/absent/folder", "/data");
  const error = await assertRejects(() => engine.containers.create(spec({ mounts: [missing] })), EngineError);
  assertEquals([error.code, error.message], ["invalid", "statfs /absent/folder: no such file or directory"]);
  assertEquals(engine.containers.list({ all: true }), []);
  const { record } = await engine.containers.create(spec({ mounts: [{ ...missing, makeSource: true }] }));
  assertEquals([...engine.kernel.folders], ["/absent/folder"]);
  assertEquals(record.mounts, [{ ...missing, options: ["rprivate", "rbind"] }]);
  await engine.containers.create(spec({ mounts: [missing] }));
});

Deno.test("createContainer() hands the engine's proxy on, unless it is refused or said otherwise", async () => {
  const proxies = async (options: Partial<ContainerSpec>, config: ExecutionConfig = {}) => {
    const own = { http_proxy: "http://proxy.example:3128", NO_PROXY: "localhost" };
    const { record } = await made({ command: ["sh"], ...options }, config, own);
    return record.process.env.filter((entry) => /proxy=/i.test(entry));
  };
  assertEquals(await proxies({}), ["http_proxy=http://proxy.example:3128", "NO_PROXY=localhost"]);
  assertEquals(await proxies({ httpProxy: false }), []);
  assertEquals(await proxies({ unsetEnv: ["http_proxy"] }), ["NO_PROXY=localhost"]);
  assertEquals(await proxies({ env: { NO_PROXY: "*" } }, { Env: ["http_proxy="] }), ["http_proxy=", "NO_PROXY=*"]);
});

Deno.test("createContainer() merges environment, user, directory, labels and stop signal", async () => {
  const config = {
    Cmd: ["sh"],
    Env: ["PATH=/img", "A=1", "B=x=y", "GONE=1"],
    User: "app",
    WorkingDir: "/srv",
    // The engine's own mark, which no image may set.
    Labels: { from: "image", both: "image", [WAITING_LABEL]: "true" },
    StopSignal: "SIGINT",
    ExposedPorts: { "80/tcp": {} },
  };
  const options = {
    env: { A: "2", C: "" },
    unsetEnv: ["GONE"],
    labels: { both: "mine" },
    terminal: true,
    hostname: "host",
    exposed: ["53/udp"],
  };
  const { record } = await made(options, config);
  const { env, user, workdir, terminal } = record.process;
  assertEquals(env, ["PATH=/img", "container=podman", "A=2", "B=x=y", "TERM=xterm", "C=", "HOSTNAME=host"]);
  assertEquals([user, workdir, terminal, record.stopSignal, record.stopTimeout], ["app", "/srv", true, 2, 10]);
  assertEquals(record.spec.labels, { from: "image", both: "mine" });
  assertEquals(record.spec.exposed, ["80/tcp", "53/udp"]);
  const bare = await made({ unsetEnv: true, env: { ONLY: "me" }, stopSignal: 9, stopTimeout: 0 }, config);
  assertEquals(bare.record.process.env, ["ONLY=me", `HOSTNAME=${bare.record.id.slice(0, 12)}`]);
  assertEquals([bare.record.stopSignal, bare.record.stopTimeout], [9, 0]);
});

Deno.test("createContainer() remembers the image by the full name that was meant", async () => {
  const names = ["quay.io/us/tiny:1", "quay.io/us/tiny:latest", "docker.io/library/other:latest"];
  await using engine = await openFake({ image: { ...IMAGE, names } });
  const { record } = await engine.containers.create(spec());
  assertEquals([record.imageName, record.imageID], ["quay.io/us/tiny:latest", IMAGE.id]);
  const byID = await engine.containers.create(spec({ image: IMAGE.id }));
  assertEquals(byID.record.imageName, names[0]);
});

Deno.test("createContainer() names the container, and answers for a taken name as Podman does", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const first = await containers.create(spec());
  assertMatch(first.record.name, /^[a-z]+_[a-z]+$/);
  const { record } = await containers.create(spec({ name: "mine" }));
  const text = `the container name "mine" is already in use by ${record.id}. ` +
    "You have to remove that container to be able to reuse that name: that name is already in use";
  const error = await assertRejects(() => containers.create(spec({ name: "mine" })));
  assertInstanceOf(error, EngineError);
  assertEquals([error.code, error.message, error.sentinel], ["name_in_use", text, "that name is already in use"]);
  const twice = await Promise.allSettled([1, 2, 3].map(() => containers.create(spec({ name: "at-once" }))));
  assertEquals(twice.map(({ status }) => status).sort(), ["fulfilled", "rejected", "rejected"]);
  await assertRejects(() => containers.create(spec({ name: "-no" })), EngineError, "names must match");
  await assertRejects(() => containers.create(spec({ image: "none" })), EngineError, "none: image not known");
  await assertConsistent(engine);
});

Deno.test("createContainer() refuses what contradicts itself", async () => {
  const rows: [Partial<ContainerSpec>, string][] = [
    [{ namespaces: namespaces({ network: { mode: "host" } }), networks: { podman: {} } }, "only be used with Bridge"],
    [{ namespaces: namespaces({ uts: { mode: "host" } }), hostname: "x" }, "host UTS namespace: invalid configuration"],
    [{ namespaces: namespaces({ ipc: { mode: "host" } }), shmSize: 1 }, "cannot set shmsize when running in the host"],
    [{ namespaces: namespaces({ pid: { mode: "container", value: "" } }) }, "must provide a value for pid"],
    [{ namespaces: namespaces({ pid: { mode: "container", value: "nobody" } }) }, "no such container"],
    [{ noHosts: true, hosts: ["a:1.2.3.4"] }, "mutually exclusive"],
    [{ noResolvConf: true, dnsServers: ["1.1.1.1"] }, "noResolvConf and dnsServers"],
    [{ hosts: ["nonsense"] }, "unable to parse host entry"],
    [{ env: { "A=B": "c" } }, "invalid environment variable name"],
    [{ remove: true, restartPolicy: { name: "always" } }, "--rm option conflicts with --restart"],
    [{ workdir: "relative" }, "needs to be an absolute path"],
    [{ mounts: [mount("bind", "/a", "rel")] }, "must be an absolute path"],
    [{ mounts: [mount("bind", "a", "/b")] }, "invalid host path"],
    [{ mounts: [mount("bind", "/a", "/x/..")] }, "cannot be the root"],
    [{ mounts: [mount("tmpfs", "", "/a"), mount("bind", "/a", "/a/")] }, "/a: duplicate mount destination"],
    [
      { mounts: [mount("volume", "../up", "/a")] },
      'volume "../up" (a folder of the host begins with /): names must match',
    ],
    [{ ports: [port(0, 80)] }, "container port number must be non-0"],
    [{ ports: [port(65535, 80, { range: 2 })] }, "container port range exceeds"],
    [{ ports: [port(80, 65535, { range: 2 })] }, "host port range exceeds"],
    [{ ports: [port(80, 80), port(81, 80)] }, "conflicting port mappings for host port 80"],
    [{ ports: [port(80, 80, { hostIP: "1.2.3" })] }, 'invalid IP address "1.2.3"'],
    [{ networks: { nowhere: {} } }, "unable to find network with name or ID nowhere: network not found"],
    [{ networks: { podman: { staticIPs: ["192.0.2.1"] } } }, "not in any subnet on network podman"],
    [{ networks: { podman: { staticIPs: ["ten"] } } }, "not an address"],
    [{ logDriver: "gelf" }, '"logDriver" is not supported yet: "gelf"'],
    [{ command: ["a\0b"] }, "NUL byte"],
    [{ resources: { memory: { swap: 5 } } }, "always set the memory limit when using memoryswap"],
    [{ resources: { memory: { limit: 10, swap: 5 } } }, "minimum memoryswap limit should be larger than memory limit"],
  ];
  await using engine = await openFake();
  for (const [options, text] of rows) {
    const error = await assertRejects(() => engine.containers.create(spec(options)), EngineError);
    assert(error.message.includes(text), `${error.message} should say ${text}`);
  }
  assertEquals(engine.containers.list({ all: true }), []);
  await assertConsistent(engine);
});

Deno.test("createContainer() makes named volumes, anonymous ones and the image's", async () => {
  const config = { Cmd: ["sh"], Volumes: { "/var/lib/x/": {}, "/data": {} } };
  await using engine = await openFake({ image: { ...IMAGE, config: { ...IMAGE.config, config } } });
  const { containers, volumes, kernel } = engine;
  const mounts = [mount("volume", "keep", "/data"), mount("volume", "", "/data/deep"), mount("tmpfs", "", "/tmp")];
  const { record } = await containers.create(spec({ mounts }));
  assertEquals(record.mounts.map(({ destination }) => destination), ["/data", "/tmp", "/data/deep", "/var/lib/x"]);
  const anonymous = anonymousVolumes(record.mounts).map(({ source }) => source);
  assertEquals(anonymous.map((name) => [name.length, volumes.resolve(name).anonymous]), [[64, true], [64, true]]);
  await containers.start(record.id);
  assertEquals(kernel.volumes.get("keep"), [`${record.id}:/data`]);
  await containers.restart(record.id);
  assertEquals(kernel.volumes.get("keep")?.length, 1);
  await containers.remove(record.id, { force: true, volumes: true });
  assertEquals([...kernel.volumes.keys()], ["keep"]);
  await containers.settled();
  await assertConsistent(engine);
});

Deno.test("createContainer() leaves nothing when the host fails", async () => {
  let broken = "";
  const hook = (operation: string) => {
    if (operation === broken) throw new EngineError("internal", "broken");
  };
  await using engine = await openFake({ hook });
  for (broken of ["layers.create", "volumes.create"]) {
    const mounts = [mount("volume", "", "/data")];
    await assertRejects(() => engine.containers.create(spec({ name: "again", mounts })), EngineError, "broken");
  }
  broken = "";
  assertEquals(engine.containers.list({ all: true }), []);
  assertEquals([engine.kernel.layers.size, engine.kernel.volumes.size], [0, 0]);
  await engine.containers.create(spec({ name: "again" }));
});

Deno.test("createContainer() limits what the container writes, or refuses it by the field's name", async () => {
  await using engine = await openFake();
  const treeLimit = { size: 8 * 1024 * 1024 };
  const limited = spec({ treeLimit, mounts: [mount("volume", "", "/data")] });
  const error = await assertRejects(() => engine.containers.create(limited), FieldError) as FieldError;
  assertEquals([error.code, error.named({ treeLimit: "storage_opts" }).message], [
    "unsupported",
    'Create container: "storage_opts" is not supported here: no project quota is in force',
  ]);
  assertEquals([engine.kernel.layers.size, engine.kernel.volumes.size], [0, 0]);
  engine.kernel.quotas = new Map();
  const { record } = await engine.containers.create(limited);
  assertEquals([...engine.kernel.quotas], [[record.id, treeLimit]]);
  await engine.containers.remove(record.id);
  assertEquals(engine.kernel.quotas.size, 0);
  const bare = spec({ treeLimit, image: "", rootfs: { path: "/srv", overlay: false } });
  await assertRejects(() => engine.containers.create(bare), EngineError, "not a folder of the host");
});

Deno.test("createContainer() gives free host ports, publishes exposed ones and joins equal mappings", async () => {
  await using engine = await openFake({
    image: {
      ...IMAGE,
      config: { ...IMAGE.config, config: { Cmd: ["sh"], ExposedPorts: { "80/tcp": {}, "53/udp": {} } } },
    },
  });
  const { containers } = engine;
  const { record } = await containers.create(spec({
    ports: [port(80, 0), port(443, 8443), port(443, 8443), port(9000, 0, { range: 3 })],
    publishImagePorts: true,
  }));
  const published = record.ports.map(({ containerPort, protocol, range }) => `${containerPort}/${protocol}x${range}`);
  assertEquals(published.sort(), ["443/tcpx1", "53/udpx1", "80/tcpx1", "9000/tcpx3"]);
  assert(record.ports.every(({ hostPort }) => hostPort > 1024));
  assertEquals(new Set(record.ports.map(({ hostPort }) => hostPort)).size, 4);
  const hosted = await containers.create(spec({
    namespaces: namespaces({ network: { mode: "host" } }),
    ports: [port(80, 80)],
  }));
  assertEquals(hosted.record.ports, []);
  assertEquals(hosted.record.hostname, "fakehost");
  assertEquals(hosted.warnings.length, 1);
  assert(hosted.warnings[0].startsWith('Port mappings have been discarded because "host" network'));
});

Deno.test("createContainer() remembers names and interfaces of its networks", async () => {
  const { record } = await made({ networks: { podman: { aliases: ["db"], mac: "02:aa:bb:cc:dd:ee" } } }, {
    Cmd: ["sh"],
  });
  const { podman } = record.networks;
  assertEquals(podman, {
    aliases: ["db", record.id.slice(0, 12)],
    staticIPs: [],
    mac: "02:aa:bb:cc:dd:ee",
    interfaceName: "eth0",
  });
  const named = await made({ networks: { podman: { interfaceName: "lan" } } }, { Cmd: ["sh"] });
  assertEquals(named.record.networks.podman.interfaceName, "lan");
});
