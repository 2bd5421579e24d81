import { assert, assertEquals } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { api, handler, implement, instance, int64, rest, type Schema } from "../../../lib/rest/mod.ts";
import { quickTest } from "../../../lib/rest/quick/plain_values.ts";

const Place = z.object({ street: z.string().min(1), zip: z.string().max(5).optional() });
const Person = z.object({
  name: z.string(),
  age: z.int().min(0).lt(150),
  height: z.number().nullable(),
  isNew: z.boolean(),
  tags: z.array(z.string()).max(3),
  place: Place,
});
const person = { name: "ann", age: 7, height: 1.2, isNew: true, tags: ["a"], place: { street: "Long Lane" } };

/** Calls the quick test of a schema, which must have one. */
function passes(schema: Schema, value: unknown): boolean {
  const test = quickTest(schema);
  assert(test);
  return test(value);
}

Deno.test("quickTest() knows plain values", () => {
  assert(passes(Person, person));
  // In any order, and with an optional field that is there.
  const { name, ...others } = person;
  assert(passes(Person, { ...others, place: { zip: "1", street: "x" }, height: null, name }));
  assert(passes(Place, { street: "x", zip: undefined }));
  assert(passes(z.array(z.number()), [0, -1.5]));
  assert(passes(z.strictObject({ a: z.boolean() }), { a: false }));
});

Deno.test("quickTest() is not sure of values that do not fit, are to be cut, or are no plain data", () => {
  class Own {
    street = "x";
  }
  const values: [Schema, unknown][] = [
    ...Object.entries({ name: 1, age: 1.5, height: NaN, isNew: "true", tags: ["", "", "", ""], place: null, other: 1 })
      .map(([key, value]): [Schema, unknown] => [Person, { ...person, [key]: value }]),
    [Person, { ...person, age: 150 }],
    [Person, { ...person, age: -1 }],
    [Person, { ...person, age: 2 ** 53 }],
    [Person, { ...person, tags: new Array(1) }],
    [Person, { ...person, place: { street: "" } }],
    [Person, { ...person, place: { street: "x", zip: "123456" } }],
    [Person, Object.fromEntries(Object.entries(person).slice(1))],
    [Place, new Own()],
    [Place, Object.create({ street: "x" })],
    [Place, Object.assign(Object.create(null), { street: "x" })],
    [Place, JSON.parse('{"street":"x","__proto__":{}}')],
    [Place, { street: "x", toJSON: () => "y" }],
    [Place, { street: new String("x") }],
    [Place, [{ street: "x" }]],
    [z.number(), Infinity],
    [z.number(), "1"],
    [z.string(), undefined],
    [z.object({ toString: z.string() }), {}],
  ];
  for (const [schema, value] of values) assertEquals(passes(schema, value), false, Deno.inspect(value));
});

Deno.test("quickTest() has no test of schemas that change values, or are more than it knows", () => {
  const Tree: z.ZodType = z.object({
    get inner() {
      return z.array(Tree);
    },
  });
  const schemas: Schema[] = [
    z.string().trim(),
    z.string().refine((text) => text !== "no"),
    z.string().transform((text) => text.length),
    z.string().default("x"),
    z.string().catch("x"),
    z.coerce.string(),
    z.coerce.number(),
    z.email(),
    z.iso.datetime(),
    z.string().regex(/a/),
    z.number().multipleOf(2),
    z.int32(),
    z.bigint(),
    z.date(),
    z.any(),
    z.unknown(),
    z.literal("a"),
    z.union([z.object({ a: z.string() }), z.object({ a: z.string(), b: z.string() })]),
    z.record(z.string(), z.string()),
    z.tuple([z.string()]),
    z.looseObject({ a: z.string() }),
    z.object({ a: z.string() }).catchall(z.number()),
    z.object({ a: z.string() }).refine(({ a }) => a !== "no"),
    z.object({ a: z.string() }).readonly(),
    z.array(z.string().toLowerCase()),
    z.object({ a: z.exactOptional(z.string()) }),
    z.object({ ["__proto__"]: z.string() }),
    z.preprocess(String, z.string()),
    Tree,
    instance(Place, () => new Map()),
    int64,
    Object.create(Place, { "~standard": { value: { ...Place["~standard"], validate: () => ({ value: 1 }) } } }),
    { ...Place, "~standard": { ...Place["~standard"], validate: () => ({ value: 1 }) } },
  ];
  for (const [index, schema] of schemas.entries()) assertEquals(quickTest(schema), undefined, String(index));
});

Deno.test("quickTest() passes only what the schema takes and leaves as it is", () => {
  const draw = (n: number) => Math.floor(Math.random() * n);
  const pick = <T>(...all: T[]) => all[draw(all.length)];
  const makeSchema = (depth: number): z.ZodType => {
    switch (draw(depth > 0 ? 9 : 6)) {
      case 0:
        return pick(z.string(), z.string().min(draw(3)), z.string().max(draw(3)));
      case 1:
        return pick(z.number(), z.number().gt(draw(3)), z.number().max(draw(3)), z.number().int());
      case 2:
        return z.int();
      case 3:
        return z.boolean();
      case 4:
        return makeSchema(0).optional();
      case 5:
        return makeSchema(0).nullable();
      case 6:
        return pick(z.array(makeSchema(depth - 1)), z.array(makeSchema(depth - 1)).min(draw(2)));
      default:
        return z.object(Object.fromEntries(["a", "b", "c"].slice(draw(3)).map((key) => [key, makeSchema(depth - 1)])));
    }
  };
  const makeValue = (depth: number): unknown =>
    draw(depth > 0 ? 3 : 1) === 0
      ? pick<unknown>("", "ab", "abc", 0, 1, 2.5, NaN, 2 ** 60, true, null, undefined)
      : draw(2)
      ? Array.from({ length: draw(3) }, () => makeValue(depth - 1))
      : Object.fromEntries(["a", "b", "c", "d"].filter(() => draw(2)).map((key) => [key, makeValue(depth - 1)]));
  let passed = 0;
  for (let i = 0; i < 3000; i++) {
    const schema = makeSchema(2);
    const test = quickTest(schema);
    assert(test);
    for (let k = 0; k < 10; k++) {
      const value = makeValue(3);
      if (!test(value)) continue;
      passed++;
      assertEquals(schema.parse(value), value);
    }
  }
  assert(passed > 1000, String(passed));
});

Deno.test("handler() leaves the right values, and cuts and refuses the others, whether a quick test knows them or not", async () => {
  const People = z.array(Person);
  const book = api("http://h", { Echo: rest("POST /people", [People], [People]), Wrong: rest("GET /", [], [People]) });
  const errors: unknown[] = [];
  const functions = implement(book, {
    Echo: (people) => people,
    Wrong: () => [{ ...person, age: 1.5 }],
  });
  const serve = handler(null, functions, { onError: (error) => errors.push(error) });
  const send = async (value: unknown) => {
    const headers = { "content-type": "application/json" };
    const response = await serve(
      new Request("http://h/people", { method: "POST", body: JSON.stringify(value), headers }),
    );
    return [response.status, response.headers.get("content-type"), await response.json()];
  };
  assertEquals(await send([person]), [200, "application/json", [person]]);
  assertEquals(await send([person, { ...person, secret: 1 }]), [200, "application/json", [person, person]]);
  assertEquals((await send([{ ...person, age: 1.5 }]))[0], 400);
  assertEquals((await serve(new Request("http://h/"))).status, 500);
  assertEquals(errors.length, 2);
});
