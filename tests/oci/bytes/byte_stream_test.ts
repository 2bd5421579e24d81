import { assert, assertEquals, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import {
  byteStream,
  byteTransform,
  freeBytes,
  isByteStream,
  ownBuffer,
  pieceStream,
  pourStream,
  pourThrough,
  tapStream,
} from "../../../lib/oci/bytes/byte_stream.ts";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytes = (text: string) => new TextEncoder().encode(text);

/** A source of texts that tells what became of it. */
function source(...texts: string[]) {
  const state = { cancelled: undefined as unknown, given: [] as Uint8Array[] };
  const next = () => {
    const piece = texts.length > 0 ? bytes(texts.shift()!) : undefined;
    if (piece !== undefined) state.given.push(piece);
    return Promise.resolve(piece);
  };
  return { state, next, cancel: (reason: unknown) => void (state.cancelled = reason) };
}

/** A sink that keeps a copy of what it is given, and the very pieces. */
function sink() {
  const got = { texts: [] as string[], pieces: [] as Uint8Array[], closed: false, aborted: undefined as unknown };
  const stream = new WritableStream<Uint8Array>({
    write: (piece) => {
      got.texts.push(text(piece));
      got.pieces.push(piece);
    },
    close: () => void (got.closed = true),
    abort: (reason) => void (got.aborted = reason),
  });
  return { got, stream };
}

Deno.test("isByteStream() tells streams whose pieces belong to the reader, and leaves them readable", async () => {
  const ours = byteStream(source("a", "b"));
  assert(isByteStream(ours));
  assert(!isByteStream(pieceStream(source("a"))));
  assertEquals(text(new Uint8Array(await new Response(ours).arrayBuffer())), "ab");
});

Deno.test("byteStream() takes its pieces away from the source, passes over empty ones, and ends for every reader", async () => {
  const from = source("one", "", "two");
  const reader = byteStream(from).getReader();
  assertEquals(text((await reader.read()).value!), "one");
  assertEquals(from.state.given[0]!.length, 0);
  assertEquals(text((await reader.read()).value!), "two");
  assert((await reader.read()).done);
  const filler = byteStream(source("three")).getReader({ mode: "byob" });
  assertEquals(text((await filler.read(new Uint8Array(8))).value!), "three");
  assert((await filler.read(new Uint8Array(8))).done);
});

Deno.test("byteStream() copies a piece of something larger, which stays whole", async () => {
  for (const whole of [bytes("a larger buffer"), Buffer.from(bytes("a larger buffer").buffer)]) {
    const pieces = [whole.subarray(2, 8)];
    const reader = byteStream({ next: () => Promise.resolve(pieces.shift()) }).getReader();
    assertEquals(text((await reader.read()).value!), "larger");
    assertEquals(text(whole), "a larger buffer");
  }
});

Deno.test("freeBytes() gives back what has a buffer of its own, and nothing else", () => {
  const own = bytes("own");
  freeBytes(own);
  assertEquals(own.length, 0);
  freeBytes(own);
  const whole = bytes("whole");
  freeBytes(whole.subarray(1));
  assertEquals(text(whole), "whole");
  assertEquals(ownBuffer(whole), whole);
  assertEquals(text(ownBuffer(whole.subarray(1))), "hole");
});

Deno.test("pourStream() frees each piece of a byte stream once it is written, and none of another stream", async () => {
  const { got, stream } = sink();
  await pourStream(byteStream(source("a", "b")), stream);
  assertEquals([got.texts, got.closed], [["a", "b"], true]);
  assertEquals(got.pieces.map(({ length }) => length), [0, 0]);
  const other = sink();
  await pourStream(pieceStream(source("a", "b")), other.stream);
  assertEquals(other.got.pieces.map(text), ["a", "b"]);
});

Deno.test("pourStream() passes failures on, both ways, even while the other side is silent", async () => {
  const { got, stream } = sink();
  const broken = byteStream({ next: () => Promise.reject(new Error("source")) });
  await assertRejects(() => pourStream(broken, stream), Error, "source");
  assertEquals((got.aborted as Error).message, "source");
  const silent = { cancelled: false };
  let fail = (_: Error) => {};
  const failing = new WritableStream<Uint8Array>({ start: (controller) => void (fail = (e) => controller.error(e)) });
  const waiting = pourStream(
    byteStream({ next: () => new Promise(() => {}), cancel: () => void (silent.cancelled = true) }),
    failing,
  );
  setTimeout(() => fail(new Error("sink")));
  await assertRejects(() => waiting, Error, "sink");
  assert(silent.cancelled);
});

/** Doubles every byte; fails at an exclamation mark. */
const doubled = () =>
  byteTransform({
    transform(chunk, emit) {
      if (chunk.includes(33)) throw new Error("exclaimed");
      for (const byte of chunk) emit(new Uint8Array([byte, byte]));
    },
    flush: (emit) => emit(bytes(".")),
  });

Deno.test("byteTransform() gives pieces that are the reader's, no faster than it reads", async () => {
  const from = source("ab", "c", "d");
  const out = byteStream(from).pipeThrough(doubled());
  assert(isByteStream(out));
  const reader = out.getReader();
  assertEquals(text((await reader.read()).value!), "aa");
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert(from.state.given.length < 4, "it runs ahead");
  const rest: string[] = [];
  for (let step = await reader.read(); !step.done; step = await reader.read()) rest.push(text(step.value));
  assertEquals(rest, ["bb", "cc", "dd", "."]);
});

Deno.test("byteTransform() fails its reader, and stops its source when nobody reads on", async () => {
  const from = source("a", "!", "b");
  const out = pourThrough(byteStream(from), doubled());
  await assertRejects(() => new Response(out).text(), Error, "exclaimed");
  assertEquals((from.state.cancelled as Error).message, "exclaimed");
  const left = source("a", "b", "c");
  const reader = pourThrough(byteStream(left), doubled()).getReader();
  await reader.read();
  await reader.cancel(new Error("enough"));
  await new Promise((resolve) => setTimeout(resolve, 10));
  assertEquals((left.state.cancelled as Error).message, "enough");
});

Deno.test("pourThrough() frees what the transform was given", async () => {
  const given: Uint8Array[] = [];
  const transform = byteTransform({
    transform: (chunk, emit) => (given.push(chunk), emit(chunk.slice())),
    flush: () => {},
  });
  assertEquals(await new Response(pourThrough(byteStream(source("a", "b")), transform)).text(), "ab");
  assertEquals(given.map(({ length }) => length), [0, 0]);
  const failing = byteStream({ next: () => Promise.reject(new Error("source")) });
  await assertRejects(() => new Response(pourThrough(failing, doubled())).text(), Error, "source");
});

Deno.test("tapStream() keeps a stream's type and content, and tells of its end, its failure and its cancelling", async () => {
  for (const like of [byteStream, pieceStream]) {
    const told: string[] = [];
    const tap = {
      see: (bytes: Uint8Array | undefined) => void told.push(`see ${bytes?.length}`),
      fail: (error: unknown) => void told.push(`fail ${error}`),
      cancel: () => void told.push("cancel"),
    };
    const source = () => {
      const pieces = [Uint8Array.of(1, 2), Uint8Array.of(3)];
      return like({ next: () => Promise.resolve(pieces.shift()), cancel: () => void told.push("source") });
    };
    const stream = tapStream(source(), tap);
    assertEquals(isByteStream(stream), like === byteStream);
    assertEquals(new Uint8Array(await new Response(stream).arrayBuffer()), Uint8Array.of(1, 2, 3));
    assertEquals(told.splice(0), ["see 2", "see 1", "see undefined"]);
    await tapStream(source(), tap).cancel();
    assertEquals(told.splice(0), ["source", "cancel"]);
    const broken = like({ next: () => Promise.reject(new Error("gone")) });
    await assertRejects(() => new Response(tapStream(broken, tap)).arrayBuffer(), Error, "gone");
    assertEquals(told.splice(0), ["fail Error: gone"]);
    const refused = tapStream(source(), { see: () => Promise.reject(new Error("no")) });
    await assertRejects(() => new Response(refused).arrayBuffer(), Error, "no");
    assertEquals(told, ["source"]);
  }
});

Deno.test("byteStream() copies a piece into the buffer of who brings one, and frees it", async () => {
  const pieces = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5, 6, 7, 8, 9)];
  const given = [...pieces];
  const reader = byteStream({ next: () => Promise.resolve(given.shift()) }).getReader({ mode: "byob" });
  const read = async () => [...(await reader.read(new Uint8Array(4))).value ?? []];
  assertEquals(await read(), [1, 2, 3]);
  assertEquals(pieces[0].buffer.byteLength, 0);
  assertEquals(await read(), [4, 5, 6, 7]);
  assertEquals(await read(), [8, 9]);
  assertEquals((await reader.read(new Uint8Array(4))).done, true);
});
