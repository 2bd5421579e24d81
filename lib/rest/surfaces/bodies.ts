import { codecsOf } from "../codecs/codec.ts";
import type { ResultPlan } from "../plan/plan_types.ts";
import type { Schema } from "../plan/schema.ts";
import { type Components, isObject } from "./components.ts";
import { resultPlaces } from "../headers/places.ts";
import { type Described, isOptional } from "./described.ts";
import { type FieldWords, withFieldWords, withText } from "./field_words.ts";
import type { HeaderObject, JSONSchema, MediaTypeObject, RequestBodyObject, ResponseObject } from "./openapi_types.ts";

/** No form is deeper. */
const MAX_DEPTH = 4;

/** The body of an operation's requests, in every content type the server reads, with the words about its fields. */
export function requestBody(
  described: Described,
  components: Components,
  field?: FieldWords,
): RequestBodyObject | undefined {
  const { plan: { body, arguments: all, asTagged }, definition, id } = described;
  if (body === undefined) return undefined;
  const schemas = body.arguments.map((index) => all[index].schema);
  const required = !schemas.every(isOptional);
  if (body.item) {
    const schema = components.lift(body.item, `${id}Item`, (json) => withFieldWords(json, field));
    const description = "Values as they come, each a line of JSON.";
    return { description, required: true, content: { [body.contentType]: { schema, "x-gantry-channel": true } } };
  }
  if (body.shape === "stream") return { required: false, content: { [body.contentType]: {} } };
  const schema = body.shape === "value"
    ? withoutPlaced(
      described,
      components,
      components.lift(schemas[0], `${id}Request`, (json) => withFieldWords(json, field)),
    )
    : combine(body.shape, schemas, body.names, components, `${id}Request`, field);
  // JSON has no way to say a file.
  const others = asTagged || hasFile(schema, components) ? [] : codecsOf(definition.options.codecs)
    .filter((codec) => codec.carries(body.kind)).map((codec) => codec.type);
  const types = new Set([body.contentType, ...others]);
  return { required, content: Object.fromEntries([...types].map((type) => [type, { schema }])) };
}

/** Whether a file is anywhere in a schema, or in what it names. */
function hasFile(json: unknown, components: Components, depth = 0): boolean {
  if (!isObject(json) || depth > MAX_DEPTH) return false;
  if (json.format === "binary") return true;
  const { items, properties, anyOf } = components.resolve(json);
  const parts = [
    items,
    ...Object.values(isObject(properties) ? properties : {}),
    ...(Array.isArray(anyOf) ? anyOf : []),
  ];
  return parts.some((part) => hasFile(part, components, depth + 1));
}

/** Takes out of a struct what the path or the query says of it. */
function withoutPlaced({ plan, id }: Described, components: Components, json: JSONSchema): JSONSchema {
  const index = plan.body?.arguments[0];
  const placed = [...plan.parameters, ...plan.query]
    .filter((target) => target.argument === index && target.path.length === 1).map((target) => target.path[0]);
  const whole = components.resolve(json);
  if (placed.length === 0 || !isObject(whole.properties)) return json;
  const left = Object.entries(whole.properties).filter(([name]) => !placed.includes(name));
  const required = Array.isArray(whole.required) ? whole.required.filter((name) => !placed.includes(name)) : [];
  const { required: _, ...rest } = whole;
  const made = { ...rest, properties: Object.fromEntries(left), ...(required.length > 0 && { required }) };
  return components.put(made, `${id}Body`);
}

function combine(
  shape: "fields" | "list",
  schemas: readonly Schema[],
  names: readonly string[],
  components: Components,
  name: string,
  field?: FieldWords,
): JSONSchema {
  if (shape === "list") {
    const tell = (json: JSONSchema) => withFieldWords(json, field);
    const prefixItems = schemas.map((schema, index) => components.lift(schema, `${name}${index + 1}`, tell));
    return { type: "array", prefixItems, minItems: schemas.length, maxItems: schemas.length };
  }
  const properties = Object.fromEntries(
    schemas.map((schema, index) => {
      const tell = (json: JSONSchema) => withFieldWords(json, field, names[index]);
      const json = components.lift(schema, `${name}_${names[index]}`, tell);
      return [names[index], withText(json, field?.(names[index]))];
    }),
  );
  const required = names.filter((_, index) => !isOptional(schemas[index]));
  return components.put({ type: "object", properties, ...(required.length > 0 && { required }) }, name);
}

/** The replies of an operation that succeeds, by status, with the headers of its results. */
export function successes(described: Described, components: Components): Record<string, ResponseObject> {
  const headers = headersOf(described, components);
  const found = repliesOf(described, components);
  if (Object.keys(headers).length === 0) return found;
  return Object.fromEntries(Object.entries(found).map(([status, response]) => [status, { ...response, headers }]));
}

function headersOf({ plan, id }: Described, components: Components): Record<string, HeaderObject> {
  const headers: Record<string, HeaderObject> = {};
  for (const { type, name, index } of resultPlaces(plan)) {
    const schema = plan.results[index];
    if (type === "cookie") {
      const { description, "x-gantry-cookies": names = [] } = headers["Set-Cookie"] ?? {};
      headers["Set-Cookie"] = {
        description: description ? `${description}, "${name}"` : `Sets cookies: "${name}"`,
        schema: { type: "string" },
        "x-gantry-cookies": [...names, name],
      };
    } else {
      const json = components.inline(schema, `${id}${name}`);
      headers[name] = { ...(!isOptional(schema) && { required: true }), schema: json };
    }
  }
  return headers;
}

const CONSOLE =
  "For `Upgrade: websocket`: bytes both ways in binary messages. An empty one ends those of the client; " +
  "closed with 1000 at the end.";

function repliesOf(described: Described, components: Components): Record<string, ResponseObject> {
  const { plan: { result, status } } = described;
  if (result.shape === "none") {
    return { [status]: { description: "Done; there is no body." }, ...upgradeReply(described.plan) };
  }
  if (described.plan.options.view?.as === "console") return { 101: { description: CONSOLE } };
  if (result.shape === "stream") {
    return { [status]: { description: "A stream of bytes.", content: { [result.contentType]: {} } } };
  }
  if (result.shape === "channel") return channel(described, components);
  const schema = resultSchema(described, components);
  const content = Object.fromEntries(resultTypes(described).map((type) => [type, { schema }]));
  const found = { [status]: { description: "The result.", content }, ...upgradeReply(described.plan) };
  const nothing = result.shape === "value" && status === 200 && isOptional(result.schemas[0]);
  return nothing ? { ...found, 204: { description: "There is nothing to tell." } } : found;
}

function resultSchema({ plan: { result }, id }: Described, components: Components): JSONSchema {
  const { shape, schemas, names } = result as ResultPlan & { shape: "value" | "fields" | "list" };
  if (shape === "value") return components.lift(schemas[0], `${id}Result`);
  return combine(shape, schemas, names, components, `${id}Result`);
}

function resultTypes({ plan: { result, asTagged }, definition }: Described): string[] {
  const { contentType, tagged, kind } = result;
  const codecs = codecsOf(definition.options.codecs);
  const json = codecs.some((codec) => codec.type === "application/json" && codec.carries(kind));
  return !tagged && !asTagged && json ? [...new Set([contentType, "application/json"])] : [contentType];
}

function channel({ plan, id }: Described, components: Components): Record<string, ResponseObject> {
  const { result: { item, contentType }, status } = plan;
  const schema = item === undefined ? {} : components.lift(item, `${id}Item`);
  const lines: MediaTypeObject = { schema, "x-gantry-channel": true };
  return {
    [status]: {
      description: "Values as they come, each a line of JSON, or a server-sent event for who asks for these. " +
        "An event `end` closes them, an event `error` tells of a failure.",
      content: {
        [contentType]: lines,
        "text/event-stream": {
          schema: { type: "string", contentMediaType: "application/json", contentSchema: schema },
        },
      },
    },
    ...upgradeReply(plan),
  };
}

/** The answer to a request that asks for a WebSocket: one with a channel as argument is opened by a GET of the same path. */
function upgradeReply({ method, body, result }: Described["plan"]): Record<string, ResponseObject> {
  if (body?.item) {
    const protocol = method === "POST" ? "gantry.duplex" : `gantry.duplex.${method.toLowerCase()}`;
    const back = result.shape === "channel" ? "values both ways" : "values, and the answer as the last message";
    return {
      101: { description: `For a GET with \`Upgrade: websocket\` and the subprotocol \`${protocol}\`: ${back}.` },
    };
  }
  if (method !== "GET" || result.shape !== "channel") return {};
  const description = "For `Upgrade: websocket`: each value is a text message of JSON; closed with 1000 at the end.";
  return { 101: { description } };
}
