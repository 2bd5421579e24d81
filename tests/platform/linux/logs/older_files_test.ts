import { assert, assertEquals, assertRejects } from "@std/assert";
import { mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../../../../lib/engine/errors.ts";
import type { LogReadOptions } from "../../../../lib/engine/ports/host_port.ts";
import { LogKeeper } from "../../../../lib/platform/linux/logs/log_keeper.ts";
import { deleteOlder, olderPlace, prepareOlder, readOlder } from "../../../../lib/platform/linux/logs/older_files.ts";

const ID = "ab".repeat(32);

/** A log whose supervisor is this: it begins a new file when it is told to. */
class Bench {
  readonly path: string;
  readonly older: string;
  readonly keeper: LogKeeper;

  constructor(readonly logs: string) {
    this.path = join(logs, `${ID}.log`);
    this.older = join(logs, "older", ID);
    this.keeper = new LogKeeper(logs, (_, message) => assert(false, message));
  }

  async write(text: string): Promise<void> {
    await writeFile(this.path, `2026-11-21T00:00:00.000000000+00:00 stdout F ${text}\n`, { flag: "a" });
  }

  async rotate(text: string): Promise<void> {
    await writeFile(`${this.path}.tmp`, "");
    await rename(`${this.path}.tmp`, this.path);
    await this.write(text);
  }

  /** Waits until the older files are these. */
  async settle(...names: string[]): Promise<void> {
    const wanted = ["0", "files", ...names].sort().join();
    for (let found = ""; found !== wanted; await sleep(10)) found = (await readdir(this.older)).sort().join();
  }

  async read(options: LogReadOptions = {}): Promise<string> {
    const text = await new Response(readOlder(this.path, options) as ReadableStream<Uint8Array<ArrayBuffer>>).text();
    return text.split("\n").slice(0, -1).map((line) => line.split(" ").at(-1)).join("");
  }
}

async function withLogs(run: (bench: Bench) => Promise<void>): Promise<void> {
  const logs = await mkdtemp(join(tmpdir(), "gantry-older-"));
  const bench = new Bench(logs);
  try {
    await run(bench);
  } finally {
    await bench.keeper.close();
    await rm(logs, { recursive: true });
  }
}

Deno.test("LogKeeper keeps as many older files as the log may have, and readOlder() reads them in order", () =>
  withLogs(async (bench) => {
    await prepareOlder(bench.path, { files: 3, gzip: false });
    await bench.keeper.start();
    await bench.write("a");
    assertEquals(await bench.read(), "a");
    await bench.rotate("b");
    await bench.settle("1");
    assertEquals(await bench.read(), "ab");
    await bench.rotate("c");
    await bench.settle("1", "2");
    await bench.rotate("d");
    for (let text = ""; text !== "bcd"; await sleep(10)) text = await bench.read();
    await deleteOlder(bench.path);
    assertEquals(await readdir(join(bench.logs, "older")), []);
  }));

Deno.test("LogKeeper compresses older files, which readOlder() unpacks", () =>
  withLogs(async (bench) => {
    await prepareOlder(bench.path, { files: 4, gzip: true });
    await bench.keeper.start();
    await bench.write("a");
    await bench.rotate("b");
    await bench.settle("1.gz");
    await bench.rotate("c");
    await bench.settle("1.gz", "2.gz");
    assertEquals(await bench.read(), "abc");
  }));

Deno.test("readOlder() has what the helper has not heard of, and LogKeeper.resume() finds it", () =>
  withLogs(async (bench) => {
    await prepareOlder(bench.path, { files: 3, gzip: false });
    await bench.write("a");
    await bench.rotate("b");
    assertEquals(await bench.read(), "ab");
    await bench.keeper.resume();
    await bench.settle("1");
    assertEquals(await bench.read(), "ab");
  }));

Deno.test("readOlder() follows a log through its replacement", () =>
  withLogs(async (bench) => {
    await prepareOlder(bench.path, { files: 3, gzip: false });
    await bench.keeper.start();
    await bench.write("a");
    await bench.rotate("b");
    await bench.settle("1");
    const end = Promise.withResolvers<void>();
    const text = bench.read({ followUntil: end.promise });
    await bench.rotate("c");
    await bench.settle("1", "2");
    await sleep(200);
    end.resolve();
    assertEquals(await text, "abc");
  }));

Deno.test("olderPlace() is in the log if that has enough, and is refused once the files have moved", () =>
  withLogs(async (bench) => {
    await prepareOlder(bench.path, { files: 3, gzip: false });
    await bench.keeper.start();
    for (const text of ["a", "b", "c"]) await bench.write(text);
    assertEquals(await bench.read({ from: await olderPlace(bench.path, 1) }), "c");
    const start = await olderPlace(bench.path, 9);
    assertEquals(await bench.read({ from: start }), "abc");
    await bench.rotate("d");
    await bench.settle("1");
    assertEquals(await bench.read({ from: await olderPlace(bench.path, 2) }), "abcd");
    const error = await assertRejects(() => bench.read({ from: start }), EngineError);
    assertEquals(error.code, "state");
  }));

Deno.test("LogKeeper.start() says why it cannot keep anything, and LogKeeper.resume() does nothing where there is nothing", () =>
  withLogs(async ({ logs, keeper }) => {
    const lost = new LogKeeper(join(logs, "none"), () => {});
    await assertRejects(() => lost.start(), EngineError, "Keep older logs: watch");
    await lost.resume();
    await keeper.resume();
  }));
