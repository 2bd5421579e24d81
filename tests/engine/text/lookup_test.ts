import { assertEquals, assertThrows } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { Table } from "../../../lib/engine/store/table.ts";
import { findByNameOrID } from "../../../lib/engine/text/lookup.ts";

interface Row {
  id: string;
  name: string;
}

const rows: Row[] = [
  { id: "aaaa11", name: "web" },
  { id: "aaaa22", name: "aaaa11" },
  { id: "bbbb33", name: "aa" },
];

function find(text: string): string {
  const table = new Table<Row>("rows", rows.map((row) => [row.id, row]));
  const names = table.index(({ name }) => [name]);
  return findByNameOrID(table, names, text, {
    none: (asked) => new EngineError("no_such_container", `none: ${asked}`),
    several: (asked) => new EngineError("ambiguous", `several: ${asked}`),
  }).id;
}

Deno.test("findByNameOrID() takes a full ID before a name, and a name before an ID prefix", () => {
  assertEquals(find("aaaa11"), "aaaa11", "an object named after another one's ID does not hide it");
  assertEquals(find("web"), "aaaa11");
  assertEquals(find("aa"), "bbbb33", "a name that is a prefix of other IDs");
  assertEquals(find("bb"), "bbbb33");
});

Deno.test("findByNameOrID() tells no match from several", () => {
  assertThrows(() => find("aaaa"), EngineError, "several: aaaa");
  assertThrows(() => find("cc"), EngineError, "none: cc");
  assertThrows(() => find(""), EngineError, "none: ");
});
