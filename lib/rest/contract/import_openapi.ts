/**
 * The definition of an API that only its OpenAPI document describes, as the text of a module.
 *
 * @example
 * ```ts
 * import { importOpenAPI } from "./import_openapi.ts";
 * const text = importOpenAPI({
 *   openapi: "3.1.0",
 *   info: { title: "Pets", version: "1" },
 *   paths: { "/pets/{id}": { get: { operationId: "Get", parameters: [{ name: "id", in: "path", schema: { type: "string" } }] } } },
 * });
 * console.assert(text.includes(`Get: rest("GET /pets/{id=%v}", [z.string()], [])`));
 * ```
 * @module
 */
import { isObject } from "../surfaces/components.ts";
import { quoteInComment } from "./quote_in_comment.ts";
import { baseOf } from "./import_base.ts";
import { type FieldText, streamedFields } from "./import_forms.ts";
import { cookiesOf, isPlaceable, rulesOf } from "./import_headers.ts";
import { apiOptions, isWhole, limitOption, versionsOption } from "./import_options.ts";
import { isQueryStyle, queryKeyOf, styleOf } from "./import_queries.ts";
import type { JSONSchema } from "../surfaces/openapi_types.ts";
import { resolveReference } from "./resolve_reference.ts";
import { asSchema, BYTES, freeName, ZodText } from "./zod_text.ts";

/**
 * The options of {@linkcode importOpenAPI}.
 *
 * @example
 * ```ts
 * import type { ImportOptions } from "./import_openapi.ts";
 * const options: ImportOptions = { base: "https://pets.example.com", rest: "@gantry/rest", zod: "zod" };
 * ```
 */
export interface ImportOptions {
  /** The address of the API; by default that of the document's first server, a path of which is on localhost. */
  readonly base?: string;
  /** The specifier of this transport in the module; `@gantry/rest` by default. */
  readonly rest?: string;
  /** The specifier of zod; `zod` by default. */
  readonly zod?: string;
}

const METHODS = ["get", "head", "post", "put", "patch", "delete", "options"];
/** Statuses of errors that the transport answers by itself. */
const OWN_ERRORS = ["400", "401", "403", "405", "406", "413", "415", "500", "501"];
/** Markers that are imported where they are used. */
const MARKERS = ["bytes", "chan", "int64", "stream", "time", "uint64"];
/** Content types of bodies, the one that is taken first in front. */
const BODIES = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain"];

/**
 * Writes `api.ts` of an OpenAPI document (3.0 or 3.1): its schemas in zod, and each operation with its tag. Arguments are the
 * path's, the required ones of the query, the body, those of headers and cookies, and the optional ones of the query. Headers that the
 * transport sets itself stand in comments.
 *
 * @throws {TypeError} if it is not such a document, or a reference in it leads nowhere or to another document
 *
 * @example
 * ```ts
 * import { importOpenAPI } from "./import_openapi.ts";
 * const document = { openapi: "3.1.0", info: { title: "Ping", version: "1" }, paths: { "/ping": { get: { operationId: "Ping" } } } };
 * console.assert(importOpenAPI(document).includes(`Ping: rest("GET /ping", [], [])`));
 * ```
 */
export function importOpenAPI(document: unknown, options: ImportOptions = {}): string {
  if (!isObject(document) || !/^3\./.test(String(document.openapi)) || !isObject(document.paths)) {
    throw new TypeError('Import the document: expected OpenAPI 3 with "paths"');
  }
  const importer = new Importer(document);
  const operations = importer.operations();
  const { declarations } = importer.zod;
  const body = [...declarations, ...operations].join("\n");
  const markers = MARKERS.filter((name) => new RegExp(`\\b(?<![.:])${name}\\b[(,\\])]`).test(operations.join("\n")));
  return [
    `import { ${["api", "rest", ...markers].sort().join(", ")} } from ${
      JSON.stringify(options.rest ?? "@gantry/rest")
    };`,
    ...(/\bz\./.test(body) ? [`import { z } from ${JSON.stringify(options.zod ?? "zod")};`] : []),
    "",
    ...declarations.flatMap((one) => [one, ""]),
    `export const definition = api(${JSON.stringify(options.base ?? baseOf(document))}, {`,
    ...operations,
    `}${apiOptions(document)});`,
    "",
  ].join("\n");
}

/** A value of a request as the tag has it. */
interface Argument {
  readonly text: string;
  readonly optional: boolean;
}

/** A body as the tag has it. */
interface BodyText {
  readonly text: string | undefined;
  /** The content type, where the tag has to say it. */
  readonly type: string | undefined;
  /** Its fields, each an argument of its own, of a form of which the last ones are streams. */
  readonly fields?: readonly FieldText[];
  /** Whether nothing is known of its JSON: the transport takes that where the rule `*` says that it is the body. */
  readonly isUntyped?: boolean;
}

class Importer {
  readonly zod: ZodText;
  readonly #document: JSONSchema;
  readonly #names = new Set<string>();

  constructor(document: JSONSchema) {
    this.#document = document;
    const components = isObject(document.components) ? document.components : {};
    this.zod = new ZodText(isObject(components.schemas) ? components.schemas : {}, (one) => this.#resolve(one));
  }

  /** The lines of all operations. */
  operations(): string[] {
    return Object.entries(this.#document.paths as JSONSchema).flatMap(([path, raw]) => {
      const item = this.#resolve(raw);
      return METHODS.filter((method) => isObject(item[method])).flatMap((method) =>
        this.#operation(method.toUpperCase(), path, item, this.#resolve(item[method]))
      );
    });
  }

  #operation(method: string, path: string, item: JSONSchema, operation: JSONSchema): string[] {
    const name = freeName(String(operation.operationId ?? `${method.toLowerCase()}${path}`), this.#names);
    const parameters = [...listOf(item.parameters), ...listOf(operation.parameters)].map((one) => this.#resolve(one));
    const content = this.#resolve(operation.requestBody);
    const body = this.#body(content);
    const [status, response] = this.#success(operation);
    const result = this.#result(response);
    const within = parameters.filter((one) => one.in === "path");
    const query = parameters.filter((one) => one.in === "query" && isQueryStyle(one, this.#resolve(one.schema)));
    const required = query.filter((one) => one.required === true);
    const optional = query.filter((one) => one.required !== true);

    const args: Argument[] = [];
    const place = (text: string): string => {
      args.push({ text, optional: false });
      return "%v";
    };
    const [rawPath, constants = ""] = path.replace(/#.*$/, "").split("?");
    const route = this.#route(rawPath, within, (one) => place(this.#single(one)));
    const keys = constants === "" ? [] : constants.split("&");
    for (const one of required) {
      keys.push(`${queryKeyOf(one, this.#resolve(one.schema))}${place(this.#scalar(parameterSchema(one)))}`);
    }
    if (body?.fields) args.push(...body.fields);
    else if (body?.text !== undefined) args.push({ text: body.text, optional: content.required !== true });
    const headed = parameters.filter((one) => isPlaceable(one));
    for (const one of headed) args.push({ text: this.#single(one), optional: one.required !== true });
    const isExplicit = body !== undefined || headed.length > 0;
    for (const one of optional) {
      args.push({ text: this.#scalar(parameterSchema(one)), optional: true });
      keys.push(`${queryKeyOf(one, this.#resolve(one.schema))}${isExplicit ? `%[${args.length}]v` : "%v"}`);
    }
    // In a tag with a body, the content type is the body's.
    const type = body === undefined ? result.type : body.type;
    const errors = this.#errors(operation);
    const results = this.#headers(response, result);
    const tag = `${method}${type === undefined ? "" : `(${type})`} ${route}${
      keys.length > 0 ? `?${keys.join("&")}` : ""
    }${
      rulesOf(headed, body?.fields?.map(({ name }) => name) ?? (body ? ["*"] : []), body?.isUntyped === true)
    }${results.rules}${errors.words}`;
    const usual = result.text === undefined ? "204" : "200";
    const settings = [
      ...(status !== usual && /^\d{3}$/.test(status) ? [`status: ${status}`] : []),
      ...(body?.text === undefined ? [] : limitOption(operation, !!body.fields || isWhole(body.text))),
      ...versionsOption(operation, this.#document),
      ...(errors.schemas.length > 0 ? [`errors: { ${errors.schemas.join(", ")} }`] : []),
      ...(typeof operation.description === "string" ? [`description: ${JSON.stringify(operation.description)}`] : []),
    ];
    // A stream or a channel that is not sent is an empty one.
    const given = args.map(({ text, optional }) => optional && !isWhole(text) ? `${asSchema(text)}.optional()` : text);
    const left = parameters.filter((one) =>
      one.in === "query"
        ? !isQueryStyle(one, this.#resolve(one.schema))
        : (one.in === "header" || one.in === "cookie") && !isPlaceable(one)
    );
    const lists = `[${given.join(", ")}], [${results.texts.join(", ")}]${
      settings.length > 0 ? `, { ${settings.join(", ")} }` : ""
    }`;
    const { operationId } = operation;
    return [
      ...(typeof operationId === "string" && operationId !== name
        ? [`  // In the document: ${quoteInComment(operationId)}.`]
        : []),
      ...left.map((one) => `  // Not in the tag: ${one.in} ${quoteInComment(one.name)}${styleOf(one)}.`),
      `  ${name}: rest(${JSON.stringify(tag)}, ${lists}),`,
    ];
  }

  /** The path with each parameter's place. A parameter that is not described is text. */
  #route(path: string, within: readonly JSONSchema[], place: (parameter: JSONSchema) => string): string {
    const taken = new Set<string>();
    return path.replaceAll(/\{([^}]+)\}|\s+|%(?![0-9a-f]{2})/gi, (text, name?: string) => {
      // In a tag blanks divide the path from its rules.
      if (name === undefined) return encodeURIComponent(text);
      const parameter = within.find((one) => one.name === name) ?? { schema: { type: "string" } };
      const star = parameter["x-gantry-remainder"] === true ? "*" : "";
      return `{${freeName(name, taken)}${star}=${place(parameter)}}`;
    });
  }

  #body(body: JSONSchema): BodyText | undefined {
    const content = isObject(body.content) ? body.content : {};
    const type = BODIES.find((one) => one in content) ?? Object.keys(content)[0];
    if (type === undefined) return undefined;
    const schema = this.#resolve(content[type]).schema;
    if (this.#resolve(content[type])["x-gantry-channel"] === true) {
      return { text: `chan(${this.#scalar(schema)})`, type: /^application\/x-ndjson$/.test(type) ? undefined : type };
    }
    if (!BODIES.includes(type)) return { text: `stream(${JSON.stringify(type)})`, type: undefined };
    const isUsual = type === "application/json" && !this.#isScalar(schema) ||
      type === "text/plain" && this.#isScalar(schema);
    this.zod.takesFiles = type === "multipart/form-data";
    const fields = this.zod.takesFiles
      ? streamedFields(this.#resolve(schema), (json) => this.#scalar(json, true))
      : undefined;
    const text = fields ? "" : this.#scalar(schema);
    this.zod.takesFiles = false;
    if (fields) return { text, type, fields };
    if (!this.zod.isUntyped(text)) return { text, type: isUsual ? undefined : type };
    if (type === "text/plain") return { text: "z.string()", type: undefined };
    if (type !== "application/json") return { text: "z.record(z.string(), z.unknown())", type };
    // Alone it would take a body that is left out.
    return { text: body.required === true ? `z.nonoptional(${text})` : text, type: undefined, isUntyped: true };
  }

  /** The response of success: the first status of 2xx, else the one for all others. */
  #success(operation: JSONSchema): [status: string, response: JSONSchema] {
    const responses = isObject(operation.responses) ? operation.responses : {};
    const status = Object.keys(responses).find((one) => /^2/.test(one)) ?? "default";
    return [status, this.#resolve(responses[status])];
  }

  /**
   * The errors that are described: the tag's words for those without a body of their own, and schemas for those with one. Of problem details
   * and of what the transport answers by itself there is nothing to declare.
   */
  #errors(operation: JSONSchema): { words: string; schemas: string[] } {
    const words: string[] = [];
    const schemas: string[] = [];
    for (const [status, raw] of Object.entries(isObject(operation.responses) ? operation.responses : {})) {
      if (!/^[45]\d\d$/.test(status)) continue;
      const { content } = this.#resolve(raw);
      const json = isObject(content) ? Object.keys(content).find((one) => /^application\/json\b/.test(one)) : undefined;
      if (json !== undefined) {
        schemas.push(`${status}: ${asSchema(this.zod.write(this.#resolve((content as JSONSchema)[json]).schema))}`);
      } else if (!OWN_ERRORS.includes(status)) words.push(` !${status}`);
    }
    return { words: words.join(""), schemas };
  }

  /** The results with those in headers, and their rules. */
  #headers(response: JSONSchema, { text, isUntyped = false }: BodyText): { texts: string[]; rules: string } {
    const body = text === undefined ? [] : [text];
    const headers = Object.entries(isObject(response.headers) ? response.headers : {})
      .map(([name, raw]) => ({ ...this.#resolve(raw), name, in: "header" }))
      // A channel has none.
      .filter((one) => isPlaceable(one) && !text?.startsWith("chan("));
    const cookies = text?.startsWith("chan(") ? [] : cookiesOf(response.headers);
    if (headers.length + cookies.length === 0) return { texts: body, rules: isUntyped ? " *" : "" };
    const texts = headers.map((one: JSONSchema) => {
      const schema = this.#single(one);
      return one.required === true ? schema : `${asSchema(schema)}.optional()`;
    });
    const cookieRules = cookies.map((name) => `Set-Cookie:${name}`);
    const rules = [...body.map(() => "*"), ...headers.map(({ name }) => `${name}:`), ...cookieRules];
    // A document says their names alone, and a reply need not set each.
    return { texts: [...body, ...texts, ...cookies.map(() => "z.string().optional()")], rules: ` ${rules.join(",")}` };
  }

  #result(response: JSONSchema): BodyText {
    const content = isObject(response.content) ? response.content : {};
    const json = Object.keys(content).find((one) => /^application\/json\b/.test(one));
    const lines = Object.keys(content).find((one) => /ndjson|jsonl|event-stream/.test(one));
    const type = json ?? lines ?? ("text/plain" in content ? "text/plain" : Object.keys(content)[0]);
    if (type === undefined) return { text: undefined, type: undefined };
    const { schema } = this.#resolve(content[type]);
    if (type === json) {
      // A scalar alone is text unless the tag says otherwise.
      const isJSON = this.#isScalar(schema) && !("text/plain" in content);
      const text = this.#scalar(schema);
      return { text, type: isJSON ? "application/json" : undefined, isUntyped: this.zod.isUntyped(text) };
    }
    if (type === lines) return { text: `chan(${this.#scalar(schema)})`, type: undefined };
    if (type === "text/plain") return { text: this.#single({ schema }), type: undefined };
    return { text: `stream(${JSON.stringify(type)})`, type: undefined };
  }

  /** A whole argument or result: a marker where there is one, since bigint and dates alone need it. */
  #scalar(schema: unknown, inForm = false): string {
    const json = isObject(schema) ? schema : {};
    if (json.format === "binary" && !inForm) return "stream()";
    const text = this.zod.write(schema);
    if (text === BYTES) return "bytes";
    if (text === "z.bigint()") return json.format === "uint64" ? "uint64" : "int64";
    return text === "z.date()" ? "time" : text;
  }

  /** A value that stands alone in a path, a header or text, where one of no known type is text. */
  #single(parameter: JSONSchema): string {
    const text = this.#scalar(parameterSchema(parameter));
    return this.zod.isUntyped(text) ? "z.string()" : text;
  }

  #isScalar(schema: unknown): boolean {
    const json = this.#resolve(schema);
    return /^(?:string|number|integer|boolean)$/.test(String(json.type)) || Array.isArray(json.enum) || "const" in json;
  }

  #resolve(part: unknown): JSONSchema {
    return resolveReference(part, this.#document);
  }
}

function parameterSchema({ schema, content }: JSONSchema): unknown {
  const first = isObject(content) ? Object.values(content)[0] : undefined;
  return schema ?? (isObject(first) ? first.schema : undefined) ?? { type: "string" };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
