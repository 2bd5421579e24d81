import { assert, assertEquals, assertRejects } from "@std/assert";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import process from "node:process";
import { EngineError } from "../../../../../lib/engine/errors.ts";
import { Bench, ignore } from "../../../../fixtures/platform/process_bench.ts";

/** The pids of programs that have the container's ID among their arguments. */
function programsOf(id: string): number[] {
  return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => {
    try {
      return pid > 0 && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(id);
    } catch {
      return false;
    }
  });
}

/** Resolves when a supervisor waits for the container, another one than that of its life before, which may not have ended yet. */
async function waiting(id: string, before?: number): Promise<number> {
  for (;;) {
    const [pid] = programsOf(id).filter((pid) => pid !== before);
    if (pid !== undefined && readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "conmon") return pid;
    await sleep(5);
  }
}

async function gone(id: string): Promise<void> {
  while (programsOf(id).length > 0) await sleep(5);
}

Deno.test({
  name: "LinuxProcesses.prepare() starts a supervisor that create() goes on with, and that delete() ends",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const { processes, rootfs, paths } = bench;
    const record = bench.record({ args: ["sh", "-c", "exit 7"] });
    processes.prepare(record);
    const pid = await waiting(record.id);
    assertEquals((await processes.state(record.id)).status, "missing");
    assertEquals((await processes.create({ record, rootfs })).conmonPid, pid);
    const ended = bench.ended(record.id);
    await processes.start(record.id);
    assertEquals((await ended).code, 7);
    // A second life has another supervisor; nothing is left of the first.
    processes.prepare(record);
    await waiting(record.id, pid);
    await processes.delete(record.id);
    await gone(record.id);
    assert(!existsSync(`${paths.bundles}/${record.id}`));
    // Twice, and at once.
    processes.prepare(record);
    processes.prepare(record);
    await processes.delete(record.id);
    await gone(record.id);
    assert(!existsSync(`${paths.bundles}/${record.id}`));
    await processes.deleteLog(record.log);
  },
});

Deno.test({
  name: "LinuxProcesses.create() says what a supervisor that was prepared fails with, and leaves nothing",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const { processes, rootfs, paths } = bench;
    const missing = bench.record({ args: ["nosuch"] });
    processes.prepare(missing);
    const error = await assertRejects(() => processes.create({ record: missing, rootfs }), EngineError);
    assertEquals(error.code, "command_not_found");
    const killed = bench.record({ args: ["true"] });
    processes.prepare(killed);
    process.kill(await waiting(killed.id), "SIGKILL");
    await gone(killed.id);
    await assertRejects(() => processes.create({ record: killed, rootfs }), EngineError, "Run conmon");
    const refused = bench.record({ args: ["true"] });
    processes.prepare(refused);
    await waiting(refused.id);
    // Before the supervisor is told to go on.
    await assertRejects(() => processes.create({ record: refused, rootfs: `${rootfs}/nowhere` }));
    for (const record of [missing, killed, refused]) {
      await gone(record.id);
      assert(!existsSync(`${paths.bundles}/${record.id}`));
      await processes.deleteLog(record.log);
    }
    // One that can be had.
    assertEquals((await bench.run({ args: ["true"] })).code, 0);
  },
});

Deno.test({
  name:
    "a supervisor that was prepared ends with the process that it waits for, and the next server deletes its bundle",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = bench.record({ args: ["true"] });
    bench.processes.prepare(record);
    const pid = await waiting(record.id);
    const parent = Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
    process.kill(parent, "SIGKILL");
    await gone(record.id);
    assert((await bench.processes.list()).includes(record.id));
    await bench.processes.delete(record.id);
    assertEquals(await bench.processes.list(), []);
    await bench.processes.deleteLog(record.log);
  },
});
