import type { Authenticator } from "../auth.ts";
import { type EncodedError, type ErrorCodec, HTTPError, type HTTPErrorKind } from "../error.ts";
import { type DeclaredError, declaredErrors } from "../plan/declared_errors.ts";
import type { Schema } from "../plan/schema.ts";
import { problem } from "../problem.ts";
import { type Components, isObject } from "./components.ts";
import type { Described } from "./described.ts";
import type { JSONSchema, ResponseObject } from "./openapi_types.ts";

interface Failure {
  readonly status: number;
  readonly description: string;
  readonly error: Error;
}

const REASONS: Record<string, string> = {
  "400": "An argument or the body is missing or wrong.",
  "401": "The caller is not known.",
  "403": "The caller may not do this.",
  "404": "There is no such thing.",
  "406": "None of the accepted content types can be written.",
  "413": "The body is too large.",
  "415": "The content type of the body, or its content coding, is not one that is read.",
  "500": "Something went wrong within.",
};

function failure(status: number, message: string, kind?: HTTPErrorKind): Failure {
  const error = status === 500 ? new Error(message) : new HTTPError(status, message, { kind });
  return { status, description: REASONS[status], error };
}

/** Returns the failures of an operation before or after its function runs. */
function failuresOf({ plan }: Described, auth: Authenticator<unknown> | null): Failure[] {
  const { body, result, asTagged, method } = plan;
  const bodied = body !== undefined && (body.shape !== "stream" || body.item !== undefined);
  const isRead = method === "GET" || method === "HEAD";
  const negotiated = isRead && ["value", "fields", "list"].includes(result.shape) && !asTagged;
  return [
    ...(plan.arguments.length > 0 ? [failure(400, 'Read "name": it is missing', "argument")] : []),
    ...(auth === null ? [] : [failure(401, "Authenticate: the caller is not known", "auth")]),
    ...(auth?.authorize === undefined ? [] : [failure(403, "Authorize: the caller may not do this", "auth")]),
    ...(negotiated ? [failure(406, "Answer: the client accepts none of the types there are", "accept")] : []),
    ...(body !== undefined && plan.limit !== Infinity
      ? [failure(413, `Read the body: it is larger than ${plan.limit} bytes`, "limit")]
      : []),
    ...(bodied && !asTagged
      ? [failure(415, `Read the body: "text/x" is not one of ${body.contentType}`, "media")]
      : []),
    failure(500, "Internal error"),
  ];
}

/** Describes failures as the error codec of an API writes them: by asking it. */
export class ErrorResponses {
  readonly responses: Record<string, ResponseObject> = {};
  readonly #components: Components;
  readonly #auth: Authenticator<unknown> | null;
  readonly #schemas = new Map<ErrorCodec, JSONSchema | undefined>();
  readonly #names = new Map<string, string>();

  constructor(components: Components, auth: Authenticator<unknown> | null) {
    this.#components = components;
    this.#auth = auth;
  }

  /** The failures of an operation, by status. */
  of(described: Described): Record<string, ResponseObject> {
    const codec = described.definition.options.errors ?? problem;
    const found: Record<string, ResponseObject> = {};
    const declared = declaredErrors(described.plan);
    for (const one of declared.values()) if (one.schema) found[one.status] = this.#declared(described, one, one.schema);
    for (const { status, description, error } of failuresOf(described, this.#auth)) {
      const encoded = encode(codec, error, status, described.plan.name);
      if (encoded.status < 400) continue;
      found[encoded.status] ??= this.#shared(String(encoded.status), {
        description: REASONS[encoded.status] ?? description,
        ...this.#content(codec, encoded.body),
      });
    }
    for (const { status, schema } of declared.values()) {
      if (schema || found[status]) continue;
      const { body } = encode(codec, new HTTPError(status, `Call "${described.plan.name}": as declared`), status);
      const description = REASONS[status] ?? `Status ${status}.`;
      found[status] = this.#shared(String(status), { description, ...this.#content(codec, body, false) });
    }
    const other = encode(codec, new HTTPError(404, `Call "${described.plan.name}": there is no such thing`), 404);
    found.default = this.#shared("Other", {
      description: "Any other failure.",
      ...this.#content(codec, other.body, false),
    });
    return found;
  }

  /** An error with a body of its own: no other is told, though the transport may answer the same status by itself. */
  #declared({ id }: Described, { status, name }: DeclaredError, schema: Schema): ResponseObject {
    const json = this.#components.lift(schema, name ?? `${id}Error${status}`);
    const { description } = this.#components.resolve(json);
    return {
      description: typeof description === "string" ? description : REASONS[status] ?? name ?? `Status ${status}.`,
      content: { "application/json": { schema: json } },
    };
  }

  #content(codec: ErrorCodec, body: unknown, shown = true): Pick<ResponseObject, "content"> {
    if (body === null || body === undefined) return {};
    if (typeof body === "string") return { content: { "text/plain": { schema: { type: "string" } } } };
    return { content: { [codec.type]: { schema: this.#schema(codec), ...(shown && { example: body }) } } };
  }

  /** The schema of a codec's bodies, read off some of them. */
  #schema(codec: ErrorCodec): JSONSchema {
    const known = this.#schemas.get(codec);
    if (known !== undefined) return known;
    const samples = [400, 401, 404, 405, 409, 500].map((status) => {
      const error = status === 500 ? new Error("Internal error") : new HTTPError(status, "Explain: because");
      return encode(codec, error, status).body;
    });
    const schema = this.#components.put(infer(samples.filter(isObject)), "Error");
    this.#schemas.set(codec, schema);
    return schema;
  }

  /** Puts a reply among the components, where equal ones are shared. */
  #shared(name: string, response: ResponseObject): ResponseObject {
    const text = JSON.stringify(response);
    const known = this.#names.get(text);
    if (known !== undefined) return { $ref: `#/components/responses/${known}` };
    let free = `Error${name}`;
    for (let n = 2; free in this.responses; n++) free = `Error${name}_${n}`;
    this.#names.set(text, free);
    this.responses[free] = response;
    return { $ref: `#/components/responses/${free}` };
  }
}

function encode(codec: ErrorCodec, error: Error, status: number, name?: string): EncodedError {
  const context = { status, request: new Request("http://localhost/"), name };
  try {
    return codec.encode(error, context);
  } catch {
    return problem.encode(error, context);
  }
}

function infer(samples: readonly JSONSchema[]): JSONSchema {
  if (samples.length === 0) return {};
  // JSON leaves undefined out.
  const names = new Set(
    samples.flatMap((sample) => Object.keys(sample).filter((name) => sample[name] !== undefined)),
  );
  const properties: Record<string, JSONSchema> = {};
  for (const name of names) {
    const types = new Set(samples.filter((sample) => sample[name] !== undefined).map((sample) => typeOf(sample[name])));
    properties[name] = types.size === 1 ? { type: [...types][0] } : { type: [...types] };
  }
  const required = [...names].filter((name) => samples.every((sample) => sample[name] !== undefined));
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" ? Number.isInteger(value) ? "integer" : "number" : typeof value;
}
