import { assertEquals } from "@std/assert";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { Cgroups, readCgroupLayout } from "../../../../lib/platform/linux/resources/cgroups.ts";
import { Bench, ignore } from "../../../fixtures/platform/process_bench.ts";
import { untilTrue } from "../../../fixtures/until_true.ts";

const CYCLES = 50;
const AT_ONCE = 5;

/** Pids of processes that name the folder on their command line. */
function processesOf(folder: string): string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name) || name === String(Deno.pid)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").includes(folder);
    } catch {
      return false;
    }
  });
}

/** Children of this process, ended ones that were not waited for included. */
function children(): string[] {
  return readFileSync(`/proc/self/task/${Deno.pid}/children`, "utf8").split(" ").filter((pid) => pid !== "");
}

function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}

function mountsOf(folder: string): string[] {
  return readFileSync("/proc/self/mountinfo", "utf8").split("\n").filter((line) => line.includes(folder));
}

/** The paths of everything in a folder, sorted. */
function walkFolder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
}

Deno.test({
  name: "LinuxProcesses leaves nothing behind after 50 containers",
  ignore,
  // The counts below are the finer measure; Deno's own would count the shared watch.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const layout = await readCgroupLayout();
    const bench = await Bench.open();
    // Other servers of this machine have groups of their own.
    const own = dirname(new Cgroups(layout, bench.paths.runroot).pathOf("any"));
    const life = () => bench.run({ args: ["sh", "-c", "echo hello; exit 3"] });
    await life();
    // crun 1.28 keeps two folders of its own, which no container's are.
    const kept = walkFolder(bench.paths.runtime);
    assertEquals(kept.filter((path) => !/^\.(cache|empty-directory)(\/|$)/.test(path)), []);
    const files = openFiles();
    const kin = children().length;
    for (let i = 0; i < CYCLES; i += AT_ONCE) {
      const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, life));
      for (const outcome of outcomes) assertEquals(outcome, { code: 3, stdout: "hello\n", stderr: "" });
    }
    assertEquals(await bench.processes.list(), []);
    // A helper may be a moment behind the end of the last container.
    await untilTrue(() => processesOf(bench.root).length === 0 && children().length === kin && openFiles() === files);
    assertEquals(mountsOf(bench.root), []);
    for (const folder of [bench.paths.bundles, bench.paths.exits, bench.paths.logs]) {
      assertEquals(readdirSync(folder), []);
    }
    assertEquals(walkFolder(bench.paths.runtime), kept);
    await bench[Symbol.asyncDispose]();
    assertEquals(layout.mounts.filter((mount) => existsSync(mount + own)), []);
  },
});
