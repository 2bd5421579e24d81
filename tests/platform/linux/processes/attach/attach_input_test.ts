import { assert, assertEquals } from "@std/assert";
import { Writable } from "node:stream";
import { attachInput } from "../../../../../lib/platform/linux/processes/attach/attach_input.ts";
import { heapGrowth } from "../../../../fixtures/heap_growth.ts";

Deno.test("attachInput() keeps nothing of the chunks that waited for room (each left a waiting promise on the heap)", async () => {
  let bytes = 0;
  const stdin = new Writable({
    highWaterMark: 1,
    write: (chunk: Uint8Array, _encoding, done) => {
      bytes += chunk.length;
      queueMicrotask(done);
    },
  });
  const writer = attachInput(stdin, true).getWriter();
  const chunk = new Uint8Array(10);
  const grown = await heapGrowth(200_000, () => writer.write(chunk));
  // Each is a frame of two fields: "input" and itself.
  assertEquals(bytes, 200_000 * (4 + 4 + 5 + 4 + 10));
  assert(grown < 10 * 1024 * 1024, `the heap grew by ${grown} bytes`);
});

Deno.test("attachInput() goes on when who reads it is gone while it waits for room", async () => {
  const stdin = new Writable({ highWaterMark: 1, write: () => {} });
  const writer = attachInput(stdin, true).getWriter();
  const waiting = writer.write(new Uint8Array(10));
  setTimeout(() => stdin.destroy());
  await waiting;
  await writer.write(new Uint8Array(10));
  await writer.close();
});
