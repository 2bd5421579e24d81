import { assert, assertEquals, assertRejects } from "@std/assert";
import { createHash } from "node:crypto";
import { EngineError } from "../../lib/engine/errors.ts";
import type { Blobs } from "../../lib/engine/ports.ts";

/** Blobs under test, empty. */
export interface BlobsCase {
  name: string;
  open(): Promise<{ blobs: Blobs; [Symbol.asyncDispose](): Promise<void> }>;
}

/** The digest of some bytes. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Bytes that differ from place to place. */
export function sample(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => (i * 7 + (i >> 8) * 13 + (i >> 16)) & 0xff);
}

/** A stream of the bytes in pieces; with `breakAt` it fails there. */
function streamOf(bytes: Uint8Array, options: { piece?: number; breakAt?: number } = {}): ReadableStream<Uint8Array> {
  const { piece = 60_000, breakAt } = options;
  return ReadableStream.from(pieces());

  async function* pieces(): AsyncGenerator<Uint8Array> {
    const end = breakAt ?? bytes.length;
    for (let at = 0; at < end; at += piece) {
      await Promise.resolve();
      yield bytes.slice(at, Math.min(end, at + piece));
    }
    if (breakAt !== undefined) throw new Error("Connection lost");
  }
}

async function read(stream: ReadableStream<Uint8Array> | undefined): Promise<Uint8Array> {
  assert(stream, "Expected a blob");
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function listed(blobs: Blobs): Promise<{ digest: string; size: number }[]> {
  return (await Array.fromAsync(blobs.list())).sort((a, b) => a.digest < b.digest ? -1 : 1);
}

async function refused(promise: Promise<unknown>): Promise<string> {
  return (await assertRejects(() => promise, EngineError)).code;
}

const DATA = sample(700_001);
const DIGEST = digestOf(DATA);
const EMPTY = digestOf(new Uint8Array());

/** What all {@linkcode Blobs} have to do. */
export function testBlobs({ name, open }: BlobsCase): void {
  Deno.test(`${name}.put() stores with and without digest and size`, async () => {
    await using opened = await open();
    const { blobs } = opened;
    const stored = { digest: DIGEST, size: DATA.length };
    assertEquals(await blobs.stat(DIGEST), undefined);
    assertEquals(await blobs.open(DIGEST), undefined);
    assertEquals(await blobs.put(streamOf(DATA)), stored);
    assertEquals(await blobs.put(streamOf(DATA), stored), stored);
    assertEquals(await blobs.put(streamOf(new Uint8Array())), { digest: EMPTY, size: 0 });
    assertEquals(await blobs.stat(DIGEST), { size: DATA.length });
    assertEquals(await read(await blobs.open(DIGEST)), DATA);
    assertEquals(await read(await blobs.open(EMPTY)), new Uint8Array());
    assertEquals((await listed(blobs)).length, 2);
    await blobs.delete(DIGEST);
    await blobs.delete(DIGEST);
    assertEquals(await listed(blobs), [{ digest: EMPTY, size: 0 }]);
  });

  Deno.test(`${name}.open() gives ranges`, async () => {
    await using opened = await open();
    await opened.blobs.put(streamOf(DATA));
    const range = async (start: number, end?: number) => await read(await opened.blobs.open(DIGEST, { start, end }));
    assertEquals(await range(0, 10), DATA.slice(0, 10));
    assertEquals(await range(59_990, 60_010), DATA.slice(59_990, 60_010));
    assertEquals(await range(300_000), DATA.slice(300_000));
    assertEquals(await range(DATA.length), new Uint8Array());
    const stream = await opened.blobs.open(DIGEST);
    const reader = stream!.getReader();
    await reader.read();
    await reader.cancel();
  });

  Deno.test(`${name}.put() leaves nothing of wrong content`, async () => {
    await using opened = await open();
    const { blobs } = opened;
    const wrong = DATA.with(5, 0);
    assertEquals(await refused(blobs.put(streamOf(wrong), { digest: DIGEST })), "corrupt");
    assertEquals(await refused(blobs.put(streamOf(DATA), { digest: DIGEST, size: 700_000 })), "corrupt");
    assertEquals(await refused(blobs.put(streamOf(DATA), { digest: DIGEST, size: 700_002 })), "corrupt");
    assertEquals(await refused(blobs.put(streamOf(DATA), { digest: DIGEST, limit: 1000 })), "limit");
    assertEquals(await refused(blobs.put(streamOf(DATA), { limit: 1000 })), "limit");
    assertEquals(await refused(blobs.put(streamOf(DATA), { digest: "sha256:../../etc/passwd" })), "invalid");
    assertEquals(await listed(blobs), []);
    assertEquals(await blobs.staged(DIGEST), 0);
    assertEquals((await blobs.put(streamOf(DATA), { digest: DIGEST, limit: DATA.length })).size, DATA.length);
  });

  Deno.test(`${name}.put() shows nothing before it is admitted, and nothing of what is not`, async () => {
    await using opened = await open();
    const { blobs } = opened;
    const seen: unknown[] = [];
    const admit = async (digest: string) => void seen.push(digest, await blobs.stat(digest));
    await blobs.put(streamOf(DATA), { admit });
    assertEquals(seen, [DIGEST, undefined]);
    await blobs.delete(DIGEST);
    const refusal = new EngineError("in_use", "Not now");
    assertEquals(await refused(blobs.put(streamOf(DATA), { admit: () => Promise.reject(refusal) })), "in_use");
    assertEquals(await listed(blobs), []);
  });

  Deno.test(`${name}.put() cancels a source it refuses`, async () => {
    await using opened = await open();
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1000)),
      cancel: () => void (cancelled = true),
    });
    assertEquals(await refused(opened.blobs.put(endless, { limit: 50_000 })), "limit");
    assert(cancelled);
  });

  Deno.test(`${name}.put() resumes what broke off`, async () => {
    await using opened = await open();
    const { blobs } = opened;
    const options = { digest: DIGEST, size: DATA.length };
    await assertRejects(() => blobs.put(streamOf(DATA, { breakAt: 300_000 }), options), Error, "Connection lost");
    assertEquals(await listed(blobs), []);
    assertEquals(await blobs.staged(DIGEST), 300_000);
    await assertRejects(
      () => blobs.put(streamOf(DATA.slice(300_000), { breakAt: 100 }), { ...options, offset: 300_000 }),
      Error,
      "Connection lost",
    );
    assertEquals(await blobs.staged(DIGEST), 300_100);
    // From a place before the end: the rest is thrown away.
    assertEquals(await blobs.put(streamOf(DATA.slice(300_050)), { ...options, offset: 300_050 }), options);
    assertEquals(await read(await blobs.open(DIGEST)), DATA);
    assertEquals(await blobs.staged(DIGEST), 0);
  });

  Deno.test(`${name}.put() finds staged bytes that are wrong`, async () => {
    await using opened = await open();
    const { blobs } = opened;
    await assertRejects(() => blobs.put(streamOf(DATA.with(7, 1), { breakAt: 1000 }), { digest: DIGEST }));
    const rest = streamOf(DATA.slice(1000));
    assertEquals(await refused(blobs.put(rest, { digest: DIGEST, offset: 1000 })), "corrupt");
    assertEquals(await blobs.staged(DIGEST), 0);
    assertEquals(await refused(blobs.put(streamOf(DATA), { digest: DIGEST, offset: 9 })), "invalid");
    assertEquals(await listed(blobs), []);
  });

  Deno.test(`${name}.put() starts anew without an offset`, async () => {
    await using opened = await open();
    const { blobs } = opened;
    await assertRejects(() => blobs.put(streamOf(DATA.with(7, 1), { breakAt: 500_000 }), { digest: DIGEST }));
    await blobs.put(streamOf(DATA), { digest: DIGEST });
    assertEquals(await read(await blobs.open(DIGEST)), DATA);
  });

  Deno.test(`${name}.put() stops at its signal and keeps what arrived`, async () => {
    await using opened = await open();
    const { blobs } = opened;
    const abort = new AbortController();
    let sent = 0;
    const source = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (++sent > 3) abort.abort(new Error("Enough"));
        await Promise.resolve();
        controller.enqueue(DATA.slice((sent - 1) * 1000, sent * 1000));
      },
    });
    await assertRejects(() => blobs.put(source, { digest: DIGEST, signal: abort.signal }), Error, "Enough");
    const staged = await blobs.staged(DIGEST);
    assert(staged >= 2000 && staged % 1000 === 0);
    await blobs.unstage(DIGEST);
    assertEquals(await blobs.staged(DIGEST), 0);
  });

  Deno.test(`${name}.put() takes one digest several times at once`, async () => {
    await using opened = await open();
    const { blobs } = opened;
    const options = { digest: DIGEST, size: DATA.length };
    const sources = [1000, 50_000, 7000, 700_001].map((piece) => streamOf(DATA, { piece }));
    const results = await Promise.all(sources.map((source) => blobs.put(source, options)));
    assertEquals(results, Array(4).fill(options));
    await Promise.all([blobs.put(streamOf(sample(99))), blobs.put(streamOf(sample(99)))]);
    assertEquals((await listed(blobs)).length, 2);
    assertEquals(await read(await blobs.open(DIGEST)), DATA);
  });

  Deno.test(`${name}.restage() hides a blob and brings it back without its bytes`, async () => {
    await using opened = await open();
    const { blobs } = opened;
    await blobs.restage(DIGEST);
    await blobs.put(streamOf(DATA));
    await blobs.restage(DIGEST);
    assertEquals(await blobs.stat(DIGEST), undefined);
    assertEquals(await listed(blobs), []);
    assertEquals(await blobs.staged(DIGEST), DATA.length);
    await blobs.put(streamOf(new Uint8Array()), { digest: DIGEST, offset: DATA.length });
    assertEquals(await read(await blobs.open(DIGEST)), DATA);
    await blobs.restage(DIGEST);
    assertEquals(await blobs.listStaged(), [DIGEST]);
    await blobs.unstage(DIGEST);
    assertEquals([await blobs.staged(DIGEST), await blobs.listStaged()], [0, []]);
  });
}
