import { assertEquals, assertRejects } from "@std/assert";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../../../lib/engine/errors.ts";
import type { Limits } from "../../../../lib/engine/records/limits.ts";
import type { CgroupLayout } from "../../../../lib/platform/linux/resources/cgroups.ts";
import { limitFiles, limitGroup } from "../../../../lib/platform/linux/resources/group_limits.ts";

const throttle = [{ major: 8, minor: 16, rate: 1000 }];

Deno.test("limitFiles() writes limits as each version of control groups has them", () => {
  const rows: [limits: Limits, v1: string[], v2: string[]][] = [
    [{}, [], []],
    [{ memory: { limit: 100, swap: 300, reservation: 50 } }, [
      "memory.limit_in_bytes=100",
      "memory.memsw.limit_in_bytes=300",
      "memory.soft_limit_in_bytes=50",
    ], ["memory.max=100", "memory.swap.max=200", "memory.low=50"]],
    [{ memory: { swap: -1 } }, ["memory.memsw.limit_in_bytes=-1"], ["memory.swap.max=max"]],
    [{ cpu: { shares: 1024, cpus: "0-1", mems: "0" } }, ["cpu.shares=1024", "cpuset.cpus=0-1", "cpuset.mems=0"], [
      "cpu.weight=39",
      "cpuset.cpus=0-1",
      "cpuset.mems=0",
    ]],
    [{ cpu: { quota: 50000, period: 100000 } }, ["cpu.cfs_period_us=100000", "cpu.cfs_quota_us=50000"], [
      "cpu.max=50000 100000",
    ]],
    [{ cpu: { quota: 20000 } }, ["cpu.cfs_quota_us=20000"], ["cpu.max=20000 100000"]],
    [{ cpu: { shares: 2 } }, ["cpu.shares=2"], ["cpu.weight=1"]],
    [{ cpu: { shares: 262144 } }, ["cpu.shares=262144"], ["cpu.weight=10000"]],
    [{ pids: { limit: 20 } }, ["pids.max=20"], ["pids.max=20"]],
    [{ pids: { limit: -1 } }, ["pids.max=max"], ["pids.max=max"]],
    [{ blockIO: { weight: 500, throttleReadBpsDevice: throttle, throttleWriteIOPSDevice: throttle } }, [
      "blkio.weight=500",
      "blkio.throttle.read_bps_device=8:16 1000",
      "blkio.throttle.write_iops_device=8:16 1000",
    ], ["io.bfq.weight=500", "io.max=8:16 rbps=1000", "io.max=8:16 wiops=1000"]],
    [{ unified: { "memory.high": "5" } }, [], ["memory.high=5"]],
  ];
  const text = (limits: Limits, version: "v1" | "v2") =>
    limitFiles(limits, version).map(({ name, text }) => `${name}=${text}`);
  for (const [limits, v1, v2] of rows) {
    assertEquals(text(limits, "v1"), v1, JSON.stringify(limits));
    assertEquals(text(limits, "v2"), v2, JSON.stringify(limits));
  }
});

Deno.test("limitGroup() makes the group in the hierarchies that it needs, and lets version 2 have its controllers", async () => {
  const root = await mkdtemp(join(tmpdir(), "gantry-groups-"));
  try {
    const read = (path: string) => readFile(join(root, path), "utf8");
    for (const name of ["memory", "cpu,cpuacct", "cpuset"]) await mkdir(join(root, name));
    const v1: CgroupLayout = {
      kind: "legacy",
      unified: "",
      mounts: ["memory", "cpu,cpuacct", "cpuset"].map((name) => join(root, name)),
      delegates: false,
    };
    await writeFile(join(root, "cpuset/cpuset.cpus"), "0-3\n");
    await writeFile(join(root, "cpuset/cpuset.mems"), "0\n");
    // Files of a real hierarchy are there at once.
    await mkdir(join(root, "cpuset/engine/pod"), { recursive: true });
    for (const path of ["engine", "engine/pod"]) {
      for (const name of ["cpus", "mems"]) await writeFile(join(root, "cpuset", path, `cpuset.${name}`), "\n");
    }
    await limitGroup(v1, "/engine/pod", { memory: { limit: 100 }, cpu: { shares: 7, cpus: "1" } });
    assertEquals(await read("memory/engine/pod/memory.limit_in_bytes"), "100");
    assertEquals(await read("memory/engine/pod/memory.use_hierarchy"), "1");
    assertEquals(await read("cpu,cpuacct/engine/pod/cpu.shares"), "7");
    assertEquals(await read("cpuset/engine/cpuset.cpus"), "0-3", "as the group above");
    assertEquals([await read("cpuset/engine/pod/cpuset.cpus"), await read("cpuset/engine/pod/cpuset.mems")], [
      "1",
      "0",
    ]);
    const none = limitGroup(v1, "/engine/pod", { pids: { limit: 5 } });
    const error = await assertRejects(() => none, EngineError, 'this machine has no controller "pids"');
    assertEquals(error.code, "unsupported");

    const unified = join(root, "unified");
    await mkdir(unified);
    const v2: CgroupLayout = { kind: "unified", unified, mounts: [unified], delegates: true };
    await limitGroup(v2, "/engine/pod", { memory: { limit: 100 } });
    assertEquals(await read("unified/engine/pod/memory.max"), "100");
    assertEquals(await read("unified/cgroup.subtree_control"), "+memory");
    assertEquals(await read("unified/engine/cgroup.subtree_control"), "+memory");
    await mkdir(join(unified, "engine/pod/pids.max"));
    const refused = await assertRejects(() => limitGroup(v2, "/engine/pod", { pids: { limit: 5 } }), EngineError);
    assertEquals([refused.code, refused.message.split(": ").slice(0, 2).join(": ")], [
      "internal",
      'Limit control group /engine/pod: write "5" to pids.max',
    ]);
  } finally {
    await rm(root, { recursive: true });
  }
});
