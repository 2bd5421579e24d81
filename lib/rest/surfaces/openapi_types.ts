import type { StreamView } from "../plan/stream_view.ts";

/**
 * A JSON Schema of draft 2020-12.
 *
 * @example
 * ```ts
 * import type { JSONSchema } from "../surfaces.ts";
 * const word: JSONSchema = { type: "string", minLength: 1 };
 * ```
 */
export type JSONSchema = Record<string, unknown>;

/**
 * A way to authenticate, as OpenAPI words it (OpenAPI 3.1, Security Scheme Object).
 *
 * @example
 * ```ts
 * import type { SecurityScheme } from "../surfaces.ts";
 * const scheme: SecurityScheme = { type: "http", scheme: "bearer" };
 * ```
 */
export type SecurityScheme = Readonly<Record<string, unknown>>;

/**
 * A value in path, query, header or cookie (Parameter Object).
 *
 * @example
 * ```ts
 * import type { ParameterObject } from "../surfaces.ts";
 * const limit: ParameterObject = { name: "limit", in: "query", schema: { type: "integer" } };
 * ```
 */
export interface ParameterObject {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  required?: boolean;
  description?: string;
  schema?: JSONSchema;
  example?: unknown;
  /** Instead of a schema, where the value is JSON. */
  content?: Record<string, MediaTypeObject>;
  /** The value may hold slashes, which are sent as they are. */
  "x-gantry-remainder"?: true;
}

/**
 * A body in one content type (Media Type Object).
 *
 * @example
 * ```ts
 * import type { MediaTypeObject } from "../surfaces.ts";
 * const words: MediaTypeObject = { schema: { type: "array", items: { type: "string" } }, example: ["a"] };
 * ```
 */
export interface MediaTypeObject {
  schema?: JSONSchema;
  example?: unknown;
  /** Values follow each other; the schema is that of one. */
  "x-gantry-channel"?: true;
}

/**
 * A request's body (Request Body Object).
 *
 * @example
 * ```ts
 * import type { RequestBodyObject } from "../surfaces.ts";
 * const body: RequestBodyObject = { required: true, content: { "text/plain": { schema: { type: "string" } } } };
 * ```
 */
export interface RequestBodyObject {
  description?: string;
  required?: boolean;
  content: Record<string, MediaTypeObject>;
}

/**
 * A header of a reply (Header Object).
 *
 * @example
 * ```ts
 * import type { HeaderObject } from "../surfaces.ts";
 * const total: HeaderObject = { required: true, schema: { type: "integer" } };
 * ```
 */
export interface HeaderObject {
  required?: boolean;
  description?: string;
  schema?: JSONSchema;
  /** The names of the cookies that `Set-Cookie` sets. */
  "x-gantry-cookies"?: string[];
}

/**
 * A reply (Response Object), or where it is described.
 *
 * @example
 * ```ts
 * import type { ResponseObject } from "../surfaces.ts";
 * const response: ResponseObject = { description: "Done; there is no body." };
 * ```
 */
export interface ResponseObject {
  description?: string;
  headers?: Record<string, HeaderObject>;
  content?: Record<string, MediaTypeObject>;
  $ref?: string;
}

/**
 * An operation (Operation Object).
 *
 * @example
 * ```ts
 * import { openapi, type OperationObject } from "../surfaces.ts";
 * import { api, rest } from "../mod.ts";
 * const ping: OperationObject = openapi(api("x", { Ping: rest("GET /ping") })).paths["/ping"].get;
 * console.assert(ping.operationId === "Ping" && "204" in ping.responses);
 * ```
 */
export interface OperationObject {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: ParameterObject[];
  requestBody?: RequestBodyObject;
  responses: Record<string, ResponseObject>;
  "x-gantry-tag"?: string;
  "x-gantry-versions"?: string;
  /** The largest body in bytes; null where none is too large. */
  "x-gantry-limit"?: number | null;
  /** How a page shows its stream; the operation that is told the size is named by its ID. */
  "x-gantry-view"?: StreamView;
}

/**
 * An OpenAPI document (OpenAPI 3.1.1, OpenAPI Object).
 *
 * @example
 * ```ts
 * import { openapi, type OpenAPIDocument } from "../surfaces.ts";
 * import { api, rest } from "../mod.ts";
 * const document: OpenAPIDocument = openapi(api("x", { Ping: rest("GET /ping") }));
 * console.assert(document.openapi === "3.1.1");
 * ```
 */
export interface OpenAPIDocument {
  openapi: "3.1.1";
  info: { title: string; version: string; description?: string };
  servers: { url: string; description?: string }[];
  tags?: { name: string; description?: string }[];
  /** Path Item Objects: operations by method in lower case. */
  paths: Record<string, Record<string, OperationObject>>;
  components: {
    schemas: Record<string, JSONSchema>;
    responses: Record<string, ResponseObject>;
    securitySchemes?: Record<string, SecurityScheme>;
  };
  security?: Record<string, string[]>[];
  /** The spellings of requests that servers take beside those of the document: those of the options of its APIs. */
  "x-gantry-options"?: {
    versioned?: true;
    aliases?: Record<string, string[]>;
    query?: { ignoreCase?: true; emptyIsAbsent?: true };
  };
}
