import { assertEquals, assertThrows } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { Row } from "../../../lib/engine/ports/ports.ts";
import { STORE_VERSION, upgradeRows, upgradeValue } from "../../../lib/engine/store/upgrade.ts";

const STEPS: readonly Record<string, (value: Record<string, unknown>) => Record<string, unknown>>[] = [
  { things: (value: Record<string, unknown>) => ({ ...value, one: true }) },
  { others: (value: Record<string, unknown>) => ({ ...value, two: true }) },
  { things: (value: Record<string, unknown>) => ({ ...value, three: value.one }) },
];
const STAMP = { table: "store", key: "version", value: '{"version":4}' };

function row(table: string, value: string): Row {
  return { table, key: "key", value };
}

function versionRow(version: number): Row {
  return { ...STAMP, value: `{"version":${version}}` };
}

Deno.test("upgradeRows() stamps a new store, and changes nothing of one that is up to date", () => {
  assertEquals(upgradeRows([], "the store", STEPS), { rows: [], changes: [STAMP] });
  const rows = [row("things", "{}")];
  assertEquals(upgradeRows([STAMP, ...rows], "the store", STEPS), { rows, changes: [] });
});

Deno.test("upgradeRows() takes each value through the steps of its table, from the version it has", () => {
  const rows = [row("things", '{"a":1}'), row("others", "{}"), row("more", "not even JSON")];
  const others = row("others", '{"two":true}');
  const fromFirst = row("things", '{"a":1,"one":true,"three":true}');
  assertEquals(upgradeRows(rows, "the store", STEPS), {
    rows: [fromFirst, others, rows[2]],
    changes: [fromFirst, others, STAMP],
  });
  const fromThird = upgradeRows([...rows, versionRow(3)], "the store", STEPS);
  assertEquals(fromThird, { rows: [{ ...rows[0], value: '{"a":1}' }, rows[1], rows[2]], changes: [STAMP] });
  const tagged = row("things", '!{"size":{"$bigint":"18446744073709551615"},"one":true}');
  assertEquals(
    upgradeRows([tagged, versionRow(3)], "the store", STEPS).changes[0].value,
    [
      '!{"size":{"$bigint":"18446744073709551615"},"one":true,"three":true}',
    ][0],
  );
});

Deno.test("upgradeRows() refuses what is newer, or has no version that could be", () => {
  const refused = (version: unknown) => {
    const rows = [{ ...STAMP, value: JSON.stringify({ version }) }];
    return assertThrows(() => upgradeRows(rows, "the store", STEPS), EngineError);
  };
  assertEquals(
    [refused(5).code, refused(5).message],
    [
      "unsupported",
      "Open the store: its records are of version 5, this Gantry knows up to 4: use the Gantry that wrote them, or a later one",
    ],
  );
  for (const version of [0, -1, 1.5, "2", null]) assertEquals(refused(version).code, "corrupt");
});

Deno.test("upgradeValue() brings a record that is kept elsewhere to this version", () => {
  const record = { id: "a", spec: { name: "a", mounts: [], terminal: true } };
  assertEquals(upgradeValue("containers", record, 1, "the checkpoint"), { id: "a", spec: { terminal: true } });
  assertEquals(upgradeValue("containers", record, STORE_VERSION, "the checkpoint"), record);
  for (const version of [0, NaN, STORE_VERSION + 1]) {
    assertThrows(
      () => upgradeValue("containers", record, version, "the checkpoint"),
      EngineError,
      "Open the checkpoint",
    );
  }
});
