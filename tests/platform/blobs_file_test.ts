import { assertEquals } from "@std/assert";
import { FileBlobs } from "../../lib/platform/file_blobs.ts";
import { digestOf, sample, testBlobs } from "./blobs_suite.ts";

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

Deno.test("FileBlobs.put() keeps nothing whole in memory", async () => {
  const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const blobs = await FileBlobs.open(root);
    const piece = sample(1 << 20);
    let left = 256;
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => left-- > 0 ? controller.enqueue(piece.slice()) : controller.close(),
    });
    const before = Deno.memoryUsage().rss;
    let most = before;
    const timer = setInterval(() => most = Math.max(most, Deno.memoryUsage().rss), 5);
    const { digest, size } = await blobs.put(source);
    let read = 0;
    for await (const chunk of (await blobs.open(digest))!) read += chunk.length;
    clearInterval(timer);
    assertEquals([size, read], [256 << 20, 256 << 20]);
    assertEquals(most - before < 160 << 20, true, `Grew by ${(most - before) >> 20} MiB`);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
