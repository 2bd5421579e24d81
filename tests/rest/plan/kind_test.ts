import { assert, assertEquals } from "@std/assert";
import { z } from "../../fixtures/zod.ts";
import { kindOf } from "../../../lib/rest/plan/exact_kinds.ts";
import { isScalar, needsReplacer, needsRevival } from "../../../lib/rest/plan/kind.ts";
import { int64, time } from "../../../lib/rest/mod.ts";
import type { Schema } from "../../../lib/rest/mod.ts";

Deno.test("kindOf() tells kinds from JSON Schema", () => {
  const types = (schemas: Schema[]) => schemas.map((schema) => kindOf(schema).type);
  assertEquals(types([z.string(), z.boolean(), z.number(), z.int(), z.enum(["a"]), z.literal(4), z.null()]), [
    "string",
    "boolean",
    "number",
    "number",
    "string",
    "number",
    "null",
  ]);
  assertEquals(types([z.string().optional(), z.string().nullish(), z.number().default(1), z.coerce.number()]), [
    "string",
    "string",
    "number",
    "number",
  ]);
  assertEquals(types([z.union([z.string(), z.boolean()]), z.union([z.number(), z.boolean()])]), ["text", "choice"]);
  assertEquals(types([z.union([z.string(), z.object({ a: z.string() })]), z.array(z.string())]), ["any", "list"]);
  assertEquals(types([z.object({ a: z.string() }), z.record(z.string(), z.number()), int64, time]), [
    "struct",
    "map",
    "int64",
    "time",
  ]);
  assertEquals(types([z.preprocess((value) => value, z.string()), z.string().transform((text) => text.length)]), [
    "string",
    "string",
  ]);
});

Deno.test("kindOf() says when a kind cannot be told", () => {
  for (const schema of [z.any(), z.unknown(), z.bigint(), z.date(), z.custom()]) {
    assertEquals(kindOf(schema), { type: "any", unknown: true });
  }
});

Deno.test("kindOf() tells bigint and Date within an object by the schema's own type", () => {
  const kind = kindOf(z.object({ a: z.bigint().optional(), b: z.array(z.date()), c: z.uint64() }));
  assert(kind.type === "struct" && needsRevival(kind));
  assertEquals([...kind.fields.values()].map((field) => field.kind), [
    { type: "int64" },
    { type: "list", item: { type: "time" } },
    { type: "int64" },
  ]);
});

Deno.test("kindOf() follows a type that holds itself", () => {
  const Tree: z.ZodType = z.object({
    size: z.bigint(),
    get children() {
      return z.array(Tree);
    },
  });
  const kind = kindOf(Tree);
  assert(kind.type === "struct");
  assert(needsRevival(kind));
});

Deno.test("needsReplacer() spares plain values the slow way", () => {
  assertEquals(needsReplacer(kindOf(z.object({ a: z.string(), b: z.array(z.number()) }))), false);
  assertEquals(needsReplacer(kindOf(z.object({ a: z.unknown() }))), true);
  assertEquals(needsReplacer(kindOf(z.array(z.bigint()))), true);
});

Deno.test("isScalar() takes what is one text", () => {
  assert(isScalar(kindOf(z.union([z.string(), z.number()]))));
  assert(!isScalar(kindOf(z.array(z.string()))));
});
