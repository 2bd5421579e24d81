import type { Authenticator } from "../auth.ts";
import type { Definition } from "../definition.ts";
import type { Plan } from "../plan/plan_types.ts";
import { requestBody, successes } from "./bodies.ts";
import { Components } from "./components.ts";
import {
  type Definitions,
  describeAll,
  type Described,
  listOf,
  OTHER,
  ownPrefix,
  pathTemplate,
  sharedPrefix,
} from "./described.ts";
import { ErrorResponses } from "./error_responses.ts";
import type { OpenAPIDocument, OperationObject, ParameterObject, RequestBodyObject } from "./openapi_types.ts";
import { parametersOf } from "./parameters.ts";
import { uniqueName } from "../route/unique_name.ts";

/**
 * The options of a document beside its operations.
 *
 * @example
 * ```ts
 * import { type DocumentOptions, openapi } from "../surfaces.ts";
 * import { api, rest } from "../mod.ts";
 * const options: DocumentOptions = { title: "Ping", version: "2", servers: ["https://ping.example.com"] };
 * console.assert(openapi(api("x", { Ping: rest("GET /ping") }), options).info.version === "2");
 * ```
 */
export interface DocumentOptions {
  /** That of the first definition that has one, unless said. */
  title?: string;
  /** The version of the API, not of OpenAPI. */
  version?: string;
  description?: string;
  /** The URLs at which the API is served; by default `/`, the server of the document itself. */
  servers?: readonly string[];
  /** The authenticator of callers: its `scheme` is the document's statement on authentication. */
  auth?: Authenticator<unknown> | null;
  /** The words about an operation, by its name. */
  words?(id: string): OperationWords | undefined;
}

/**
 * Words about an operation that its definition does not have, because whoever imports that would load them too.
 *
 * @example
 * ```ts
 * import { api, rest } from "../mod.ts";
 * import { openapi, type OperationWords } from "../surfaces.ts";
 * const words: OperationWords = { description: "Says that the server is there." };
 * const document = openapi(api("x", { Ping: rest("GET /ping") }), { words: () => words });
 * console.assert(document.paths["/ping"].get.description === words.description);
 * ```
 * @example The words about a field of the body
 * ```ts
 * import { z } from "npm:zod@4.6.7";
 * import { api, rest } from "../mod.ts";
 * import { openapi, type OperationWords } from "../surfaces.ts";
 * const words: OperationWords = { field: (path) => path === "size.width" ? "Millimetres." : undefined };
 * const Box = z.object({ size: z.object({ width: z.int() }) });
 * const { components } = openapi(api("x", { Pack: rest("POST /boxes", [Box]) }), { words: () => words });
 * console.assert(JSON.stringify(components.schemas.PackRequest).includes("Millimetres."));
 * ```
 */
export interface OperationWords {
  /** Sentences, in Markdown; those of the definition come first. */
  description?: string;
  /** The words about a parameter of the path, the query or the headers, by its name. */
  parameter?(name: string): string | undefined;
  /**
   * The words about a field of the body, by its path: `HostConfig.Binds`. An item of a list and a value of a map have the path of the
   * list or the map.
   */
  field?(path: string): string | undefined;
  /** A body that works. */
  example?: unknown;
  /** Values of parameters that work, by name: forms begin with them. */
  values?: Readonly<Record<string, unknown>>;
}

/**
 * Describes APIs as one OpenAPI 3.1 document: every operation under its main path, with the failures that the error codec of
 * its API makes, and with all named schemas among the components.
 *
 * @example
 * ```ts
 * import { api, int64, rest } from "../mod.ts";
 * import { openapi } from "../surfaces.ts";
 * const calculator = api("calculator.example.com", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]) });
 * console.assert(openapi(calculator).paths["/sum"].get.operationId === "Add");
 * ```
 */
export function openapi(definitions: Definitions, options: DocumentOptions = {}): OpenAPIDocument {
  const list = listOf(definitions);
  const { auth = null } = options;
  const all = describeAll(list);
  const components = new Components();
  const errors = new ErrorResponses(components, auth);
  const paths = new Paths();
  const shared = sharedPrefix(list);
  for (const described of all) {
    const { path: within, pathNames } = paths.place(described);
    const path = ownPrefix(described, shared) + within;
    const operation = describeOperation(described, { components, errors, pathNames, ...options.words?.(described.id) });
    (paths.items[path] ??= {})[described.plan.method.toLowerCase()] = operation;
  }
  const named = [...new Set(all.flatMap(({ group }) => group === undefined ? [] : [group]))];
  const groups = [...named.filter((name) => name !== OTHER), ...named.filter((name) => name === OTHER)];
  const scheme = auth?.scheme;
  const spellings = spellingsOf(list);
  return {
    openapi: "3.1.1",
    info: infoOf(list, options),
    servers: (options.servers ?? [shared || "/"]).map((url) => ({ url })),
    ...(groups.length > 0 && { tags: groups.map((name) => ({ name })) }),
    paths: paths.items,
    components: {
      schemas: components.schemas,
      responses: errors.responses,
      ...(scheme !== undefined && { securitySchemes: { caller: scheme } }),
    },
    ...(scheme !== undefined && { security: [{ caller: [] }] }),
    ...(Object.keys(spellings).length > 0 && { "x-gantry-options": spellings }),
  };
}

/** The parts of a document that an operation's description is made with. */
interface Surroundings extends OperationWords {
  readonly components: Components;
  readonly errors: ErrorResponses;
  readonly pathNames: readonly string[];
}

function describeOperation(described: Described, surroundings: Surroundings): OperationObject {
  const { components, errors, pathNames, example } = surroundings;
  const { id, plan, group } = described;
  const parameters = parametersOf(described, components, pathNames).map((parameter) => {
    const { values = {} } = surroundings;
    const told = withWords(parameter, surroundings.parameter?.(parameter.name));
    return Object.hasOwn(values, parameter.name) ? { ...told, example: values[parameter.name] } : told;
  });
  const body = withExample(requestBody(described, components, surroundings.field), example);
  const description = [plan.description, surroundings.description].filter((text) => text !== undefined).join("\n\n");
  return {
    operationId: id,
    summary: summaryOf(id),
    ...(description !== "" && { description }),
    ...(group !== undefined && { tags: [group] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: body }),
    responses: { ...successes(described, components), ...errors.of(described) },
    "x-gantry-tag": plan.tag,
    ...(plan.versionsText !== undefined && { "x-gantry-versions": plan.versionsText }),
    // JSON has no infinity.
    ...(plan.body !== undefined && { "x-gantry-limit": Number.isFinite(plan.limit) ? plan.limit : null }),
    ...(plan.options.view !== undefined && { "x-gantry-view": plan.options.view }),
  };
}

function withWords(parameter: ParameterObject, text: string | undefined): ParameterObject {
  if (text === undefined) return parameter;
  const { name, in: place, required, description, ...rest } = parameter;
  const whole = [text, description].filter((part) => part !== undefined).join(" ");
  return { name, in: place, ...(required !== undefined && { required }), description: whole, ...rest };
}

/** An example is of JSON, or of bytes in the form of text. */
function withExample(body: RequestBodyObject | undefined, example: unknown): RequestBodyObject | undefined {
  if (body === undefined || example === undefined) return body;
  const content = Object.fromEntries(
    Object.entries(body.content).map(([type, media]) => [
      type,
      /json/.test(type) || media.schema === undefined ? { ...media, example } : media,
    ]),
  );
  return { ...body, content };
}

/** `ListUsers` as words: "List users". */
function summaryOf(id: string): string {
  const words = id.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2").split(
    /[ _.]+/,
  );
  return words.map((word, index) => index > 0 && !/^[A-Z0-9]+$/.test(word) ? word.toLowerCase() : word).join(" ");
}

function infoOf(definitions: readonly Definition[], options: DocumentOptions): OpenAPIDocument["info"] {
  const [first] = definitions;
  const title = options.title ??
    definitions.find((definition) => definition.options.title !== undefined)?.options.title;
  const notes = [options.description, ...spellingNotes(definitions)].filter((note) => note !== undefined);
  return {
    title: title ?? (first?.base.replace(/^[a-z]+:\/\//, "") || "API"),
    version: options.version ?? "1",
    ...(notes.length > 0 && { description: notes.join("\n\n") }),
  };
}

/** Describes the other spellings of a path: other words for its first segment, and versions in front. */
function spellingNotes(definitions: readonly Definition[]): string[] {
  const { aliases = {}, versioned } = spellingsOf(definitions);
  const notes = Object.entries(aliases).map(([word, others]) =>
    `In front of a path, ${others.map((other) => `\`/${other}\``).join(" and ")} can stand for \`/${word}\`.`
  );
  return versioned ? [...notes, "Every path may begin with a version, as in `/v1.2`."] : notes;
}

/** The spellings that any of the definitions takes. */
function spellingsOf(definitions: readonly Definition[]): NonNullable<OpenAPIDocument["x-gantry-options"]> {
  const all = definitions.map(({ options }) => options);
  const aliases = new Map<string, string[]>();
  for (const [word, others] of all.flatMap((options) => Object.entries(options.aliases ?? {}))) {
    aliases.set(word, [...new Set([...aliases.get(word) ?? [], ...others])]);
  }
  const query = {
    ...(all.some(({ query }) => query?.ignoreCase) && { ignoreCase: true as const }),
    ...(all.some(({ query }) => query?.emptyIsAbsent) && { emptyIsAbsent: true as const }),
  };
  return {
    ...(all.some(({ versioned }) => versioned) && { versioned: true as const }),
    ...(aliases.size > 0 && { aliases: Object.fromEntries(aliases) }),
    ...(Object.keys(query).length > 0 && { query }),
  };
}

/** Finds a place for each operation: a path and a method have one operation in OpenAPI, and a path one set of names. */
class Paths {
  readonly items: OpenAPIDocument["paths"] = {};
  readonly #names = new Map<string, readonly string[]>();

  place({ plan }: Described): { path: string; pathNames: readonly string[] } {
    const taken = new Set<string>();
    const own = plan.parameters.map(({ name }) => uniqueName(name, taken));
    const shape = pathTemplate(plan, own.map(() => ""));
    const pathNames = this.#names.get(shape) ?? own;
    this.#names.set(shape, pathNames);
    const path = pathTemplate(plan, pathNames);
    const method = plan.method.toLowerCase();
    const free = [path, path + distinction(plan), `${path}#${plan.name}`].find((key) =>
      !(method in (this.items[key] ?? {}))
    );
    return { path: free ?? `${path}#${plan.name}_${Object.keys(this.items).length}`, pathNames };
  }
}

/** Returns the part of the query that is always the same: it distinguishes operations of one path. */
function distinction({ constants, present }: Plan): string {
  const parts = [...constants.map(([name, value]) => `${name}=${encodeURIComponent(value)}`), ...present];
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}
