import { argumentPlaces } from "../headers/places.ts";
import type { Kind } from "../plan/kind.ts";
import type { Target } from "../plan/plan_types.ts";
import { type Components, isObject } from "./components.ts";
import { type Described, isOptional } from "./described.ts";
import type { JSONSchema, ParameterObject } from "./openapi_types.ts";

/**
 * The parameters of an operation: path, query, headers.
 *
 * @param pathNames What the path calls its values, in order
 */
export function parametersOf(
  described: Described,
  components: Components,
  pathNames: readonly string[],
): ParameterObject[] {
  const { plan } = described;
  const reader = new Arguments(described, components);
  const path = plan.parameters.map((parameter, index): ParameterObject => {
    const { json } = reader.at(parameter);
    return {
      name: pathNames[index],
      in: "path",
      required: true,
      ...describedBy(json, parameter.remainder ? "May hold slashes, which are sent as they are." : undefined),
      schema: json,
      ...(parameter.remainder && { "x-gantry-remainder": true as const }),
    };
  });
  const query = new Map<string, ParameterObject>();
  for (const [name, value] of plan.constants) {
    query.set(name, { name, in: "query", required: true, schema: { type: "string", const: value } });
  }
  for (const parameter of plan.query) {
    if (!parameter.followed) query.set(parameter.name, queryParameter(parameter.name, parameter, reader));
  }
  for (const { argument, value } of plan.spreads) {
    if (value === undefined) continue;
    const name = described.argumentNames[argument];
    query.set(name, { name, in: "query", ...mapSchema(reader.whole(argument)) });
  }
  for (const name of plan.present) {
    const known = query.get(name);
    query.set(name, { ...known ?? { name, in: "query", schema: { type: "string" } }, required: true });
  }
  const headers = argumentPlaces(plan).map(({ type, name, index }): ParameterObject => {
    const { json, required } = reader.at({ argument: index, path: [], kind: plan.arguments[index].kind });
    return { name, in: type, ...(required && { required }), ...describedBy(json, undefined), schema: json };
  });
  return [...path, ...query.values(), ...headers];
}

function mapSchema(json: JSONSchema): Pick<ParameterObject, "schema" | "description"> {
  return { description: "Any names: each entry is a query parameter of its own.", schema: json };
}

function queryParameter(name: string, target: Target, reader: Arguments): ParameterObject {
  const { json, required } = reader.at(target);
  const { kind } = target;
  const base: ParameterObject = { name, in: "query", ...(required && { required }), ...describedBy(json, undefined) };
  if (isCompound(kind)) return { ...base, content: { "application/json": { schema: json } } };
  if (kind.type !== "list" || !isCompound(kind.item)) return { ...base, schema: json };
  const items = { type: "string", contentMediaType: "application/json", contentSchema: json.items ?? {} };
  return { ...base, schema: { type: "array", items } };
}

function isCompound(kind: Kind): boolean {
  return kind.type === "struct" || kind.type === "map" || kind.type === "list" && isCompound(kind.item);
}

function describedBy(json: JSONSchema, more: string | undefined): { description?: string } {
  const own = typeof json.description === "string" ? json.description : undefined;
  const text = [own, more].filter((part) => part !== undefined).join(" ");
  return text === "" ? {} : { description: text };
}

/** The arguments of an operation as schemas, and what stands within them. */
class Arguments {
  readonly #described: Described;
  readonly #components: Components;
  readonly #read = new Map<number, JSONSchema>();

  constructor(described: Described, components: Components) {
    this.#described = described;
    this.#components = components;
  }

  whole(index: number): JSONSchema {
    const known = this.#read.get(index);
    if (known !== undefined) return known;
    const { plan, id } = this.#described;
    const json = this.#components.inline(plan.arguments[index].schema, `${id}Argument${index + 1}`);
    this.#read.set(index, json);
    return json;
  }

  /** The schema of what a target names, and whether it must be there. */
  at({ argument, path }: Target): { json: JSONSchema; required: boolean } {
    let json = this.whole(argument);
    let required = !isOptional(this.#described.plan.arguments[argument].schema);
    // A field of a struct can be required even when an empty struct would be refused: that is why.
    if (path.length > 0) required = true;
    for (const key of path) {
      const holder = this.#components.resolve(json);
      const property = isObject(holder.properties) ? holder.properties[key] : undefined;
      required &&= Array.isArray(holder.required) && holder.required.includes(key);
      json = isObject(property) ? property : this.#inParts(holder, key);
    }
    return { json, required };
  }

  /** The schema of a field in a union or an intersection. */
  #inParts(holder: JSONSchema, key: string): JSONSchema {
    const parts = [holder.allOf, holder.anyOf, holder.oneOf].flatMap((list) => Array.isArray(list) ? list : []);
    for (const part of parts.filter(isObject).map((part) => this.#components.resolve(part))) {
      if (isObject(part.properties) && isObject(part.properties[key])) return part.properties[key];
    }
    return {};
  }
}
