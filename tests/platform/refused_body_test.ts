import { assertEquals, assertRejects } from "@std/assert";
import { type PieceReader, readAway, type RefusableOptions, serveRefusable } from "../../lib/platform/refused_body.ts";

/** A body of so many pieces of 1000 bytes, and what was done to it. */
function watchedBody(count: number) {
  const seen = { read: 0, cancelled: 0 };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (seen.read === count) return controller.close();
      seen.read++;
      controller.enqueue(new Uint8Array(1000));
    },
    cancel: () => void seen.cancelled++,
  }, { highWaterMark: 0 });
  return { body, seen };
}

const OPTIONS: RefusableOptions = {
  open: (body) => body.getReader(),
  endRefused: (reader) => readAway(reader, 5000, 60_000),
};

function post(body: ReadableStream<Uint8Array>, headers?: HeadersInit): Request {
  return new Request("http://d/", { method: "POST", body, headers, duplex: "half" } as RequestInit);
}

const refuse = () => Promise.resolve(new Response(null, { status: 409 }));

Deno.test("serveRefusable() reads what a refusal left unread, to its bound, and cancels the rest", async () => {
  for (const [count, seen] of [[3, { read: 3, cancelled: 0 }], [50, { read: 5, cancelled: 1 }]] as const) {
    const watched = watchedBody(count);
    assertEquals((await serveRefusable(post(watched.body), refuse, OPTIONS)).status, 409);
    assertEquals(watched.seen, seen);
  }
});

Deno.test("serveRefusable() does so as well where the body was begun, held or cancelled", async () => {
  const users: ((body: ReadableStream<Uint8Array>) => Promise<unknown>)[] = [
    (body) => body.cancel(),
    (body) => body.getReader().read(),
    (body) => Promise.resolve(body.getReader()),
  ];
  for (const use of users) {
    const watched = watchedBody(4);
    const serve = async ({ body }: Request) => {
      await use(body!);
      return refuse();
    };
    await serveRefusable(post(watched.body), serve, OPTIONS);
    assertEquals(watched.seen, { read: 4, cancelled: 0 });
  }
});

Deno.test("serveRefusable() lets nobody take the rest of a refused body for its end", async () => {
  const watched = watchedBody(4);
  const held: ReadableStreamDefaultReader<Uint8Array>[] = [];
  const serve = ({ body }: Request) => {
    held.push(body!.getReader());
    return refuse();
  };
  await serveRefusable(post(watched.body), serve, OPTIONS);
  await assertRejects(() => held[0].read(), Error, "The request was refused");
});

Deno.test("serveRefusable() passes on that a body is left by an answer that is ok, before it or behind it", async () => {
  const before = watchedBody(4);
  await serveRefusable(post(before.body), async ({ body }) => {
    await body!.cancel();
    return new Response("ok");
  }, OPTIONS);
  assertEquals(before.seen, { read: 0, cancelled: 1 });

  const behind = watchedBody(4);
  const held: ReadableStream<Uint8Array>[] = [];
  await serveRefusable(post(behind.body), ({ body }) => {
    held.push(body!);
    return Promise.resolve(new Response("ok"));
  }, OPTIONS);
  assertEquals(behind.seen, { read: 0, cancelled: 0 });
  await held[0].cancel();
  assertEquals(behind.seen.cancelled, 1);
});

Deno.test("serveRefusable() gives small bodies as they come, and a failing body its refusal", async () => {
  const small = watchedBody(1);
  const given: unknown[] = [];
  const request = post(small.body, { "content-length": "1000" });
  await serveRefusable(request, (served) => {
    given.push(served);
    return refuse();
  }, { ...OPTIONS, asTheyCome: 1000 });
  assertEquals([given[0] === request, small.seen.read], [true, 0]);

  const failing = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error("cut off")) });
  const cancels: RefusableOptions = { ...OPTIONS, endRefused: (reader: PieceReader) => reader.cancel() };
  const readFirst = async ({ body }: Request) => {
    await body!.getReader().read().catch(() => {});
    return refuse();
  };
  assertEquals((await serveRefusable(post(failing), readFirst, cancels)).status, 409);
});

Deno.test("readAway() gives up on a peer that sends no more", async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
  await readAway(body.getReader(), 5000, 1);
  assertEquals(cancelled, true);
});
