import { isObject } from "../surfaces/components.ts";

/**
 * Returns the members of a union with its constants as one of them: zod tells members apart by one literal of several values, and not by
 * a union of literals. Null stays on its own.
 */
export function mergeConstants(choices: readonly unknown[]): unknown[] {
  const constants = choices.map(constantsOf);
  if (constants.filter((values) => values.length > 0).length < 2) return [...choices];
  const at = constants.findIndex((values) => values.length > 0);
  const merged = { enum: [...new Set(constants.flat())] };
  return choices.flatMap((one, i) => i === at ? [merged] : constants[i].length > 0 ? [] : [one]);
}

/** The values of a schema that takes these alone; none of another, or of one that takes null or a structure. */
function constantsOf(json: unknown): unknown[] {
  if (!isObject(json) || json.nullable === true) return [];
  const values = "const" in json ? [json.const] : Array.isArray(json.enum) ? json.enum : [];
  return values.every((value) => /^(?:string|number|boolean)$/.test(typeof value)) ? values : [];
}

/** The name of a component that a reference leads to. */
export function componentOf(reference: string): string {
  const last = reference.slice(reference.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(last).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return last;
  }
}

/** The field by which a union's members are told apart, and the values that stand for each. */
export interface Discriminator {
  readonly field: string;
  /** The values that a union maps to a component; none where the document leaves it to the component's name. */
  valuesOf(component: string): string[];
}

/**
 * Reads a discriminator (OpenAPI 3.1, section 4.8.25); undefined where there is no mapping. Names of components are no values here, though
 * they are meant to be: servers spell them otherwise.
 */
export function readDiscriminator(json: unknown): Discriminator | undefined {
  if (!isObject(json) || typeof json.propertyName !== "string" || !isObject(json.mapping)) return undefined;
  const found = new Map<string, string[]>();
  for (const [value, reference] of Object.entries(json.mapping)) {
    if (typeof reference !== "string") continue;
    const component = componentOf(reference);
    const values = found.get(component);
    if (values === undefined) found.set(component, [value]);
    else values.push(value);
  }
  return { field: json.propertyName, valuesOf: (component) => found.get(component) ?? [] };
}
