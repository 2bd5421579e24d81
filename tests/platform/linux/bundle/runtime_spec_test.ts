/** Generated specifications, for what this machine may not have: modules of the kernel, runtimes, namespaces of others. */
import { assertEquals, assertThrows } from "@std/assert";
import type { ContainerRecord, ContainerSpec } from "../../../../lib/engine/records/container_record.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { defaultMasks, hiddenPaths } from "../../../../lib/platform/linux/bundle/confinement.ts";
import { idMapping } from "../../../../lib/platform/linux/bundle/id_mapping.ts";
import { containerNamespaces } from "../../../../lib/platform/linux/bundle/namespaces.ts";
import { buildSpec } from "../../../../lib/platform/linux/bundle/runtime_spec.ts";
import { SeccompFilters } from "../../../../lib/platform/linux/bundle/seccomp_filters.ts";
import { securityModules } from "../../../../lib/platform/linux/security_modules.ts";

const own = { mode: "private" as const };

function record(spec: Partial<ContainerSpec>, more: Partial<ContainerRecord> = {}): ContainerRecord {
  const namespaces = { network: own, pid: own, ipc: own, uts: own, cgroup: own };
  const lists = { capAdd: [], capDrop: [], masks: [], unmasks: [], rlimits: [], groups: [] };
  const plain = { namespaces, ...lists, resources: {}, sysctl: {}, annotations: {}, env: {}, labels: {} };
  // Only this much of a record is asked for.
  return {
    id: "1".repeat(64),
    hostname: "box",
    process: { args: ["sh"], env: [], workdir: "/", user: "", terminal: false },
    mounts: [],
    spec: { ...plain, ...spec },
    ...more,
  } as unknown as ContainerRecord;
}

async function built(spec: Partial<ContainerSpec>, more: Partial<ContainerRecord> = {}) {
  return await buildSpec(record(spec, more), {
    rootfs: "/tree",
    user: {
      uid: 0,
      gid: 0,
      additionalGids: [],
      home: "/root",
      known: true,
      hasPasswd: true,
      knownGroup: true,
      hasGroup: true,
    },
    mounts: [],
    cgroupsPath: "/box",
    appArmor: [],
    filters: new SeccompFilters(),
    capabilities: new Set(["CAP_KILL", "CAP_CHOWN"]),
    limits: new Map(),
    pidOf: (id) => Promise.resolve(Number(id)),
    warn: () => {},
  });
}

Deno.test("buildSpec() names the AppArmor profile, the personality and the propagation that were asked for", async () => {
  const spec = await built({ apparmor: "mine", personality: { domain: "LINUX32" }, rootPropagation: "rshared" });
  assertEquals(spec.process.apparmorProfile, "mine");
  assertEquals(spec.linux.personality, { domain: "LINUX32" });
  assertEquals(spec.linux.rootfsPropagation, "rshared");
  const plain = await built({ apparmor: "unconfined" });
  assertEquals([plain.process.apparmorProfile, plain.linux.personality], [undefined, undefined]);
  assertEquals(plain.linux.rootfsPropagation, "private");
});

Deno.test("buildSpec() gives systemd its machine's ID, unless it has one", async () => {
  assertEquals((await built({}, { systemd: true })).process.env, [`container_uuid=${"1".repeat(32)}`, "HOME=/root"]);
  const process = { args: ["init"], env: ["container_uuid=x"], workdir: "/", user: "", terminal: false };
  assertEquals((await built({}, { systemd: true, process })).process.env, ["container_uuid=x", "HOME=/root"]);
});

Deno.test("containerNamespaces() leaves the host's out, joins paths and others, and takes those made beforehand", async () => {
  const path = (value: string) => ({ mode: "path" as const, value });
  const namespaces = {
    network: own,
    pid: { mode: "host" as const },
    ipc: { mode: "container" as const, value: "42" },
    uts: path("/uts"),
    cgroup: { mode: "shareable" as const },
    user: own,
  };
  const sources = { netns: "/net", userns: "/user", pidOf: (id: string) => Promise.resolve(Number(id)) };
  assertEquals(await containerNamespaces(record({ namespaces }), sources), [
    { type: "user", path: "/user" },
    { type: "network", path: "/net" },
    { type: "ipc", path: "/proc/42/ns/ipc" },
    { type: "uts", path: "/uts" },
    { type: "cgroup" },
    { type: "mount" },
  ]);
});

Deno.test("hiddenPaths() hides what is asked for, and shows what a pattern fits", () => {
  const paths = (spec: Partial<ContainerSpec>) => hiddenPaths({ privileged: false, masks: [], unmasks: [], ...spec });
  const { maskedPaths, readonlyPaths } = paths({ masks: ["/a:/b"], unmasks: ["/proc/k*:/proc/sys"] });
  assertEquals(maskedPaths.slice(-2), ["/a", "/b"]);
  assertEquals(maskedPaths.includes("/proc/kcore"), false);
  assertEquals([maskedPaths.includes("/sys/firmware"), readonlyPaths.includes("/proc/sys")], [true, false]);
  const own = paths({ maskedPaths: ["/proc/kcore", "/x"], readOnlyPaths: [], masks: ["/a"], unmasks: ["/x"] });
  assertEquals(own, { maskedPaths: ["/proc/kcore", "/a"], readonlyPaths: [] });
  assertEquals(maskedPaths.includes("/proc/interrupts"), true);
  assertEquals(paths({ unmasks: ["ALL"] }), { maskedPaths: [], readonlyPaths: [] });
  assertEquals(paths({ privileged: true, masks: ["/a"] }), { maskedPaths: [], readonlyPaths: [] });
});

Deno.test("defaultMasks() hides the counters of heat of each processor that has them", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-masks-" });
  try {
    for (const name of ["cpu0/thermal_throttle", "cpu12/thermal_throttle", "cpu1", "cpufreq/thermal_throttle"]) {
      await Deno.mkdir(`${folder}/${name}`, { recursive: true });
    }
    const found = ["cpu0", "cpu12"].map((name) => `${folder}/${name}/thermal_throttle`);
    assertEquals(defaultMasks(folder).slice(-2), found);
    assertEquals(defaultMasks(`${folder}/none`), defaultMasks(folder).slice(0, -2));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("idMapping() reads ranges of the host, and after @ of the container", () => {
  const uids = [{ container: 0, host: 1000, size: 100 }];
  const mapped = record({}, { idMaps: { uids, gids: uids } });
  const range = (containerID: number, hostID: number, size: number) => ({ containerID, hostID, size });
  assertEquals(idMapping(mapped, { options: ["ro"] }), {});
  assertEquals(idMapping(mapped, { options: ["idmap"] }), {
    uidMappings: [range(0, 1000, 100)],
    gidMappings: [range(0, 1000, 100)],
  });
  assertEquals(idMapping(mapped, { options: ["idmap=uids=0-5-1#@1-10-2;gids=0-7-1"] }), {
    uidMappings: [range(0, 5, 1), range(1, 1010, 2)],
    gidMappings: [range(0, 7, 1)],
  });
  const rows = [["idmap=uids=x", "is no range"], ["idmap=odd=1", '"odd" is not known'], [
    "idmap=uids=@0-500-1",
    "not mapped",
  ]];
  for (const [option, text] of rows) {
    assertThrows(() => idMapping(mapped, { options: [option!] }), EngineError, text);
  }
  assertThrows(() => idMapping(record({}), { options: ["idmap"] }), EngineError, "has no user namespace of its own");
});

Deno.test("securityModules() asks the kernel, here a recorded one", async () => {
  const sys = await Deno.makeTempDir({ prefix: "gantry-sys-" });
  assertEquals(await securityModules(sys), { apparmor: false, selinux: false });
  await Deno.mkdir(`${sys}/module/apparmor/parameters`, { recursive: true });
  await Deno.writeTextFile(`${sys}/module/apparmor/parameters/enabled`, "Y\n");
  await Deno.mkdir(`${sys}/fs/selinux`, { recursive: true });
  await Deno.writeTextFile(`${sys}/fs/selinux/enforce`, "1");
  assertEquals(await securityModules(sys), { apparmor: true, selinux: true });
  await Deno.remove(sys, { recursive: true });
});
