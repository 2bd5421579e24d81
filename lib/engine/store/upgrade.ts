import { EngineError } from "../errors.ts";
import type { Change, Row } from "../ports/ports.ts";
import { type Step, STORE_STEPS } from "./store_steps.ts";
import { decode, encode } from "./json.ts";

/** The steps from each version to the next, by table. */
type Steps = readonly Readonly<Record<string, Step>>[];

/** The version of the values that this engine writes. */
export const STORE_VERSION = STORE_STEPS.length + 1;

/** The table, and the key in it, of the store's version. Version 1 wrote none. */
const TABLE = "store";
const KEY = "version";

/** The outcome of an upgrade. */
export interface UpgradedRows {
  /** Every row but the version's, as this version has them. */
  rows: Row[];
  /** The first batch for the store; empty where it is up to date. */
  changes: Change[];
}

/**
 * Brings the rows of a store to this engine's version. `place` is the store's name in messages.
 *
 * @throws {EngineError} `unsupported` for rows of a later version, `corrupt` where the version or a row to upgrade does not parse
 */
export function upgradeRows(all: readonly Row[], place: string, steps: Steps = STORE_STEPS): UpgradedRows {
  const latest = steps.length + 1;
  const own = all.find(({ table, key }) => table === TABLE && key === KEY);
  const rows = all.filter(({ table }) => table !== TABLE);
  const version = own === undefined ? (rows.length === 0 ? latest : 1) : versionOf(own, place);
  requireKnown(version, place, latest);
  if (own !== undefined && version === latest) return { rows, changes: [] };
  const changes: Change[] = [];
  const upgraded = rows.map((row) => {
    const taken = stepsOf(row.table, version, steps);
    if (taken.length === 0) return row;
    const value = encode(taken.reduce((value, step) => step(value), readRecord(row, place)));
    if (value !== row.value) changes.push({ ...row, value });
    return { ...row, value };
  });
  changes.push({ table: TABLE, key: KEY, value: encode({ version: latest }) });
  return { rows: upgraded, changes };
}

/**
 * Brings one value of a table, kept outside of a store, to this engine's version.
 *
 * @throws {EngineError} `unsupported` for a value of a later version
 */
export function upgradeValue(
  table: string,
  value: Record<string, unknown>,
  version: number,
  place: string,
): Record<string, unknown> {
  requireKnown(version, place, STORE_VERSION);
  return stepsOf(table, version, STORE_STEPS).reduce((value, step) => step(value), value);
}

/**
 * Reads a row's value.
 *
 * @throws {EngineError} `corrupt` for a text that does not parse: passed over, it would make recovery clear away its container
 */
export function readRow(row: Row, place: string): unknown {
  try {
    return decode(row.value);
  } catch {
    // The parser's message quotes the text, which may be a secret.
    throw brokenRow(row, place, "does not parse");
  }
}

function readRecord(row: Row, place: string): Record<string, unknown> {
  const value = readRow(row, place);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw brokenRow(row, place, "is no record");
  // A table that has steps holds objects, as JSON has them.
  return value as Record<string, unknown>;
}

function brokenRow({ table, key }: Row, place: string, why: string): EngineError {
  const hint = "restore a copy of the store, or delete that row";
  return new EngineError("corrupt", `Open ${place}: the row "${key}" of "${table}" ${why}: ${hint}`);
}

function stepsOf(table: string, version: number, steps: Steps): Step[] {
  return steps.slice(version - 1).flatMap((step) => Object.hasOwn(step, table) ? [step[table]] : []);
}

function versionOf(row: Row, place: string): number {
  const { version } = readRecord(row, place);
  if (Number.isSafeInteger(version) && Number(version) >= 1) return Number(version);
  throw new EngineError("corrupt", `Open ${place}: its version is no number: restore a copy of the store`);
}

function requireKnown(version: number, place: string, latest: number): void {
  if (Number.isSafeInteger(version) && version >= 1 && version <= latest) return;
  const detail = `its records are of version ${version}, this Gantry knows up to ${latest}`;
  throw new EngineError("unsupported", `Open ${place}: ${detail}: use the Gantry that wrote them, or a later one`);
}
