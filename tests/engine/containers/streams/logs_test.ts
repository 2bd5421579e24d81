import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type LogRecord, parseK8sLog, wholeRecords } from "../../../../lib/engine/text/logs/k8s_log.ts";
import { findTail, skipLines } from "../../../../lib/engine/containers/streams/log_tail.ts";
import type { LogsOptions } from "../../../../lib/engine/containers/options.ts";
import { parseRFC3339 } from "../../../../lib/engine/text/moment.ts";
import { openFake, seeded, spec } from "../../../fixtures/engine/fake_engine.ts";

const BOTH: LogsOptions = { stdout: true, stderr: true, follow: false };
const encoder = new TextEncoder();
const decoder = new TextDecoder();

async function* cut(bytes: Uint8Array, size: () => number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length;) {
    const end = at + Math.max(1, size());
    yield bytes.slice(at, end);
    at = end;
  }
  await Promise.resolve();
}

/** Every record, of however many batches. */
async function all(log: AsyncIterable<LogRecord[]>): Promise<LogRecord[]> {
  return (await Array.fromAsync(log)).flat();
}

function texts(records: readonly LogRecord[]): string[] {
  return records.map(({ stream, data }) => `${stream}: ${decoder.decode(data)}`);
}

Deno.test("parseK8sLog() gives back every byte, however the log is cut", async () => {
  const random = seeded(7);
  const wrote = { stdout: [] as number[], stderr: [] as number[] };
  const log: number[] = [];
  for (let i = 0; i < 300; i++) {
    const stream = random() < 0.5 ? "stdout" : "stderr";
    // Any byte but a newline, spaces and what is no UTF-8 included.
    const data = Array.from({ length: Math.floor(random() * 40) }, () => (11 + Math.floor(random() * 245)) & 255);
    const partial = random() < 0.3;
    log.push(
      ...encoder.encode(`2024-01-01T00:00:00.${String(i).padStart(9, "0")}+00:00 ${stream} ${partial ? "P" : "F"} `),
    );
    log.push(...data, 10);
    wrote[stream].push(...data, ...partial ? [] : [10]);
  }
  for (const size of [1, 2, 7, 64, 100_000]) {
    const read = { stdout: [] as number[], stderr: [] as number[] };
    for await (const records of parseK8sLog(cut(Uint8Array.from(log), () => Math.ceil(random() * size)))) {
      for (const { stream, data } of records) read[stream].push(...data);
    }
    assertEquals(read, wrote);
  }
});

Deno.test("parseK8sLog() leaves out what is no record, and refuses one without an end", async () => {
  const log = "cut off by rotation\n2024-01-01T00:00:00.1+00:00 stdout F good\n2024 neither X bad\n\n2024 stdout F\n";
  assertEquals(texts(await all(parseK8sLog(cut(encoder.encode(log), () => 5)))), ["stdout: good\n"]);
  assertEquals(texts(wholeRecords(encoder.encode(`${log}2024 stdout F without an end`))), ["stdout: good\n"]);
  const endless = cut(new Uint8Array(3 << 20).fill(65), () => 1 << 20);
  await assertRejects(() => Array.fromAsync(parseK8sLog(endless)), Error, "a record has no end");
});

/** The last lines, told without cleverness: by where a line begins. */
function lastLines(records: readonly LogRecord[], count: number): LogRecord[] {
  const current: Record<string, number | undefined> = {};
  let lines = 0;
  const numbered = records.map((record) => {
    const line = current[record.stream] ?? lines++;
    current[record.stream] = record.partial ? line : undefined;
    return { record, line };
  });
  return numbered.filter(({ line }) => line >= lines - count).map(({ record }) => record);
}

Deno.test("findTail() finds the same lines as a reading of the whole log", async () => {
  for (let seed = 1; seed <= 30; seed++) {
    const random = seeded(seed);
    const records = Array.from({ length: Math.floor(random() * 2000) }, (_, i): LogRecord => ({
      // A supervisor gives what it reads at once the same time.
      time: new Date(Math.floor(i / 50)).toISOString(),
      stream: random() < 0.6 ? "stdout" : "stderr",
      partial: random() < (seed % 3) * 0.45,
      data: new Uint8Array(),
    }));
    const open = async function* ({ offset }: { offset: number }) {
      for (let at = offset; at < records.length; at += 100) yield records.slice(at, at + 100);
      await Promise.resolve();
    };
    // The host may give more than was asked for, as long as it is there.
    const place = (wanted: number) => {
      const offset = Math.max(0, records.length - wanted - Math.floor(random() * 5));
      return Promise.resolve({ offset, file: "log" });
    };
    for (const count of [0, 1, 2, 5, 100, 5000]) {
      const { from, skip } = await findTail({ place, open }, count);
      const read = await all(skipLines(open(from), skip));
      assertEquals(read, lastLines(records, count), `seed ${seed}, last ${count}`);
    }
  }
});

Deno.test("findTail() knows a line that began long before another stream's last lines", async () => {
  const time = new Date(0).toISOString();
  const record = (stream: LogRecord["stream"], text: string, partial = false): LogRecord => {
    return { time, stream, partial, data: encoder.encode(text) };
  };
  const lines = Array.from({ length: 200 }, (_, i) => record("stdout", `${i}\n`));
  const records = [record("stderr", "asked: ", true), ...lines, record("stderr", "answered\n")];
  const open = async function* ({ offset }: { offset: number }) {
    yield await Promise.resolve(records.slice(offset));
  };
  const place = (wanted: number) => Promise.resolve({ offset: Math.max(0, records.length - wanted), file: "log" });
  const { from, skip } = await findTail({ place, open }, 10);
  assertEquals(texts(await all(skipLines(open(from), skip))), texts(lines.slice(-10)));
});

Deno.test("Containers.logs() shows streams, times and last lines as asked", async () => {
  await using engine = await openFake();
  const { containers, kernel } = engine;
  const { record: { id } } = await containers.create(spec());
  await containers.start(id);
  kernel.write(id, "one\n");
  kernel.write(id, "two\n", "stderr");
  const middle = kernel.now();
  kernel.write(id, "three\nfour\n");
  const read = async (options: Partial<LogsOptions>) => {
    return texts(await all(containers.logs(id, { ...BOTH, ...options })));
  };
  const lines = ["stdout: one\n", "stderr: two\n", "stdout: three\n", "stdout: four\n"];
  assertEquals(await read({}), lines);
  assertEquals(await read({ stdout: false }), [lines[1]]);
  assertEquals(await read({ since: middle }), lines.slice(2));
  assertEquals(await read({ until: middle }), lines.slice(0, 2));
  assertEquals(await read({ tail: 3 }), lines.slice(1));
  assertEquals(await read({ tail: 0 }), []);
});

Deno.test("Containers.logs() has no use for a signal where the last lines are at hand", async () => {
  await using engine = await openFake();
  const { containers, kernel } = engine;
  const { record: { id } } = await containers.create(spec());
  await containers.start(id);
  kernel.write(id, "one\ntwo\nthree\nfour\n");
  let asked = 0;
  const options = (tail?: number): LogsOptions => ({
    ...BOTH,
    tail,
    get signal() {
      asked++;
      return undefined;
    },
  });
  kernel.hasLogsAtHand = true;
  assertEquals(texts(await all(containers.logs(id, options(2)))), ["stdout: three\n", "stdout: four\n"]);
  assertEquals(asked, 0);
  // A reading of the log itself can be ended.
  assertEquals((await all(containers.logs(id, options()))).length, 4);
  assertEquals(asked, 1);
  kernel.hasLogsAtHand = false;
  assertEquals((await all(containers.logs(id, options(2)))).length, 2);
  assertEquals(asked > 1, true);
});

Deno.test("Containers.logs() since the moment of a line has that line, however the moment was written", async () => {
  await using engine = await openFake();
  const { containers, kernel } = engine;
  const { record: { id } } = await containers.create(spec());
  await containers.start(id);
  kernel.write(id, "one\n");
  const [{ time }] = await all(containers.logs(id, BOTH));
  const at = parseRFC3339(time);
  // The next number there is.
  for (const since of [at, at + 0.00025]) {
    assertEquals(texts(await all(containers.logs(id, { ...BOTH, since }))), ["stdout: one\n"]);
  }
  assertEquals(texts(await all(containers.logs(id, { ...BOTH, since: at + 0.01 }))), []);
});

Deno.test("Containers.logs() follows to the container's end, and not beyond its time", async () => {
  await using engine = await openFake();
  const { containers, kernel } = engine;
  const { record: { id } } = await containers.create(spec());
  await containers.start(id);
  kernel.write(id, "before\nlast\n");
  const whole = all(containers.logs(id, { ...BOTH, follow: true }));
  const tail = all(containers.logs(id, { ...BOTH, follow: true, tail: 1 }));
  const timed = all(containers.logs(id, { ...BOTH, follow: true, until: kernel.now() + 1000 }));
  await timed;
  kernel.write(id, "after\n");
  await new Promise((resolve) => setTimeout(resolve, 5));
  kernel.write(id, "end\n");
  kernel.end(id, 0);
  assertEquals(texts(await whole), ["before", "last", "after", "end"].map((text) => `stdout: ${text}\n`));
  assertEquals(texts(await tail), ["last", "after", "end"].map((text) => `stdout: ${text}\n`));
  assertEquals(texts(await timed).slice(0, 2), ["stdout: before\n", "stdout: last\n"]);
  // Following what has ended ends too.
  await containers.settled();
  assertEquals((await all(containers.logs(id, { ...BOTH, follow: true }))).length, 4);
});

Deno.test("Containers.logs() fails at once where there is nothing to read", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  await containers.create(spec({ name: "mute", logDriver: "none" }));
  assertThrows(() => containers.logs("mute", BOTH), Error, "this container is not logging output");
  assertThrows(() => containers.logs("nobody", BOTH), Error, "no such container");
});
