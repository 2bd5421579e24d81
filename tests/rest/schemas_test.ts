/** One API, described with zod, valibot and arktype in turn: all three are carried alike. */
import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "../fixtures/zod.ts";
import {
  api,
  DefinitionError,
  handler,
  HTTPError,
  implement,
  int64,
  link,
  rest,
  type Schema,
} from "../../lib/rest/mod.ts";

type User = { id: string; age?: number | undefined; tags: string[] };
type Query = { all?: boolean | undefined; n?: number | undefined; names?: string[] | undefined };

interface Library {
  text: Schema<string>;
  number: Schema<number>;
  flag: Schema<boolean>;
  user: Schema<User>;
  query: Schema<Query>;
  unknown: Schema;
}

const libraries: Record<string, Library> = {
  zod: {
    text: z.string(),
    number: z.number(),
    flag: z.boolean(),
    user: z.object({ id: z.string(), age: z.number().optional(), tags: z.array(z.string()) }),
    query: z.object({ all: z.boolean().optional(), n: z.number().optional(), names: z.array(z.string()).optional() }),
    unknown: z.unknown(),
  },
  valibot: {
    text: toStandardJsonSchema(v.string()),
    number: toStandardJsonSchema(v.number()),
    flag: toStandardJsonSchema(v.boolean()),
    user: toStandardJsonSchema(v.object({ id: v.string(), age: v.optional(v.number()), tags: v.array(v.string()) })),
    query: toStandardJsonSchema(
      v.object({ all: v.optional(v.boolean()), n: v.optional(v.number()), names: v.optional(v.array(v.string())) }),
    ),
    unknown: toStandardJsonSchema(v.unknown()),
  },
  arktype: {
    text: type("string"),
    number: type("number"),
    flag: type("boolean"),
    user: type({ id: "string", "age?": "number", tags: "string[]" }),
    query: type({ "all?": "boolean", "n?": "number", "names?": "string[]" }),
    unknown: type("unknown"),
  },
};

for (const [name, { text, number, flag, user, query, unknown }] of Object.entries(libraries)) {
  const definition = api("x", {
    Scalars: rest("GET /s/{a=%v}/{b=%v}?c=%v&d=%v", [text, number, flag, int64], [text]),
    Put: rest("PUT /users/{id}", [user], [user]),
    List: rest("GET /users?%v", [query], [text]),
    Form: rest("POST(application/x-www-form-urlencoded) /form", [query], [text]),
    Bad: rest("GET(application/json) /bad", [], [user], { trusted: true }),
  });
  const run = handler(
    null,
    implement(definition, {
      Scalars: (a, b, c, d) => JSON.stringify([a, b, c, String(d)]),
      Put: (user) => user,
      List: (query) => JSON.stringify(query),
      Form: (query) => JSON.stringify(query),
      Bad: () => ({ id: 7 } as unknown as User),
    }),
  );
  const client = link(definition, "http://h", { fetch: run });

  Deno.test(`link() and handler() carry what ${name} describes`, async () => {
    assertEquals(await client.Scalars("a/b", 1.5, false, 2n ** 60n), `["a/b",1.5,false,"1152921504606846976"]`);
    assertEquals(await client.Put({ id: "x", age: 3, tags: [] }), { id: "x", age: 3, tags: [] });
    assertEquals(await client.List({ all: false, n: 0, names: ["a"] }), `{"all":false,"n":0,"names":["a"]}`);
    assertEquals(await client.Form({ all: true, names: ["a", "b"] }), `{"all":true,"names":["a","b"]}`);
  });

  Deno.test(`handler() and link() name the failing path of a ${name} schema`, async () => {
    const body = JSON.stringify({ age: 1, tags: ["a", 2] });
    const headers = { "content-type": "application/json" };
    const response = await run(new Request("http://h/users/a", { method: "PUT", body, headers }));
    assertEquals(response.status, 400);
    assertStringIncludes(await response.text(), `at \\"tags.1\\"`);
    assertEquals((await run(new Request("http://h/s/a/x?c=true&d=1"))).status, 400);
    const thrown = await assertRejects(() => client.Bad(), HTTPError);
    assertStringIncludes(thrown.message, `at "id"`);
  });

  Deno.test(`api() says what to use where ${name} cannot tell a kind`, () => {
    const thrown = assertThrows(() => api("x", { F: rest("POST /", [unknown]) }), DefinitionError);
    assertStringIncludes(thrown.message, "use int64, uint64, time or bytes");
    assertThrows(() => api("x", { F: rest("GET /{a=%v}", [unknown]) }), DefinitionError);
  });
}

Deno.test("api() says what to use for bigint and Date of valibot and arktype", () => {
  for (
    const schema of [toStandardJsonSchema(v.bigint()), toStandardJsonSchema(v.date()), type("bigint"), type("Date")]
  ) {
    const thrown = assertThrows(() => api("x", { F: rest("POST /", [schema]) }), DefinitionError);
    assertStringIncludes(thrown.message, "argument 1");
  }
});

const nested = {
  zod: z.object({ n: z.bigint(), at: z.date(), b: z.instanceof(Uint8Array), l: z.array(z.bigint()) }),
  valibot: toStandardJsonSchema(
    v.object({ n: v.bigint(), at: v.date(), b: v.instance(Uint8Array), l: v.array(v.bigint()) }),
  ),
  arktype: type({ n: "bigint", at: "Date", b: type.instanceOf(Uint8Array), l: "bigint[]" }),
};

for (const [name, schema] of Object.entries(nested)) {
  Deno.test(`defect: bigint, Date and bytes within an object of ${name} travel in body and query`, async () => {
    const definition = api("x", {
      Body: rest("POST /body", [schema], [schema]),
      Query: rest("GET /query?%v", [schema], [schema]),
    });
    const same = <T>(value: T): T => value;
    const serve = handler(null, implement(definition, { Body: same, Query: same }));
    const client = link(definition, "http://h", { fetch: serve });
    const value = { n: 2n ** 62n, at: new Date(5), b: Uint8Array.of(0, 255), l: [1n, 2n ** 61n] };
    assertEquals(await client.Body(value), value);
    assertEquals(await client.Query(value), value);
  });
}
