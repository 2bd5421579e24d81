import { isObject, isStruct } from "../components.ts";
import type { JSONSchema } from "../openapi_types.ts";
import { type Content, html, prose } from "./html.ts";

/** No type that is meant to be read in a line is deeper. */
const MAX_DEPTH = 6;

/** The short form of a schema: a type expression, with links to the types it names. */
export function typeView(json: unknown, depth = 0): Content {
  if (!isObject(json) || depth > MAX_DEPTH) return "anything";
  const inner = (part: unknown) => typeView(part, depth + 1);
  if (typeof json.$ref === "string") {
    const name = json.$ref.slice(json.$ref.lastIndexOf("/") + 1);
    return html`<a href="#type-${name}">${name}</a>`;
  }
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
    if (isStruct(json)) return "object";
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
    json.minLength !== undefined && `${json.minLength} characters or more`,
    json.maxLength !== undefined && `${json.maxLength} characters at most`,
    typeof json.pattern === "string" && `matches ${json.pattern}`,
    json.default !== undefined && `default ${JSON.stringify(json.default)}`,
  ].filter((note) => note !== false);
  return notes.length > 0 && html`<span class="limits">${notes.join(", ")}</span>`;
}

/** The long form of a schema: the fields of a struct, those of structs within it behind a fold. */
export function schemaView(json: JSONSchema, depth = 0): Content {
  if (!isStruct(json) || !isObject(json.properties)) {
    return html`<p class="type">${typeView(json)} ${limitsView(json)}</p>`;
  }
  const required = Array.isArray(json.required) ? json.required : [];
  return html`<dl class="fields">${
    Object.entries(json.properties).map(([name, property]) => {
      const inner = structWithin(property);
      return html`
        <div>
          <dt><code>${name}</code>${required.includes(name) &&
            html`<span class="required" title="Always there">*</span>`}</dt>
          <dd><span class="type">${typeView(property)}</span> ${limitsView(property)}${isObject(property) &&
            typeof property.description === "string" && prose(property.description)}${inner !== undefined &&
            depth < MAX_DEPTH &&
            html`<details><summary>Fields</summary>${schemaView(inner, depth + 1)}</details>`}</dd>
        </div>
      `;
    })
  }</dl>`;
}

function structWithin(property: unknown): JSONSchema | undefined {
  if (!isObject(property)) return undefined;
  if (isStruct(property)) return property;
  return structWithin(property.items) ?? structWithin(property.additionalProperties);
}

function literal(value: unknown): Content {
  return html`<span class="literal">${JSON.stringify(value)}</span>`;
}

function join(parts: readonly Content[], separator: string): Content {
  return parts.map((part, index) => index === 0 ? part : [separator, part]);
}
