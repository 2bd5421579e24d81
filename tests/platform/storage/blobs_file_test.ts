import { assert, assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { FollowedFile } from "../../../lib/platform/storage/digest_thread.ts";
import { FileBlobs } from "../../../lib/platform/storage/file_blobs.ts";
import { FileHash } from "../../../lib/platform/storage/file_hash.ts";
import { digestOf, sample, testBlobs } from "../../fixtures/platform/blobs_suite.ts";

testBlobs({
  name: "FileBlobs",
  open: async () => {
    const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
    return {
      blobs: await FileBlobs.open(`${root}/blobs`),
      [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
    };
  },
});

Deno.test("FileBlobs.open() finds what an earlier process staged and stored", async () => {
  const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const data = sample(5000);
    const digest = digestOf(data);
    const first = await FileBlobs.open(root);
    await first.put(ReadableStream.from([data]));
    await first.restage(digest);
    await Deno.writeTextFile(`${root}/staged/unnamed-7`, "left by a put without a name");
    const old = `${root}/staged/${"0".repeat(64)}.part`;
    await Deno.writeTextFile(old, "left long ago");
    await Deno.utime(old, 1, 1);
    const second = await FileBlobs.open(root);
    assertEquals(await second.staged(digest), 5000);
    assertEquals((await Array.fromAsync(Deno.readDir(`${root}/staged`))).length, 1);
    await second.put(ReadableStream.from([]), { digest, offset: 5000 });
    assertEquals(await Array.fromAsync(second.list()), [{ digest, size: 5000 }]);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("FileBlobs keeps scratch until the store is opened anew, and for good when asked", async () => {
  const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const [kept, lost, both] = [sample(5000), sample(6000), sample(7000)];
    const [keptDigest, lostDigest, bothDigest] = [kept, lost, both].map(digestOf);
    const all = [kept, lost, both].map((data) => ({ digest: digestOf(data), size: data.length }));
    const byDigest = (a: { digest: string }, b: { digest: string }) => a.digest < b.digest ? -1 : 1;
    const listOf = async (blobs: FileBlobs) => (await Array.fromAsync(blobs.list())).sort(byDigest);
    const first = await FileBlobs.open(root);
    for (const data of [kept, lost, both]) {
      assertEquals((await first.put(ReadableStream.from([data]), { isScratch: true })).digest, digestOf(data));
    }
    const { path } = (await first.file(keptDigest))!;
    await first.keep(keptDigest);
    await first.keep(keptDigest);
    await first.keep(digestOf(sample(1)));
    // A blob that is put to last does, though it was scratch before.
    await first.put(ReadableStream.from([both]), { digest: bothDigest });
    assertEquals(await listOf(first), all.toSorted(byDigest), "one that was kept is told once");
    assertEquals(digestOf(await Deno.readFile(`${root}/${path}`)), keptDigest, "who was told a path finds it there");
    assertEquals(await first.stat(lostDigest), { size: 6000 });
    assertEquals(digestOf(new Uint8Array(await new Response(await first.open(lostDigest)).arrayBuffer())), lostDigest);

    const second = await FileBlobs.open(root);
    assertEquals(await listOf(second), all.filter(({ digest }) => digest !== lostDigest).sort(byDigest));
    assertEquals([await second.stat(lostDigest), await second.open(lostDigest)], [undefined, undefined]);
    // Scratch of what is there already is no second blob, nor does it make the first one scratch.
    await second.put(ReadableStream.from([kept]), { isScratch: true });
    const third = await FileBlobs.open(root);
    assertEquals(digestOf(new Uint8Array(await new Response(await third.open(keptDigest)).arrayBuffer())), keptDigest);
    await third.put(ReadableStream.from([lost]), { isScratch: true });
    await third.restage(lostDigest);
    for (const digest of [keptDigest, bothDigest]) await third.delete(digest);
    assertEquals(await listOf(third), []);
    const left = await Array.fromAsync(Deno.readDir(`${root}/scratch`));
    assertEquals(left, []);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("FileBlobs.delete() takes scratch that was kept, under both its names", async () => {
  const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const data = sample(5000);
    const blobs = await FileBlobs.open(root);
    await blobs.put(ReadableStream.from([data]), { isScratch: true });
    await blobs.keep(digestOf(data));
    await blobs.delete(digestOf(data));
    assertEquals(await Array.fromAsync(blobs.list()), []);
    assertEquals(await Array.fromAsync((await FileBlobs.open(root)).list()), []);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("FileBlobs.put() keeps holes, wherever the pieces of zeros end", async () => {
  const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const blobs = await FileBlobs.open(root);
    const [count, size] = [160, 100_000];
    const zeros = () => ReadableStream.from(Array.from({ length: count }, () => new Uint8Array(size)));
    const { digest } = await blobs.put(zeros());
    assertEquals(digest, digestOf(new Uint8Array(count * size)));
    const { folder, path } = (await blobs.file(digest))!;
    const facts = await Deno.stat(`${folder}/${path}`);
    assertEquals(facts.size, count * size);
    assert(facts.blocks! * 512 < 1 << 20, `${facts.blocks! * 512} bytes are on the disk`);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("FileBlobs.put() keeps nothing whole in memory", async () => {
  const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const blobs = await FileBlobs.open(root);
    const piece = sample(1 << 20);
    const total = 256;
    let pulled = 0;
    let most = 0;
    // What was taken and is not on the disk yet is what memory holds. The process's own size says less: others use it too.
    const source = new ReadableStream<Uint8Array>({
      async pull(controller) {
        most = Math.max(most, (pulled << 20) - await sizeBelow(`${root}/staged`));
        if (pulled === total) return controller.close();
        pulled++;
        controller.enqueue(piece.slice());
      },
    });
    const { digest, size } = await blobs.put(source);
    assertEquals(size, total << 20);
    assert(most <= 16 << 20, `${most >> 20} MiB were held at once`);
    let read = 0;
    for await (const chunk of (await blobs.open(digest))!) {
      assert(chunk.length <= 4 << 20, `${chunk.length} bytes came at once`);
      read += chunk.length;
    }
    assertEquals(read, total << 20);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("FileBlobs.put() has the right digest of large content, whoever makes it: with holes, resumed, side by side, and broken off", async () => {
  const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const blobs = await FileBlobs.open(root);
    const large = largeSample();
    large.fill(0, 17 << 20, 30 << 20);
    const digest = digestOf(large);
    const pieces = (from = 0, to = large.length) => {
      let at = from;
      return new ReadableStream<Uint8Array>({
        pull(controller) {
          if (at === to) return controller.close();
          const end = Math.min(to, at + 777_777);
          controller.enqueue(large.slice(at, end));
          at = end;
        },
      });
    };
    assertEquals(await blobs.put(pieces()), { digest, size: large.length });
    await blobs.delete(digest);
    const wrong = `sha256:${"5".repeat(64)}`;
    await assertRejects(() => blobs.put(pieces(), { digest: wrong }), EngineError, wrong.slice(0, 20));
    assertEquals(await Array.fromAsync(blobs.list()), []);

    const cut = new Error("cut");
    const broken = pieces(0, 35 << 20).pipeThrough(
      new TransformStream({ flush: (controller) => controller.error(cut) }),
    );
    await assertRejects(() => blobs.put(broken, { digest }), Error, "cut");
    const offset = await blobs.staged(digest);
    assert(offset > 30 << 20, `${offset} bytes are staged`);
    assertEquals(await blobs.put(pieces(offset), { digest, offset }), { digest, size: large.length });

    const others = await Promise.all([33, 36, 40].map((mega) => blobs.put(pieces(0, mega << 20))));
    assertEquals(
      others.map((other) => other.digest),
      [33, 36, 40].map((mega) => digestOf(large.subarray(0, mega << 20))),
    );
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("a thread that cannot read a file, or has ended, is no failure", async () => {
  const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const content = largeSample();
    const path = `${root}/file`;
    await Deno.writeFile(path, content);
    // Its place has another name while the thread looks for it.
    const hash = new FileHash(`${root}/later`);
    void hash.update(content);
    hash.reach(content.length);
    assertEquals(hash.isFollowed, true);
    const nowhere = new FollowedFile(`${root}/nowhere`);
    await assertRejects(() => nowhere.digest(1), Error, "ENOENT");
    nowhere.close();
    // Zeros at the end come last: the file is shorter than what has been written.
    const growing = new FollowedFile(path);
    growing.reach(content.length + 5);
    growing.reach(content.length + 9);
    // Orders are taken one after the other: behind this one those above are over.
    const other = new FollowedFile(path);
    await other.digest(1);
    other.close();
    await Deno.truncate(path, content.length + 9);
    const whole = new Uint8Array(content.length + 9);
    whole.set(content);
    assertEquals(await growing.digest(whole.length), digestOf(whole));
    growing.close();
    await Deno.truncate(path, content.length);
    await Deno.rename(path, `${root}/later`);
    assertEquals(await hash.digest(), digestOf(content));
    hash.close();
    const { Worker } = globalThis;
    globalThis.Worker = class {
      constructor() {
        throw new Error("too many threads");
      }
    } as unknown as typeof Worker;
    try {
      const blobs = await FileBlobs.open(`${root}/blobs`);
      assertEquals(await blobs.put(ReadableStream.from([content.slice()])), {
        digest: digestOf(content),
        size: content.length,
      });
    } finally {
      globalThis.Worker = Worker;
    }
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

/** Bytes for which another thread is started. */
function largeSample(): Uint8Array {
  const piece = sample(1 << 20);
  const bytes = new Uint8Array(40 << 20);
  for (let at = 0; at < bytes.length; at += piece.length) bytes.set(piece, at);
  return bytes;
}

async function sizeBelow(folder: string): Promise<number> {
  let size = 0;
  for await (const { name } of Deno.readDir(folder)) size += (await Deno.stat(`${folder}/${name}`)).size;
  return size;
}

Deno.test("FileBlobs.put() fills two buffers in turn where the source fills buffers", async () => {
  const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const blobs = await FileBlobs.open(root);
    const content = crypto.getRandomValues(new Uint8Array(60_000));
    const times = 200;
    const buffers = new Set<number>();
    let sent = 0;
    const source = new ReadableStream({
      type: "bytes",
      pull(controller) {
        const request = controller.byobRequest!;
        if (sent === times * content.length) {
          controller.close();
          return request.respond(0);
        }
        const view = new Uint8Array(request.view!.buffer, request.view!.byteOffset, request.view!.byteLength);
        // A mark that stays in a buffer of 256 KiB, far behind what is filled.
        const mark = new DataView(view.buffer, view.byteOffset + view.byteLength - 4);
        if (mark.getUint32(0) === 0) mark.setUint32(0, buffers.size + 1);
        buffers.add(mark.getUint32(0));
        view.set(content);
        sent += content.length;
        request.respond(content.length);
      },
    });
    const whole = new Uint8Array(times * content.length);
    for (let at = 0; at < whole.length; at += content.length) whole.set(content, at);
    const { digest, size } = await blobs.put(source);
    assertEquals([digest, size], [await digestOf(whole), whole.length]);
    const stored = new Uint8Array(await new Response(await blobs.open(digest)).arrayBuffer());
    assertEquals(await digestOf(stored), digest);
    assertEquals(buffers.size, 2);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
