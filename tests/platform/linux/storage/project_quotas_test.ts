import { assert, assertEquals, assertRejects } from "@std/assert";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { CommandError } from "../../../../lib/platform/linux/helpers/command.ts";
import { heldToLimits, ProjectQuotas } from "../../../../lib/platform/linux/storage/project_quotas.ts";
import { runOk } from "../../../fixtures/run.ts";

/** A kernel whose folders have projects: it answers as `quotas.pl` does. Real ones are in `tests/vm/quotas_test.ts`. */
class Kernel {
  /** Limits by project. */
  readonly limits = new Map<string, string[]>();
  /** The project of each folder. */
  readonly projects = new Map<string, string>();
  isInForce = true;

  readonly help = (verb: string, ...[folder, project, ...limits]: string[]): Promise<void> => {
    if (verb === "release") {
      if (this.projects.get(folder) !== project) return refuse(4, "the folder has another project");
      return Promise.resolve(void this.limits.delete(project));
    }
    if (!this.isInForce) return refuse(5, "limits are not in force");
    if (verb === "check") return Promise.resolve();
    if (verb === "renew" && this.projects.get(folder) !== project) return refuse(4, "the folder has another project");
    if (verb === "limit" && this.limits.has(project)) return refuse(3, "the project is in use");
    this.projects.set(folder, project);
    return Promise.resolve(void this.limits.set(project, limits));
  };
}

function refuse(code: number, text: string): Promise<never> {
  return Promise.reject(new CommandError(`Run "perl": ${text}`, code, `${text}\n`));
}

async function withQuotas(
  run: (parts: { quotas: ProjectQuotas; kernel: Kernel; folder: string; said: string[] }) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-quotas-"));
  const kernel = new Kernel();
  const said: string[] = [];
  let next = 0;
  const quotas = new ProjectQuotas((level, text) => void said.push(`${level}: ${text}`), kernel.help, () => ++next);
  try {
    await run({ quotas, kernel, folder, said });
  } finally {
    await rm(folder, { recursive: true });
  }
}

Deno.test("ProjectQuotas.limit() takes a project that nothing has, and release() gives it back", () =>
  withQuotas(async ({ quotas, kernel, folder }) => {
    kernel.limits.set("1", ["5", "0"]);
    assert(!quotas.has(folder));
    await quotas.limit(folder, { size: 4096, inodes: 7 });
    assert(quotas.has(folder));
    assertEquals([kernel.projects.get(folder), kernel.limits.get("2")], ["2", ["4096", "7"]]);
    await quotas.release(folder);
    assertEquals([...kernel.limits.keys()], ["1"]);
  }));

Deno.test("ProjectQuotas.limit() draws a bounded number of times", () =>
  withQuotas(async ({ quotas, kernel, folder }) => {
    for (let project = 1; project <= 100; project++) kernel.limits.set(String(project), []);
    await assertRejects(() => quotas.limit(folder, { size: 1 }), EngineError, "no number of a project is free");
  }));

Deno.test("ProjectQuotas.renew() sets limits again, gives a copied folder a project of its own, and keeps silent without any", () =>
  withQuotas(async ({ quotas, kernel, folder, said }) => {
    await quotas.renew(folder);
    assertEquals(kernel.limits.size, 0);
    await quotas.limit(folder, { size: 4096 });
    kernel.limits.set("1", ["0", "0"]);
    await quotas.renew(folder);
    assertEquals(kernel.limits.get("1"), ["4096", "0"]);
    // A copy: the note names the project of the original.
    kernel.projects.delete(folder);
    await quotas.renew(folder);
    assertEquals([kernel.projects.get(folder), kernel.limits.get("2")], ["2", ["4096", "0"]]);
    assertEquals(JSON.parse(await readFile(join(folder, "project.json"), "utf8")), { project: 2, size: 4096 });
    // A note that a power cut emptied.
    await writeFile(join(folder, "project.json"), "");
    await quotas.renew(folder, { inodes: 3 });
    assertEquals(kernel.limits.get("3"), ["0", "3"]);
    assertEquals(said, []);
  }));

Deno.test("ProjectQuotas tells of a limit that is lost, and refuses a new one with the reason", () =>
  withQuotas(async ({ quotas, kernel, folder, said }) => {
    await quotas.limit(folder, { size: 4096 });
    kernel.isInForce = false;
    await quotas.renew(folder);
    const reason = `no project quota is in force on the file system of "${folder}": limits are not in force`;
    assertEquals(said, [`warn: The files below "${folder}" have no limit any more: ${reason}`]);
    for (const work of [() => quotas.require(folder), () => quotas.limit(folder, { size: 1 })]) {
      const error = await assertRejects(work, EngineError);
      assertEquals([error.code, error.message], ["unsupported", reason]);
    }
    kernel.projects.clear();
    await quotas.release(folder);
    assertEquals(said.length, 2);
    assert(said[1].startsWith("debug: The limit of"), said[1]);
  }));

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;

Deno.test(
  { name: "ProjectQuotas.require() asks the kernel itself, which has no project quotas for /proc", ignore },
  async () => {
    const quotas = new ProjectQuotas(() => {});
    const error = await assertRejects(() => quotas.require("/proc"), EngineError);
    assertEquals(error.code, "unsupported");
    assert(/project quota.*"\/proc"/.test(error.message), error.message);
  },
);

Deno.test({ name: "heldToLimits() runs a program that cannot go beyond limits", ignore }, async () => {
  const [program, args] = await heldToLimits("sh", ["-c", "grep CapEff /proc/self/status"]);
  const [, set] = /CapEff:\s*([0-9a-f]+)/.exec(await runOk([program, ...args])) ?? [];
  // CAP_SYS_RESOURCE is number 24; CAP_CHOWN, number 0, stays.
  assertEquals([BigInt(`0x${set}`) >> 24n & 1n, BigInt(`0x${set}`) & 1n], [0n, 1n]);
});
