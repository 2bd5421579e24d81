import { assert, assertEquals, assertRejects } from "@std/assert";
import { z } from "zod";
import {
  api,
  bytes,
  chan,
  error,
  handler,
  int64,
  link,
  namespace,
  rest,
  stream,
  time,
  uint64,
} from "../../../lib/rest/mod.ts";
import { mock, type MockOptions } from "../../../lib/rest/contract/mock.ts";
import { sampleValue, seededRandom } from "../../../lib/rest/contract/sample.ts";

const Part: z.ZodType<{ name: string; parts: unknown[] }> = z.object({
  name: z.string().min(3).max(5),
  get parts() {
    return z.array(Part);
  },
});
const shop = api("shop.example.com", {
  Book: rest("GET /books/{id=%v}", [z.string()], [
    z.object({
      id: z.uuid(),
      price: z.number().min(5).max(6),
      kind: z.enum(["a", "b"]),
      at: z.date(),
      tags: z.array(z.int()),
    }),
  ]),
  Tree: rest("GET /tree", [], [Part]),
  Marks: rest("GET /marks a,b,c,d", [], [int64, uint64, time, bytes]),
  Prices: rest("GET /prices", [], [chan(z.object({ cents: z.int().positive() }))]),
  Divide: rest("GET /divide", [], [int64, error]),
  File: rest("GET /file", [], [stream()]),
  Clear: rest("DELETE /books"),
  Orders: namespace({
    Count: rest("GET /orders/count", [], [int64]),
    Last: rest("GET /orders/last", [], [z.string()]),
  }),
});

function client(options?: MockOptions) {
  const implementation = mock(shop, { Orders: { Last: () => "mine" } }, options);
  return link(shop, "http://localhost", { fetch: handler(null, implementation) });
}

Deno.test("mock() answers every operation with values that fit its schemas", async () => {
  const calls = client();
  for (let i = 0; i < 30; i++) {
    const book = await calls.Book("1");
    assertEquals(shop.operations.Book.results[0].safeParse(book).success, true, JSON.stringify(book));
    assert(Part["~standard"].validate(await calls.Tree()));
  }
  const [a, b, c, d] = await calls.Marks();
  assertEquals([typeof a, typeof b, c instanceof Date, d instanceof Uint8Array], ["bigint", "bigint", true, true]);
  const prices = [];
  for await (const { cents } of await calls.Prices()) prices.push(cents > 0);
  assertEquals(prices, [true, true, true]);
  const [quotient, failure] = await calls.Divide();
  assertEquals([typeof quotient, failure], ["bigint", undefined]);
  assertEquals(await new Response(await calls.File()).text(), "made up");
  assertEquals(await calls.Clear(), undefined);
  assertEquals(typeof await calls.Orders.Count(), "bigint");
});

Deno.test("mock() prefers given functions, and its seed decides the rest", async () => {
  assertEquals(await client().Orders.Last(), "mine");
  const books = await Promise.all([{ seed: 1 }, { seed: 1 }, { seed: 2 }].map((options) => client(options).Book("1")));
  assertEquals(books[0], books[1]);
  assert(JSON.stringify(books[0]) !== JSON.stringify(books[2]));
});

Deno.test("sampleValue() knows the formats of zod, names of maps that are listed, and patterns that simple texts fit", async () => {
  const iso = [z.iso.date(), z.iso.time(), z.iso.datetime(), z.iso.duration()];
  const ids = [z.uuid(), z.nanoid(), z.cuid(), z.cuid2(), z.ulid(), z.ksuid(), z.xid(), z.e164(), z.emoji()];
  const nets = [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6(), z.mac(), z.hostname(), z.url(), z.email()];
  const texts = [
    z.string().startsWith("ab."),
    z.string().endsWith("x"),
    z.string().includes("q"),
    z.string().regex(/^\d+$/),
  ];
  const name = z.enum(["a", "b"]);
  const maps = [z.record(name, z.int()), z.partialRecord(name, z.int()), z.record(z.string().regex(/^x/), z.int())];
  for (const schema of [...iso, ...ids, ...nets, ...texts, ...maps]) {
    for (let seed = 1; seed < 9; seed++) schema.parse(await sampleValue(schema, seededRandom(seed)));
  }
});

Deno.test("sampleValue() says when a schema refuses all that it suggests", async () => {
  const never = z.string().refine(() => false);
  await assertRejects(() => sampleValue(never, seededRandom(1)), RangeError, "refuses all");
  const parcel = z.object({ id: z.string().regex(/^(P|Q)\1$/) });
  await assertRejects(() => sampleValue(parcel, seededRandom(1)), RangeError, 'suggests: at "id": Invalid string');
  const told = z.object({ id: z.string().regex(/^(P|Q)\1$/).meta({ examples: ["QQ"] }) });
  assertEquals(await sampleValue(told, seededRandom(1)), { id: "QQ" });
});

Deno.test("mock() makes results that can stand in headers", async () => {
  const tagged = api("x", { Get: rest("GET /b/{i=%v} *,ETag:", [z.string()], [z.object({ a: z.int() }), z.string()]) });
  const calls = link(tagged, "http://localhost", { fetch: handler(null, mock(tagged)) });
  for (let i = 0; i < 60; i++) {
    const [, etag] = await calls.Get("1");
    assert(/^[!-~]+(?: [!-~]+)*$/.test(etag), etag);
  }
});
