import { declaredErrors } from "../../plan/declared_errors.ts";
import { type ChannelMarker, type MARKER, markerIs, streamMarkerOf } from "../../plan/marker.ts";
import type { ResultPlan } from "../../plan/plan_types.ts";
import type { Schema } from "../../plan/schema.ts";
import { Components } from "../components.ts";
import { type Definitions, describeAll, type Described, isOptional, listOf } from "../described.ts";
import { moduleNames } from "./module_names.ts";
import { commentText, schemaType, typeName } from "../schema_types.ts";
import { propertyName } from "../property_name.ts";

const HEAD = `/** Bytes to be sent. */
export type Bytes = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string> | Blob | Uint8Array | string;

/** Values as they come; \`close\`, or leaving the loop, lets the server know. */
export interface Channel<T> extends AsyncIterableIterator<T, undefined> {
  close(): void;
}

/** The options of one call, after its arguments. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Milliseconds until the call is given up. */
  timeout?: number;
  headers?: HeadersInit;
  /** Opens a channel as a WebSocket. In a browser no header goes with it but a credential. */
  websocket?: boolean;
  /** Opens a channel as server-sent events, and connects again where it left when the connection breaks. */
  events?: boolean;
}

/** How a client reaches the API. */
export interface ConnectOptions {
  /** Sent with every request. */
  headers?: HeadersInit;
  fetch?: (request: Request) => Promise<Response>;
}

/** An answer that is a failure. */
export class APIError<Status extends number = number, Body = unknown> extends Error {
  constructor(status: Status, message: string, body: Body, declared: boolean);
  readonly status: Status;
  readonly body: Body;
  /** Whether its operation declares it, so that the body is of the declared type. */
  readonly declared: boolean;
}

/** The promise of a call, with the type of the errors that its operation declares. */
export interface Answer<Value, Failures extends APIError = never> extends Promise<Value> {
  /** It is there for the type only. */
  readonly failures?: Failures;
}

/** The outcome of a call: \`status\` tells the errors that its operation declares apart, and is undefined for any other. */
export type Outcome<Value, Failures extends APIError = never> =
  | { readonly ok: true; readonly status?: undefined; readonly value: Value; readonly error?: undefined }
  | (Failures extends APIError
    ? { readonly ok: false; readonly status: Failures["status"]; readonly error: Failures; readonly value?: undefined }
    : never)
  | { readonly ok: false; readonly status: undefined; readonly error: Error; readonly value?: undefined };

/** Waits for a call, and returns what came of it instead of throwing. That of a channel is known once it is open. */
export function outcomeOf<Value, Failures extends APIError = never>(
  call: Answer<Value, Failures> | Promise<Value>,
): Promise<Outcome<Value, Failures>>;

/** A client of the API elsewhere, or with headers. */
export function connect(base: string, options?: ConnectOptions): Client;
declare const client: Client;
export default client;
`;

/**
 * Generates the types of a {@linkcode clientModule}: the text of its `.d.ts`.
 *
 * @example
 * ```ts
 * import { api, int64, rest } from "../../mod.ts";
 * import { clientTypes } from "../../surfaces.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * console.assert(clientTypes(calculator).includes("Add(a: bigint, b: bigint, options?: CallOptions): Promise<bigint>"));
 * ```
 */
export function clientTypes(definitions: Definitions): string {
  const all = describeAll(listOf(definitions));
  const components = new Components();
  const root: Members = new Map();
  for (const described of all) {
    const about = described.plan.description ?? described.plan.tag;
    memberAt(root, described.id.split(".")).call = {
      about: commentText(about),
      signature: signature(described, components),
    };
  }
  const types = Object.entries(components.schemas).map(([name, json]) =>
    `export type ${typeName(name)} = ${schemaType(json)};`
  );
  const exported = moduleNames(all.map(({ id }) => id));
  return [
    HEAD,
    `/** The operations. */\nexport interface Client ${membersText(root, "")}\n`,
    // A type may have an operation's name too, and be exported beside it; these two are values that the text above names.
    ...exported.map(({ local, as, declarable }) =>
      declarable && as !== "client" && as !== "Error"
        ? `export declare const ${as}: Client[${JSON.stringify(as)}];`
        : `declare const ${local}: Client[${JSON.stringify(as)}];\nexport { ${local} as ${as} };`
    ),
    "export {};",
    ...types,
    "",
  ].join("\n");
}

/** The meaning of a name: an operation, a namespace, or both. */
interface Member {
  call?: { readonly about: string; readonly signature: string };
  readonly members: Members;
}

type Members = Map<string, Member>;

function memberAt(members: Members, [name, ...inner]: readonly string[]): Member {
  const found = members.get(name) ?? { members: new Map() };
  members.set(name, found);
  return inner.length === 0 ? found : memberAt(found.members, inner);
}

function membersText(members: Members, indent: string, own?: Member["call"]): string {
  const inner = `${indent}  `;
  const lines = [...members].map(([name, { call, members }]) => {
    const key = propertyName(name);
    const comment = call === undefined ? "" : `${inner}/** ${call.about} */\n`;
    const type = members.size === 0 ? call?.signature : `: ${membersText(members, inner, call)}`;
    return `${comment}${inner}${key}${type};`;
  });
  return `{\n${[...own ? [`${inner}${own.signature};`] : [], ...lines].join("\n")}\n${indent}}`;
}

function signature(described: Described, components: Components): string {
  const { plan, argumentNames } = described;
  const schemas = plan.arguments.map((argument) => argument.schema);
  // Only those at the end can be left out.
  const lastNeeded = schemas.findLastIndex((schema) => !isOptional(schema));
  const parameters = schemas.map((schema, index) => {
    const name = argumentNames[index].replaceAll(/[^A-Za-z0-9_$]/g, "_").replace(/^(?=\d)/, "_");
    const { item } = markerIs<ChannelMarker<Schema> & { readonly [MARKER]: "chan" }>(schema, "chan") ?? {};
    const type = streamMarkerOf(schema)
      // The module writes forms with FormData, which takes whole files.
      ? plan.body?.shape === "fields" ? "Blob" : "Bytes"
      : item
      ? `AsyncIterable<${schemaType(components.lift(item, `${described.id}Item`))}>`
      : schemaType(components.lift(schema, argumentTypeName(described, index)));
    const optional = index > lastNeeded;
    return `${name}${optional ? "?" : ""}: ${type}${!optional && isOptional(schema) ? " | undefined" : ""}`;
  });
  const result = resultType(described, components);
  const failures = failureTypes(described, components);
  const answer = failures.length === 0 ? `Promise<${result}>` : `Answer<${result}, ${failures.join(" | ")}>`;
  return `(${[...parameters, "options?: CallOptions"].join(", ")}): ${answer}`;
}

/** The types of the errors that an operation declares. One without a schema has a body of the API's own making. */
function failureTypes({ plan, id }: Described, components: Components): string[] {
  return [...declaredErrors(plan).values()].map(({ status, name, schema }) => {
    const body = schema ? schemaType(components.lift(schema, name ?? `${id}Error${status}`)) : "unknown";
    return `APIError<${status}, ${body}>`;
  });
}

/** Returns the name of a struct that has none: as in the OpenAPI document where it is there too. */
function argumentTypeName({ plan, id }: Described, index: number): string {
  if (plan.spreads.some((spread) => spread.argument === index)) return `${id}Query`;
  if (plan.body?.shape === "value" && plan.body.arguments.includes(index)) return `${id}Request`;
  return `${id}Argument${index + 1}`;
}

/** Whether the module gives a result as its text: that of a type it cannot read, such as XML. */
function isGivenAsText({ shape, contentType, kind }: ResultPlan): boolean {
  const isRead = /json|^multipart\/form-data|^application\/x-www-form-urlencoded/.test(contentType);
  return shape === "value" && !isRead && /^(?:struct|map|list|choice)$/.test(kind.type);
}

function resultType({ plan: { result }, id }: Described, components: Components): string {
  const types = result.schemas.map((schema, index) => {
    if (isGivenAsText(result)) return "string";
    const type = valueType(schema, components, index === 0 ? `${id}Result` : `${id}Result${index + 1}`);
    return isOptional(schema) && type !== "unknown" ? `${type} | undefined` : type;
  });
  if (result.fallible) {
    if (types.length === 0) return "Error | undefined";
    return `[${types.map((type) => `${type} | undefined`).join(", ")}, Error | undefined]`;
  }
  if (types.length === 0) return "void";
  return types.length === 1 ? types[0] : `[${types.join(", ")}]`;
}

function valueType(schema: Schema, components: Components, name: string): string {
  if (streamMarkerOf(schema)) return "ReadableStream<Uint8Array>";
  const channel = markerIs<ChannelMarker<Schema> & { readonly [MARKER]: "chan" }>(schema, "chan");
  if (channel !== undefined) return `Channel<${schemaType(components.lift(channel.item, `${name}Item`))}>`;
  return schemaType(components.lift(schema, name));
}
