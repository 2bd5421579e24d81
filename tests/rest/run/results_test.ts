/** Results are sent as their schema says, and nothing else. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type } from "arktype";
import { z } from "../../fixtures/zod.ts";
import {
  api,
  chan,
  handler,
  type HeaderWriter,
  implement,
  instance,
  int64,
  link,
  type Operations,
  rest,
  type RestOptions,
  type Schema,
} from "../../../lib/rest/mod.ts";
import { request } from "../../fixtures/rest/serve.ts";

/** Serves one operation that returns this, and tells what was answered and what was logged. */
async function answered(schema: Schema, result: unknown, options: RestOptions = {}) {
  const logged: string[] = [];
  const operations: Operations = { F: rest("GET /", [], [schema], options) };
  const run = handler(null, implement(api("x", operations), { F: () => result } as never), {
    onError: (error) => logged.push(String(error)),
  });
  const response = await run(request("GET", "/", undefined, { accept: "application/json" }));
  return { status: response.status, text: await response.text(), logged };
}

const User = z.object({ id: z.number(), name: z.string() });
/** A row of a database: a literal of its type would not compile as a result. */
interface Row {
  id: number;
  name: string;
  passwordHash: string;
}
const row: Row = { id: 1, name: "ann", passwordHash: "secret" };

Deno.test("handler() leaves out of a result what its schema does not have", async () => {
  const cases: [Schema, unknown, unknown][] = [
    [User, row, { id: 1, name: "ann" }],
    [z.array(User), [row], [{ id: 1, name: "ann" }]],
    [z.record(z.string(), User), { a: row }, { a: { id: 1, name: "ann" } }],
    [z.object({ user: User.optional() }), { user: row, more: 1 }, { user: { id: 1, name: "ann" } }],
    [z.tuple([z.string(), User]), ["a", row], ["a", { id: 1, name: "ann" }]],
    [z.looseObject({ id: z.number() }), row, row],
    [z.union([User, z.array(User)]), row, { id: 1, name: "ann" }],
    [
      z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("a"), secret: z.string() }),
        z.object({ kind: z.literal("b") }),
      ]),
      { kind: "b", secret: "x" },
      { kind: "b" },
    ],
    [z.object({ n: z.number().default(7) }), {}, { n: 7 }],
    // Transformations and dates, which JSON Schema cannot say.
    [
      z.array(z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("admin"), secret: z.string() }),
        z.object({ kind: z.literal("user"), at: z.date() }),
      ])),
      [{ kind: "user", at: new Date(0), secret: "x" }, { kind: "admin", at: new Date(0), secret: "y" }],
      [{ kind: "user", at: "1970-01-01T00:00:00.000Z" }, { kind: "admin", secret: "y" }],
    ],
    [
      z.union([
        z.object({ a: z.string().transform((text) => text.length) }),
        z.union([z.object({ b: z.string(), secret: z.string() }), z.object({ c: z.string() })]),
      ]),
      { a: "1", secret: "x" },
      { a: "1" },
    ],
    [
      z.object({ a: z.string().transform((text) => text.length) }).catchall(z.object({ q: z.string() })),
      { a: "1", more: { q: "2", secret: "x" } },
      { a: "1", more: { q: "2" } },
    ],
    // Members that fill in, catch or leave open the field that tells them apart lose nothing to their neighbours.
    ...[z.literal("a").optional(), z.literal("a").default("a"), z.literal("a").catch("a")].map((
      t,
    ): [Schema, unknown, unknown] => [
      z.union([z.object({ t, x: z.number() }), z.object({ y: z.number().optional() })]),
      { t: undefined, x: 1, secret: 2 },
      { x: 1 },
    ]),
    [
      z.union([
        z.object({ t: z.preprocess((text) => String(text).toLowerCase(), z.literal("a")), x: z.number() }),
        z.object({ y: z.number().optional() }),
      ]),
      { t: "A", x: 1, secret: 2 },
      { t: "A", x: 1 },
    ],
    [
      z.discriminatedUnion("t", [
        z.object({ t: z.literal("a") }).catchall(z.object({ a: z.number() })),
        z.object({ t: z.literal("b") }).catchall(z.object({ b: z.number() })),
      ]),
      { t: "b", more: { b: 1 } },
      { t: "b", more: { b: 1 } },
    ],
    // A library that gives back the very value.
    [type({ o: "string" }).or({ p: "string", secret: "string" }), { o: "1", secret: "x" }, { o: "1" }],
    // Members told apart by fields of several values.
    ...[
      type({ kind: "'a' | 'b'", x: "string", "secret?": "string" }).or({ kind: "'c' | 'd'", "y?": "string" }),
      z.union([
        z.object({ kind: z.enum(["a", "b"]), x: z.string(), secret: z.string().optional() }),
        z.object({ kind: z.literal(["c", "d"]), y: z.string().optional(), at: z.date().optional() }),
      ]),
    ].map((schema): [Schema, unknown, unknown] => [
      schema,
      { kind: "d", y: "1", x: "2", secret: "x" },
      { kind: "d", y: "1" },
    ]),
    // Nothing tells apart: nothing is lost.
    [
      type({ a: { x: "string" } }).or({ a: { y: "string" }, "b?": "string" }),
      { a: { x: "1" }, b: "2" },
      { a: { x: "1" }, b: "2" },
    ],
    [type({ "o?": "string" }).or({ "p?": "string" }), { o: "1", p: "2" }, { o: "1", p: "2" }],
  ];
  for (const [schema, result, expected] of cases) {
    const { status, text } = await answered(schema, result);
    assertEquals([status, JSON.parse(text)], [200, expected]);
  }
});

Deno.test("defect: what a schema catches goes out in the place of the result that does not fit", async () => {
  const Row = z.object({
    name: z.string().catch("none"),
    n: z.number().min(5).catch(7).optional(),
    tags: z.array(z.string()).catch([]),
    at: z.date().catch(new Date(0)),
  });
  const secret = { password: "secret" };
  const at = new Date(1000);
  const cases: [Schema, unknown, unknown][] = [
    [Row, { name: secret, n: 3, tags: secret, at: secret }, {
      name: "none",
      n: 7,
      tags: [],
      at: "1970-01-01T00:00:00.000Z",
    }],
    [Row, { name: "a", n: 9, tags: ["b"], at }, { name: "a", n: 9, tags: ["b"], at: at.toISOString() }],
    [z.array(Row), [{ name: secret, tags: [], at }], [{ name: "none", tags: [], at: at.toISOString() }]],
    [z.record(z.string(), z.number().catch(0)), { a: secret, b: 1 }, { a: 0, b: 1 }],
    [z.object({ a: z.object({ b: z.string() }).catch({ b: "" }) }), { a: "secret" }, { a: { b: "" } }],
    // The client's own schema transforms: it is to get what that takes.
    [z.object({ a: z.string().transform((text) => text.length).catch(0) }), { a: "four" }, { a: "four" }],
  ];
  for (const [schema, result, expected] of cases) {
    const { status, text } = await answered(schema, result);
    assertEquals([status, JSON.parse(text)], [200, expected]);
  }
});

Deno.test("handler() sends what the function returned where the schema transforms, cut to what the schema accepts", async () => {
  const Text = z.object({ length: z.string().transform((text) => text.length) });
  assertEquals((await answered(Text, { length: "four", more: 1 })).text, '{"length":"four"}');
  const Upper = z.object({ name: z.string().toUpperCase() });
  assertEquals((await answered(Upper, { name: "ann", more: 1 })).text, '{"name":"ann"}');
  const Renamed = z.object({ a: z.string() }).transform(({ a }) => ({ b: a }));
  const definition = api("x", { F: rest("GET /", [], [Renamed]) });
  const run = handler(null, implement(definition, { F: () => ({ a: "x" }) }));
  assertEquals(await link(definition, "http://h", { fetch: run }).F(), { b: "x" });
});

Deno.test("handler() answers 500 for a result that does not fit, and says why in the log", async () => {
  const cases: [Schema, unknown, string][] = [
    [z.number(), NaN, "number"],
    [int64, 2n ** 70n, "from -2^63"],
    [User, { id: 1 }, 'at "name"'],
    [z.array(User), [row, { ...row, id: "1" }], 'at "1.id"'],
    [User, undefined, "does not fit"],
    [User, null, "does not fit"],
  ];
  for (const [schema, result, detail] of cases) {
    const { status, text, logged } = await answered(schema, result);
    assertEquals([status, logged.length], [500, 1], text);
    assert(!text.includes("fit"), text);
    assertStringIncludes(logged[0], 'Answer "F"');
    assertStringIncludes(logged[0], detail);
  }
  assertEquals((await answered(z.string().optional(), undefined)).status, 204);
});

Deno.test("handler() waits for schemas of results that are asynchronous", async () => {
  const Late = z.object({ a: z.string() }).refine(({ a }) => Promise.resolve(a === "x"));
  assertEquals((await answered(Late, { a: "x", b: 1 })).text, '{"a":"x"}');
  assertEquals((await answered(Late, { a: "y" })).status, 500);
});

Deno.test("defect: what is refused at once leaves no promise of another schema that fails unheard, which ended the process", async () => {
  const Late = z.string().refine((text) => Promise.resolve(text === "x"));
  const definition = api("x", {
    F: rest("GET /?a=%v&b=%v", [Late, z.number()], [z.string()]),
    G: rest("GET /g", [], [Late, z.number()]),
  });
  const run = handler(
    null,
    implement(definition, { F: (a) => a, G: () => ["y", "no number"] as never }),
    { onError: () => {} },
  );
  const unheard: unknown[] = [];
  const hear = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    unheard.push(event.reason);
  };
  globalThis.addEventListener("unhandledrejection", hear);
  try {
    for (const query of ["a=y", "a=y&b=1"]) assertEquals((await run(request("GET", `/?${query}`))).status, 400);
    assertEquals((await run(request("GET", "/?a=x"))).status, 400);
    assertEquals((await run(request("GET", "/?a=x&b=1"))).status, 200);
    assertEquals((await run(request("GET", "/g"))).status, 500);
    // The runtime tells of such a rejection before its next turn.
    await new Promise((resolve) => setTimeout(resolve));
  } finally {
    globalThis.removeEventListener("unhandledrejection", hear);
  }
  assertEquals(unheard, []);
});

Deno.test("handler() with trusted sends results as they are", async () => {
  assertEquals(JSON.parse((await answered(User, row, { trusted: true })).text), row);
  const definition = api("x", { F: rest("GET /", [], [User]), G: rest("GET /g", [], [User], { trusted: false }) }, {
    trusted: true,
  });
  const run = handler(null, implement(definition, { F: () => row, G: () => row }));
  assertEquals(await (await run(request("GET", "/"))).json(), row);
  assertEquals(await (await run(request("GET", "/g"))).json(), { id: 1, name: "ann" });
});

Deno.test("handler() cuts instances to the schema they travel by, and lets them write headers", async () => {
  class Page implements HeaderWriter {
    readonly total = 70;
    constructor(readonly items: string[]) {}
    writeHeadersHTTP(headers: Headers) {
      headers.set("x-total", String(this.total));
    }
  }
  let made = 0;
  const page = instance(z.object({ items: z.array(z.string()) }), ({ items }) => (made++, new Page(items)));
  const definition = api("x", { F: rest("GET /", [], [page]) });
  const response = await handler(null, implement(definition, { F: () => new Page(["a"]) }))(request("GET", "/"));
  assertEquals([await response.text(), response.headers.get("x-total"), made], ['{"items":["a"]}', "70", 0]);
});

Deno.test("handler() checks and cuts each value of a channel", async () => {
  const logged: string[] = [];
  const definition = api("x", { F: rest("GET /", [], [chan(User)]), Late: rest("GET /late", [], [chan(Later)]) });
  async function* values() {
    yield row;
    yield { id: "x" } as never;
  }
  const run = handler(null, implement(definition, { F: values, Late: values }), {
    onError: (error) => logged.push(String(error)),
  });
  for (const path of ["/", "/late"]) {
    const text = await (await run(request("GET", path, undefined, { accept: "text/event-stream" }))).text();
    assertStringIncludes(text, 'data: {"id":1,"name":"ann"}\n\n');
    assertStringIncludes(text, 'event: error\ndata: "Internal Server Error"');
    assertStringIncludes(logged.pop() ?? "", 'at "id"');
  }
  const client = link(definition, "http://h", { fetch: run });
  await assertRejects(() => Array.fromAsync({ [Symbol.asyncIterator]: () => iterate(client.F()) }));
});

const Later = User.refine(() => Promise.resolve(true));

async function* iterate(channel: Promise<AsyncIterable<unknown>>) {
  yield* await channel;
}
