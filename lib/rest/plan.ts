import { planBody, planResult } from "./plan_body.ts";
import { findDuplicates } from "./duplicates.ts";
import type { APIOptions, Operation, Operations } from "./definition.ts";
import { isScalar, type Kind, kindOf } from "./kind.ts";
import type { ArgumentPlan, PathParameter, Plan, QueryParameter, QuerySpread, Segment, Target } from "./plan_types.ts";
import { encodePathText } from "./path_text.ts";
import { parseTag, type Source, type Tag, type TagSegment } from "./tag.ts";
import { parseVersions } from "./version.ts";

/** Everything that is wrong with a definition. */
export class DefinitionError extends TypeError {
  /** One text per problem: function, tag and column are in it. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.length === 1 ? problems[0] : `${problems.length} problems:\n${problems.join("\n")}`);
    this.name = "DefinitionError";
    this.problems = problems;
  }
}

/** The largest body where nothing else is said, in bytes. */
const DEFAULT_LIMIT = 4 * 1024 * 1024;

/**
 * Makes the plans of all operations.
 *
 * @throws {DefinitionError} listing everything that is wrong
 */
export function planAll(operations: Operations, options: APIOptions): readonly Plan[] {
  const problems: string[] = [];
  const plans: Plan[] = [];
  for (const [name, operation] of Object.entries(operations)) {
    // Only `rest` makes these; its schemas are left out of the type for inference's sake.
    const plan = new Planner(name, operation as Operation, options, problems).plan();
    if (plan !== undefined) plans.push(plan);
  }
  problems.push(...findDuplicates(plans));
  if (problems.length > 0) throw new DefinitionError(problems);
  return plans;
}

/** What the parts of a plan are made with: the operation, and where to say what is wrong. */
export interface Planning {
  readonly name: string;
  readonly operation: Operation;
  readonly tag: Tag;
  readonly arguments: readonly ArgumentPlan[];
  fail(message: string, column: number): void;
}

class Planner implements Planning {
  readonly tag: Tag;
  readonly arguments: readonly ArgumentPlan[];
  readonly #options: APIOptions;
  readonly #problems: string[];
  readonly #before: number;

  constructor(readonly name: string, readonly operation: Operation, options: APIOptions, problems: string[]) {
    this.#options = options;
    this.#problems = problems;
    this.#before = problems.length;
    this.tag = parseTag(operation.tag);
    for (const problem of this.tag.problems) this.fail(problem.message, problem.column);
    this.arguments = operation.args.map((schema, index) => this.#argument(schema, index));
  }

  fail(message: string, column: number): void {
    this.#problems.push(`Define "${this.name}": ${message}: column ${column} of "${this.operation.tag}"`);
  }

  #argument(schema: Operation["args"][number], index: number): ArgumentPlan {
    try {
      return { schema, kind: kindOf(schema) };
    } catch (error) {
      this.fail(`argument ${index + 1} has no JSON Schema: ${error instanceof Error ? error.message : error}`, 1);
      return { schema, kind: { type: "any" } };
    }
  }

  plan(): Plan | undefined {
    const { tag, operation: { options } } = this;
    const segments = tag.segments.map(toSegment);
    const parameters = tag.segments.flatMap((segment) => this.#parameters(segment));
    const query: QueryParameter[] = [];
    const spreads: QuerySpread[] = [];
    for (const item of tag.query) {
      if (item.type === "named") {
        const target = this.#target(item.source, item.column);
        if (target !== undefined) query.push({ name: item.name, ...target });
      } else if (item.type === "spread") {
        const spread = this.#spread(item.source, item.column, parameters);
        if (spread !== undefined) spreads.push(spread);
      }
    }
    const placed = this.#placed(parameters, query, spreads);
    const body = planBody(this, placed);
    const result = planResult(this, body !== undefined);
    if (this.#problems.length > this.#before) return undefined;
    return {
      name: this.name,
      tag: this.operation.tag,
      description: options.description,
      method: tag.method,
      segments,
      parameters,
      query,
      spreads,
      constants: tag.query.flatMap((item) => item.type === "constant" ? [[item.name, item.value] as const] : []),
      present: options.present ?? [],
      versions: this.#versions(),
      versionsText: options.versions,
      arguments: this.arguments,
      body,
      result,
      status: options.status ?? (result.shape === "none" ? 204 : 200),
      limit: options.limit ?? (body?.shape === "stream" ? Infinity : this.#options.limit ?? DEFAULT_LIMIT),
      asTagged: options.body === "as-tagged",
    };
  }

  #versions(): Plan["versions"] {
    const { versions } = this.operation.options;
    if (versions === undefined) return undefined;
    try {
      return parseVersions(versions);
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error), 1);
      return undefined;
    }
  }

  #parameters(segment: TagSegment): PathParameter[] {
    if (segment.type === "literal") return [];
    const placeholders = segment.type === "partial"
      ? segment.parts.filter((part) => typeof part !== "string")
      : [segment.placeholder];
    return placeholders.flatMap((placeholder) => {
      const target = this.#target(placeholder.source, placeholder.column);
      if (target === undefined) return [];
      this.#requireScalar(target.kind, placeholder.name, placeholder.column);
      return [{ name: placeholder.name, remainder: segment.type === "remainder", ...target }];
    });
  }

  #requireScalar(kind: Kind, name: string, column: number): void {
    if (isScalar(kind)) return;
    const hint = kind.type === "any"
      ? "its kind cannot be told from its schema: use int64, uint64, time or bytes, or a schema with a type"
      : `a ${kind.type} cannot stand there`;
    this.fail(`"${name}" stands in the path and takes a single value, but ${hint}`, column);
  }

  #target(source: Source, column: number): Target | undefined {
    if ("argument" in source) {
      const argument = this.arguments[source.argument];
      if (argument !== undefined) return { argument: source.argument, path: [], kind: argument.kind };
      this.fail(`argument ${source.argument + 1} is not there: there are ${this.arguments.length}`, column);
      return undefined;
    }
    for (const [index, argument] of this.arguments.entries()) {
      const found = findField(argument.kind, source.field);
      if (found !== undefined) return { argument: index, ...found };
    }
    this.fail(`no struct argument has a field "${source.field.join(".")}"`, column);
    return undefined;
  }

  #spread(source: Source, column: number, parameters: readonly PathParameter[]): QuerySpread | undefined {
    const target = this.#target(source, column);
    if (target === undefined) return undefined;
    const { argument, kind } = target;
    if (kind.type === "map") return { argument, fields: undefined, value: kind.value };
    if (kind.type !== "struct") {
      this.fail(
        `only a struct or a map can be spread over the query, argument ${argument + 1} is a ${kind.type}`,
        column,
      );
      return undefined;
    }
    const taken = new Set(parameters.filter((one) => one.argument === argument).map((one) => one.path.join(".")));
    return { argument, fields: spreadFields(kind, argument, taken), value: undefined };
  }

  /** The numbers of the arguments that need no body. */
  #placed(
    parameters: readonly PathParameter[],
    query: readonly QueryParameter[],
    spreads: readonly QuerySpread[],
  ): Set<number> {
    const placed = new Set(spreads.map((spread) => spread.argument));
    const fields = new Map<number, Set<string>>();
    for (const { argument, path } of [...parameters, ...query]) {
      if (path.length === 0) placed.add(argument);
      else if (path.length === 1) fields.set(argument, (fields.get(argument) ?? new Set()).add(path[0]));
    }
    for (const [argument, names] of fields) {
      const kind = this.arguments[argument].kind;
      if (kind.type === "struct" && [...kind.fields.keys()].every((name) => names.has(name))) placed.add(argument);
    }
    return placed;
  }
}

function toSegment(segment: TagSegment): Segment {
  switch (segment.type) {
    case "literal":
      return { type: "literal", text: encodePathText(segment.text) };
    case "partial":
      return {
        type: "partial",
        parts: segment.parts.map((part) =>
          typeof part === "string" ? { text: encodePathText(part) } : { name: part.name }
        ),
      };
    default:
      return { type: segment.type, name: segment.placeholder.name };
  }
}

function findField(kind: Kind, names: readonly string[]): { path: string[]; kind: Kind } | undefined {
  const path: string[] = [];
  let at = kind;
  for (const name of names) {
    if (at.type !== "struct") return undefined;
    const field = at.fields.get(name);
    const found = field !== undefined
      ? [name, field] as const
      : [...at.fields].find(([, candidate]) => candidate.alias === name);
    if (found === undefined) return undefined;
    path.push(found[0]);
    at = found[1].kind;
  }
  return path.length === 0 ? undefined : { path, kind: at };
}

/** How deep structs within structs are spread. */
const MAX_DEPTH = 8;

function spreadFields(
  kind: Kind & { type: "struct" },
  argument: number,
  taken: ReadonlySet<string>,
  path: readonly string[] = [],
  prefix = "",
): QueryParameter[] {
  return [...kind.fields].flatMap(([key, field]) => {
    const here = [...path, key];
    const name = prefix + (field.alias ?? key);
    if (taken.has(here.join("."))) return [];
    const whole: QueryParameter = { name, argument, path: here, kind: field.kind };
    if (field.kind.type !== "struct" || here.length >= MAX_DEPTH) return [whole];
    // The struct itself can arrive as JSON under its own name, or each of its fields as `a.b`.
    return [whole, ...spreadFields(field.kind, argument, taken, here, `${name}.`)];
  });
}
