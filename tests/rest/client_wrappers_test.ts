import { assert, assertEquals, assertRejects } from "@std/assert";
import { z } from "../fixtures/zod.ts";
import { api, type Client, hooks, HTTPError, link, rest, retry, stream } from "../../lib/rest/mod.ts";

const definition = api("x", {
  Get: rest("GET /a", [], [z.string()]),
  Put: rest("PUT /a", [z.object({ a: z.string() })], [z.string()]),
  Post: rest("POST /a", [], [z.string()]),
  Upload: rest("PUT /up", [stream()], []),
});

/** Answers with one status after the other, and tells what it was sent. */
function answers(...statuses: (number | Error)[]): Client & { seen: string[] } {
  const seen: string[] = [];
  return {
    seen,
    async fetch(request) {
      seen.push(await request.text());
      const status = statuses.shift() ?? 200;
      if (status instanceof Error) throw status;
      const headers = status === 429 ? { "retry-after": "0" } : status === 503 ? { "retry-after": "3600" } : undefined;
      return new Response(status === 200 ? "done" : "busy", { status, headers });
    },
  };
}

Deno.test("retry() sends idempotent calls again, their body whole", async () => {
  const client = answers(502, new TypeError("reset"), 200);
  assertEquals(await link(definition, "http://h", retry({ delay: 1 }, client)).Put({ a: "b" }), "done");
  assertEquals(client.seen, ['{"a":"b"}', '{"a":"b"}', '{"a":"b"}']);
});

Deno.test("retry() leaves alone what is not idempotent, not asked for, or given up", async () => {
  for (
    const [name, statuses, calls] of [
      ["Post", [502], 1],
      ["Get", [500], 1],
      ["Get", [503], 1],
      ["Get", [429, 429, 429], 3],
      ["Get", [new RangeError("mine")], 1],
    ] as const
  ) {
    const client = answers(...statuses);
    await assertRejects(() => link(definition, "http://h", retry({ delay: 1 }, client))[name](), Error);
    assertEquals(client.seen.length, calls, `${name} ${statuses}`);
  }
  const client = answers(502, 502);
  const call = link(definition, "http://h", retry({ delay: 10_000 }, client)).Get({ timeout: 20 });
  await assertRejects(() => call, DOMException);
  assertEquals(client.seen.length, 1);
});

Deno.test("retry() waits as long as Retry-After says, in seconds or until a date", async () => {
  for (const after of [() => "1", () => new Date(Date.now() + 2000).toUTCString()]) {
    let calls = 0;
    const from = performance.now();
    const fetch = () =>
      Promise.resolve(
        ++calls === 1 ? new Response("", { status: 503, headers: { "retry-after": after() } }) : new Response("x"),
      );
    assertEquals(await link(definition, "http://h", retry({ delay: 1 }, { fetch })).Get(), "x");
    assert(performance.now() - from > 700);
  }
});

Deno.test("retry() sends a long body once, as it comes", async () => {
  let calls = 0;
  let size = 0;
  const fetch = async (request: Request) => {
    calls++;
    for await (const chunk of request.body!) size += chunk.length;
    return new Response("", { status: 502 });
  };
  const body = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < 40; i++) controller.enqueue(new Uint8Array(1000));
        controller.close();
      },
    });
  const client = link(definition, "http://h", retry({ delay: 1, body: 10_000 }, { fetch }));
  await assertRejects(() => client.Upload(body()), HTTPError);
  assertEquals([calls, size], [1, 40_000]);
  const patient = link(definition, "http://h", retry({ delay: 1, attempts: 2 }, { fetch }));
  await assertRejects(() => patient.Upload(body()), HTTPError);
  assertEquals([calls, size], [3, 120_000]);
});

Deno.test("hooks() may change requests and responses, and stack", async () => {
  const seen: string[] = [];
  const fetch = (request: Request) => (seen.push(request.headers.get("x-a") ?? ""), Promise.resolve(new Response("x")));
  const client = hooks({
    request: (request) => {
      const headers = new Headers(request.headers);
      headers.set("x-a", "1");
      return new Request(request, { headers });
    },
  }, hooks({ response: async (response) => new Response(`${await response.text()}!`, response) }, { fetch }));
  assertEquals(await link(definition, "http://h", client).Get(), "x!");
  assertEquals(seen, ["1"]);
});
