import { assertEquals, assertRejects } from "@std/assert";
import type { BuildRun } from "../../../lib/engine/build/build_run.ts";
import { fetchSource } from "../../../lib/engine/build/sources/fetch_source.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { hostCodec } from "../../../lib/platform/codec.ts";

/** A run of a build for which each URL is answered by `answer`; it counts the requests. */
function runWith(answer: () => Response): BuildRun & { requests: number } {
  const run = {
    requests: 0,
    signal: new AbortController().signal,
    core: { ports: { codec: hostCodec(), net: { fetch: () => Promise.resolve((run.requests++, answer())) } } },
  };
  return run as unknown as BuildRun & { requests: number };
}

Deno.test("fetchSource() takes the name of the URL, decoded, and the time that the server tells", async () => {
  const headers = { "last-modified": "Thu, 01 Jan 1970 00:01:40 GMT" };
  const run = runWith(() => new Response("hi", { headers }));
  const { path, bytes, node } = await fetchSource(run, "http://files.example/a/b%20c?x=1#y");
  assertEquals([path, new TextDecoder().decode(bytes), node.kind === "file" && node.mtime], ["b c", "hi", 100]);
  assertEquals((await fetchSource(run, "http://files.example/..%2f..%2fetc")).path, ".._.._etc");
});

Deno.test("fetchSource() refuses a URL whose last part is no file's name, before it asks for it", async () => {
  const run = runWith(() => new Response("hi"));
  for (const path of ["", "a/", "%ff", "a%00b", "a/%2e%2e"]) {
    const url = `http://files.example/${path}`;
    await assertRejects(() => fetchSource(run, url), EngineError, "cannot determine filename from url");
  }
  assertEquals(run.requests, 0);
});

Deno.test("fetchSource() gives up a body in a million pieces of one byte, and cancels it", async () => {
  let sent = 0;
  let isCancelled = false;
  const run = runWith(() =>
    new Response(
      new ReadableStream({
        pull: (controller) => sent++ < 1_000_000 ? controller.enqueue(new Uint8Array(1)) : controller.close(),
        cancel: () => void (isCancelled = true),
      }),
    )
  );
  const error = await assertRejects(() => fetchSource(run, "http://files.example/drip"), EngineError, "pieces for");
  assertEquals([error.code, isCancelled, sent < 10_000], ["limit", true, true]);
});
