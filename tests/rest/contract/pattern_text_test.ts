import { assert, assertEquals, assertMatch } from "@std/assert";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "../../fixtures/zod.ts";
import { patternText } from "../../../lib/rest/surfaces/page/pattern_text.ts";
import { sampleValue, seededRandom } from "../../../lib/rest/contract/sample.ts";
import { api, handler, link, rest, type Schema } from "../../../lib/rest/mod.ts";
import { conform } from "../../../lib/rest/contract/conform.ts";
import { mock } from "../../../lib/rest/contract/mock.ts";

function integers(seed: number): (low: number, high: number) => number {
  const random = seededRandom(seed);
  return (low, high) => low + Math.floor(random() * (high - low + 1));
}

Deno.test("patternText() makes texts that a pattern fits", () => {
  const integer = integers(3);
  for (
    const pattern of [
      /^97[89]\d{10}$/,
      /^[A-Z]{2}-\d{3}$/,
      /^#(?:[0-9a-f]{3}){1,2}$/,
      /^(red|green|deep (?<name>blue|sea))$/,
      /^[^a-z\s]+?\.\w*$/,
      /^v?\d+\.\d+\.\d+(?:-[\w.]+)?$/,
      /^(?=[a-z])(?!x)[a-y]{2,}$/,
      /^[\]\-\\/^]{3}\u0041\x42\tb{0}$/,
      /^\p{L}+ .$/u,
      /^\u{1F600}[\u{1F600}-\u{1F602}]$/u,
      /^$/,
      /^\bword\b$/,
      /a{2}|b{3,}|c{4,5}/,
    ]
  ) {
    for (let i = 0; i < 20; i++) assertMatch(patternText(pattern, integer) ?? "none", pattern, String(pattern));
  }
});

Deno.test("patternText() makes nothing for what it does not know, and is bounded", () => {
  const integer = integers(3);
  const deep = new RegExp(`^${"(".repeat(100)}a${")".repeat(100)}$`);
  const wide = /^((((a{1000}){1000}){1000}){1000}){1000}$/;
  // Its text has no length that would end it.
  const empty = /^(((){1000}){1000}){30}$/;
  for (const pattern of [/^(a|b)\1$/, /^(?<x>a|b)\k<x>$/, /^a{5000}$/, deep, wide, empty, /^(?=b)a$/]) {
    assertEquals(patternText(pattern, integer), undefined, String(pattern).slice(0, 40));
  }
});

Deno.test("sampleValue() makes texts by the patterns and formats of each library", async () => {
  const random = seededRandom(5);
  const schemas: Schema[] = [
    z.string().regex(/^97[89]-\d{10}$/),
    z.string().startsWith("A").endsWith("Z"),
    z.uuidv7(),
    z.hash("sha256"),
    z.templateLiteral(["id-", z.number()]),
    z.object({ plate: z.string().regex(/^[A-Z]{2}-\d{3}$/), count: z.bigint() }),
    type("string.semver"),
    type(/^[A-Z]{3}\d{2}$/),
    toStandardJsonSchema(v.pipe(v.string(), v.regex(/^[a-f]{4}$/))),
  ];
  for (const schema of schemas) {
    const value = await sampleValue(schema, random);
    assertEquals((await schema["~standard"].validate(value)).issues, undefined);
  }
});

Deno.test("mock() and conform() know patterns in arguments and results", async () => {
  const Book = z.object({ isbn: z.string().regex(/^97[89]\d{10}$/), shelf: z.string().regex(/^[A-F]\d{1,2}$/) });
  const shop = api("x", {
    Get: rest("GET /books/{isbn=%v}", [Book.shape.isbn], [Book]),
  });
  const fetch = handler(null, mock(shop));
  assertMatch((await link(shop, "http://h", { fetch }).Get("9781234567890")).isbn, /^97[89]\d{10}$/);
  const { calls, failures, untried } = await conform(shop, "http://h", { client: { fetch } });
  assert(calls > 20);
  assertEquals([failures, untried], [[], []]);
});
