import { HTTPError } from "./error.ts";
import { readJSON } from "./json.ts";
import { isRecord } from "./record.ts";
import type { Kind } from "./kind.ts";
import type { Plan, QuerySpread, Target } from "./plan_types.ts";
import { QueryValues } from "./query_values.ts";
import { describeKind, readScalar } from "./scalar_text.ts";
import { describeIssues } from "./schema.ts";

/** How a query is read; see `APIOptions.query`. */
export interface QueryOptions {
  readonly ignoreCase?: boolean;
  readonly emptyIsAbsent?: boolean;
}

/**
 * Puts what query and path say into `values`, one for each argument, after what the body said: the path wins over all.
 *
 * @throws {HTTPError} 400 naming the argument
 */
export function readPlaced(
  plan: Plan,
  captures: readonly string[],
  query: string,
  options: QueryOptions,
  values: unknown[],
): void {
  if (plan.query.length > 0 || plan.spreads.length > 0) readQuery(plan, query, options, values);
  for (let i = 0; i < plan.parameters.length; i++) {
    const parameter = plan.parameters[i];
    place(values, parameter, readText(decodePath(captures[i], parameter.name), parameter.kind, parameter.name));
  }
}

function decodePath(text: string, name: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HTTPError(400, `Read "${name}": the percent-encoding is malformed`, { kind: "argument" });
  }
}

function readQuery(plan: Plan, query: string, options: QueryOptions, values: unknown[]): void {
  const given = new QueryValues(query, options);
  for (const spread of plan.spreads) {
    if (spread.fields === undefined) {
      values[spread.argument] = readMap(plan, spread, given);
      continue;
    }
    const struct: Record<string, unknown> = {};
    for (const field of spread.fields) {
      const value = readValue(given, field.name, field.kind, options);
      if (value !== undefined) put(struct, field.path, value);
    }
    values[spread.argument] = struct;
  }
  for (const parameter of plan.query) {
    const value = readValue(given, parameter.name, parameter.kind, options);
    if (value !== undefined) place(values, parameter, value);
  }
}

function readMap(plan: Plan, spread: QuerySpread, given: QueryValues): Record<string, unknown> {
  const taken = new Set([...plan.query.map(({ name }) => name), ...plan.constants.map(([name]) => name)]);
  const kind = spread.value ?? { type: "any" };
  const entries = [...given.names()].filter((name) => !taken.has(name)).map((name) =>
    [name, readValue(given, name, kind, {})] as const
  );
  return Object.fromEntries(entries);
}

function readValue(given: QueryValues, name: string, kind: Kind, options: QueryOptions): unknown {
  switch (kind.type) {
    case "list": {
      const texts = given.list(name);
      return texts === undefined || (options.emptyIsAbsent && texts.every((text) => text === ""))
        ? undefined
        : readList(texts, kind.item, name);
    }
    case "struct": {
      const text = given.get(name)?.at(-1);
      return text === undefined || text === "" ? undefined : readJSONText(text, kind, name);
    }
    case "map": {
      const text = given.get(name)?.at(-1);
      return text === undefined || text === "" ? undefined : readJSONText(text, kind, name);
    }
    default: {
      const text = given.get(name)?.at(-1);
      return text === undefined || (text === "" && options.emptyIsAbsent) ? undefined : readText(text, kind, name);
    }
  }
}

function readList(texts: readonly string[], item: Kind, name: string): unknown[] {
  const compound = item.type === "struct" || item.type === "map" || item.type === "list";
  return texts.map((text) => compound ? readJSONText(text, item, name) : readText(text, item, name));
}

function readJSONText(text: string, kind: Kind, name: string): unknown {
  try {
    return readJSON(text, kind);
  } catch (cause) {
    throw new HTTPError(400, `Read "${name}": the value is not JSON`, { kind: "argument", cause });
  }
}

function readText(text: string, kind: Kind, name: string): unknown {
  const value = readScalar(text, kind);
  if (value !== undefined) return value;
  const shown = text.length > 64 ? `${text.slice(0, 64)}…` : text;
  throw new HTTPError(400, `Read "${name}": "${shown}" is not ${describeKind(kind)}`, { kind: "argument" });
}

/** Puts a value where its target says, making the structs on the way; a struct that came from elsewhere is copied first. */
export function place(values: unknown[], target: Target, value: unknown): void {
  const { path, argument } = target;
  const before = values[argument];
  if (path.length === 0) values[argument] = value;
  else if (before === undefined || isRecord(before)) {
    const struct = values[argument] = { ...before };
    put(struct, path, value);
  }
  // Any other body is left for the schema to refuse.
}

function put(struct: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let holder = struct;
  for (let i = 0; i < path.length - 1; i++) {
    const inner = holder[path[i]];
    const made: Record<string, unknown> = isRecord(inner) ? { ...inner } : {};
    holder = holder[path[i]] = made;
  }
  holder[path[path.length - 1]] = value;
}

/**
 * Checks the arguments against their schemas and puts what these make of them in their place. A promise only when a schema is
 * asynchronous.
 *
 * @throws {HTTPError} 400 naming the argument
 */
export function validateArguments(plan: Plan, values: unknown[]): void | Promise<void> {
  let pending: Promise<void>[] | undefined;
  for (let i = 0; i < plan.arguments.length; i++) {
    if (plan.arguments[i].kind.type === "stream") continue;
    const validated = plan.arguments[i].schema["~standard"].validate(values[i]);
    if (validated instanceof Promise) {
      (pending ??= []).push(validated.then((settled) => {
        if (settled.issues !== undefined) throw refuse(plan, i, describeIssues(settled.issues), values[i]);
        values[i] = settled.value;
      }));
    } else if (validated.issues !== undefined) throw refuse(plan, i, describeIssues(validated.issues), values[i]);
    else values[i] = validated.value;
  }
  return pending && Promise.all(pending).then(() => {});
}

function refuse(plan: Plan, index: number, issues: string, value: unknown): HTTPError {
  const inBody = plan.body?.arguments.includes(index);
  const detail = value === undefined ? `it is missing: ${issues}` : issues;
  return new HTTPError(400, `Read "${argumentName(plan, index)}": ${detail}`, { kind: inBody ? "body" : "argument" });
}

/** What an argument is called in messages: its name in path, query or body, or its number. */
export function argumentName(plan: Plan, index: number): string {
  const placed = [...plan.parameters, ...plan.query].find((one) => one.argument === index && one.path.length === 0);
  if (placed !== undefined) return placed.name;
  if (plan.spreads.some((spread) => spread.argument === index)) return "query";
  const inBody = plan.body?.arguments.indexOf(index) ?? -1;
  if (inBody < 0) return `argument ${index + 1}`;
  return plan.body?.names[inBody] ?? (plan.body?.shape === "value" ? "body" : `argument ${index + 1}`);
}
