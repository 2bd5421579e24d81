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
