import { assert, assertEquals, assertRejects } from "@std/assert";
import { gatherBody, gatherPieces, type Piece } from "../../../handlers/containers/gather.ts";

const encode = (text: string, piece: Piece) => piece.add(new TextEncoder().encode(text));
const decode = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

Deno.test("gatherPieces() sends what is at hand as one piece, and nothing waits for more", async () => {
  const gate = Promise.withResolvers<void>();
  async function* source() {
    yield "a";
    yield "b";
    await gate.promise;
    yield "c";
  }
  const reader = gatherPieces(source(), encode).getReader();
  assertEquals(decode((await reader.read()).value), "ab");
  gate.resolve();
  assertEquals(decode((await reader.read()).value), "c");
  assertEquals((await reader.read()).done, true);
});

Deno.test("gatherPieces() bounds its pieces", async () => {
  async function* source() {
    for (let i = 0; i < 100; i++) yield await Promise.resolve("x".repeat(10_000));
  }
  const sizes: number[] = [];
  for await (const piece of gatherPieces(source(), encode)) sizes.push(piece.length);
  assertEquals(sizes.reduce((sum, size) => sum + size), 1_000_000);
  assertEquals(Math.max(...sizes) <= 80_000 && sizes.length < 20, true);
});

Deno.test("gatherPieces() lets an error wait for the piece before it", async () => {
  async function* source() {
    yield await Promise.resolve("a");
    throw new Error("broken");
  }
  const reader = gatherPieces(source(), encode).getReader();
  assertEquals(decode((await reader.read()).value), "a");
  await assertRejects(() => reader.read(), Error, "broken");
});

Deno.test("gatherPieces() ends the sequence when it is cancelled", async () => {
  let ended = false;
  const source = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.resolve({ done: false, value: "a" }),
      return: () => {
        ended = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  } as AsyncIterable<string>;
  const reader = gatherPieces(source, encode).getReader();
  await reader.read();
  await reader.cancel();
  assertEquals(ended, true);
});

Deno.test("gatherPieces() takes values larger than a piece", async () => {
  async function* source() {
    for (const size of [10, 200_000, 10]) yield await Promise.resolve("x".repeat(size));
  }
  const whole = await new Response(gatherPieces(source(), encode)).text();
  assertEquals(whole, "x".repeat(200_020));
});

Deno.test("gatherBody() gives a short sequence whole, a long one as a stream, and throws what its source throws", async () => {
  async function* values(count: number) {
    for (let i = 0; i < count; i++) yield await Promise.resolve(`${i},`);
  }
  const short = await gatherBody(values(3), encode);
  assert(short instanceof Uint8Array);
  assertEquals(decode(short), "0,1,2,");
  const long = await gatherBody(values(100_000), encode);
  assert(long instanceof ReadableStream);
  assertEquals(await new Response(long).text(), Array.from({ length: 100_000 }, (_, i) => `${i},`).join(""));
  async function* failing() {
    yield await Promise.resolve("1");
    throw new Error("lost");
  }
  await assertRejects(() => gatherBody(failing(), encode), Error, "lost");
});
