import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { z } from "zod";
import { conform } from "../../../lib/rest/contract/conform.ts";
import { mock } from "../../../lib/rest/contract/mock.ts";
import { clientModule, clientSamples, clientTypes, openapi } from "../../../lib/rest/surfaces.ts";
import { api, chan, handler, HTTPError, implement, int64, link, rest } from "../../../lib/rest/mod.ts";
import { untilTrue } from "../../fixtures/until_true.ts";

const Reading = z.object({ at: z.number(), celsius: z.number().optional() });
const meter = api("meter.example.com", {
  Sum: rest("POST /sum?scale=%v", [z.number(), chan(int64)], [int64]),
  First: rest("POST /first", [chan(Reading)], [Reading]),
  Small: rest("POST /small", [chan(z.string())], [z.number()], { limit: 32 }),
  Echo: rest("POST /echo", [chan(Reading)], [chan(Reading)]),
});

const seen: string[] = [];
const functions = implement(meter, {
  async Sum(scale, readings) {
    let sum = 0n;
    for await (const reading of readings) sum += reading;
    return sum * BigInt(scale);
  },
  async First(readings) {
    for await (const reading of readings) return reading;
    throw new HTTPError(409, "First: there is none");
  },
  async Small(words) {
    return (await Array.fromAsync(words)).length;
  },
  async *Echo(readings) {
    for await (const reading of readings) yield reading;
    seen.push("the end");
  },
});
const serve = handler(null, functions);
const client = link(meter, "http://localhost", { fetch: serve });

const post = (path: string, body: BodyInit, headers: HeadersInit = { "content-type": "application/x-ndjson" }) =>
  serve(new Request(`http://localhost${path}`, { method: "POST", body, headers, duplex: "half" } as RequestInit));
const detailOf = async (response: Response) => [response.status, (await response.json()).detail];

/** Endless values; `state` tells how many were made, and whether the sender was told to stop. */
function endless() {
  const state = { made: 0, returned: false };
  async function* make() {
    try {
      for (;;) {
        state.made++;
        yield { at: state.made };
        await new Promise((resolve) => setTimeout(resolve));
      }
    } finally {
      state.returned = true;
    }
  }
  return { state, values: make() };
}

Deno.test("chan() as an argument carries values of any kind, and others beside it", async () => {
  async function* numbers() {
    yield* [1n, 2n ** 60n];
  }
  assertEquals(await client.Sum(2, numbers()), 2n + 2n ** 61n);
  assertEquals(await (await post("/sum?scale=1", " 1\r\n\n2")).text(), "3");
});

Deno.test("receiveChannel() names the line of a wrong value, and lists its issues", async () => {
  const response = await post("/first", '\n{"at":"noon"}\n');
  const { detail, issues } = await response.json();
  assertEquals(response.status, 400);
  assert(/^Read line 2 of the body: at "at": .*expected number/.test(detail), detail);
  assertEquals(issues[0].path, ["body", "at"]);
  assert(/^Read line 1 of the body: /.test((await detailOf(await post("/first", "{")))[1]));
  assertEquals(await detailOf(await post("/first", Uint8Array.of(34, 255, 34, 10))), [
    400,
    "Read line 1 of the body: it is not UTF-8",
  ]);
});

Deno.test("receiveChannel() holds the limit of the whole and of a line", async () => {
  assertEquals(await (await post("/small", '"a"\n"b"\n')).text(), "2");
  assertEquals((await post("/small", '"a"\n'.repeat(100))).status, 413);
  const unending = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(65536).fill(32)),
  });
  assertEquals(await detailOf(await post("/first", unending)), [
    413,
    "Read line 1 of the body: it is longer than 4194304 characters",
  ]);
});

Deno.test("receiveChannel() refuses other types and codings", async () => {
  assertEquals((await post("/first", "{}", { "content-type": "text/csv" })).status, 415);
  const coded = { "content-type": "application/x-ndjson", "content-encoding": "br" };
  assertEquals((await post("/first", "{}", coded)).status, 415);
});

Deno.test("a channel's sender is told when the function has answered, and reads no further than needed", async () => {
  const { state, values } = endless();
  assertEquals(await client.First(values), { at: 1 });
  await untilTrue(() => state.returned);
  assert(state.made < 10, String(state.made));
});

Deno.test("a body that breaks off is told to the function", async () => {
  async function* broken() {
    yield { at: 1 };
    await Promise.resolve();
    throw new Error("the sensor is gone");
  }
  const result = await client.Echo(broken());
  await assertRejects(() => Array.fromAsync(result), Error, "Read line 2 of the body: the body was cut short");
});

Deno.test("chan() goes both ways at once over lines, over the network too", async () => {
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => serve(request));
  const over = link(meter, `http://127.0.0.1:${server.addr.port}`);
  for (const one of [client, over]) {
    const { state, values } = endless();
    const got: number[] = [];
    for await (const { at } of await one.Echo(values)) {
      got.push(at);
      if (at === 5) break;
    }
    assertEquals(got, [1, 2, 3, 4, 5]);
    await untilTrue(() => state.returned);
  }
});

Deno.test("a proxy passes a channel's lines on as they come", async () => {
  const proxy = handler(null, client);
  const through = link(meter, "http://localhost", { fetch: proxy });
  async function* numbers() {
    yield* [1n, 2n];
  }
  assertEquals(await through.Sum(1, numbers()), 3n);
  const { state, values } = endless();
  assertEquals(await through.First(values), { at: 1 });
  await untilTrue(() => state.returned);
});

Deno.test("chan() as an argument is the whole body, and stands nowhere else", async () => {
  assertThrows(() => api("x", { A: rest("GET /a", [chan(int64)]) }), Error, "GET has no body");
  assertThrows(() => api("x", { A: rest("POST /a?n=%v", [chan(int64)]) }), Error, "a chan cannot stand in the query");
  assertThrows(() => api("x", { A: rest("POST /a", [chan(int64), z.string()]) }), Error, "takes the whole body");
  // A WebSocket begins with a GET and has no body: only a channel travels in its messages.
  const bytes = api("x", { Cut: rest("POST /cut", [z.string()], [chan(int64)]) });
  await assertRejects(
    () => link(bytes, "http://localhost", { fetch: serve }).Cut("a", { websocket: true }),
    TypeError,
    "a WebSocket is opened with GET",
  );
});

Deno.test("the client module and the document know channels as arguments", async () => {
  const module = `data:text/javascript,${encodeURIComponent(clientModule(meter))}`;
  const { connect } = await import(module);
  async function* numbers() {
    yield* [1n, 2n ** 60n];
  }
  assertEquals(await connect("http://m", { fetch: serve }).Sum(1, numbers()), 2n ** 60n + 1n);
  const { state, values } = endless();
  assertEquals(await connect("http://m", { fetch: serve }).First(values), { at: 1 });
  await untilTrue(() => state.returned);
  assert(clientTypes(meter).includes("First(values: AsyncIterable<FirstItem>, "), clientTypes(meter));
  assertEquals(
    clientSamples(meter).get("Small"),
    'const result = await client.Small((async function* () { yield "text"; })());',
  );
  const { content } = openapi(meter).paths["/first"].post.requestBody!;
  assertEquals(Object.keys(content), ["application/x-ndjson"]);
  const { paths } = openapi(meter);
  const told = (path: string) => paths[path].post.responses[101]?.description;
  assert(told("/echo")?.endsWith("the subprotocol `gantry.duplex`: values both ways."), told("/echo"));
  assert(told("/sum")?.endsWith("the answer as the last message."), told("/sum"));
  assertEquals(content["application/x-ndjson"]["x-gantry-channel"], true);
});

Deno.test("mock() and conform() make up channels that are arguments", async () => {
  const { failures, calls } = await conform(meter, "http://m", {
    client: { fetch: handler(null, mock(meter)) },
    operations: ["Sum", "Echo"],
    runs: 5,
  });
  assertEquals(failures, []);
  assert(calls > 0);
});
