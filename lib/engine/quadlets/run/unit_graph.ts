/**
 * The order in which units start and stop, as pure functions.
 *
 * @module
 */
import { EngineError } from "../../errors.ts";
import type { QuadletSpec } from "../spec/quadlet_spec.ts";

/** The part of a unit that order depends on. */
export type UnitNode = Pick<QuadletSpec, "unit" | "plan">;

/** Finds a unit by its name. */
export type FindUnit = (unit: string) => UnitNode | undefined;

/** A unit that is to start, with those that must have started before. */
export interface StartStep {
  unit: string;
  /** Units of the same start that come first. */
  after: string[];
  /** The units among these without which it does not start. */
  required: string[];
}

/**
 * Returns what a start needs, the unit itself included, each after those that it starts after.
 *
 * @throws `EngineError("invalid")` for a required service that is not there, and for units that wait for each other
 */
export function planStart(unit: string, find: FindUnit): StartStep[] {
  const nodes = new Map<string, UnitNode>();
  const add = (name: string, isRequired: boolean, by: string) => {
    if (nodes.has(name)) return;
    const node = find(name);
    if (node === undefined) {
      // Targets, sockets and mounts are systemd's; a service that is not there is a mistake.
      if (isRequired && name.endsWith(".service")) {
        throw new EngineError("invalid", `Start ${unit}: ${by} requires ${name}, which is not there`);
      }
      return;
    }
    nodes.set(name, node);
    for (const other of [...node.plan.requires, ...node.plan.bindsTo]) add(other, true, name);
    for (const other of node.plan.wants) add(other, false, name);
  };
  add(unit, true, unit);
  const before = new Map([...nodes].map(([name, { plan }]) => {
    return [name, new Set(plan.after.filter((other) => nodes.has(other) && other !== name))];
  }));
  for (const [name, { plan }] of nodes) {
    for (const other of plan.before) if (other !== name) before.get(other)?.add(name);
  }
  return sortNames([...nodes.keys()], before).map((name) => {
    const after = [...before.get(name) ?? []];
    const { requires = [], bindsTo = [] } = nodes.get(name)?.plan ?? {};
    const hard = [...requires, ...bindsTo];
    return { unit: name, after, required: after.filter((one) => hard.includes(one)) };
  });
}

/** Returns the units that stop with a unit, those that started after others first, the unit itself last. */
export function planStop(unit: string, units: readonly UnitNode[]): string[] {
  const stopped = new Map<string, UnitNode | undefined>([[unit, units.find((node) => node.unit === unit)]]);
  for (let known = 0; known < stopped.size;) {
    known = stopped.size;
    for (const node of units) {
      const { requires, bindsTo, partOf } = node.plan;
      if ([...requires, ...bindsTo, ...partOf].some((name) => stopped.has(name))) stopped.set(node.unit, node);
    }
  }
  const before = new Map([...stopped].map(([name, node]) => {
    return [name, new Set(node?.plan.after.filter((other) => stopped.has(other) && other !== name))];
  }));
  for (const [name, node] of stopped) {
    for (const other of node?.plan.before ?? []) if (other !== name) before.get(other)?.add(name);
  }
  const order = sortNames([...stopped.keys()], before).reverse();
  return [...order.filter((name) => name !== unit), unit];
}

function sortNames(names: readonly string[], before: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const sorted: string[] = [];
  const path: string[] = [];
  const visit = (name: string) => {
    if (sorted.includes(name)) return;
    const at = path.indexOf(name);
    if (at >= 0) {
      const circle = [...path.slice(at), name].join(", ");
      throw new EngineError("invalid", `Order units: each of these waits for the next one: ${circle}`);
    }
    path.push(name);
    for (const other of before.get(name) ?? []) visit(other);
    path.pop();
    sorted.push(name);
  };
  for (const name of names) visit(name);
  return sorted;
}
