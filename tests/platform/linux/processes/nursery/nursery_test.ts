import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { readFileSync, statSync } from "node:fs";
import { chmod, copyFile, mkdtemp, rm, stat, truncate, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { EngineError } from "../../../../../lib/engine/errors.ts";
import { CommandError, runCommand } from "../../../../../lib/platform/linux/helpers/command.ts";
import { deleteNamespaceAt, hasNamespace } from "../../../../../lib/platform/linux/networks/netns.ts";
import { hostPaths } from "../../../../../lib/platform/linux/helpers/paths.ts";
import { Cgroups, readCgroupLayout } from "../../../../../lib/platform/linux/resources/cgroups.ts";
import { type Nursery, openNursery } from "../../../../../lib/platform/linux/processes/nursery/nursery.ts";
import { markProcess } from "../../../../../lib/platform/linux/helpers/proc.ts";
import { Bench, ignore } from "../../../../fixtures/platform/process_bench.ts";

/** A nursery and a folder, both gone afterwards with the nursery's cgroups. */
async function withNursery(run: (nursery: Nursery, folder: string, warnings: string[]) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), "gantry-nursery-"));
  const { runroot } = hostPaths(folder, join(folder, "run"));
  const warnings: string[] = [];
  const nursery = await openNursery(hostPaths(folder, runroot), (_, message) => void warnings.push(message));
  try {
    await run(nursery, folder, warnings);
  } finally {
    await nursery.close();
    await new Cgroups(await readCgroupLayout(), runroot).close();
    await rm(folder, { recursive: true });
  }
}

const sh = (script: string) => ["/bin/sh", "-c", script];

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

async function gone(pid: number): Promise<void> {
  while (isThere(pid)) await sleep(20);
}

/** One that has ended may wait for whoever reaps it. */
const isThere = (pid: number) => markProcess(pid) !== undefined;

Deno.test(
  { name: "Nursery.conmon() tells of a command's first line and of its end, in any order", ignore },
  () =>
    withNursery(async (nursery, folder) => {
      const slow = await nursery.conmon(folder, [], sh("pwd >&$_OCI_SYNCPIPE; sleep 0.2; exit 3"));
      const fast = await nursery.conmon(folder, [], sh("echo why >&2; exit 1"));
      const { pid, line, errors } = await slow.said;
      assertEquals([line, errors], [`${folder}\n`, ""]);
      assert(isThere(pid));
      const { line: none, errors: why } = await fast.said;
      assertEquals([none, why, await fast.ended], ["", "why\n", 256]);
      assertEquals(await slow.ended, 3 * 256);
      const stuck = await nursery.conmon(folder, [], sh("sleep 100"));
      stuck.kill();
      assertEquals([(await stuck.said).line, await stuck.ended], ["", 9]);
    }),
);

Deno.test(
  { name: "Nursery.conmon() starts what belongs to the supervisors' cgroups, deaf to no signal", ignore },
  () =>
    withNursery(async (nursery, folder) => {
      const script = "cat /proc/self/cgroup >&2; grep SigIgn /proc/self/status >&2; ls /proc/self/fd >&2";
      const { errors } = await (await nursery.conmon(folder, [], sh(script))).said;
      assertMatch(errors, /:\/gantry-[0-9a-f]{12}\/conmon$/m);
      // "cat" and "ls" inherit what the command has: the standard streams, its pipe, and what they open themselves.
      const ignored = BigInt(`0x${/^SigIgn:\s*(\w+)$/m.exec(errors)?.[1]}`);
      assertEquals([1, 2, 13, 15, 17].filter((signal) => ignored >> BigInt(signal - 1) & 1n), []);
      assertEquals(errors.split("\n").filter((text) => /^\d+$/.test(text)).length, 5);
    }),
);

Deno.test(
  { name: "Nursery.run() throws what a program says, and ends one that takes too long", ignore },
  () =>
    withNursery(async (nursery) => {
      await nursery.run("/bin/true", [], 10_000);
      const failed = await assertRejects(
        () => nursery.run("/bin/sh", ["-c", "echo no >&2; exit 4"], 10_000),
        CommandError,
      );
      assertEquals([failed.code, failed.stderr], [4, "no\n"]);
      // What a program leaves behind does not hold its answer up.
      await nursery.run("/bin/sh", ["-c", "sleep 5 & exit 0"], 10_000);
      const late = await assertRejects(() => nursery.run("/bin/sleep", ["100"], 50), CommandError);
      assertEquals(late.code, -1);
      await assertRejects(() => nursery.run("/no/such", [], 10_000), CommandError, "No such file");
    }),
);

Deno.test(
  { name: "Nursery.netns() makes a namespace with its loopback up", ignore },
  () =>
    withNursery(async (nursery, folder) => {
      const path = join(folder, "net");
      await assertRejects(() => nursery.netns(path), EngineError, "No such file");
      await writeFile(path, "");
      await nursery.netns(path);
      try {
        assert(hasNamespace(path));
        const { stdout } = await runCommand("nsenter", [`--net=${path}`, "ip", "-o", "link"]);
        assertMatch(stdout, /^1: lo: <LOOPBACK,UP/);
        assertEquals(stdout.trim().split("\n").filter((line) => !/DOWN/.test(line)).length, 1);
      } finally {
        await deleteNamespaceAt(path);
      }
    }),
);

Deno.test(
  { name: "Nursery.netns() gives namespaces that nobody else has, also those made before they were asked for", ignore },
  () =>
    withNursery(async (nursery, folder) => {
      const paths = Array.from({ length: 6 }, (_, i) => join(folder, `net${i}`));
      for (const path of paths) await writeFile(path, "");
      try {
        for (const path of paths.slice(0, 3)) await nursery.netns(path);
        await Promise.all(paths.slice(3).map((path) => nursery.netns(path)));
        // Its own network namespace is what it was: programs that it starts are there.
        const own = await nursery.conmon(folder, [], sh("stat -Lc %i /proc/self/ns/net >&$_OCI_SYNCPIPE"));
        const inodes = [...paths, "/proc/self/ns/net"].map((path) => statSync(path).ino);
        assertEquals(Number((await own.said).line), inodes.at(-1));
        assertEquals(new Set(inodes).size, 7);
      } finally {
        for (const path of paths) await deleteNamespaceAt(path);
      }
    }),
);

Deno.test(
  { name: "Nursery.seal() makes a copy of a program that runs and cannot be changed", ignore },
  () =>
    withNursery(async (nursery, folder) => {
      const path = join(folder, "program");
      await copyFile("/bin/echo", path);
      await chmod(path, 0o755);
      const copy = await nursery.seal(path);
      await writeFile(path, "another");
      assertEquals((await runCommand(copy, ["it", "runs"])).stdout, "it runs\n");
      await assertRejects(() => writeFile(copy, "x"), Error);
      await assertRejects(() => truncate(copy, 0), Error);
      await assertRejects(() => nursery.seal(join(folder, "missing")), EngineError, "No such file");
      let isLost = false;
      nursery.onLost(() => isLost = true);
      await nursery.close();
      assert(isLost);
      await assertRejects(() => stat(copy), Error, "no such file");
    }),
);

Deno.test(
  { name: "Nursery goes on with any number of programs whose end it waits for", ignore },
  () =>
    withNursery(async (nursery, folder) => {
      const running = await Promise.all(Array.from({ length: 100 }, () => {
        return nursery.conmon(folder, [], sh("echo up >/proc/self/fd/$_OCI_SYNCPIPE; exec sleep 1000"));
      }));
      const said = await Promise.all(running.map(({ said }) => said));
      assertEquals(new Set(said.map(({ pid }) => pid)).size, 100);
      assertEquals(said.filter(({ line }) => line === "up\n").length, 100);
      for (const { kill } of running) kill();
      assertEquals(new Set(await Promise.all(running.map(({ ended }) => ended))), new Set([9]));
    }),
);

Deno.test(
  { name: "Nursery.close() leaves what was started running; a killed one is started anew", ignore },
  () =>
    withNursery(async (nursery, folder, warnings) => {
      const first = await nursery.conmon(folder, [], sh("echo >&$_OCI_SYNCPIPE; exec sleep 1"));
      const { pid } = await first.said;
      const waiting = await nursery.conmon(folder, [], sh("exec sleep 1"));
      process.kill(parentOf(pid), "SIGKILL");
      await assertRejects(() => waiting.said, EngineError, "its parent was lost");
      assert(isThere(pid));
      const second = await nursery.conmon(folder, [], sh("echo >&$_OCI_SYNCPIPE; exec sleep 100"));
      const survivor = (await second.said).pid;
      // Where nobody is told of it, the end is looked for.
      assertEquals(await first.ended, -1);
      assert(!isThere(pid));
      assertEquals(warnings.length, 1);
      await nursery.close();
      assert(isThere(survivor));
      process.kill(survivor, "SIGKILL");
      await gone(survivor);
    }),
);

Deno.test(
  { name: "LinuxProcesses tells of the end of a container whose supervisor lost its parent", ignore },
  async () => {
    await using bench = await Bench.open();
    const record = bench.record({ args: ["sh", "-c", "sleep 0.5; exit 3"] });
    const { conmonPid } = await bench.processes.create({ record, rootfs: bench.rootfs });
    const ended = bench.ended(record.id);
    process.kill(parentOf(conmonPid), "SIGKILL");
    // A start that was on its way would fail.
    while (!bench.warnings.some((text) => text.includes("was lost"))) await sleep(20);
    await bench.processes.start(record.id);
    assertEquals((await ended).code, 3);
    await bench.processes.delete(record.id);
    await bench.processes.deleteLog(record.log);
    assertEquals((await bench.run({ args: ["true"] })).code, 0);
  },
);

Deno.test(
  { name: "Nursery refuses an argument with a NUL byte, which would be two for the program, and goes on", ignore },
  () =>
    withNursery(async (nursery, folder) => {
      for (const word of ["a\0b", "\0", "x\0--\0/bin/false"]) {
        await assertRejects(() => nursery.conmon(folder, [], ["/bin/echo", word]), EngineError, "NUL byte");
        await assertRejects(() => nursery.run("/bin/echo", [word], 5_000), EngineError, "NUL byte");
      }
      await nursery.run("/bin/true", [], 5_000);
    }),
);

Deno.test(
  {
    name: "Nursery.attach() is done by a process that waits for it, by a new one where that is gone, and none is left",
    ignore,
  },
  () =>
    withNursery(async (nursery, folder) => {
      const fails = async () => {
        const { said, ended } = await nursery.attach([join(folder, "missing"), "key", folder]);
        const { pid, line, errors } = await said;
        assertEquals([line, errors, await ended], ["", `chdir ${folder}/missing: No such file or directory\n`, 256]);
        return pid;
      };
      const supervisor = await nursery.conmon(folder, [], sh("echo >&$_OCI_SYNCPIPE; exec sleep 100"));
      const { pid } = await supervisor.said;
      const parent = parentOf(pid);
      const others = () => {
        const children = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").split(" ").filter(Boolean);
        return children.map(Number).filter((child) => child !== pid);
      };
      const untilTwoWait = async () => {
        while (others().length !== 2) await sleep(20);
        return others();
      };
      assertEquals(others(), [], "before anybody asks none waits");
      await fails();
      const waiting = await untilTwoWait();
      assert(waiting.includes(await fails()));
      const killed = await untilTwoWait();
      for (const child of killed) process.kill(child, "SIGKILL");
      await Promise.all(killed.map(gone));
      assert(!waiting.includes(await fails()));
      const last = await untilTwoWait();
      supervisor.kill();
      await supervisor.ended;
      await nursery.close();
      assertEquals(last.filter(isThere), []);
    }),
);
