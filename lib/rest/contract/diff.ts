/**
 * Compares two versions of an API, and tells which changes break callers.
 *
 * @example
 * ```ts
 * import { api, int64, rest } from "../mod.ts";
 * import { diff } from "./diff.ts";
 *
 * const before = api("x", { Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]), Ping: rest("GET /ping") });
 * const after = api("x", { Add: rest("GET /sum?a=%v&b=%v&c=%v", [int64, int64, int64], [int64]) });
 * const broken = diff(before, after).filter(({ breaking }) => breaking);
 * console.assert(broken.map(({ text }) => text).join("; ") === 'GET /sum: query "c" is required now; GET /ping: removed');
 * ```
 * @module
 */
import type { Definition } from "../definition.ts";
import { openapi } from "../surfaces/openapi.ts";
import type {
  JSONSchema,
  MediaTypeObject,
  OpenAPIDocument,
  OperationObject,
  ParameterObject,
  ResponseObject,
} from "../surfaces/openapi_types.ts";
import { listLosses } from "./diff_api.ts";
import { compareHeaders } from "./diff_headers.ts";
import { listMisfits, type Within } from "./misfits.ts";
import { lostVersion } from "./version_losses.ts";

/**
 * One change.
 *
 * @example
 * ```ts
 * import type { Change } from "./diff.ts";
 * const gone: Change = { breaking: true, operation: "GET /ping", text: "GET /ping: removed" };
 * ```
 */
export interface Change {
  /** Whether a caller of the old version can fail with the new one. */
  readonly breaking: boolean;
  /** Method and path, of the old version where it has them; `API` for a change of all operations. */
  readonly operation: string;
  /** The change in words, with the operation in front. */
  readonly text: string;
}

/**
 * A version of an API: its definition, or the document that describes it.
 *
 * @example
 * ```ts
 * import type { Version } from "./diff.ts";
 * import { openapi } from "../surfaces.ts";
 * import { api, rest } from "../mod.ts";
 * const version: Version = openapi(api("x", { Ping: rest("GET /ping") }));
 * ```
 */
export type Version = Definition | OpenAPIDocument;

/**
 * Lists the changes from one version of an API to another. A request that the old version took must fit the new one, and a result
 * of the new one must fit the old. Names of path parameters and of functions are free to change.
 *
 * @example
 * ```ts
 * import { api, rest } from "../mod.ts";
 * import { diff } from "./diff.ts";
 * const Ping = rest("GET /ping");
 * const [change] = diff(api("x", { Ping }), api("x", {}));
 * console.assert(change.breaking && change.text === "GET /ping: removed");
 * ```
 */
export function diff(before: Version, after: Version): Change[] {
  const [old, now] = [before, after].map(documentOf);
  const [had, has] = [old, now].map(operationsOf);
  const changes: Change[] = listLosses(old, now).map((text) => ({
    breaking: true,
    operation: "API",
    text: `API: ${text}`,
  }));
  for (const [key, { name, operation }] of had) {
    const found = has.get(key);
    const tell = (breaking: boolean, text: string) =>
      void changes.push({ breaking, operation: name, text: `${name}: ${text}` });
    if (found === undefined) tell(true, "removed");
    else compareOperations(new Side(old, operation), new Side(now, found.operation), tell);
  }
  for (const [key, { name }] of has) {
    if (!had.has(key)) changes.push({ breaking: false, operation: name, text: `${name}: added` });
  }
  return changes;
}

type Tell = (breaking: boolean, text: string) => void;

function documentOf(version: Version): OpenAPIDocument {
  return "openapi" in version ? version : openapi(version);
}

/** Operations by method and path, without the names of path parameters. */
function operationsOf({ paths }: OpenAPIDocument): Map<string, { name: string; operation: OperationObject }> {
  const found = new Map<string, { name: string; operation: OperationObject }>();
  for (const [path, item] of Object.entries(paths ?? {})) {
    for (const [method, operation] of Object.entries(item)) {
      if (!/^(?:get|put|post|delete|options|head|patch|trace)$/.test(method)) continue;
      const name = `${method.toUpperCase()} ${path}`;
      found.set(name.replaceAll(/\{[^}]*\}/g, "{}"), { name, operation });
    }
  }
  return found;
}

/** An operation in its document. */
class Side {
  readonly operation: OperationObject;
  readonly #document: OpenAPIDocument;

  constructor(document: OpenAPIDocument, operation: OperationObject) {
    this.#document = document;
    this.operation = operation;
  }

  within(json: unknown): Within {
    return { json, schemas: this.#document.components?.schemas ?? {} };
  }

  /** Query parameters by name, and those of the path by their order. */
  parameters(): Map<string, ParameterObject> {
    let index = 0;
    return new Map((this.operation.parameters ?? []).map((one) => [
      one.in === "path" ? `path parameter ${++index}` : `${one.in} "${one.name}"`,
      one,
    ]));
  }

  /** Responses by status: those of success, or those of errors. */
  responses(statuses: RegExp): Map<string, ResponseObject> {
    const all = Object.entries(this.operation.responses ?? {}).filter(([status]) => statuses.test(status));
    return new Map(all.map(([status, { $ref, ...response }]) => [status, this.#resolve($ref) ?? response]));
  }

  #resolve(ref: string | undefined): ResponseObject | undefined {
    return ref && this.#document.components?.responses?.[ref.slice(ref.lastIndexOf("/") + 1)] || undefined;
  }
}

function compareOperations(old: Side, now: Side, tell: Tell): void {
  compareVersions(old, now, tell);
  compareParameters(old, now, tell);
  const [asked, asks] = [old.operation.requestBody, now.operation.requestBody];
  if (asks?.required && !asked?.required) {
    tell(true, asked === undefined ? "a body is required now" : "the body is required now");
  }
  if (asked !== undefined && asks === undefined) tell(true, "the body is not read any more");
  if (asked !== undefined && asks !== undefined) {
    compareContent(
      asked.content,
      asks.content,
      "the body",
      tell,
      (a, b) => listMisfits(old.within(a), now.within(b), false),
    );
  }
  compareLimits(old, now, tell);
  compareErrors(old, now, tell);
  const [had, has] = [old.responses(SUCCESS), now.responses(SUCCESS)];
  for (const [status, response] of had) {
    const found = has.get(status);
    if (found === undefined) tell(true, `status ${status} is not answered any more`);
    else {
      compareContent(
        response.content ?? {},
        found.content ?? {},
        `the result of ${status}`,
        tell,
        (a, b) => listMisfits(now.within(b), old.within(a), true),
      );
      compareHeaders(
        response,
        found,
        status,
        tell,
        (a, b) => listMisfits(now.within(b), old.within(a), true),
      );
    }
  }
  for (const status of has.keys()) {
    if (!had.has(status)) tell(had.size === 0, `status ${status} is answered now`);
  }
}

const SUCCESS = /^[23]/;

/** Compares the versions in the path that the operation takes. */
function compareVersions(old: Side, now: Side, tell: Tell): void {
  const [had, has] = [old, now].map(({ operation }) => operation["x-gantry-versions"]);
  if (had === has) return;
  const lost = lostVersion(had, has);
  const change = `of versions it takes ${has === undefined ? "all" : `"${has}"`}, not ${
    had === undefined ? "all" : `"${had}"`
  }`;
  tell(lost !== undefined, lost === undefined ? change : `${change}: ${lost} is lost`);
}

/** Compares the largest bodies, where both documents tell them. */
function compareLimits(old: Side, now: Side, tell: Tell): void {
  const [had, has] = [old, now].map(({ operation }) => operation["x-gantry-limit"]);
  // Null is no limit.
  if (had === undefined || has === undefined || has === null || had !== null && had <= has) return;
  tell(true, `the largest body has ${has} bytes, not ${had ?? "any number of them"}`);
}

/** Compares the bodies of errors that both versions tell of: a caller reads them. */
function compareErrors(old: Side, now: Side, tell: Tell): void {
  const has = now.responses(/^[45]/);
  for (const [status, { content: before = {} }] of old.responses(/^[45]/)) {
    const after = has.get(status)?.content;
    if (!after) continue;
    compareContent(
      before,
      after,
      `the error ${status}`,
      tell,
      (a, b) => listMisfits(now.within(b), old.within(a), true),
    );
  }
}

function compareParameters(old: Side, now: Side, tell: Tell): void {
  const [had, has] = [old.parameters(), now.parameters()];
  for (const [name, parameter] of had) {
    const found = has.get(name);
    if (found === undefined) {
      tell(true, `${name} is not read any more`);
      continue;
    }
    if (found.required && !parameter.required) tell(true, `${name} is required now`);
    if (parameter["x-gantry-remainder"] && !found["x-gantry-remainder"]) {
      tell(true, `${name} may not hold slashes any more`);
    }
    const [from, to] = [schemaOf(parameter), schemaOf(found)];
    for (const reason of listMisfits(old.within(from), now.within(to), false)) {
      tell(true, `${name}: what callers send ${reason}`);
    }
  }
  for (const [name, { required }] of has) {
    if (!had.has(name)) tell(required === true, required ? `${name} is required now` : `${name} is read now`);
  }
}

/** Compares bodies by content type; `check` lists why those of one type do not fit. */
function compareContent(
  old: Readonly<Record<string, MediaTypeObject>>,
  now: Readonly<Record<string, MediaTypeObject>>,
  what: string,
  tell: Tell,
  check: (old: JSONSchema, now: JSONSchema) => string[],
): void {
  for (const [type, { schema = {} }] of Object.entries(old)) {
    const found = now[type];
    if (found === undefined) tell(true, `${what} is not ${type} any more`);
    else for (const reason of check(schema, found.schema ?? {})) tell(true, `${what}: ${reason}`);
  }
  for (const type of Object.keys(now)) {
    if (!(type in old)) tell(false, `${what} may be ${type} now`);
  }
}

function schemaOf({ schema, content = {} }: ParameterObject): JSONSchema {
  return schema ?? Object.values(content)[0]?.schema ?? {};
}
