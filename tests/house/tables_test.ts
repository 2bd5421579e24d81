/** The tables of the engine's store: each name stands in one list, by which records of other engines are told apart. */
import { assertEquals } from "@std/assert";
import { REQUEST_FIELDS } from "../../lib/engine/records/stored_spec.ts";
import { STORE_STEPS, STORE_TABLES } from "../../lib/engine/store/store_steps.ts";
import { codeOf, sources } from "../fixtures/source_tree.ts";

Deno.test("every table of the engine is in STORE_TABLES", () => {
  const used = sources.filter((path) => path.startsWith("lib/engine/")).flatMap((path) =>
    [...codeOf(path).matchAll(/\.table(?:<[^(]*>)?\("(\w+)"/g)].map((match) => match[1])
  );
  assertEquals([...new Set(used)].sort(), [...STORE_TABLES]);
});

Deno.test("a step of the store's exists for every field that leaves a container's record", () => {
  const spec = Object.fromEntries(REQUEST_FIELDS.map((field) => [field, "asked"]));
  const record = STORE_STEPS.reduce<Record<string, unknown>>(
    (value, { containers }) => containers?.(value) ?? value,
    {
      spec: { ...spec, terminal: true },
    },
  );
  assertEquals(record, { spec: { terminal: true } });
});

Deno.test("every version but the last has its store in tests/fixtures/stores", () => {
  const folder = new URL("../fixtures/stores/", import.meta.url);
  const stores = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".sql.gz"))
    .sort();
  assertEquals(stores, STORE_STEPS.map((_, index) => `store_${index + 1}.sql.gz`));
});
