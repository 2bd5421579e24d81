import { assertEquals, assertThrows } from "@std/assert";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../../../lib/engine/errors.ts";
import type { Limits } from "../../../../lib/engine/records/limits.ts";
import { parseCPUList } from "../../../../lib/platform/linux/resources/cpu_list.ts";
import { type LimitFacts, readLimitFacts } from "../../../../lib/platform/linux/resources/limit_facts.ts";
import { keepableLimits } from "../../../../lib/platform/linux/resources/limit_rules.ts";

function facts(version: "v1" | "v2", lacks: readonly string[] = []): LimitFacts {
  const has = (name: string) => !lacks.includes(name);
  return { version, hasController: has, hasFile: has, cpus: "0-3", mems: "0" };
}

const MEBIBYTE = 1 << 20;

Deno.test("keepableLimits() keeps what can be kept, and drops what says nothing", () => {
  const wanted: Limits = {
    memory: { limit: MEBIBYTE, swap: null, disableOOMKiller: true },
    cpu: { cpus: "1-3", mems: "", quota: -1 },
    blockIO: { throttleReadBpsDevice: [{ major: 8, minor: 0, rate: 1 }], throttleWriteBpsDevice: [] },
    hugepageLimits: [],
  };
  assertEquals(keepableLimits(wanted, facts("v1")), {
    limits: {
      memory: { limit: MEBIBYTE, disableOOMKiller: true },
      cpu: { cpus: "1-3", quota: -1 },
      blockIO: { throttleReadBpsDevice: [{ major: 8, minor: 0, rate: 1 }] },
    },
    warnings: [],
  });
});

Deno.test("keepableLimits() discards on v1 what the kernel lacks, in Podman's words", () => {
  const swap = keepableLimits(
    { memory: { limit: MEBIBYTE, swap: 2 * MEBIBYTE } },
    facts("v1", ["memory.memsw.limit_in_bytes"]),
  );
  assertEquals(swap.limits, { memory: { limit: MEBIBYTE } });
  assertEquals(swap.warnings, [
    "Your kernel does not support swap limit capabilities or the cgroup is not mounted. Memory limited without swap.",
  ]);
  const weight = keepableLimits(
    { blockIO: { weight: 200 }, pids: { limit: 5 } },
    facts("v1", ["blkio.weight", "pids.max"]),
  );
  assertEquals(weight.limits, {});
  assertEquals(weight.warnings, [
    "Your kernel does not support pids limit capabilities or the cgroup is not mounted. PIDs limit discarded.",
    "Your kernel does not support Block I/O weight or the cgroup is not mounted. Weight discarded.",
  ]);
});

Deno.test("keepableLimits() discards on v2 swap without accounting, and realtime scheduling", () => {
  const wanted = { memory: { limit: 1, swap: 2 }, cpu: { realtimePeriod: 1000, realtimeRuntime: 500, shares: 2 } };
  assertEquals(keepableLimits(wanted, facts("v2", ["memory.swap.max"])), {
    limits: { memory: { limit: 1 }, cpu: { shares: 2 } },
    warnings: [
      "Your kernel does not support swap limit capabilities or the cgroup is not mounted. Memory limited without swap.",
      "Realtime period not supported on cgroups V2 systems",
      "Realtime runtime not supported on cgroups V2 systems",
    ],
  });
});

Deno.test("keepableLimits() refuses by name what this machine cannot do and Podman would not discard", () => {
  const refused = (limits: Limits, machine: LimitFacts, field: string) => {
    const error = assertThrows(() => keepableLimits(limits, machine), EngineError, `"resources.${field}"`);
    assertEquals(error.code, "unsupported");
  };
  refused({ memory: { limit: 1 } }, facts("v2", ["memory"]), "memory");
  refused({ cpu: { cpus: "0" } }, facts("v2", ["cpuset"]), "cpu.cpus");
  refused({ blockIO: { weight: 100 } }, facts("v2", ["io"]), "blockIO");
  refused({ memory: { swappiness: 5 } }, facts("v2"), "memory.swappiness");
  refused({ memory: { kernel: 5 } }, facts("v1", ["memory.kmem.limit_in_bytes"]), "memory.kernel");
  refused({ hugepageLimits: [{ pageSize: "2MB", limit: 1 }] }, facts("v1", ["hugetlb"]), "hugepageLimits");
  refused({ network: { classID: 3 } }, facts("v1", ["net_cls.classid"]), "network.classID");
  refused({ rdma: { mlx: { hcaHandles: 1 } } }, facts("v2", ["rdma"]), "rdma");
});

Deno.test("keepableLimits() refuses what makes no sense, in Podman's words", () => {
  const invalid = (limits: Limits, text: string) => {
    const error = assertThrows(() => keepableLimits(limits, facts("v1")), EngineError, text);
    assertEquals(error.code, "invalid");
  };
  invalid({ cpu: { period: 10 } }, "CPU cfs period cannot be less than 1ms");
  invalid({ cpu: { cpus: "0-9" } }, "requested CPUs are not available - requested 0-9, available: 0-3");
  invalid({ cpu: { mems: "x" } }, "invalid value x for cpuset mems");
  invalid({ blockIO: { weight: 5 } }, "range of blkio weight is from 10 to 1000");
  invalid({ memory: { swappiness: 101 } }, "valid memory swappiness range is 0-100");
  invalid({ memory: { limit: 1, reservation: 2 } }, "minimum memory limit cannot be less than memory reservation");
  invalid({ unified: { "memory.high": "1" } }, "cannot use --cgroup-conf without cgroup v2");
  assertEquals(keepableLimits({ unified: { "memory.high": "1" } }, facts("v2")).limits, {
    unified: { "memory.high": "1" },
  });
});

Deno.test("readLimitFacts() looks at what a cgroup below the root has", async () => {
  const root = await mkdtemp(join(tmpdir(), "gantry-cgroups-"));
  try {
    await mkdir(join(root, "v2/probe"), { recursive: true });
    await writeFile(join(root, "v2/cgroup.controllers"), "cpuset cpu memory\n");
    await writeFile(join(root, "v2/cpuset.cpus.effective"), "0-7\n");
    await writeFile(join(root, "v2/probe/memory.max"), "max\n");
    const v2 = await readLimitFacts(join(root, "v2"), "v2", "probe");
    assertEquals([v2.hasController("memory"), v2.hasController("io"), v2.cpus], [true, false, "0-7"]);
    assertEquals(v2.hasFile("memory.swap.max"), false);
    await writeFile(join(root, "v2/probe/memory.swap.max"), "max\n");
    assertEquals((await readLimitFacts(join(root, "v2"), "v2", "probe")).hasFile("memory.swap.max"), true);
    await mkdir(join(root, "v1/cpu,cpuacct/probe"), { recursive: true });
    await writeFile(join(root, "v1/cpu,cpuacct/probe/cpu.shares"), "1024\n");
    const v1 = await readLimitFacts(join(root, "v1"), "v1", "probe");
    assertEquals([v1.hasController("cpuacct"), v1.hasFile("cpu.shares"), v1.hasFile("cpu.idle")], [true, true, false]);
  } finally {
    await rm(root, { recursive: true });
  }
});

Deno.test("parseCPUList() reads lists, and tells what is none", () => {
  assertEquals([...parseCPUList("0-2,5") ?? []], [0, 1, 2, 5]);
  assertEquals([parseCPUList("2-1"), parseCPUList("a"), parseCPUList("1-")], [undefined, undefined, undefined]);
});
