import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { containerPaths } from "../../../../lib/platform/linux/helpers/paths.ts";
import { Bench, collect, ignore } from "../../../fixtures/platform/process_bench.ts";
import { untilTrue } from "../../../fixtures/until_true.ts";

async function logOf(bench: Bench, path: string, tailRecords?: number): Promise<string> {
  const source = { driver: "k8s-file", path } as const;
  const from = tailRecords === undefined ? undefined : await bench.processes.logPlace(source, tailRecords);
  const stream = bench.processes.log(source, { from });
  return await new Response(stream).text();
}

/** A program that says when it is ready to end with a code at SIGUSR1. */
const trapsSignal = (code: number) => [
  "sh",
  "-c",
  `trap 'exit ${code}' USR1; echo ready; while :; do sleep 0.01; done`,
];

Deno.test({
  name: "LinuxProcesses gives output, exit code and log of a container",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await bench.create({ args: ["sh", "-c", "echo out; echo err >&2; exit 7"] });
    assertEquals((await bench.processes.state(record.id)).status, "created");
    const ended = bench.ended(record.id);
    const attachment = await bench.processes.attach(record.id, { stdin: false, stdout: true, stderr: true });
    await bench.processes.start(record.id);
    assertEquals(await collect(attachment), { stdout: "out\n", stderr: "err\n" });
    const exit = await ended;
    assertEquals(exit.code, 7);
    assertEquals(exit.oomKilled, false);
    assert(Math.abs(exit.time - Date.now()) < 10_000);
    const state = await bench.processes.state(record.id);
    assertEquals(state.status, "stopped");
    assertEquals(state.exit, exit);
    const log = await logOf(bench, record.log.path);
    assertMatch(log, /^\S+ stdout F out$/m);
    assertMatch(log, /^\S+ stderr F err$/m);
    await bench.processes.delete(record.id);
    assertEquals((await bench.processes.state(record.id)).status, "missing");
    assertEquals(await bench.processes.list(), []);
    await bench.processes.delete(record.id);
  },
});

Deno.test({
  name: "LinuxProcesses.kill() ends a container with 128 and the signal; its handlers see other signals",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await bench.create({ args: ["sleep", "1000"] });
    await bench.processes.start(record.id);
    const running = await bench.processes.state(record.id);
    assertEquals(running.status, "running");
    assert(Math.abs((running.startedAt ?? 0) - Date.now()) < 10_000);
    const command = () => readFile(`/proc/${running.pid}/cmdline`, "utf8");
    // crun answers just before the program takes its place.
    await untilTrue(async () => /^sleep/.test(await command()));
    const ended = bench.ended(record.id);
    await bench.processes.kill(record.id, 9);
    assertEquals((await ended).code, 137);
    await assertRejects(() => bench.processes.kill(record.id, 9), EngineError, "not running");

    const trapping = await bench.create({ args: trapsSignal(42) });
    await bench.processes.start(trapping.id);
    await untilTrue(async () => (await logOf(bench, trapping.log.path)).includes("ready"));
    const trapped = bench.ended(trapping.id);
    await bench.processes.kill(trapping.id, 10);
    assertEquals((await trapped).code, 42);
  },
});

Deno.test({
  name: "LinuxProcesses.pause() freezes a container until resume()",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await bench.create({ args: ["sh", "-c", "while :; do echo tick; sleep 0.01; done"] });
    await bench.processes.start(record.id);
    await bench.processes.pause(record.id);
    assertEquals((await bench.processes.state(record.id)).status, "paused");
    // The supervisor may still be writing what was read before.
    let before = "not read yet";
    await untilTrue(async () => before === (before = await logOf(bench, record.log.path)) || await sleep(100, false));
    await sleep(100);
    assertEquals(await logOf(bench, record.log.path), before);
    await bench.processes.resume(record.id);
    assertEquals((await bench.processes.state(record.id)).status, "running");
    await untilTrue(async () => (await logOf(bench, record.log.path)).length > before.length);
    // A frozen one can be deleted too.
    await bench.processes.pause(record.id);
    await bench.processes.delete(record.id);
    assertEquals((await bench.processes.state(record.id)).status, "missing");
  },
});

Deno.test({
  name: "LinuxProcesses.create() tells a missing command from one that may not be run, and leaves nothing",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const attempt = (program: string, user = "") => () => bench.create({ args: [program], process: { user } });
    const missing = await assertRejects(attempt("nope"), EngineError, "executable file not found in $PATH");
    assertEquals(missing.code, "command_not_found");
    assertEquals(missing.sentinel, "OCI runtime attempted to invoke a command that was not found");
    const path = await assertRejects(attempt("/bin/nope"), EngineError, "no such file or directory");
    assertEquals(path.code, "command_not_found");
    const plain = await assertRejects(attempt("/bin/plain"), EngineError, ": OCI permission denied");
    // By crun 1.8, and by crun 1.28.
    const reasons = [
      "permission denied",
      "the path `/bin/plain` exists but it is not executable: Operation not permitted",
    ];
    assert(reasons.some((reason) => plain.message.includes(`${reason}: OCI permission denied`)), plain.message);
    assertEquals(plain.code, "command_not_executable");
    const nobody = await assertRejects(attempt("true", "nosuchuser"), EngineError, "unable to find user nosuchuser");
    assertEquals(nobody.code, "invalid");
    assertEquals(await bench.processes.list(), []);
  },
});

Deno.test({
  name: "LinuxProcesses finds containers of an earlier server process, and ends it did not see",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const lives = await bench.create({ args: ["sleep", "1000"] });
    const ends = await bench.create({ args: trapsSignal(3) });
    await bench.processes.start(lives.id);
    await bench.processes.start(ends.id);
    await untilTrue(async () => (await logOf(bench, ends.log.path)).includes("ready"));
    const { pid, conmonPid: supervisor } = await bench.processes.state(ends.id);
    assert(pid !== undefined && supervisor !== undefined);
    await bench.processes.close();
    process.kill(pid, "SIGUSR1");
    await untilTrue(() => !existsSync(`/proc/${supervisor}`));
    await bench.reopen();
    assertEquals((await bench.processes.list()).sort(), [lives.id, ends.id].sort());
    assertEquals((await bench.processes.state(ends.id)).exit?.code, 3);
    assertEquals((await bench.processes.state(lives.id)).status, "running");
    const ended = bench.ended(lives.id);
    await bench.processes.kill(lives.id, 9);
    assertEquals((await ended).code, 137);
  },
});

Deno.test({
  name: "LinuxProcesses notices the end of a container whose supervisor was killed",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await bench.create({ args: ["sleep", "1000"] });
    await bench.processes.start(record.id);
    const { pid, conmonPid } = await bench.processes.state(record.id);
    assert(pid !== undefined && conmonPid !== undefined);
    process.kill(conmonPid, "SIGKILL");
    await sleep(100);
    assertEquals((await bench.processes.state(record.id)).status, "running");
    const ended = bench.ended(record.id);
    process.kill(pid, "SIGKILL");
    assertEquals((await ended).code, -1);
    assertEquals((await bench.processes.state(record.id)).status, "stopped");
  },
});

Deno.test({
  name: "LinuxProcesses keeps a container out of memory to its limit and says why it ended",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const limit = 16 * 1024 * 1024;
    const resources = { memory: { limit, swap: limit } };
    const record = await bench.create({
      args: ["sh", "-c", "x=$(yes | head -c 100000000); exit 0"],
      spec: { resources },
    });
    const ended = bench.ended(record.id);
    await bench.processes.start(record.id);
    const exit = await ended;
    assertEquals(exit.oomKilled, true);
    assertEquals(exit.code, 137);
  },
});

Deno.test({
  name: "LinuxProcesses.log() follows a file until its end and begins early enough for a tail",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await bench.create({ args: ["sh", "-c", "for i in 1 2 3 4 5; do echo line $i; sleep 0.05; done"] });
    const ended = bench.ended(record.id);
    const followed = new Response(
      bench.processes.log(record.log, { followUntil: ended.then(() => {}) }),
    ).text();
    await bench.processes.start(record.id);
    const text = await followed;
    assertEquals(text.split("\n").length, 6);
    assertStringIncludes(text, "line 5");
    const tail = await logOf(bench, record.log.path, 2);
    assertEquals(tail.match(/line \d/g), ["line 4", "line 5"]);
    assertEquals(await logOf(bench, record.log.path, 0), "");
    assertEquals(await logOf(bench, record.log.path, 100), text);
    await bench.processes.deleteLog(record.log);
    assertEquals(existsSync(record.log.path), false);
  },
});

Deno.test({
  name: "LinuxProcesses.log() stops at a signal",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const path = containerPaths(bench.paths, "none").log;
    const controller = new AbortController();
    const stream = bench.processes.log({ driver: "k8s-file", path }, {
      followUntil: new Promise(() => {}),
      signal: controller.signal,
    });
    const text = new Response(stream).text();
    setTimeout(() => controller.abort(), 50);
    assertEquals(await text, "");
  },
});
