import { assert, assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { appendFile, mkdtemp, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { readLogFile } from "../../../../lib/platform/linux/logs/log_file.ts";
import { findLogPlace } from "../../../../lib/platform/linux/logs/log_place.ts";
import { closeNow, factsOf, openNow, readNow } from "../../../../lib/platform/linux/logs/read_now.ts";
import { Bench, ignore } from "../../../fixtures/platform/process_bench.ts";
import { untilTrue } from "../../../fixtures/until_true.ts";

async function withFile(run: (path: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-log-"));
  try {
    await run(join(folder, "log"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Lines of many lengths; every third record comes in two parts. */
function lines(records: number): string[] {
  return Array.from({ length: records }, (_, i) => {
    const head = `2026-11-21T00:00:00.${String(i).padStart(9, "0")}+00:00 stdout`;
    const part = i % 3 === 0 ? `${head} P begin of ${i}\n` : "";
    return `${part}${head} F ${"x".repeat((i * 7919) % 4000)}\n`;
  });
}

Deno.test("findLogPlace() is at the first of the wanted records, across blocks and partial lines", () =>
  withFile(async (path) => {
    const all = lines(600);
    await writeFile(path, all.join(""));
    for (const tailRecords of [0, 1, 2, 3, 50, 131, 132, 133, 134, 135, 300, 599, 600, 601]) {
      const text = await new Response(readLogFile(path, { from: await findLogPlace(path, tailRecords) })).text();
      const wanted = tailRecords === 0 ? "" : all.slice(-tailRecords).join("");
      assertEquals(text.length, wanted.length, `tail of ${tailRecords}`);
      assertEquals(text, wanted);
    }
  }));

Deno.test("findLogPlace() has the bytes at hand where the last block has them, long lines too", () =>
  withFile(async (path) => {
    // Of the usual length, too long for the part of the block that is read first, and too long for the block.
    for (const [length, isAtHand] of [[60, true], [1000, true], [3000, false]] as const) {
      const all = Array.from(
        { length: 400 },
        (_, i) => `2026-11-21T00:00:00.${i}+00:00 stdout F ${"x".repeat(length)}\n`,
      );
      await writeFile(path, all.join(""));
      const { bytes, offset } = await findLogPlace(path, 26);
      const wanted = all.slice(-26).join("");
      assertEquals(bytes && new TextDecoder().decode(bytes), isAtHand ? wanted : undefined, `lines of ${length}`);
      assertEquals(offset, all.join("").length - wanted.length);
    }
  }));

Deno.test("factsOf() tells the same of one file however it was opened, and something else of the next one", () =>
  withFile(async (path) => {
    await writeFile(path, "a line\n");
    await using handle = await open(path, "r");
    const descriptor = openNow(path)!;
    try {
      assertEquals(factsOf(descriptor), factsOf(handle.fd));
      assertEquals(factsOf(descriptor).size, 7);
      await writeFile(`${path}.new`, "a longer line\n");
      await rename(`${path}.new`, path);
      await using next = await open(path, "r");
      assertNotEquals(factsOf(next.fd).id, factsOf(descriptor).id);
      const room = new Uint8Array(3);
      assertEquals([readNow(descriptor, room, 2), new TextDecoder().decode(room)], [3, "lin"]);
      assertEquals(readNow(descriptor, room, 7), 0);
    } finally {
      closeNow(descriptor);
    }
    assertThrows(() => readNow(descriptor, new Uint8Array(1), 0));
    assertEquals(openNow(`${path}.none`), undefined);
  }));

Deno.test("readLogFile() begins nowhere in a file that was replaced since its place was found", () =>
  withFile(async (path) => {
    const none = await findLogPlace(path, 1);
    await writeFile(path, "one\ntwo\n");
    assertEquals(await new Response(readLogFile(path, { from: none })).text(), "one\ntwo\n");
    const from = await findLogPlace(path, 1);
    await appendFile(path, "three\n");
    await writeFile(`${path}.new`, "four\nfive\nsix\n");
    await rename(`${path}.new`, path);
    await assertRejects(() => new Response(readLogFile(path, { from })).text(), EngineError, "its file was replaced");
  }));

Deno.test("readLogFile() follows a file that begins late, grows and is replaced", () =>
  withFile(async (path) => {
    const { promise: followUntil, resolve: end } = Promise.withResolvers<void>();
    let text = "";
    const decoder = new TextDecoder();
    const reading = readLogFile(path, { followUntil }).pipeTo(
      new WritableStream({ write: (piece) => void (text += decoder.decode(piece)) }),
    );
    await sleep(30);
    assertEquals(text, "");
    await writeFile(path, "one\n");
    await untilTrue(() => text === "one\n");
    await appendFile(path, "two\n");
    await writeFile(`${path}.new`, "three\n");
    await rename(`${path}.new`, path);
    await untilTrue(() => text === "one\ntwo\nthree\n");
    await appendFile(path, "four\n");
    end();
    await reading;
    assertEquals(text, "one\ntwo\nthree\nfour\n");
  }));

Deno.test("findLogPlace() gives the bytes along that it has read, and none of a place far from the end", () =>
  withFile(async (path) => {
    assertEquals((await findLogPlace(path, 3)).bytes, undefined);
    const all = lines(600);
    await writeFile(path, all.join(""));
    const { offset, bytes } = await findLogPlace(path, 3);
    assertEquals(new TextDecoder().decode(bytes), all.slice(-3).join(""));
    assertEquals(offset + bytes!.length, all.join("").length);
    assertEquals((await findLogPlace(path, 500)).bytes, undefined);
  }));

Deno.test("readLogFile() gives what is written at once, to every reader, and ends with its stream", () =>
  withFile(async (path) => {
    await writeFile(path, "one\n");
    const { promise: followUntil, resolve: end } = Promise.withResolvers<void>();
    const readers = Array.from({ length: 3 }, () => readLogFile(path, { followUntil }).getReader());
    const next = () =>
      Promise.all(readers.map(async (reader) => new TextDecoder().decode((await reader.read()).value)));
    assertEquals(await next(), ["one\n", "one\n", "one\n"]);
    const lags: number[] = [];
    for (let i = 0; i < 5; i++) {
      const line = next();
      // Readers wait for growth by then: unless they hear of it they look at the file after two seconds.
      await sleep(50);
      const from = performance.now();
      await appendFile(path, `${i}\n`);
      assertEquals(await line, [`${i}\n`, `${i}\n`, `${i}\n`]);
      lags.push(performance.now() - from);
    }
    assert(Math.min(...lags) < 1_900, `the file's growth was not heard: ${lags} ms`);
    const waiting = readers[0].read();
    await readers[0].cancel();
    assertEquals((await waiting).done, true);
    end();
    await Promise.all(readers.slice(1).map(async (reader) => assertEquals((await reader.read()).done, true)));
  }));

Deno.test({
  name: "LinuxProcesses keeps a log within its size limit and goes on following it",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await bench.create({ args: ["sh", "-c", "seq 1 3000; echo last"], spec: { logSizeMax: 20_000 } });
    const ended = bench.ended(record.id);
    const text = new Response(bench.processes.log(record.log, { followUntil: ended.then(() => {}) })).text();
    await bench.processes.start(record.id);
    assert((await text).endsWith(" stdout F last\n"));
    const rest = await new Response(bench.processes.log(record.log, {})).text();
    assert(rest.length <= 20_000);
  },
});

Deno.test({
  name: "LinuxProcesses.kill() knows real-time signals",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const record = await bench.create({ args: ["sleep", "1000"], spec: { init: true } });
    const ended = bench.ended(record.id);
    await bench.processes.start(record.id);
    const { pid } = await bench.processes.state(record.id);
    // The init process hands signals on once it has a child to which it can.
    await untilTrue(async () => await readFile(`/proc/${pid}/task/${pid}/children`, "utf8") !== "");
    await bench.processes.kill(record.id, 40);
    assertEquals((await ended).code, 128 + 40);
  },
});
