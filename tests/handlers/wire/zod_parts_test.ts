import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { time, ZERO_TIME } from "../../../handlers/wire/time.ts";
import { zero } from "../../../handlers/wire/zero.ts";
import { z } from "../../../handlers/wire/zod.ts";

Deno.test("fields of the plainest kinds share a schema each, and moments have one of their own", () => {
  for (const make of [z.string, z.number, z.int, z.boolean]) assertStrictEquals<unknown>(make(), make());
  assert(!Object.is(time, z.string()));
  assertEquals([zero(z.string()), zero(time), zero(z.int()), zero(z.boolean())], ["", ZERO_TIME, 0, false]);
  assertEquals(z.string().safeParse(1).success, false);
  assertEquals(
    z.object({ a: z.string() }).safeParse({ a: 1 }).error?.issues[0].message,
    "Invalid input: expected string, received number",
  );
});

Deno.test("fields that may be left out or be null share a schema each too, and lists of one schema share theirs", () => {
  for (const make of [z.string, z.number, z.int, z.boolean]) {
    assertStrictEquals<unknown>(make().optional(), make().optional());
    assertStrictEquals<unknown>(make().nullable(), make().nullable());
    assertStrictEquals<unknown>(make().nullish(), make().nullish());
    assertStrictEquals<unknown>(z.array(make()), z.array(make()));
  }
  const pair = z.object({ a: z.string().optional(), b: z.int().nullable(), c: z.boolean().nullish() });
  assertEquals(pair.parse({ b: null, c: null }), { b: null, c: null });
  assertEquals(pair.safeParse({ a: null, b: null }).error?.issues.map(({ path }) => path), [["a"]]);
  assertEquals(pair.safeParse({ a: "", c: true }).error?.issues.map(({ path }) => path), [["b"]]);
  // A schema made of a shared one is another.
  assertEquals(z.array(z.string()).min(1).safeParse([]).success, false);
  assertEquals(z.array(z.string()).safeParse([]).success, true);
  assertEquals(z.string().min(1).optional().safeParse("").success, false);
  assertEquals(z.string().optional().safeParse("").success, true);
});
