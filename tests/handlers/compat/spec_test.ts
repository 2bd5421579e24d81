import { assertEquals, assertThrows } from "@std/assert";
import { CreateContainerConfig } from "../../../handlers/wire/compat/container_create.ts";
import { accept, decode, DecodeError } from "../../../handlers/wire/decode.ts";
import type { ContainerSpec } from "../../../lib/engine/records/container_record.ts";
import { captured } from "../clients/requests.ts";
import { difference, dockerSpec } from "../../fixtures/handlers/spec_difference.ts";
import { assertRefused } from "../../fixtures/handlers/assert_refused.ts";
import { RequestError } from "../../../handlers/request_error.ts";
import { endpointOptions } from "../../../handlers/compat/containers/spec/networks.ts";

function docker(body: unknown): ContainerSpec {
  return dockerSpec(accept(CreateContainerConfig, body));
}

function volume(VolumeOptions: Record<string, unknown>) {
  return { Type: "volume", Source: "v", Target: "/v", VolumeOptions };
}

Deno.test("dockerRequest() reads docker's plain request as next to nothing", () => {
  const { body } = captured("docker_28_2_2").plain;
  const config = decode(CreateContainerConfig, body);
  assertEquals(difference(dockerSpec(config)), {
    command: ["echo", "hi"],
    baseHosts: "none",
    // As Docker's daemon does.
    createWorkdir: true,
    defaults: "docker",
    stdinOnce: false,
    httpProxy: false,
    // Docker has no writable /tmp on a read-only root, but Podman's service gives it one.
    readWriteTmpfs: true,
    networks: { podman: { aliases: [], staticIPs: [] } },
    restartPolicy: { name: "no" },
  });
});

Deno.test("dockerRequest() publishes a port for each protocol it names, and takes the first free one of a range", () => {
  const ports = (PortBindings: unknown) => docker({ Image: "x", HostConfig: { PortBindings } }).ports;
  const plain = { hostIP: "", hostPort: 5300, containerPort: 53, range: 1 };
  assertEquals(ports({ "53/tcp,udp": [{ HostPort: "5300" }], "80/": [{ HostIp: "0.0.0.0", HostPort: "8000-8010" }] }), [
    { ...plain, protocol: "tcp", bothFamilies: true },
    { ...plain, protocol: "udp", bothFamilies: true },
    { ...plain, hostPort: 8000, lastHostPort: 8010, containerPort: 80, protocol: "tcp" },
  ]);
  assertThrows(() => ports({ "53/icmp": [{ HostPort: "5300" }] }), RequestError, 'port protocol "icmp"');
  assertThrows(() => ports({ "53/tcp": [{ HostPort: "9-1" }] }), RequestError, "invalid port specification");
});

Deno.test("dockerRequest() reads every option of docker's", () => {
  const { body } = captured("docker_28_2_2").everything;
  const config = decode(CreateContainerConfig, body);
  const spec = dockerSpec(config, { name: "x" });
  assertEquals(difference(spec), {
    name: "x",
    entrypoint: ["a"],
    command: ["sh"],
    env: { A: "b" },
    workdir: "/tmp",
    baseHosts: "none",
    createWorkdir: true,
    defaults: "docker",
    httpProxy: false,
    user: "1000",
    hostname: "hh",
    terminal: true,
    stdin: true,
    stdinOnce: true,
    labels: { k: "v" },
    stopSignal: 2,
    stopTimeout: 3,
    remove: true,
    restartPolicy: { name: "no" },
    mounts: [
      { type: "bind", source: "/tmp", destination: "/x", options: ["ro"], makeSource: true },
      { type: "bind", source: "/tmp", destination: "/z", options: ["rbind"] },
      { type: "tmpfs", source: "tmpfs", destination: "/t", options: [] },
      { type: "volume", source: "vol", destination: "/y", options: [], anonymous: false },
    ],
    capAdd: ["CAP_NET_ADMIN"],
    capDrop: ["ALL"],
    readOnly: true,
    readWriteTmpfs: true,
    init: true,
    namespaces: { ...spec.namespaces, network: { mode: "none" } },
    ports: [
      { hostIP: "127.0.0.1", hostPort: 0, containerPort: 53, protocol: "udp", range: 1 },
      { hostIP: "", bothFamilies: true, hostPort: 8080, containerPort: 80, protocol: "tcp", range: 1 },
    ],
    exposed: ["53/udp", "80/tcp"],
    dnsServers: ["1.1.1.1"],
    hosts: ["a:1.2.3.4"],
    resources: {
      cpu: { period: 100000, quota: 150000 },
      memory: { limit: 67108864, swap: 134217728 },
      pids: { limit: 10 },
    },
    rlimits: [{ type: "RLIMIT_NOFILE", soft: 100n, hard: 200n }],
    shmSize: 1048576,
    logDriver: "json-file",
    logSizeMax: 1_000_000,
    logOptions: { "max-size": "1m" },
  });
});

Deno.test("dockerRequest() reads the corners of docker's request", () => {
  const spec = docker({
    Image: "x",
    Entrypoint: [""],
    Env: ["A=b=c", "GONE"],
    Volumes: { "/anon": {}, "/y": {} },
    HostConfig: {
      Binds: ["v:/y:ro,z", "/only"],
      NetworkMode: "mynet",
      SecurityOpt: ["no-new-privileges", "seccomp=unconfined", "mask=/a:/b"],
      MaskedPaths: [],
      ReadonlyPaths: [],
      Ulimits: [{ Name: "nofile", Soft: -1, Hard: -1 }],
      PidsLimit: -1,
      Tmpfs: { "/t": "size=1m,ro" },
    },
    NetworkingConfig: { EndpointsConfig: { mynet: { Aliases: ["al"], IPAMConfig: { IPv4Address: "10.0.0.9" } } } },
    MacAddress: "02:00:00:00:00:09",
  });
  assertEquals(spec.entrypoint, []);
  assertEquals(spec.env, { A: "b=c" });
  assertEquals(spec.unsetEnv, ["GONE"]);
  assertEquals(
    spec.mounts.map((mount) => {
      const { type, source, destination, options } = mount;
      return [type, source, destination, options.join(), "anonymous" in mount && mount.anonymous];
    }),
    [
      ["tmpfs", "tmpfs", "/t", "size=1m,ro", false],
      ["volume", "v", "/y", "ro,z", false],
      ["volume", "", "/only", "", true],
      ["volume", "", "/anon", "", true],
    ],
  );
  assertEquals(spec.networks, { mynet: { aliases: ["al"], staticIPs: ["10.0.0.9"], mac: "02:00:00:00:00:09" } });
  assertEquals([spec.noNewPrivileges, spec.seccomp, spec.masks, spec.unmasks], [true, "unconfined", ["/a", "/b"], [
    "ALL",
  ]]);
  assertEquals(spec.rlimits, [{ type: "RLIMIT_NOFILE", soft: 2n ** 64n - 1n, hard: 2n ** 64n - 1n }]);
  assertEquals(spec.resources, { pids: { limit: -1 } });
});

Deno.test("dockerRequest() reads the size of a container's terminal", () => {
  const size = (ConsoleSize: unknown) => docker({ Image: "x", Tty: true, HostConfig: { ConsoleSize } }).terminalSize;
  assertEquals([size([21, 71]), size([0, 0]), size([]), size(null)], [
    { height: 21, width: 71 },
    undefined,
    undefined,
    undefined,
  ]);
  for (const bad of [[-1, 80], [24, 0x10000], [24.5, 80], ["24", 80]]) {
    assertThrows(() => size(bad), DecodeError, "HostConfig.ConsoleSize.");
  }
});

Deno.test("dockerRequest() reads docker's devices, their rules and limits of block devices", () => {
  const HostConfig = {
    Devices: [{ PathOnHost: "/dev/fuse" }, {
      PathOnHost: "/dev/a",
      PathInContainer: "/dev/b",
      CgroupPermissions: "rw",
    }],
    DeviceCgroupRules: ["c 1:* mr"],
    BlkioWeightDevice: [{ Path: "/dev/sda", Weight: 100 }],
    BlkioDeviceReadBps: [{ Path: "/dev/sda", Rate: 1 }],
    BlkioDeviceWriteIOps: [{ Path: "/dev/sdb", Rate: 2 }],
  };
  const spec = docker({ Image: "x", HostConfig });
  assertEquals(spec.devices, [
    { source: "/dev/fuse", destination: "/dev/fuse", access: "rwm" },
    { source: "/dev/a", destination: "/dev/b", access: "rw" },
  ]);
  assertEquals(spec.deviceRules, [{ allow: true, type: "c", major: 1, access: "mr" }]);
  assertEquals(spec.pathLimits?.weightDevice?.["/dev/sda"]?.weight, 100);
  assertEquals(spec.pathLimits?.throttleReadBpsDevice, { "/dev/sda": 1 });
  assertEquals(spec.pathLimits?.throttleWriteIOPSDevice, { "/dev/sdb": 2 });
  const bad = { DeviceCgroupRules: ["x 1:3 mr"] };
  assertThrows(() => docker({ Image: "x", HostConfig: bad }), RequestError, "invalid device cgroup rule");
});

Deno.test("dockerRequest() refuses what docker asks for and nobody has", () => {
  const rows: [host: Record<string, unknown>, field: string][] = [
    [{ Mounts: [{ Type: "npipe", Target: "/x" }] }, "HostConfig.Mounts"],
    [{ CpuCount: 1 }, "HostConfig.CpuCount"],
    [{ IOMaximumIOps: 1 }, "HostConfig.IOMaximumIOps"],
    [{ VolumeDriver: "other" }, "HostConfig.VolumeDriver"],
    [{ LogConfig: { Config: { other: "0" } } }, "HostConfig.LogConfig.Config"],
    [{ Mounts: [volume({ DriverConfig: { Name: "nfs" } })] }, "HostConfig.Mounts.VolumeOptions.DriverConfig"],
    [
      { Mounts: [{ Type: "bind", Source: "/", Target: "/x", BindOptions: { ReadOnlyForceRecursive: true } }] },
      "HostConfig.Mounts.BindOptions.ReadOnlyForceRecursive",
    ],
  ];
  for (const [HostConfig, field] of rows) {
    assertRefused(() => docker({ Image: "x", HostConfig }), `"${field}" is not supported`);
  }
  const endpoints: [endpoint: Record<string, unknown>, field: string][] = [
    [{ DriverOpts: { a: "b" } }, "NetworkingConfig.EndpointsConfig.DriverOpts"],
  ];
  for (const [endpoint, field] of endpoints) {
    const body = { Image: "x", NetworkingConfig: { EndpointsConfig: { default: endpoint } } };
    assertRefused(() => docker(body), `"${field}" is not supported`);
  }
  assertThrows(() => docker({ Image: "x", HostConfig: { Isolation: "hyperv" } }), RequestError, "invalid isolation");
  assertThrows(() => docker({ Image: "x", HostConfig: { Links: ["a b"] } }), RequestError, 'invalid link "a b"');
  assertThrows(() => docker({ Image: "x", HostConfig: { SecurityOpt: ["odd"] } }), RequestError, "security-opt");
  assertThrows(() => docker({ Image: "x", StopSignal: "NOPE" }), RequestError, "invalid signal");
  assertThrows(() => docker({ Image: "x", StopSignal: "0" }), RequestError, "invalid signal");
  assertEquals(docker({ Image: "x", StopSignal: "SIGRTMIN+3" }).stopSignal, 37);
  const aliases = ["SIGPOLL", "cld", "IOT"].map((StopSignal) => docker({ Image: "x", StopSignal }).stopSignal);
  assertEquals(aliases, [29, 17, 6], "aliases are names for a stop signal as they are for kill");
  assertEquals(docker({ Image: "x", Domainname: "x.y" }).sysctl, { "kernel.domainname": "x.y" });
});

Deno.test("dockerRequest() refuses a health check whose times are shorter than a millisecond, as Docker does", () => {
  const check = (Healthcheck: unknown) => docker({ Image: "x", Healthcheck });
  for (const name of ["Interval", "Timeout", "StartPeriod", "StartInterval"]) {
    const text = `${name} in Healthcheck cannot be less than 1ms: it is 30 nanoseconds`;
    assertEquals(assertThrows(() => check({ Test: ["CMD", "a"], [name]: 30 }), RequestError, text).code, "malformed");
    check({ Test: ["CMD", "a"], [name]: 1_000_000 });
    check({ Test: ["CMD", "a"], [name]: 0 });
  }
});

Deno.test("dockerRequest() takes the interface's name and settings, which inspection gives back", () => {
  const name = { "com.docker.network.endpoint.ifname": "wan0" };
  const settings = {
    "com.docker.network.endpoint.sysctls": "net.ipv4.conf.IFNAME.log_martians=1,net.ipv6.conf.IFNAME.disable_ipv6=1",
  };
  for (const DriverOpts of [name, settings, { ...name, ...settings }]) {
    const body = { Image: "x", NetworkingConfig: { EndpointsConfig: { lan: { DriverOpts } } } };
    assertEquals(endpointOptions(dockerSpec(accept(CreateContainerConfig, body)).networks.lan), DriverOpts);
  }
  assertEquals(endpointOptions({}), null);
});

Deno.test("dockerRequest() lets the owner of the machine choose Docker's default network", () => {
  const docker = (body: unknown, netns?: string) => dockerSpec(accept(CreateContainerConfig, body), { netns });
  const endpoint = (settings: unknown) => ({
    Image: "busybox",
    HostConfig: { NetworkMode: "default" },
    NetworkingConfig: { EndpointsConfig: { default: settings } },
  });
  const plain = docker(endpoint({}), "host");
  assertEquals([plain.namespaces.network, plain.networks], [{ mode: "host" }, {}]);
  assertEquals(docker(endpoint({}), "private").namespaces.network, { mode: "bridge" });
  assertEquals(Object.keys(docker({ Image: "busybox" }, "mine").networks), ["mine"]);
  const placed = endpoint({ IPAMConfig: { IPv4Address: "1.2.3.4" } });
  assertThrows(() => docker(placed, "host"), Error, "can only be used with Bridge mode networking");
});

Deno.test("dockerRequest() gives the gateway to the network of the highest priority, and gathers links", () => {
  const EndpointsConfig = { one: { Links: ["db:database"] }, two: { GwPriority: 5 }, three: { GwPriority: -1 } };
  const HostConfig = { NetworkMode: "one", Links: ["/db:/web/store", "cache", "db:database"] };
  const { networks, links } = docker({ Image: "x", HostConfig, NetworkingConfig: { EndpointsConfig } });
  assertEquals(Object.keys(networks ?? {}), ["two", "one", "three"]);
  assertEquals(links, ["db:store", "cache:cache", "db:database"]);
});

Deno.test("dockerRequest() keeps what a volume is made with", () => {
  const made = { Labels: { kind: "" }, DriverConfig: { Name: "local", Options: { type: "tmpfs" } } };
  const mounts = [volume(made), { ...volume({}), Target: "/w" }].map((mount) => ({
    Image: "x",
    HostConfig: { Mounts: [mount] },
  }));
  const making = mounts.map((body) => docker(body).mounts.map((mount) => mount.type === "volume" && mount.making));
  assertEquals(making, [[{ labels: { kind: "" }, options: { type: "tmpfs" } }], [undefined]]);
});

// distrobox asks for terminals of a container's own by a volume without a name.
Deno.test("dockerRequest() leaves a container's terminals where an unnamed volume is asked for in their place, and no named one", () => {
  const { mounts = [] } = docker({
    Image: "x",
    Volumes: { "/dev/pts": {}, "/dev/./pts/": {}, "/dev/pts2": {} },
    HostConfig: {},
  });
  assertEquals(mounts.map(({ type, destination }) => [type, destination]), [
    ["volume", "/dev/pts2"],
  ]);
  const named = docker({ Image: "x", HostConfig: { Binds: ["kept:/dev/pts"] } });
  assertEquals(named.mounts?.map(({ type }) => type), ["volume"]);
});
