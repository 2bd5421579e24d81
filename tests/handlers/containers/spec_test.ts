import { assertEquals, assertThrows } from "@std/assert";
import { accept, decode } from "../../../handlers/wire/decode.ts";
import { SpecGenerator } from "../../../handlers/wire/containers/spec_generator.ts";
import type { ContainerSpec } from "../../../lib/engine/records/container_record.ts";
import { captured } from "../clients/requests.ts";
import { difference, nativeSpec } from "../../fixtures/handlers/spec_difference.ts";
import { assertRefused } from "../../fixtures/handlers/assert_refused.ts";
import { RequestError } from "../../../handlers/request_error.ts";

function native(body: unknown): ContainerSpec {
  return nativeSpec(accept(SpecGenerator, body));
}

Deno.test("containerRequest() reads podman's plain request as next to nothing", () => {
  const { body } = captured("podman_4_3_1").plain;
  assertEquals(difference(nativeSpec(decode(SpecGenerator, body))), {
    command: ["echo", "hi"],
    annotations: { "io.kubernetes.cri-o.TTY": "false" },
    sdNotify: "container",
    stopTimeout: 10,
    umask: "0022",
    createCommand: ["podman", "create", "busybox", "echo", "hi"],
  });
});

Deno.test("containerRequest() reads every option of podman's", () => {
  const { body } = captured("podman_4_3_1").everything;
  const { createCommand: _, ...spec } = difference(nativeSpec(decode(SpecGenerator, body)));
  const tmpcopyup = ["rw", "rprivate", "nosuid", "nodev", "tmpcopyup"];
  assertEquals(spec, {
    name: "x",
    entrypoint: ["a", "b"],
    command: ["sh"],
    env: { A: "b" },
    unsetEnv: ["PATH"],
    workdir: "/tmp",
    user: "1000",
    groups: ["20"],
    hostname: "hh",
    terminal: true,
    stdin: true,
    labels: { k: "v" },
    annotations: {
      "a": "b",
      "io.kubernetes.cri-o.TTY": "true",
      "io.podman.annotations.apparmor": "unconfined",
      "io.podman.annotations.label": "disable",
      "io.podman.annotations.seccomp": "unconfined",
    },
    stopSignal: 2,
    stopTimeout: 3,
    remove: true,
    volatile: true,
    mounts: [
      { type: "bind", source: "/tmp", destination: "/z", options: ["ro"] },
      { type: "tmpfs", source: "tmpfs", destination: "/zz", options: ["size=1m"] },
      { type: "bind", source: "/tmp", destination: "/x", options: ["ro"] },
      { type: "tmpfs", source: "tmpfs", destination: "/t", options: [] },
      { type: "tmpfs", source: "tmpfs", destination: "/tmp", options: tmpcopyup },
      { type: "tmpfs", source: "tmpfs", destination: "/var/tmp", options: tmpcopyup },
      { type: "tmpfs", source: "tmpfs", destination: "/run", options: tmpcopyup },
      { type: "volume", source: "", destination: "/anon", options: [], anonymous: true },
      { type: "volume", source: "vol", destination: "/y", options: [], anonymous: false },
    ],
    capAdd: ["NET_ADMIN"],
    capDrop: ["ALL"],
    readOnly: true,
    noNewPrivileges: true,
    apparmor: "unconfined",
    sdNotify: "container",
    selinux: ["disable"],
    seccomp: "unconfined",
    umask: "0022",
    masks: ["/a", "/b"],
    init: true,
    namespaces: {
      network: { mode: "bridge" },
      pid: { mode: "host" },
      ipc: { mode: "host" },
      uts: { mode: "private" },
      cgroup: { mode: "host" },
    },
    ports: [
      { hostIP: "", hostPort: 8080, containerPort: 80, protocol: "tcp", range: 1 },
      { hostIP: "127.0.0.1", hostPort: 0, containerPort: 53, protocol: "udp", range: 1 },
    ],
    exposed: ["10/udp", "11/udp", "12/udp", "99/tcp"],
    dnsServers: ["1.1.1.1"],
    hosts: ["a:1.2.3.4"],
    resources: {
      memory: { limit: 67108864, swap: 134217728 },
      cpu: { quota: 150000, period: 100000 },
      pids: { limit: 10 },
    },
    rlimits: [
      { type: "RLIMIT_NOFILE", soft: 100n, hard: 200n },
      { type: "RLIMIT_NPROC", soft: 2n ** 64n - 1n, hard: 2n ** 64n - 1n },
    ],
    oomScoreAdj: 5,
    sysctl: { "net.core.somaxconn": "100" },
    shmSize: 1048576,
    cgroupParent: "/foo",
    timezone: "local",
    logDriver: "k8s-file",
    logSizeMax: 1000000,
  });
});

Deno.test("containerRequest() reads what --storage-opt says, and refuses what it cannot by the field's name", () => {
  assertEquals(native({ image: "x", storage_opts: { size: "1g" } }).treeLimit, { size: 2 ** 30 });
  assertEquals(native({ image: "x", storage_opts: {} }).treeLimit, undefined);
  assertRefused(() => native({ image: "x", storage_opts: { size: "big" } }), '"storage_opts" size: invalid size');
});

Deno.test("containerRequest() refuses what it cannot honour, naming the field", () => {
  const rows: [body: Record<string, unknown>, field: string][] = [
    [{ intelRdt: { closID: "x" } }, "intelRdt"],
    [{ image: "", rootfs: "/x", rootfs_mapping: "idmap" }, "rootfs_mapping"],
    [{ userns: { nsmode: "odd" } }, "userns"],
    [{ mounts: [{ type: "odd", destination: "/d" }] }, "mounts"],
    [{ personality: { domain: "LINUX", flags: ["x"] } }, "personality.flags"],
    [{ cgroups_mode: "split" }, "cgroups_mode"],
    [{ netns: { nsmode: "sparkle" } }, "netns"],
    [{ Networks: { a: { options: { x: "y" } } } }, "Networks.options"],
    [{ log_configuration: { driver: "gelf" } }, "log_configuration.driver"],
    [{ log_configuration: { driver: "journald", labels: { a: "b" } } }, "log_configuration.labels"],
    [{ log_configuration: { options: { other: "x" } } }, "log_configuration.options"],
    [{ groups: ["keep-groups"] }, "groups"],
  ];
  for (const [body, field] of rows) {
    const error = assertRefused(() => native({ image: "x", ...body }), `"${field}" is not supported`);
    assertEquals(error.code, "unsupported", field);
  }
});

Deno.test("containerRequest() reads devices, their rules and limits of block devices", () => {
  const spec = native({
    image: "x",
    devices: [{ path: "/dev/a" }, { path: "/dev/b:/dev/c" }, { path: "/dev/d:rm" }, { path: "/dev/e:/dev/f:r" }],
    device_cgroup_rule: [{ allow: true, type: "c", major: 42, minor: -1, access: "rw" }],
    resource_limits: { devices: [{ allow: false, type: "b" }] },
    throttleReadBpsDevice: { "/dev/a": { rate: 5 } },
    weightDevice: { "/dev/a": { weight: 100 } },
    cgroups_mode: "disabled",
  });
  assertEquals(spec.devices, [
    { source: "/dev/a", destination: "/dev/a", access: "rwm" },
    { source: "/dev/b", destination: "/dev/c", access: "rwm" },
    { source: "/dev/d", destination: "/dev/d", access: "rm" },
    { source: "/dev/e", destination: "/dev/f", access: "r" },
  ]);
  assertEquals(spec.deviceRules, [{ allow: true, type: "c", major: 42, access: "rw" }]);
  assertEquals(spec.resources, { devices: [{ allow: false, type: "b", access: "rwm" }] });
  assertEquals(spec.pathLimits?.throttleReadBpsDevice, { "/dev/a": 5 });
  assertEquals(spec.pathLimits?.weightDevice?.["/dev/a"]?.weight, 100);
  assertEquals(spec.cgroupsMode, "disabled");
  for (
    const [path, text] of [["/dev/a:x", "device mode: x"], ["/dev/a:/dev/b:rx", "mode: rx"], [
      "a:b:c:d",
      "specification",
    ]]
  ) {
    assertRefused(() => native({ image: "x", devices: [{ path }] }), text);
  }
});

Deno.test("containerRequest() takes values that ask for nothing", () => {
  const harmless = {
    systemd: "true",
    seccomp_policy: "default",
    userns: { nsmode: "host" },
    idmappings: { HostUIDMapping: true, HostGIDMapping: true },
    cgroups_mode: "enabled",
    healthMaxLogCount: 5,
    image_volume_mode: "anonymous",
    manage_password: true,
    httpproxy: true,
  };
  assertEquals(difference(native({ image: "busybox", ...harmless })), {});
});

Deno.test("containerRequest() takes log options that ask for what a log does anyway", () => {
  const options = { "max-file": "3", compress: "false" };
  assertEquals(native({ image: "x", log_configuration: { options } }).logOptions, options);
});

Deno.test("containerRequest() leaves folders and account files alone when asked to", () => {
  const spec = difference(
    native({ image: "busybox", work_dir: "/x", create_working_dir: true, manage_password: false }),
  );
  assertEquals(spec, { workdir: "/x", createWorkdir: true, noPasswd: true });
});

Deno.test("containerRequest() refuses what makes no sense", () => {
  const rows: unknown[] = [
    {},
    { image: "x", netns: { nsmode: "container" } },
    { image: "x", mounts: [{ type: "bind", source: "relative", destination: "/x" }] },
    { image: "x", mounts: [{ type: "tmpfs", destination: "x" }] },
    { image: "x", portmappings: [{ container_port: 1, protocol: "icmp" }] },
    { image: "x", Networks: { a: { static_mac: "not base64!" } } },
  ];
  for (const body of rows) {
    const error = assertRefused(() => native(body), "", JSON.stringify(body));
    assertEquals(error.code, "invalid", JSON.stringify(body));
  }
});

Deno.test("containerRequest() reads namespaces, networks and ports", () => {
  const spec = native({
    image: "x",
    netns: { nsmode: "bridge" },
    pidns: { nsmode: "container", value: "abc" },
    ipcns: { nsmode: "shareable" },
    utsns: { nsmode: "path", value: "/proc/1/ns/uts" },
    Networks: {
      b: { static_mac: btoa("\x02\x00\x00\x00\x00\x01"), interface_name: "net0" },
      a: { static_ips: ["10.1.1.1"], aliases: ["al"], static_mac: "02:00:00:00:00:02" },
    },
    networkOrder: ["a", "b"],
    portmappings: [{ container_port: 53, host_port: 53, protocol: "tcp,udp", range: 0, host_ip: "0.0.0.0" }],
    expose: { 80: "tcp", 53: "tcp,udp" },
  });
  assertEquals(spec.namespaces.pid, { mode: "container", value: "abc" });
  assertEquals(spec.namespaces.ipc, { mode: "shareable" });
  assertEquals(spec.namespaces.uts, { mode: "path", value: "/proc/1/ns/uts" });
  assertEquals(Object.entries(spec.networks), [
    ["a", { aliases: ["al"], staticIPs: ["10.1.1.1"], mac: "02:00:00:00:00:02" }],
    ["b", { aliases: [], staticIPs: [], mac: "02:00:00:00:00:01", interfaceName: "net0" }],
  ]);
  assertEquals(native({ image: "x", Networks: { default: { static_ips: ["10.88.0.7"] } } }).networks, {
    podman: { aliases: [], staticIPs: ["10.88.0.7"] },
  });
  assertEquals(spec.ports.map(({ protocol, range, hostIP }) => [protocol, range, hostIP]), [["tcp", 1, ""], [
    "udp",
    1,
    "",
  ]]);
  assertEquals(spec.exposed, ["53/tcp", "53/udp", "80/tcp"]);
});

Deno.test("containerRequest() takes a network named after a program for that program, as clients before Podman 4.4 name it", () => {
  const asked = (Networks: Record<string, unknown>) => {
    const { networks, namespaces } = native({ image: "x", netns: { nsmode: "bridge" }, Networks });
    return [Object.keys(networks), namespaces.network.mode];
  };
  assertEquals(asked({ pasta: {} }), [[], "pasta"]);
  assertEquals(asked({ web: {} }), [["web"], "bridge"]);
  assertEquals(asked({ web: {}, pasta: {} }), [["web", "pasta"], "bridge"]);
});

Deno.test("containerRequest() reads restart policies, and how often on-failure may try", () => {
  const policy = (restart_policy: string, restart_tries?: number) => {
    return native({ image: "x", restart_policy, restart_tries }).restartPolicy;
  };
  assertEquals(policy(""), undefined);
  assertEquals(policy("no"), { name: "no" });
  assertEquals(policy("always", 3), { name: "always" });
  assertEquals(policy("on-failure", 3), { name: "on-failure", retries: 3 });
  assertEquals(policy("on-failure", 0), { name: "on-failure" });
  assertEquals(policy("unless-stopped"), { name: "unless-stopped" });
  const text = '"sometimes" is not a valid restart policy: invalid argument';
  assertEquals(assertThrows(() => policy("sometimes"), RequestError).message, text);
});

Deno.test("containerRequest() reads health checks, whose times are nanoseconds", () => {
  const wish = native({
    image: "x",
    healthconfig: { Test: ["cmd-shell", "true"], Interval: 1_500_000, Retries: 2 },
    startupHealthConfig: { Test: ["CMD", "up"], Interval: 1e9, Successes: 4 },
    health_check_on_failure_action: 3,
    healthLogDestination: "/var/log",
    healthMaxLogCount: 0,
  }).health;
  assertEquals(wish, {
    check: { test: ["CMD-SHELL", "true"], interval: 1.5, retries: 2 },
    startup: { test: ["CMD", "up"], interval: 1000, successes: 4 },
    onFailure: "restart",
    log: { destination: "/var/log", count: 0, size: 500 },
  });
  assertEquals(native({ image: "x" }).health, undefined);
  assertThrows(
    () => native({ image: "x", health_check_on_failure_action: 1 }),
    RequestError,
    "invalid on-failure action",
  );
});
