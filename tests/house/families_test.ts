/** The families of operations: in one list, in `mod.ts`, and with a function for every operation. */
import { assert, assertEquals } from "@std/assert";
import { FAMILIES } from "../../handlers/families.ts";
import { implementFamily } from "../../handlers/implement_family.ts";
import { api, rest } from "../../lib/rest/mod.ts";
import * as face from "../../mod.ts";
import { openTestEngine } from "../fixtures/handlers/test_engine.ts";
import { sources } from "../fixtures/source_tree.ts";

Deno.test("every api.ts of handlers is in the list of families, and mod.ts exports it", async () => {
  const files = sources.filter((path) => /^handlers\/.*\/api\.ts$/.test(path));
  const listed = new Set<unknown>(FAMILIES.map(({ definition }) => definition));
  const exported = new Set<unknown>(Object.values(face));
  for (const path of files) {
    const definitions = Object.entries(await import(`../../${path}`)).filter(([name]) => name.endsWith("API"));
    assertEquals(definitions.length, 1, `${path} exports one definition`);
    const [[name, definition]] = definitions;
    assert(listed.has(definition), `families.ts has ${name}`);
    assert(exported.has(definition), `mod.ts exports ${name}`);
  }
  assertEquals(FAMILIES.length, files.length);
  assertEquals(new Set(FAMILIES.map(({ title }) => title)).size, files.length, "each has a title of its own");
});

Deno.test("every family implements all of its operations", async () => {
  await using test = await openTestEngine({ pulled: false });
  for (const { title, definition, implement } of FAMILIES) {
    const { functions } = implement(test.engine, { swaggerText: () => "" });
    assertEquals(Object.keys(functions).sort(), Object.keys(definition.operations).sort(), title);
  }
});

Deno.test("implementFamily() does not compile without one of the functions", () => {
  const pair = api("x", { Ping: rest("GET /ping"), Pong: rest("GET /pong") });
  implementFamily(pair, { Ping() {}, Pong() {} });
  // @ts-expect-error -- Pong is missing
  implementFamily(pair, { Ping() {} });
});
