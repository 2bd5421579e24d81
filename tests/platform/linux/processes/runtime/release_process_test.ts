import { assertEquals } from "@std/assert";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { releaseProcess } from "../../../../../lib/platform/linux/processes/runtime/release_process.ts";
import { Bench, ignore } from "../../../../fixtures/platform/process_bench.ts";

Deno.test("releaseProcess() gives the process that waits its byte, and says where none waits", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gantry-release-"));
  const fifo = join(folder, "exec.fifo");
  try {
    assertEquals(releaseProcess(folder), false);
    execFileSync("mkfifo", [fifo]);
    assertEquals(releaseProcess(folder), false);
    assertEquals(existsSync(fifo), true);
    // Open for reading before it says so, as crun's process is.
    const reader = spawn("sh", ["-c", 'exec 3<>"$0"; echo; head -c 1 <&3 | od -An -tu1', fifo]);
    const output: string[] = [];
    reader.stdout.on("data", (chunk: Uint8Array) => output.push(String(chunk)));
    await once(reader.stdout, "data");
    assertEquals(releaseProcess(folder), true);
    await once(reader, "close");
    assertEquals([output.join("").trim(), existsSync(fifo)], ["0", false]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

Deno.test({ name: "LinuxProcesses.start() says why a process that has gone cannot be started", ignore }, async () => {
  await using bench = await Bench.open();
  const record = bench.record({ args: ["true"] });
  const { pid } = await bench.processes.create({ record, rootfs: bench.rootfs });
  const ended = bench.ended(record.id);
  process.kill(pid, "SIGKILL");
  await ended;
  const error = await bench.processes.start(record.id).then(() => undefined, (error) => error);
  assertEquals(error?.message.includes("crun: "), true, String(error));
  await bench.processes.delete(record.id);
  await bench.processes.deleteLog(record.log);
});
