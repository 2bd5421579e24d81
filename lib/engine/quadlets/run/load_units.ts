import { EngineError } from "../../errors.ts";
import type { QuadletShelf } from "../../ports/quadlet_port.ts";
import { dropInsOf } from "../convert/convert_quadlets.ts";
import { kindOf, readQuadlet } from "../quadlet_kinds.ts";
import { type QuadletSpec, quadletSpec, type QuadletSpecOptions } from "../spec/quadlet_spec.ts";
import type { QuadletFile } from "../unit_file.ts";

/** The units of the quadlets that are installed. */
export interface LoadedUnits {
  /** By their names; of a template its default instance alone. */
  units: Map<string, QuadletSpec>;
  /** The quadlets of which no unit can be: why, by the names of their files. */
  errors: Map<string, EngineError>;
  /** Finds a unit by its name, or by its file's; also an instance of a template. */
  find(name: string): QuadletSpec | undefined;
}

/** Reads all quadlets of a shelf, with their drop-ins. One that is wrong keeps no other from being read. */
export async function loadUnits(
  shelf: QuadletShelf,
  limit: number,
  options: QuadletSpecOptions = {},
): Promise<LoadedUnits> {
  const units = new Map<string, QuadletSpec>();
  const errors = new Map<string, EngineError>();
  const files: QuadletFile[] = [];
  const decoder = new TextDecoder();
  const dropIns = await readDropIns(shelf, limit);
  for (const name of (await shelf.list()).filter((name) => kindOf(name) !== undefined)) {
    await keepError(name, async () => {
      const content = await shelf.read(name, limit);
      if (content === undefined) return;
      const file = { name, text: decoder.decode(content) };
      // Parsed alone first: the conversion of another one reads all of them.
      readQuadlet(file, dropInsOf(name, dropIns));
      files.push(file);
    });
  }
  for (const file of files) {
    await keepError(file.name, () => {
      const spec = quadletSpec(file, [...files, ...dropIns], options);
      units.set(spec.unit, spec);
    });
  }
  return { units, errors, find };

  async function keepError(name: string, work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      errors.set(name, error);
    }
  }

  function find(name: string): QuadletSpec | undefined {
    const known = units.get(name) ?? [...units.values()].find(({ file }) => file === name);
    return known ?? findInstance(name);
  }

  /** An instance by `web@blue.service` or `web@blue.container`. */
  function findInstance(name: string): QuadletSpec | undefined {
    const [, prefix, instance, end] = /^([^@]+)@([^@]+)\.(\w+)$/.exec(name) ?? [];
    if (prefix === undefined) return undefined;
    const file = files.find((one) => {
      return end === "service" ? isTemplateOf(one.name, prefix) : one.name === `${prefix}@.${end}`;
    });
    return file && quadletSpec(file, [...files, ...dropIns], { ...options, instance });
  }
}

/** Reads the drop-ins of a shelf, none of them larger than `limit` bytes. */
export async function readDropIns(shelf: QuadletShelf, limit: number): Promise<QuadletFile[]> {
  const decoder = new TextDecoder();
  return (await shelf.dropIns(limit)).map(({ name, content }) => ({ name, text: decoder.decode(content) }));
}

function isTemplateOf(file: string, prefix: string): boolean {
  const [, base, end] = /^([^@]+)@\.(\w+)$/.exec(file) ?? [];
  return base !== undefined && `${base}${kindOf(`x.${end}`)?.suffix ?? ""}` === prefix;
}
