import { assertEquals, assertThrows } from "@std/assert";
import { CreateContainerConfig } from "../../../handlers/wire/compat/container_create.ts";
import { accept } from "../../../handlers/wire/decode.ts";
import { SpecGenerator } from "../../../handlers/wire/containers/spec_generator.ts";
import type { ContainerDefaults } from "../../../lib/engine/records/container_defaults.ts";
import type { ContainerSpec } from "../../../lib/engine/records/container_record.ts";
import { difference, dockerSpec, nativeSpec } from "../../fixtures/handlers/spec_difference.ts";

const NOFILE = { type: "RLIMIT_NOFILE", soft: 10n, hard: 20n };

const ALL: ContainerDefaults = {
  annotations: { a: "1" },
  baseHosts: "/srv/hosts",
  cgroups: "no-conmon",
  cgroupFiles: { "memory.high": "1" },
  devices: ["/dev/fuse"],
  dnsServers: ["10.0.0.1"],
  dnsSearch: ["example"],
  dnsOptions: ["ndots:2"],
  envHost: true,
  httpProxy: false,
  imageVolumes: "tmpfs",
  init: true,
  initPath: "/sbin/tini",
  logDriver: "journald",
  logSizeMax: 9000,
  logTag: "mine",
  noHosts: true,
  oomScoreAdj: 5,
  pidsLimit: 0,
  privileged: false,
  readOnly: true,
  seccomp: "/srv/seccomp.json",
  shmSize: 1000,
  stopTimeout: 3,
  sysctl: { "net.core.somaxconn": "100" },
  timezone: "local",
  ulimits: [NOFILE],
  umask: "0027",
  mounts: [
    "type=bind,src=/srv/more,dst=/more,readonly=true,bind-propagation=rslave",
    "type=tmpfs,destination=/data",
    "source=named,target=/named,ro=false,U=true",
  ],
  volumes: ["/srv/data:/data:ro", "cache:/cache"],
};

function native(body: Record<string, unknown>, defaults: ContainerDefaults): ContainerSpec {
  return nativeSpec(accept(SpecGenerator, { image: "busybox", ...body }), defaults);
}

Deno.test("completeRequest() completes a request that says nothing", () => {
  assertEquals(difference(native({}, ALL)), {
    annotations: { a: "1" },
    baseHosts: "/srv/hosts",
    cgroupsMode: "no-conmon",
    devices: [{ source: "/dev/fuse", destination: "/dev/fuse", access: "rwm" }],
    dnsServers: ["10.0.0.1"],
    dnsSearch: ["example"],
    dnsOptions: ["ndots:2"],
    envHost: true,
    httpProxy: false,
    imageVolumes: "tmpfs",
    init: true,
    initPath: "/sbin/tini",
    logDriver: "journald",
    logSizeMax: 9000,
    logOptions: { tag: "mine" },
    noHosts: true,
    oomScoreAdj: 5,
    resources: { pids: { limit: -1 }, unified: { "memory.high": "1" } },
    readOnly: true,
    readWriteTmpfs: true,
    seccomp: "/srv/seccomp.json",
    shmSize: 1000,
    stopTimeout: 3,
    sysctl: { "net.core.somaxconn": "100", "net.ipv4.ping_group_range": "1 0" },
    timezone: "local",
    rlimits: [NOFILE],
    umask: "0027",
    mounts: [
      { type: "bind", source: "/srv/data", destination: "/data", options: ["ro"] },
      { type: "bind", source: "/srv/more", destination: "/more", options: ["ro", "rslave"] },
      { type: "volume", source: "cache", destination: "/cache", options: [], anonymous: false },
      { type: "volume", source: "named", destination: "/named", options: ["U"], anonymous: false },
    ],
  });
});

Deno.test("completeRequest() leaves what a request says, and adds to its lists", () => {
  const body = {
    annotations: { a: "2" },
    base_hosts_file: "none",
    dns_server: ["10.0.0.2"],
    init: false,
    log_configuration: { driver: "none" },
    hostadd: ["a:1.2.3.4"],
    read_only_filesystem: false,
    r_limits: [{ type: "nofile", soft: 1, hard: 2 }],
    ipcns: { nsmode: "host" },
    netns: { nsmode: "host" },
    resource_limits: { pids: { limit: 7 } },
    mounts: [{ type: "tmpfs", destination: "/data" }],
    umask: "0077",
    use_image_hosts: false,
  };
  const found = native(body, ALL);
  assertEquals(found.annotations, { a: "2" });
  assertEquals([found.baseHosts, found.umask, found.init, found.readOnly], ["none", "0077", false, false]);
  assertEquals([found.noHosts, found.shmSize, found.logSizeMax], [false, undefined, undefined]);
  assertEquals(found.dnsServers, ["10.0.0.1", "10.0.0.2"]);
  assertEquals(found.rlimits, [{ type: "RLIMIT_NOFILE", soft: 1n, hard: 2n }]);
  // Those of the host's network are the host's.
  assertEquals(found.sysctl, {});
  assertEquals(found.resources.pids, { limit: 7 });
  assertEquals(found.mounts.map(({ type, destination }) => `${type} ${destination}`), [
    "tmpfs /data",
    "bind /more",
    "volume /cache",
    "volume /named",
  ]);
});

Deno.test("completeRequest() opens namespaces in the words of the command line", () => {
  const words = { netns: "one,two", ipcns: "private", pidns: "host", utsns: "ns:/x", cgroupns: "host" };
  const spec = native({}, { ...words, userns: "auto:size=9", init: true });
  assertEquals(spec.namespaces, {
    network: { mode: "bridge" },
    ipc: { mode: "private" },
    pid: { mode: "host" },
    uts: { mode: "path", value: "/x" },
    cgroup: { mode: "host" },
    user: { mode: "private" },
  });
  assertEquals(Object.keys(spec.networks), ["one", "two"]);
  assertEquals(spec.userMaps, { auto: { size: 9, uids: [], gids: [] } });
  // It could not be the first process.
  assertEquals(spec.init, false);
  assertEquals(native({ netns: { nsmode: "none" } }, words).namespaces.network, { mode: "none" });
  const dns = native({}, { dnsServers: ["none"], dnsSearch: ["a"] });
  assertEquals([dns.noResolvConf, dns.dnsServers, dns.dnsSearch], [true, [], []]);
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
