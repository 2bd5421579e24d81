import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { LogKeeper } from "../../../../lib/platform/linux/logs/log_keeper.ts";
import { deleteOlder, olderPlace, readOlder } from "../../../../lib/platform/linux/logs/older_files.ts";
import { until } from "../../../fixtures/session.ts";
import { ID, LogBench, withLog } from "../../../fixtures/platform/log_bench.ts";

Deno.test("LogKeeper keeps as many files as the log may have, and readOlder() reads them in order", () =>
  withLog(async (bench) => {
    await bench.start(3);
    await bench.write("a");
    assertEquals(await bench.read(), "a");
    await bench.rotate("b");
    assertEquals(await bench.read(), "ab");
    await bench.rotate("c");
    await bench.rotate("d");
    assertEquals(await bench.read(), "bcd");
    assertEquals((await Deno.readTextFile(bench.path)).slice(-2), "d\n");
    await deleteOlder(bench.path);
    assertEquals(await readdir(join(bench.logs, "older")), []);
  }));

Deno.test("LogKeeper misses no file, however fast they follow each other, nor does a reader that follows", () =>
  withLog(async (bench) => {
    await bench.start(1);
    const end = Promise.withResolvers<void>();
    const text = bench.read({ followUntil: end.promise });
    let wanted = "";
    for (let i = 0; i < 60; i++) {
      wanted += `${i}.`;
      await bench.rotate(`${i}.`);
    }
    assertEquals(await bench.read(), "59.");
    await bench.settle(...Array.from({ length: 61 }, (_, i) => String(i + 1)));
    end.resolve();
    assertEquals(await text, wanted);
    for (let i = 0; i < 10; i++) await bench.rotate("x");
    // So many are kept for readers that follow.
    await bench.settle(...Array.from({ length: 65 }, (_, i) => String(i + 7)));
  }));

Deno.test("LogKeeper compresses older files, which readOlder() unpacks", () =>
  withLog(async (bench) => {
    await bench.start(4, true);
    await bench.write("a");
    await bench.rotate("b");
    await bench.settle("1.gz", "2");
    await bench.rotate("c");
    await bench.settle("1.gz", "2.gz", "3");
    assertEquals(await bench.read(), "abc");
  }));

Deno.test("a log goes on in its last file when its container starts again, and when the helper does", () =>
  withLog(async (bench) => {
    await bench.start(3);
    await bench.write("a");
    await bench.rotate("b");
    await bench.start(3);
    await bench.write("c");
    await bench.settle("1", "2");
    assertEquals(await bench.read(), "abc");
    await bench.keeper.close();
    await bench.write("d");
    // Without the helper, the supervisor begins one file over and over.
    await bench.rotate("lost");
    await bench.rotate("e");
    const next = new LogKeeper(bench.logs, (_, message) => assert(false, message));
    try {
      await next.resume();
      assertEquals(await bench.read(), "abcde");
      await bench.rotate("f");
      assertEquals(await bench.read(), "bcdef");
    } finally {
      await next.close();
    }
  }));

Deno.test("readOlder() follows a log through its replacement", () =>
  withLog(async (bench) => {
    await bench.start(3);
    await bench.write("a");
    await bench.rotate("b");
    const end = Promise.withResolvers<void>();
    const reader = readOlder(bench.path, { followUntil: end.promise }).getReader();
    const next = async () => new TextDecoder().decode((await reader.read()).value).at(-2);
    assertEquals([await next(), await next()], ["a", "b"]);
    const lags: number[] = [];
    for (const text of ["c", "d", "e", "f"]) {
      const line = next();
      const from = performance.now();
      await bench.rotate(text);
      assertEquals(await line, text);
      lags.push(performance.now() - from);
    }
    // A reader that hears nothing looks after two seconds; a busy machine may delay some of these lines.
    assert(Math.min(...lags) < 1_900, `the new file was not heard of: ${lags} ms`);
    end.resolve();
    assertEquals((await reader.read()).done, true);
  }));

Deno.test("readOlder() goes on with what is there, where it was too late for a file", () =>
  withLog(async (bench) => {
    await bench.start(2);
    const end = Promise.withResolvers<void>();
    const reader = readOlder(bench.path, { followUntil: end.promise }).getReader();
    await bench.write("a");
    assertEquals(new TextDecoder().decode((await reader.read()).value).at(-2), "a");
    await bench.rotate("b");
    await bench.rotate("c");
    await rm(join(bench.older, "2"));
    assertEquals(new TextDecoder().decode((await reader.read()).value).at(-2), "c");
    end.resolve();
    assertEquals((await reader.read()).done, true);
  }));

Deno.test("olderPlace() is in the log if that has enough, stays where it is, and is refused once its file is gone", () =>
  withLog(async (bench) => {
    await bench.start(2);
    for (const text of ["a", "b", "c"]) await bench.write(text);
    assertEquals(await bench.read({ from: await olderPlace(bench.path, 1) }), "c");
    const start = await olderPlace(bench.path, 9);
    const middle = await olderPlace(bench.path, 2);
    assertEquals(await bench.read({ from: start }), "abc");
    await bench.rotate("d");
    assertEquals(await bench.read({ from: middle }), "bcd");
    assertEquals(await bench.read({ from: await olderPlace(bench.path, 2) }), "abcd");
    await rm(join(bench.older, "1"));
    for (const from of [start, middle]) {
      const error = await assertRejects(() => bench.read({ from }), EngineError);
      assertEquals(error.code, "state");
    }
  }));

Deno.test("a log whose files an earlier version named goes on after them", () =>
  withLog(async (bench) => {
    await Deno.mkdir(bench.older, { recursive: true });
    const line = (text: string) => `2026-11-21T00:00:00.000000000+00:00 stdout F ${text}\n`;
    await Deno.writeTextFile(join(bench.older, "files"), "3\n");
    await Deno.writeTextFile(join(bench.older, "2"), line("a"));
    await Deno.writeTextFile(join(bench.older, "1"), line("b"));
    await Deno.writeTextFile(bench.path, line("c"));
    await Deno.link(bench.path, join(bench.older, "0"));
    assertEquals(await bench.read(), "c");
    await bench.start(3);
    assertEquals(await bench.read(), "abc");
    await bench.rotate("d");
    assertEquals(await bench.read(), "bcd");
  }));

Deno.test("a log of an earlier version keeps as many files as that had, also where the take-over begins again", () =>
  withLog(async (bench) => {
    await Deno.mkdir(bench.older, { recursive: true });
    const line = (text: string) => `2026-11-21T00:00:00.000000000+00:00 stdout F ${text}\n`;
    await Deno.writeTextFile(join(bench.older, "files"), "1000\n");
    await Deno.writeTextFile(join(bench.older, "999"), line("a"));
    await Deno.writeTextFile(join(bench.older, "998"), line("b"));
    await Deno.writeTextFile(join(bench.older, "2"), line("c"));
    await Deno.writeTextFile(join(bench.older, "1"), line("d"));
    await Deno.writeTextFile(bench.path, line("e"));
    await bench.start(1000);
    assertEquals(await bench.read(), "abcde");
    // As a server leaves it that ends just before the take-over does.
    await Deno.writeTextFile(join(bench.older, "files"), "1000\n");
    await bench.start(1000);
    assertEquals(await bench.read(), "abcde");
    assertEquals((await Deno.readTextFile(bench.path)).slice(-2), "e\n");
  }));

Deno.test("a helper that is killed has a successor, and the log of a running container goes on", () =>
  withLog(async ({ logs }) => {
    const told: string[] = [];
    await using bench = new LogBench(logs, (message) => told.push(message));
    await bench.start(3);
    await bench.write("a");
    await bench.rotate("b");
    const end = Promise.withResolvers<void>();
    const text = bench.read({ followUntil: end.promise });
    await bench.killHelper();
    await bench.rotate("c");
    while (!(await bench.read()).includes("c")) await sleep(10);
    await bench.rotate("d");
    end.resolve();
    assertEquals(await text, "abcd");
    assertEquals(told.length, 1);
    assert(told[0].startsWith("Keep older logs: the helper ended"), told[0]);
  }));

Deno.test("LogKeeper.arm() waits for no helper that hangs, and the next one has another", () =>
  withLog(async ({ logs }) => {
    const told: string[] = [];
    await using bench = new LogBench(logs, (message) => told.push(message), 200);
    await bench.start(3);
    Deno.kill(await bench.helper(), "SIGSTOP");
    await bench.keeper.arm(ID);
    assertEquals(told[0], `Keep older logs: the log of container ${ID} cannot be watched`);
    while (told.length < 2) await sleep(5);
    await bench.start(3);
    await bench.write("a");
    await bench.rotate("b");
    assertEquals(await bench.read(), "ab");
    assertEquals(told.length, 2);
  }));

Deno.test("LogKeeper.start() says why it cannot keep anything, and LogKeeper.resume() does nothing where there is nothing", () =>
  withLog(async ({ logs, keeper }) => {
    const told: string[] = [];
    const lost = new LogKeeper(join(logs, "none", "none"), (_, message) => told.push(message));
    await assertRejects(() => lost.start(), Error, "ENOENT");
    await lost.resume();
    await keeper.resume();
    assertEquals(told, []);
  }));

Deno.test("a log goes on when somebody stops the helper, and when it is stopped again and again", async () => {
  const logs = await mkdtemp(join(tmpdir(), "gantry-older-"));
  const told: string[] = [];
  try {
    await using bench = new LogBench(logs, (message) => told.push(message));
    await bench.start(4);
    await bench.write("a");
    Deno.kill(await bench.helper(), "SIGSTOP");
    // Without anybody's help the kernel lets it wait for 45 seconds, and nobody is told.
    await bench.rotate("b");
    assertEquals(told, ["Keep older logs: the helper was stopped, and has to go on"]);
    assertEquals(await bench.read(), "ab");
    const first = await bench.helper();
    // Until it is another one.
    await until(async () => {
      Deno.kill(await bench.helper(), "SIGSTOP");
      assertNotEquals(await bench.helper(), first, "the helper that is stopped again and again has a successor");
    });
    await until(() => assertEquals(told.at(-1), "Keep older logs: the helper was stopped, and has to go on"));
    await bench.keeper.arm(ID);
    await bench.rotate("c");
    assertEquals(await bench.read(), "abc");
    // The end of the server waits for no helper that is stopped.
    Deno.kill(await bench.helper(), "SIGSTOP");
  } finally {
    await rm(logs, { recursive: true });
  }
});

Deno.test("a log goes on, and misses nothing, while somebody stops and kills the helper at any moment", async () => {
  const logs = await mkdtemp(join(tmpdir(), "gantry-older-"));
  try {
    const failed: string[] = [];
    await using bench = new LogBench(logs, (message) => message.includes("cannot be watched") && failed.push(message));
    await bench.start(100);
    let isOver = false;
    let wanted = "";
    const attacker = (async () => {
      for (let i = 0; i < 6; i++) {
        await sleep(20 + 7 * i);
        const pid = await bench.helper().catch(() => undefined);
        try {
          if (pid !== undefined) Deno.kill(pid, i % 3 === 2 ? "SIGKILL" : "SIGSTOP");
        } catch (error) {
          if (!(error instanceof Deno.errors.NotFound)) throw error;
        }
      }
      isOver = true;
    })();
    const end = Promise.withResolvers<void>();
    const text = bench.read({ followUntil: end.promise });
    while (!isOver) {
      // A helper that is killed leaves a file that begins anew until it has a successor: only what is written then may be lost.
      await bench.write("x");
      wanted += "x";
      await sleep(5);
    }
    await attacker;
    await until(async () => {
      failed.length = 0;
      await bench.keeper.arm(ID);
      assertEquals(failed, []);
    });
    for (const letter of "abc") {
      await bench.rotate(letter);
      wanted += letter;
    }
    end.resolve();
    assertEquals(await text, wanted);
  } finally {
    await rm(logs, { recursive: true });
  }
});
