import { assertEquals, assertThrows } from "@std/assert";
import { completeRequest } from "../../../../lib/engine/containers/request/complete_request.ts";
import type { ContainerRequest } from "../../../../lib/engine/containers/request/container_request.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import type { ContainerDefaults } from "../../../../lib/engine/records/container_defaults.ts";
import { difference } from "../../../fixtures/handlers/spec_difference.ts";

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

function complete(request: ContainerRequest, owner: ContainerDefaults) {
  return completeRequest({ image: "busybox", ...request }, owner);
}

Deno.test("completeRequest() completes a request that says nothing", () => {
  assertEquals(difference(complete({}, ALL)), {
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
  const host = { mode: "host" as const };
  const request: ContainerRequest = {
    annotations: { a: "2" },
    baseHosts: "none",
    dnsServers: ["10.0.0.2"],
    init: false,
    logDriver: "none",
    hosts: ["a:1.2.3.4"],
    readOnly: false,
    rlimits: [{ type: "RLIMIT_NOFILE", soft: 1n, hard: 2n }],
    namespaces: { ipc: host, network: host },
    resources: { pids: { limit: 7 } },
    mounts: [{ type: "tmpfs", source: "tmpfs", destination: "/data", options: [] }],
    umask: "0077",
    noHosts: false,
  };
  const found = complete(request, ALL);
  assertEquals(found.annotations, { a: "2" });
  assertEquals([found.baseHosts, found.umask, found.init, found.readOnly], ["none", "0077", false, false]);
  assertEquals([found.noHosts, found.shmSize, found.logSizeMax], [false, undefined, undefined]);
  assertEquals(found.dnsServers, ["10.0.0.1", "10.0.0.2"]);
  assertEquals(found.rlimits, [{ type: "RLIMIT_NOFILE", soft: 1n, hard: 2n }]);
  // A container in the host's network has the host's.
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
  const spec = complete({}, { ...words, userns: "auto:size=9", init: true });
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
  assertEquals(complete({ namespaces: { network: { mode: "none" } } }, words).namespaces.network, { mode: "none" });
  const dns = complete({}, { dnsServers: ["none"], dnsSearch: ["a"] });
  assertEquals([dns.noResolvConf, dns.dnsServers, dns.dnsSearch], [true, [], []]);
});

Deno.test("completeRequest() says nothing by itself beyond the engine's own namespaces", () => {
  const own = { mode: "private" as const };
  const { namespaces, ...spec } = complete({}, {});
  assertEquals(namespaces, {
    network: { mode: "bridge" },
    pid: own,
    ipc: { mode: "shareable" },
    uts: own,
    cgroup: own,
  });
  assertEquals([spec.image, spec.init, spec.privileged, spec.readOnly], ["busybox", false, false, false]);
  assertEquals([spec.mounts, spec.networks, spec.resources, spec.devices], [[], {}, {}, undefined]);
});

Deno.test("completeRequest() refuses choices of the owner that cannot be", () => {
  const rows: [owner: ContainerDefaults, text: string][] = [
    [{ pidns: "odd" }, '"namespaces.pid" is not supported yet: mode "odd"'],
    [{ netns: "container:" }, '"namespaces.network" mode "container" needs a value'],
    [{ userns: "auto:odd=1" }, 'unknown option specified: "odd"'],
    [{ cgroups: "split" }, '"cgroupsMode" is not supported yet'],
    [{ cgroups: "odd" }, "invalid cgroup mode odd"],
    [{ imageVolumes: "odd" }, 'invalid imageVolumes "odd"'],
    [{ devices: ["/dev/a:/dev/b:x"] }, "invalid device mode: x"],
    [{ volumes: ["/a:/b:ro:x"] }, "too many colons"],
    [{ volumes: ["/a:b"] }, 'mount destination "b" is not absolute'],
    [{ mounts: ["type=bind,source=/a"] }, "no destination"],
    [{ mounts: ["type=odd,destination=/a"] }, 'type "odd" is not supported here'],
  ];
  for (const [owner, text] of rows) assertThrows(() => complete({}, owner), EngineError, text);
});

Deno.test("completeRequest() keeps the devices of a request, and gives a privileged container none of the owner's", () => {
  const owner = { devices: ["/dev/a:rw"] };
  const device = { source: "/dev/b:c", destination: "/dev/b:c", access: "rwm" };
  const first = { source: "/dev/a", destination: "/dev/a", access: "rw" };
  assertEquals(complete({ devices: [device] }, owner).devices, [first, device]);
  assertEquals(complete({ devices: [device], privileged: true }, owner).devices, [device]);
  assertEquals(complete({}, { ...owner, privileged: true }).devices, undefined);
});
