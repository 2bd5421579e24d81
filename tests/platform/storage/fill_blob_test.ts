/** Blobs that another program writes into the store. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { FileWriter } from "../../../lib/engine/ports/ports.ts";
import { FileBlobs } from "../../../lib/platform/storage/file_blobs.ts";
import { digestOf, sample } from "../../fixtures/platform/blobs_suite.ts";

/** Opens a store, and tells what is left of what was staged. */
async function openStore() {
  const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
  return {
    blobs: await FileBlobs.open(root),
    staged: () => Array.fromAsync(Deno.readDir(`${root}/staged`), ({ name }) => name),
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

/** Writes pieces, and tells how far it is behind each. */
function writerOf(piece: Uint8Array, count: number): FileWriter {
  return async function* (path) {
    using file = await Deno.open(path, { write: true });
    for (let at = 1; at <= count; at++) {
      await file.write(piece);
      yield at * piece.length;
    }
  };
}

for (const [what, count] of [["few", 3], ["many", 40]] as const) {
  Deno.test(`FileBlobs.fill() stores ${what} megabytes that another program writes`, async () => {
    await using store = await openStore();
    const piece = sample(1 << 20);
    const whole = new Uint8Array(count << 20);
    for (let at = 0; at < count; at++) whole.set(piece, at << 20);
    const admitted: string[] = [];
    const admit = async (digest: string) => {
      admitted.push(digest);
      assertEquals(await store.blobs.stat(digest), undefined, "it is not there before it is admitted");
    };
    const { digest, size } = await store.blobs.fill(writerOf(piece, count), { admit, limit: whole.length });
    assertEquals([digest, size, admitted], [digestOf(whole), whole.length, [digest]]);
    assertEquals(digestOf(new Uint8Array(await new Response(await store.blobs.open(digest)).arrayBuffer())), digest);
    assertEquals(await store.staged(), []);
  });
}

Deno.test("FileBlobs.fill() lets go of what was written and read, and of the file in the end", async () => {
  const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const told: [path: string, ends: number[]][] = [];
    const closed: string[] = [];
    const openPages = (path: string) => {
      const ends: number[] = [];
      told.push([path, ends]);
      return { release: (end: number) => void ends.push(end), close: () => Promise.resolve(void closed.push(path)) };
    };
    const blobs = await FileBlobs.open(root, { openPages });
    const piece = sample(1 << 20);
    await blobs.fill(writerOf(piece, 40));
    const [[path, ends]] = told;
    assert(ends.length > 0 && ends.every((end, at) => end <= 40 << 20 && end >= (ends[at - 1] ?? 0)), `${ends}`);
    const failing = async function* (path: string) {
      yield* writerOf(piece, 2)(path, new AbortController().signal);
      throw new Error("broken off");
    };
    await assertRejects(() => blobs.fill(failing), Error, "broken off");
    assertEquals(closed, [path, told[1][0]]);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("FileBlobs.fill() ends a writer that fails, writes too much or is not wanted any more, and keeps nothing", async () => {
  await using store = await openStore();
  let ended = 0;
  const writer = (fail?: Error): FileWriter =>
    async function* (path, signal) {
      try {
        for await (const end of writerOf(sample(1000), 5)(path, signal)) {
          signal.throwIfAborted();
          yield end;
        }
        if (fail) throw fail;
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      } finally {
        ended++;
      }
    };
  const tooMuch = await assertRejects(() => store.blobs.fill(writer(), { limit: 3999 }), EngineError);
  assertEquals(tooMuch.code, "limit");
  await assertRejects(() => store.blobs.fill(writer(new Error("no more"))), Error, "no more");
  const full = Object.assign(new Error("write"), { code: "ENOSPC" });
  await assertRejects(() => store.blobs.fill(writer(full)), EngineError, "Store blob: no space left on device");
  const controller = new AbortController();
  const filling = store.blobs.fill(writer(), { signal: controller.signal });
  const refused = assertRejects(() => filling, Error, "enough");
  controller.abort(new Error("enough"));
  await refused;
  const admit = () => Promise.reject(new Error("not admitted"));
  await assertRejects(() => store.blobs.fill(writerOf(sample(10), 1), { admit }), Error, "not admitted");
  assertEquals([ended, await store.staged()], [4, []]);
  assertEquals(await Array.fromAsync(store.blobs.list()), []);
});
