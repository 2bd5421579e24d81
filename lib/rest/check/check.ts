import { type APIOptions, type Definition, flatten, type Operation, type Operations } from "../definition.ts";
import { findDuplicates } from "./duplicates.ts";
import { exactKinds, kindOf, needsMarker } from "../plan/exact_kinds.ts";
import { isScalar, type Kind, needsRevival } from "../plan/kind.ts";
import { type ChannelMarker, markerIs } from "../plan/marker.ts";
import { findTarget } from "../plan/find_target.ts";
import { type DefinitionParts, planOperation } from "../plan/plan.ts";
import { spreadQuery } from "../plan/spread_query.ts";
import { findFunction, type Implementation } from "../implement.ts";
import { problemsOfRules } from "./check_rules.ts";
import { kindWord } from "./kind_word.ts";
import type { Plan, Target } from "../plan/plan_types.ts";
import type { Schema } from "../plan/schema.ts";
import type { Source } from "../tag/tag.ts";
import { type CheckedTag, checkTag } from "../tag/tag_checker.ts";
import { isVersions } from "../route/version.ts";

/**
 * Everything that is wrong with a definition.
 *
 * @example
 * ```ts
 * import { api, DefinitionError, rest } from "../mod.ts";
 * try {
 *   api("x", { One: rest("get /" as string), Two: rest("GET /{a" as string) });
 * } catch (error) {
 *   console.assert(error instanceof DefinitionError && error.problems.length === 2);
 * }
 * ```
 */
export class DefinitionError extends TypeError {
  /** One text per problem: function, tag and column are in it. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.length === 1 ? problems[0] : `${problems.length} problems:\n${problems.join("\n")}`);
    this.name = "DefinitionError";
    this.problems = problems;
  }
}

/**
 * Makes the plans of all operations, and looks for everything that is wrong with them.
 *
 * @throws {DefinitionError} listing it
 */
export function checkOperations(operations: Operations, options: APIOptions): readonly Plan[] {
  const { problems, plans } = examine(operations, options);
  if (problems.length > 0) throw new DefinitionError(problems);
  checked.add(plans);
  return plans;
}

/** All parts that a definition may have. */
const PARTS: DefinitionParts = { kinds: exactKinds, spread: spreadQuery };

/** Plans that are known to be good, so that they are looked at once only. */
const checked = new WeakSet<readonly Plan[]>();

/** Everything that is wrong with a definition made without being checked. */
export function problemsOf({ operations, options, plans }: Definition): readonly string[] {
  if (checked.has(plans)) return [];
  const { problems, plans: whole } = examine(operations, options);
  const told = new Set(plans.filter(holdsExact).map(({ name }) => name));
  const untold = whole.filter((plan) => holdsExact(plan) && !told.has(plan.name));
  return [
    ...problems,
    ...untold.map(({ name, tag }) =>
      `Define "${name}": bigint, Date and bytes within values take exactKinds: "${tag}"`
    ),
  ];
}

/** Whether values of an operation hold bigint, Date or bytes. */
function holdsExact({ arguments: all, body, result }: Plan): boolean {
  return [...all.map(({ kind }) => kind), ...body ? [body.kind] : [], ...result.kinds, result.kind].some(needsRevival);
}

/** Everything that is wrong with an implementation: with its definition, and operations without a function. */
export function problemsOfImplementation(
  { definition, functions, isPart }: Omit<Implementation, "expects">,
): readonly string[] {
  const missing = isPart
    ? []
    : definition.plans.filter(({ name }) => typeof findFunction(functions, name)[0] !== "function");
  return [
    ...problemsOf(definition),
    ...missing.map(({ name, tag }) => `Implement "${name}": it has no function, see implementPart(): "${tag}"`),
  ];
}

function examine(operations: Operations, options: APIOptions): { problems: string[]; plans: Plan[] } {
  const problems: string[] = [];
  const plans: Plan[] = [];
  for (const [name, operation] of flatten(operations)) {
    const lists = { arguments: operation.args, results: operation.results };
    const odd = Object.entries(lists).filter(([, list]) => !Array.isArray(list));
    if (odd.length > 0) {
      problems.push(...odd.map(([what]) => `Define "${name}": the ${what} are no list of schemas: "${operation.tag}"`));
      continue;
    }
    const strangers = strangersOf(operation);
    if (strangers.length > 0) {
      problems.push(...strangers.map((what) => `Define "${name}": ${what} is no Standard Schema: "${operation.tag}"`));
      continue;
    }
    const tag = checkTag(operation.tag);
    const plan = planOperation(name, operation, options, PARTS, tag);
    const found = [...tag.problems, ...new PlanCheck(operation, tag, plan, options).problems()];
    problems.push(
      ...found.map(({ message, column }) => `Define "${name}": ${message}: column ${column} of "${operation.tag}"`),
    );
    if (found.length === 0) plans.push(plan);
  }
  problems.push(...findOddNames(operations), ...findDuplicates(plans));
  return { problems, plans };
}

/** Returns the arguments and results that are not schemas; otherwise only a typed program's compiler reports them. */
function strangersOf({ args, results, options: { errors = {} } }: Operation): string[] {
  const isStranger = (schema: Partial<Schema> | null | undefined) => typeof schema?.["~standard"] !== "object";
  const look = (schemas: readonly Schema[], what: string) =>
    schemas.flatMap((schema, index) => isStranger(schema) ? [`${what} ${index + 1}`] : []);
  const odd = Object.entries(errors).flatMap(([key, schema]) => isStranger(schema) ? [`error "${key}"`] : []);
  return [...look(args, "argument"), ...look(results, "result"), ...odd];
}

/** A dot in a name would look like a namespace, and what every object has like an implementation; with `then` a client would be awaited. */
function findOddNames(operations: Operations): string[] {
  return Object.entries(operations).flatMap(([name, one]) => [
    ...name.includes(".") ? [`Define "${name}": a name has no dot: use namespace()`] : [],
    ...name in Object.prototype || name === "then"
      ? [`Define "${name}": JavaScript has a use of its own for this name`]
      : [],
    ..."operations" in one ? findOddNames(one.operations) : [],
  ]);
}

/** Returns advice for a TypeError of a schema library: its message does not name the nested marker, its likely cause. */
function hintFor(error: unknown): string {
  return error instanceof TypeError
    ? " (a marker such as int64 stands for a whole argument or result; within an object take z.bigint(), z.date() or z.instanceof(Uint8Array))"
    : "";
}

/** Something wrong with an operation, and where in its tag. */
export interface Problem {
  readonly message: string;
  readonly column: number;
}

class PlanCheck {
  readonly #operation: Operation;
  readonly #tag: CheckedTag;
  readonly #plan: Plan;
  readonly #options: APIOptions;
  readonly #problems: Problem[] = [];

  constructor(operation: Operation, tag: CheckedTag, plan: Plan, options: APIOptions) {
    this.#options = options;
    this.#operation = operation;
    this.#tag = tag;
    this.#plan = plan;
  }

  problems(): readonly Problem[] {
    const { args, results, options } = this.#operation;
    for (const [index, schema] of args.entries()) this.#schema(schema, `argument ${index + 1}`);
    for (const [index, schema] of results.entries()) this.#schema(schema, `result ${index + 1}`);
    for (const segment of this.#tag.segments) {
      for (const { name, source, column = 1 } of segment.parts.filter((part) => typeof part !== "string")) {
        const target = this.#target(source, column, (name) => `{${name}=%v}`);
        if (target !== undefined) this.#scalar(target.kind, name, column);
      }
    }
    for (const item of this.#tag.query) {
      if (item.type === "constant") continue;
      const target = this.#target(item.source, item.column ?? 1, (name) => `${name}=%v`);
      if (target === undefined || item.type === "named" || /^(struct|map)$/.test(target.kind.type)) continue;
      const what = `argument ${target.argument + 1} is ${kindWord(target.kind)}`;
      this.#fail(`only a struct or a map can be spread over the query, ${what}`, item.column);
    }
    const { versions } = options;
    if (versions !== undefined && !isVersions(versions)) {
      this.#fail(`versions "${versions}" is not a comparison such as "<4", or several`);
    }
    if (versions !== undefined && !this.#options.versioned) {
      this.#fail(`versions "${versions}" never count: paths have no version unless the API is versioned`);
    }
    return [...this.#problems, ...problemsOfRules(this.#operation, this.#tag, this.#plan, this.#options)];
  }

  #fail(message: string, column = 1): void {
    this.#problems.push({ message, column });
  }

  #schema(schema: Schema, what: string): void {
    try {
      const { item } = markerIs<ChannelMarker<Schema>>(schema, "chan") ?? {};
      const carried = item ?? schema;
      // Asked only of what else cannot be told: libraries take their time to write a JSON Schema.
      if (kindOf(carried).type !== "any" || !needsMarker(carried)) return;
      const whose = item ? `the items of ${what} are` : `${what} is`;
      this.#fail(`${whose} carried by a marker: use ${markerFor(carried)}`);
    } catch (error) {
      this.#fail(`${what} has no JSON Schema: ${error instanceof Error ? error.message : error}${hintFor(error)}`);
    }
  }

  #target(source: Source, column: number, alone: (name: string) => string): Target | undefined {
    const all = this.#plan.arguments;
    const target = findTarget(all, source);
    if (target.argument in all) return target;
    this.#fail(
      "field" in source
        ? `no struct argument has a field "${source.field.join(".")}": an argument of its own is ${
          alone(source.field.join("_"))
        }`
        : `argument ${source.argument + 1} is not there: there are ${all.length}`,
      column,
    );
  }

  #scalar(kind: Kind, name: string, column: number): void {
    if (isScalar(kind)) return;
    const hint = kind.type === "any"
      ? "its kind cannot be told from its schema: use int64, uint64, time or bytes, or a schema with a type"
      : `${kindWord(kind)} cannot stand there`;
    this.#fail(`"${name}" stands in the path and takes a single value, but ${hint}`, column);
  }
}

/** The markers that take the values of a schema of which no kind can be told. */
function markerFor(schema: Schema): string {
  const takes = (value: unknown) => {
    const checked = schema["~standard"].validate(value);
    return !(checked instanceof Promise) && checked.issues === undefined;
  };
  if (takes(1n) || takes(2n ** 40n)) return "int64 or uint64";
  if (takes(new Date())) return "time";
  return takes(new Uint8Array()) ? "bytes" : "int64, uint64, time or bytes";
}
