import { assert, assertEquals } from "@std/assert";
import { totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { readUsage, type UsagePlaces } from "../../../../lib/platform/linux/resources/usage.ts";

const fixtures = fileURLToPath(new URL("../../../fixtures/cgroups/", import.meta.url));
const subject = { cgroup: "/gantry-test/box", pid: 4242, hasNetwork: true };

function places(version: "v1" | "v2"): UsagePlaces {
  return { cgroups: `${fixtures}${version}`, version, proc: `${fixtures}proc` };
}

const networks = {
  eth0: {
    rxBytes: 90210,
    rxPackets: 101,
    rxErrors: 1,
    rxDropped: 2,
    txBytes: 70310,
    txPackets: 88,
    txErrors: 3,
    txDropped: 4,
  },
  eth1: {
    rxBytes: 766,
    rxPackets: 10,
    rxErrors: 0,
    rxDropped: 0,
    txBytes: 266,
    txPackets: 3,
    txErrors: 0,
    txDropped: 0,
  },
};

Deno.test("readUsage() reads a v2 hierarchy with controllers", async () => {
  const usage = await readUsage(places("v2"), subject);
  assert(usage);
  const { time, memory: { details, ...memory }, ...rest } = usage;
  assert(Math.abs(time - Date.now()) < 10_000);
  assertEquals(memory, {
    current: 73400320,
    inactiveFile: 20971520,
    max: 104857600,
    failures: 42,
    limit: 536870912,
  });
  assertEquals(details.anon, 41943040);
  assertEquals(rest, {
    cpu: {
      total: 12_345_678_000,
      user: 10_000_000_000,
      kernel: 2_345_678_000,
      periods: 120,
      throttledPeriods: 7,
      throttledTime: 350_000_000,
    },
    systemCPU: 42_210_000_000,
    onlineCPUs: 3,
    pids: { current: 3, limit: 2048 },
    blockBytes: [
      { major: 8, minor: 16, op: "Read", value: 1048576 },
      { major: 8, minor: 16, op: "Write", value: 4096 },
      { major: 8, minor: 16, op: "Discard", value: 0 },
      { major: 253, minor: 0, op: "Read", value: 2048 },
      { major: 253, minor: 0, op: "Write", value: 8192 },
      { major: 253, minor: 0, op: "Discard", value: 512 },
    ],
    blockOperations: [
      { major: 8, minor: 16, op: "Read", value: 256 },
      { major: 8, minor: 16, op: "Write", value: 1 },
      { major: 8, minor: 16, op: "Discard", value: 0 },
      { major: 253, minor: 0, op: "Read", value: 2 },
      { major: 253, minor: 0, op: "Write", value: 2 },
      { major: 253, minor: 0, op: "Discard", value: 1 },
    ],
    networks,
  });
});

Deno.test("readUsage() reads the hierarchies of v1; no limit is what the machine has", async () => {
  const usage = await readUsage(places("v1"), { ...subject, hasNetwork: false });
  assert(usage);
  assertEquals(usage.cpu, {
    total: 4_812_034_567,
    user: 4_120_000_000,
    kernel: 680_000_000,
    perCPU: [1203508642, 1203508642, 2405017283, 0],
    periods: 30,
    throttledPeriods: 4,
    throttledTime: 191_000_000,
  });
  const { details, ...memory } = usage.memory;
  assertEquals(memory, {
    current: 6291456,
    inactiveFile: 2097152,
    max: 8388608,
    failures: 5,
    limit: totalmem(),
  });
  assertEquals(details.rss, 1048576);
  assertEquals(usage.pids, { current: 2, limit: 0 });
  assertEquals(usage.blockBytes.filter(({ op }) => op === "Read" || op === "Write"), [
    { major: 8, minor: 0, op: "Read", value: 4096 },
    { major: 8, minor: 0, op: "Write", value: 16384 },
  ]);
  assertEquals(usage.networks, undefined);
});

Deno.test("readUsage() finds nothing where the cgroup or the process is gone", async () => {
  for (const version of ["v1", "v2"] as const) {
    assertEquals(await readUsage(places(version), { ...subject, cgroup: "/gone" }), undefined);
    assertEquals(await readUsage(places(version), { ...subject, pid: 4243 }), undefined);
  }
});
