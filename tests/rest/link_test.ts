import { assert, assertEquals, assertInstanceOf, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { z } from "../fixtures/zod.ts";
import {
  API,
  api,
  bytes,
  chan,
  type Client,
  error,
  handler,
  header,
  HTTPError,
  implement,
  int64,
  link,
  rest,
  stream,
  time,
  uint64,
} from "../../lib/rest/mod.ts";

const User = z.object({
  id: z.string(),
  age: z.number().optional(),
  big: z.bigint().optional(),
  at: z.date().optional(),
});

const definition = api("api.example.com/v1", {
  Get: rest("GET /users/{id=%v}", [z.string()], [User]),
  Put: rest("PUT /users/{id}", [User], [User, error]),
  List: rest("GET /users?%v", [
    z.object({ all: z.boolean().optional(), n: z.number().optional(), names: z.array(z.string()).optional() })
      .optional(),
  ], [z.string()]),
  Form: rest("POST(application/x-www-form-urlencoded) /form", [z.object({ a: z.string(), b: z.array(z.number()) })], [
    z.string(),
  ]),
  Rules: rest("POST /rules/{a=%v} (b,c) x,y", [z.string(), uint64, z.boolean()], [z.string(), uint64]),
  Scalars: rest("GET /s/{a=%v}/{b=%v}?c=%v&d=%v", [int64, time, bytes, z.boolean()], [time]),
  Image: rest("GET /images/{name*=%v}/json", [z.string()], [z.string()]),
  File: rest("GET /files/{name=%v}.json?kind=file", [z.string()], [z.string()]),
  Upload: rest("POST /upload", [stream("application/x-tar")], [stream()]),
  Watch: rest("GET /watch?n=%v", [z.number()], [chan(User)]),
  Remove: rest("DELETE /users/{id=%v}", [z.string()], [error]),
  Nothing: rest("POST /nothing"),
  Wrong: rest("GET(application/json) /wrong", [], [z.object({ n: z.number() })], { trusted: true }),
  Slow: rest("GET /slow", [], [z.string()]),
});

const urls: string[] = [];
const serve = handler(
  null,
  implement(definition, {
    Get: (id) =>
      id === "none"
        ? Promise.reject(new HTTPError(404, `Find "none": there is none`))
        : { id, big: 2n ** 63n, at: new Date(0) },
    Put: (user) => {
      if (user.age === 7) throw new HTTPError(409, "Not seven");
      return user;
    },
    List: (options) => JSON.stringify(options),
    Form: ({ a, b }) => a + JSON.stringify(b),
    Rules: (a, b, c) => [a + c, b],
    Scalars: (a, b, c, d) => new Date(b.getTime() + Number(a) + c.length + (d ? 1 : 0)),
    Image: (name) => name,
    File: (name) => name,
    Upload: (body, context) => {
      context.headers.set("x-type", context.request.headers.get("content-type") ?? "");
      return body;
    },
    async *Watch(n) {
      for (let i = 0; i < n; i++) yield { id: String(i), big: 2n ** 62n };
    },
    Remove: (id) => {
      if (id === "none") throw new HTTPError(404, "None");
    },
    Nothing: () => {},
    // What a server of another make might answer: the types would not let it pass.
    Wrong: () => ({ n: "x" } as unknown as { n: number }),
    Slow: (context) => new Promise((resolve) => context.signal.addEventListener("abort", () => resolve("too late"))),
  }),
);
const local: Client = { fetch: (request) => (urls.push(request.url), serve(request)) };
const client = link(definition, "http://h/v1/", local);

Deno.test("link() calls through the definition and back", async () => {
  assertEquals(await client.Get("a/b %?#é"), { id: "a/b %?#é", big: 2n ** 63n, at: new Date(0) });
  assertEquals(await client.Rules("a", 2n ** 64n - 1n, false), ["afalse", 2n ** 64n - 1n]);
  assertEquals(await client.Scalars(-5n, new Date(1000), Uint8Array.of(251, 255), true), new Date(998));
  assertEquals(await client.Form({ a: "x&y=z", b: [1, 2] }), "x&y=z[1,2]");
  assertEquals(await client.Image("quay.io/org/app:1.2"), "quay.io/org/app:1.2");
  assertEquals(await client.File("a.b"), "a.b");
  assertStringIncludes(urls.at(-1) ?? "", "/files/a.b.json?kind=file");
  assertEquals(await client.Nothing(), undefined);
});

Deno.test("link() sends false, 0 and empty text, and leaves undefined out", async () => {
  assertEquals(await client.List({ all: false, n: 0, names: ["", "a"] }), `{"all":false,"n":0,"names":["","a"]}`);
  assertEquals(urls.at(-1), "http://h/v1/users?all=false&n=0&names=&names=a");
  assertEquals(await client.List({ names: ["one"] }), `{"names":["one"]}`);
  assertEquals(await client.List({ all: undefined }), "{}");
  assertEquals(await client.List(), "{}");
});

Deno.test("link() returns the error last where the definition says so, and throws it elsewhere", async () => {
  const [user, none] = await client.Put({ id: "a", age: 1 });
  assertEquals([user, none], [{ id: "a", age: 1 }, undefined]);
  const [nobody, failure] = await client.Put({ id: "a", age: 7 });
  assertEquals(nobody, undefined);
  assertInstanceOf(failure, HTTPError);
  assertEquals([failure.status, failure.message, failure.body], [409, "Not seven", {
    status: 409,
    detail: "Not seven",
  }]);
  assertEquals(await client.Remove("a"), undefined);
  assertEquals((await client.Remove("none"))?.message, "None");
  const thrown = await assertRejects(() => client.Get("none"), HTTPError);
  assertEquals(thrown.status, 404);
});

Deno.test("link() checks results and names what fails", async () => {
  const thrown = await assertRejects(() => client.Wrong(), HTTPError);
  assertEquals(thrown.status, 502);
  assertStringIncludes(thrown.message, `Read the result of "Wrong": at "n"`);
});

Deno.test("link() refuses what would not arrive as it was given", async () => {
  for (const name of ["a/../b", "..", "./a", "a?b", "a#b", "50%", "a\\b", ""]) {
    await assertRejects(() => client.Image(name), TypeError, "", name);
  }
  for (const id of ["", ".", ".."]) await assertRejects(() => client.Get(id), TypeError);
});

Deno.test("link() streams both ways without gathering", async () => {
  const sent = new TransformStream<Uint8Array, Uint8Array>();
  const writer = sent.writable.getWriter();
  const got = await client.Upload(sent.readable);
  const reader = got.getReader();
  writer.write(Uint8Array.of(1));
  assertEquals((await reader.read()).value, Uint8Array.of(1));
  writer.close();
  assertEquals((await reader.read()).done, true);
  for (const body of ["text", new Blob(["text"]), new TextEncoder().encode("text")]) {
    assertEquals(await new Response(await client.Upload(body)).text(), "text");
  }
});

Deno.test("link() opens channels", async () => {
  const seen: unknown[] = [];
  for await (const user of await client.Watch(3)) seen.push([user.id, user.big]);
  assertEquals(seen, [["0", 2n ** 62n], ["1", 2n ** 62n], ["2", 2n ** 62n]]);
});

Deno.test("link() ends a call by signal and by timeout", async () => {
  const controller = new AbortController();
  const call = client.Slow({ signal: controller.signal });
  controller.abort(new Error("enough"));
  // A server called directly is told, and its call ends as over a network, whatever its function makes of it.
  assertEquals((await assertRejects(() => call, Error)).message, "enough");
  assertEquals((await assertRejects(() => client.Slow({ timeout: 10 }), DOMException)).name, "TimeoutError");
});

Deno.test("defect: a call or stream of a server in the same process that never ends is given up by signal and timeout", async () => {
  let told = 0;
  let cancelled = 0;
  const quiet = api("x", {
    Wait: rest("GET /wait", [], [z.string()]),
    Read: rest("GET /read", [], [stream()]),
  });
  const run = handler(
    null,
    implement(quiet, {
      Wait({ signal }) {
        signal.addEventListener("abort", () => told++);
        return new Promise(() => {});
      },
      Read: () => new ReadableStream({ cancel: () => void cancelled++ }),
    }),
  );
  const local = link(quiet, "http://h", { fetch: run });
  assertEquals((await assertRejects(() => local.Wait({ timeout: 5 }), DOMException)).name, "TimeoutError");
  const left = AbortSignal.abort(new Error("left"));
  assertEquals((await assertRejects(() => local.Wait({ signal: left }), Error)).message, "left");
  const leave = new AbortController();
  const body = (await local.Read({ signal: leave.signal })).getReader();
  const reading = assertRejects(() => body.read(), Error);
  leave.abort(new Error("enough"));
  assertEquals([(await reading).message, told, cancelled], ["enough", 1, 1]);
  const whole = await local.Read({ timeout: 60_000 });
  await whole.cancel();
  assertEquals(cancelled, 2);
});

Deno.test("defect: a call that timed out throws that, whatever a server in the same process makes of it", async () => {
  const waits = api("x", { Wait: rest("GET /wait", [], [z.string()]) });
  const run = handler(
    null,
    implement(waits, {
      Wait: ({ signal }) => new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason))),
    }),
  );
  const error = await assertRejects(() => link(waits, "http://h", { fetch: run }).Wait({ timeout: 5 }), DOMException);
  assertEquals(error.name, "TimeoutError");
});

Deno.test("link() writes a base without a scheme as https, and keeps its path", async () => {
  const seen: string[] = [];
  const spy: Client = { fetch: (request) => (seen.push(request.url), Promise.resolve(new Response("{}"))) };
  await link(definition, undefined, spy).List();
  await link(definition, "http://other/base/", spy).List();
  await API.link(definition, "unix.example", spy).List();
  assertEquals(seen, ["https://api.example.com/v1/users", "http://other/base/users", "https://unix.example/users"]);
});

Deno.test("link() sends the headers of one call, over those of its client", async () => {
  const sent: Headers[] = [];
  const fetch = (request: Request) => {
    sent.push(request.headers);
    return Promise.resolve(new Response("[]", { headers: { "content-type": "application/json" } }));
  };
  const headed = api("x", {
    List: rest("GET /list", [], [z.array(z.string())]),
    Find: rest("POST /find", [z.object({ name: z.string() }), z.string().optional()], [z.array(z.string())]),
  });
  const client = link(headed, "http://h", header("x-tenant", "all", header("accept", "text/x", { fetch })));
  await client.List({ headers: { "x-tenant": "one", "x-trace": "7" } });
  await client.List({ headers: [["X-Trace", "8"]], timeout: 60_000 });
  await client.Find([] as never, undefined, { headers: new Headers({ "content-type": "application/json;v=2" }) });
  await client.List();
  const told = sent.map((headers) =>
    ["x-tenant", "x-trace", "accept", "content-type"].map((name) => headers.get(name))
  );
  assertEquals(told, [
    ["one", "7", "text/x", null],
    ["all", "8", "text/x", null],
    ["all", null, "text/x", "application/json;v=2"],
    ["all", null, "text/x", null],
  ]);
  await assertRejects(() => client.List({ headers: { "x y": "no name" } }), TypeError);
});

Deno.test("link() sends the headers of a call with a channel too", async () => {
  const ticks = api("x", { Ticks: rest("GET /ticks", [], [chan(z.string())]) });
  const serve = handler(
    null,
    implement(ticks, {
      async *Ticks({ request }) {
        yield request.headers.get("x-trace") ?? "none";
      },
    }),
  );
  const values: string[] = [];
  for await (const value of await link(ticks, "http://h", { fetch: serve }).Ticks({ headers: { "x-trace": "9" } })) {
    values.push(value);
  }
  assertEquals(values, ["9"]);
});

Deno.test("header() adds a header to every request, over any client", async () => {
  const seen: (string | null)[] = [];
  const spy: Client = {
    fetch: (
      request,
    ) => (seen.push(request.headers.get("a"), request.headers.get("b")), Promise.resolve(new Response("x"))),
  };
  await link(definition, "http://h/v1", header("a", "1", header("b", "2", spy))).List();
  assertEquals(seen, ["1", "2"]);
});

Deno.test("handler() makes a proxy of a linked API", async () => {
  const proxy = link(definition, "http://proxy/v1", { fetch: handler(null, client) });
  assertEquals(await proxy.Get("x"), { id: "x", big: 2n ** 63n, at: new Date(0) });
  assertEquals(await proxy.Rules("a", 1n, true), ["atrue", 1n]);
  assertEquals((await proxy.Remove("none"))?.message, "None");
  assertEquals(await new Response(await proxy.Upload("bytes")).text(), "bytes");
  const seen: string[] = [];
  for await (const user of await proxy.Watch(2)) seen.push(user.id);
  assertEquals(seen, ["0", "1"]);
  assertEquals((await assertRejects(() => proxy.Get("none"), HTTPError)).status, 404);
});

Deno.test("link() and handler() meet over a real socket", async () => {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => serve(request));
  try {
    const remote = link(definition, `http://127.0.0.1:${server.addr.port}/v1`);
    assertEquals((await remote.Get("a/b")).id, "a/b");
    assertEquals(await remote.Image("quay.io/a/b"), "quay.io/a/b");
    const size = 3 * 1024 * 1024;
    const body = new Blob([new Uint8Array(size)]).stream();
    assertEquals((await new Response(await remote.Upload(body)).arrayBuffer()).byteLength, size);
    const seen: string[] = [];
    for await (const user of await remote.Watch(100)) {
      seen.push(user.id);
      if (seen.length === 5) break;
    }
    assertEquals(seen.length, 5);
    await assertRejects(() => remote.Slow({ timeout: 30 }), DOMException);
    assert((await assertRejects(() => remote.Get("none"), HTTPError)).status === 404);
  } finally {
    await server.shutdown();
  }
});

Deno.test("defect: link() refuses a base without a host, whose calls would go to what their paths begin with", () => {
  const definition = api("x", { F: rest("GET /secrets", [], [z.string()]) });
  for (const base of ["", " ", "/", "//h", "https://", "http:///v1", "http://h?v=1", "http://h/#v1"]) {
    assertThrows(() => link(definition, base), TypeError, "expected a host");
  }
  assertThrows(() => link(api("", { F: rest("GET /secrets") })), TypeError, "expected a host");
  // @ts-expect-error The client is the third argument.
  assertThrows(() => link(definition, { fetch }), TypeError, "expected a host");
  for (const base of ["h", "localhost:1", "h.example/v1/", "http://u:p@h", "http://[::1]:80"]) link(definition, base);
});
