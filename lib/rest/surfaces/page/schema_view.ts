import { isObject, isStruct } from "../components.ts";
import type { JSONSchema } from "../openapi_types.ts";
import { type Content, html, prose } from "./html.ts";
import { mergeParts, referredName, resolveSchema, type Schemas, type Variant, variantsOf } from "./variants.ts";

/** No type that is meant to be read in a line is deeper. */
const MAX_DEPTH = 6;

/** The short form of a schema: a type expression, with links to the types it names. */
export function typeView(json: unknown, depth = 0): Content {
  if (!isObject(json) || depth > MAX_DEPTH) return "anything";
  const inner = (part: unknown) => typeView(part, depth + 1);
  const name = referredName(json);
  if (name !== undefined) return html`<a href="#type-${name}">${name}</a>`;
  if ("const" in json) return literal(json.const);
  if (Array.isArray(json.enum)) return join(json.enum.map(literal), " | ");
  for (const list of [json.anyOf, json.oneOf]) if (Array.isArray(list)) return join(list.map(inner), " | ");
  if (Array.isArray(json.allOf)) return join(json.allOf.map(inner), " & ");
  if (Array.isArray(json.type)) return join(json.type.map((type) => inner({ ...json, type })), " | ");
  if (json.type === "array") {
    if (Array.isArray(json.prefixItems)) return html`[${join(json.prefixItems.map(inner), ", ")}]`;
    return html`list of ${inner(json.items)}`;
  }
  if (json.type === "object" || isObject(json.properties)) {
    if (isStruct(json)) return outlineOf(json);
    return isObject(json.additionalProperties) ? html`map of ${inner(json.additionalProperties)}` : "object";
  }
  if (json.format === "binary") return "file";
  const note = json.format ?? json.contentEncoding ?? json.contentMediaType;
  if (typeof json.type !== "string") return "anything";
  return typeof note === "string" ? html`${json.type} <small>${note}</small>` : json.type;
}

/** Describes the other limits of a schema in words. */
export function limitsView(json: unknown): Content {
  if (!isObject(json)) return undefined;
  const notes = [
    json.minimum !== undefined && `at least ${json.minimum}`,
    json.exclusiveMinimum !== undefined && `more than ${json.exclusiveMinimum}`,
    json.maximum !== undefined && `at most ${json.maximum}`,
    json.exclusiveMaximum !== undefined && `less than ${json.exclusiveMaximum}`,
    json.minLength !== undefined && `${json.minLength} ${json.minLength === 1 ? "character" : "characters"} or more`,
    json.maxLength !== undefined && `${json.maxLength} characters at most`,
    // The pattern of a format says again, at length, what its name says.
    typeof json.pattern === "string" && json.format === undefined && `matches ${json.pattern}`,
    json.default !== undefined && `default ${JSON.stringify(json.default)}`,
  ].filter((note) => note !== false);
  return notes.length > 0 && html`<span class="limits">${notes.join(", ")}</span>`;
}

/** More fields than these are left out of an outline. */
const OUTLINED = 5;

/** Names the fields of a struct that has no name of its own, with the constants that tell it from others. */
function outlineOf({ properties, required }: JSONSchema): Content {
  const needed = Array.isArray(required) ? required : [];
  const fields = Object.entries(properties as JSONSchema);
  const shown = fields.slice(0, OUTLINED).map(([name, property]): Content => {
    if (isObject(property) && property.const !== undefined) return html`${name}: ${literal(property.const)}`;
    return `${name}${needed.includes(name) ? "" : "?"}`;
  });
  return html`{ ${join(shown, ", ")}${fields.length > OUTLINED && ", …"} }`;
}

/** The long form of a schema: the fields of a struct or of each struct of a union, those of structs within it behind a fold. */
export function schemaView(schema: JSONSchema, schemas: Schemas, depth = 0): Content {
  const json = mergeParts(schema, schemas);
  const variants = variantsOf(json, schemas);
  if (variants !== undefined) return variantsView(variants, schemas, depth);
  if (!isStruct(json) || !isObject(json.properties)) {
    return html`<p class="type">${typeView(json)} ${limitsView(json)}</p>`;
  }
  const required = Array.isArray(json.required) ? json.required : [];
  return html`<dl class="fields">${
    Object.entries(json.properties).map(([name, property]) => {
      const inner = structWithin(property, schemas);
      return html`
        <div>
          <dt><code>${name}</code>${required.includes(name) &&
            html`<span class="required" title="Always there">*</span>`}</dt>
          <dd><span class="type">${typeView(property)}</span> ${limitsView(property)}${isObject(property) &&
            typeof property.description === "string" && prose(property.description)}${inner !== undefined &&
            depth < MAX_DEPTH &&
            html`<details><summary>Fields</summary>${schemaView(inner, schemas, depth + 1)}</details>`}</dd>
        </div>
      `;
    })
  }</dl>`;
}

/** A fold for each struct of a union. Its other possibilities are in one line. */
function variantsView(variants: readonly Variant[], schemas: Schemas, depth: number): Content {
  const field = variants[0].tag?.[0];
  return html`
    <p class="type">one of ${variants.length}${field !== undefined && html`, told apart by <code>${field}</code>`}</p>
    <ul class="variants">${variants.map(({ json, name, tag }) => {
      const mark = tag !== undefined && html`
        <code>${tag[0]}: ${literal(tag[1])}</code>
      `;
      // Types by name are unfolded once: further within, a type may hold itself.
      if (!isStruct(json) || depth >= MAX_DEPTH || depth > 0 && name !== undefined) {
        const type = name === undefined ? typeView(json) : html`<a href="#type-${name}">${name}</a>`;
        return html`<li class="type">${mark}${type} ${limitsView(json)}</li>`;
      }
      const about = typeof json.description === "string" && prose(json.description);
      const fields = schemaView(json, schemas, depth + 1);
      return html`
        <li>
          <details><summary>${mark}${name ?? (tag === undefined && typeView(json))}</summary>${about}${fields}</details>
        </li>
      `;
    })}</ul>
  `;
}

/** Returns the struct or union that a property holds in its place, and not by name: a name is a link to its fields. */
function structWithin(property: unknown, schemas: Schemas): JSONSchema | undefined {
  if (!isObject(property)) return undefined;
  if (isStruct(property)) return property;
  const isUnion = variantsOf(property, schemas)?.some(({ name }) => name === undefined) ?? false;
  if (isUnion || isStruct(mergeParts(property, schemas))) return property;
  return structWithin(property.items, schemas) ?? structWithin(property.additionalProperties, schemas);
}

/** Returns the struct or union that a schema names, or a list of which it is. */
export function structOf(schema: unknown, schemas: Schemas): JSONSchema | undefined {
  if (!isObject(schema)) return undefined;
  const json = mergeParts(resolveSchema(schema, schemas), schemas);
  if (isStruct(json) || variantsOf(json, schemas) !== undefined) return json;
  return structOf(json.items, schemas);
}

function literal(value: unknown): Content {
  return html`<span class="literal">${JSON.stringify(value)}</span>`;
}

function join(parts: readonly Content[], separator: string): Content {
  return parts.map((part, index) => index === 0 ? part : [separator, part]);
}
