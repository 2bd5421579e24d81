import { assert, assertEquals } from "@std/assert";
import { FAMILIES } from "../../../handlers/families.ts";
import { z } from "../../fixtures/zod.ts";
import { kindOf } from "../../../lib/rest/plan/exact_kinds.ts";
import type { Kind } from "../../../lib/rest/plan/kind.ts";
import type { Operation, Schema } from "../../../lib/rest/mod.ts";
import { seeded } from "../../fixtures/engine/fake_engine.ts";

/** The same schema, as one of another library, whose kind its JSON Schema tells. As valibot's, it says its type. */
function twinOf(schema: z.ZodType): Schema {
  const { type } = schema.def;
  return { "~standard": { ...schema["~standard"], vendor: "another" }, type } as unknown as Schema;
}

function assertSame(schema: z.ZodType, name: string): void {
  assertEquals(kindOf(schema), kindOf(twinOf(schema)), name);
}

Deno.test("a definition of zod's tells the same kinds as its JSON Schema: the engine's", () => {
  let count = 0;
  for (const { definition } of FAMILIES) {
    for (const [name, operation] of Object.entries(definition.operations as Record<string, Operation>)) {
      for (const schema of [...operation.args, ...operation.results]) {
        if (!("_zod" in schema)) continue;
        assertSame(schema as z.ZodType, name);
        count++;
      }
    }
  }
  assert(count > 150, `${count} schemas`);
});

Deno.test("a definition of zod's tells the same kinds as its JSON Schema: random ones", () => {
  const random = seeded(7);
  const types = new Set<Kind["type"]>();
  for (let i = 0; i < 3000; i++) {
    const schema = randomSchema(random, 4);
    assertSame(
      schema,
      `schema ${i}: ${JSON.stringify(z.toJSONSchema(schema, { unrepresentable: "any", io: "input" }))}`,
    );
    types.add(kindOf(schema).type);
  }
  assert(types.size >= 9, [...types].join());
});

Deno.test("a definition of zod's tells the same kinds as its JSON Schema: types that hold themselves, and tuples", () => {
  const Tree: z.ZodType = z.object({
    size: z.bigint(),
    get children() {
      return z.array(Tree);
    },
  });
  const list = z.lazy(() => z.object({ next: list.optional() })) as z.ZodType;
  for (
    const schema of [
      Tree,
      z.object({ tree: Tree, name: z.string() }),
      list,
      z.tuple([z.string(), z.number()]),
      z.object({ a: z.string() }).and(z.object({ b: z.date() })),
      z.object({
        a: z.object({ id: z.string() }).meta({ id: "zod-kind-test" }),
        b: z.string().meta({ type: "integer" }),
      }),
      z.partialRecord(z.enum(["a", "b"]), z.number()),
      z.object({ "__proto__": z.string(), [Symbol("hidden")]: z.string() }),
      z.never(),
      z.void(),
      z.nan(),
      z.file(),
      z.stringbool(),
      z.templateLiteral(["a", z.number()]),
    ]
  ) {
    assertSame(schema, schema.def.type);
  }
});

function randomSchema(random: () => number, depth: number): z.ZodType {
  const pick = <T>(all: readonly (() => T)[]): T => all[Math.floor(random() * all.length)]();
  const part = () => randomSchema(random, depth - 1);
  const leaves: (() => z.ZodType)[] = [
    () => z.string(),
    () => z.string().min(2).max(9),
    () => z.email(),
    () => z.coerce.string(),
    () => z.number(),
    () => z.int(),
    () => z.coerce.number(),
    () => z.boolean(),
    () => z.null(),
    () => z.any(),
    () => z.unknown(),
    () => z.bigint(),
    () => z.uint64(),
    () => z.date(),
    () => z.instanceof(Uint8Array),
    () => z.custom(),
    () => z.enum(["a", "b"]),
    () => z.enum({ one: 1, two: "2" }),
    () => z.literal("a"),
    () => z.literal(null),
    () => z.literal([1, 2]),
    () => z.literal([1, "a", true]),
    () => z.literal([undefined, "a"]),
    () => z.literal(7n),
    () => z.literal(true),
  ];
  if (depth === 0) return pick(leaves);
  const field = () => {
    const schema = part();
    return random() < 0.2 ? schema.meta({ rest: "other", description: "words" }) : schema;
  };
  const fields = () => Object.fromEntries(["a", "b", "c"].filter(() => random() < 0.7).map((name) => [name, field()]));
  return pick<z.ZodType>([
    ...leaves.slice(0, 4),
    () => field().optional(),
    () => field().nullable(),
    () => field().nullish(),
    () => part().default(null as never),
    () => part().prefault(null as never),
    () => part().readonly(),
    () => part().optional().nonoptional(),
    () => part().catch(null as never),
    () => part().refine(() => true),
    () => part().transform((value) => value),
    () => z.preprocess((value) => value, part()),
    () => part().pipe(z.any()),
    () => z.array(part()),
    () => z.array(part()).min(1),
    () => z.object(fields()),
    () => z.looseObject(fields()),
    () => z.strictObject(fields()),
    () => z.object(fields()).catchall(part()),
    () => z.record(z.string(), part()),
    () => z.looseRecord(z.string().regex(/^a/), part()),
    () => z.record(z.enum(["a", "b"]), part()),
    () => z.union([part(), part()]),
    () => z.union([part()]),
    () => z.union([part(), part(), part()]),
    () => z.xor([part(), part()]),
    () => z.tuple([part()], part()),
    () => z.intersection(z.object(fields()), z.object(fields())),
  ]);
}
