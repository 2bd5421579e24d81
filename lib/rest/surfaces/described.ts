import type { Definition } from "../definition.ts";
import type { Plan } from "../plan/plan_types.ts";
import { argumentName } from "../run/read_arguments.ts";
import { pathOfBase } from "../route/request_path.ts";
import type { Schema } from "../plan/schema.ts";
import { uniqueName } from "../route/unique_name.ts";

/** An operation as the surfaces tell of it. */
export interface Described {
  /** Its function's name, made unique over all definitions. */
  readonly id: string;
  readonly plan: Plan;
  readonly definition: Definition;
  /** The heading it stands under, if there are several. */
  readonly group: string | undefined;
  /** The names of its arguments, each of them once. */
  readonly argumentNames: readonly string[];
}

/** The group of operations that have none. */
export const OTHER = "other";

/** One definition or several, as surfaces take them. */
export type Definitions = Definition | readonly Definition[];

/** The definitions as a list. */
export function listOf(definitions: Definitions): readonly Definition[] {
  return "plans" in definitions ? [definitions] : definitions;
}

/** The path that the bases of all definitions have in common; empty where they have different ones. */
export function sharedPrefix(definitions: readonly Definition[]): string {
  const [first = "", ...others] = definitions.map(({ base }) => pathOfBase(base));
  return others.every((prefix) => prefix === first) ? first : "";
}

/** The part of an operation's path that its base has and the others do not have in common. */
export function ownPrefix({ definition: { base } }: Pick<Described, "definition">, shared: string): string {
  return shared === "" ? pathOfBase(base) : "";
}

/** Lists the operations of all definitions under names of their own. */
export function describeAll(definitions: readonly Definition[]): Described[] {
  const taken = new Set<string>();
  const groups = groupsOf(definitions);
  return definitions.flatMap((definition) =>
    definition.plans.map((plan) => ({
      id: uniqueName(plan.name, taken),
      plan,
      definition,
      group: groups(definition, plan),
      argumentNames: argumentNames(plan),
    }))
  );
}

/** Titles, where there are several; else namespaces, and what the first words of paths have in common. */
function groupsOf(definitions: readonly Definition[]): (definition: Definition, plan: Plan) => string | undefined {
  const counts = new Map<string, number>();
  const plans = definitions.flatMap((definition) => definition.plans.map((plan) => ({ definition, plan })));
  for (const { definition, plan } of plans.filter(({ plan }) => namespaceOf(plan) === undefined)) {
    const word = firstWord(definition, plan);
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const named = plans.some(({ plan }) => namespaceOf(plan) !== undefined);
  const grouped = named || [...counts.values()].filter((count) => count > 1).length > 1;
  return (definition, plan) => {
    if (definitions.length > 1 && definition.options.title !== undefined) return definition.options.title;
    if (!grouped) return undefined;
    const namespace = namespaceOf(plan);
    if (namespace !== undefined) return namespace;
    const word = firstWord(definition, plan);
    return (counts.get(word) ?? 0) > 1 ? word : OTHER;
  };
}

/** The namespaces a function stands in. */
function namespaceOf({ name }: Plan): string | undefined {
  return name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : undefined;
}

function firstWord({ options: { aliases } }: Definition, { segments }: Plan): string {
  const words = segments.flatMap((segment) => segment.type === "literal" ? [segment.text] : []);
  return (aliases !== undefined && Object.hasOwn(aliases, words[0] ?? "") ? words[1] : words[0]) ?? "";
}

function argumentNames(plan: Plan): string[] {
  const taken = new Set<string>();
  return plan.arguments.map(({ kind }, index) =>
    uniqueName(
      kind.type === "stream" && plan.body?.shape === "stream"
        ? "body"
        : kind.type === "chan"
        ? "values"
        : argumentName(plan, index),
      taken,
    )
  );
}

/** Whether a schema takes what is not there. One that answers later, or throws, is held to need a value. */
export function isOptional(schema: Schema): boolean {
  try {
    const validated = schema["~standard"].validate(undefined);
    if (validated instanceof Promise) {
      validated.catch(() => {});
      return false;
    }
    return validated.issues === undefined;
  } catch {
    return false;
  }
}

/** The path with its placeholders by name, as OpenAPI writes it: `/users/{id}`. */
export function pathTemplate(plan: Plan, names: readonly string[]): string {
  let index = 0;
  const next = () => `{${names[index++]}}`;
  return "/" + plan.segments.map((segment) => {
    if (segment.type === "literal") return segment.text;
    if (segment.type === "partial") return segment.parts.map((part) => "text" in part ? part.text : next()).join("");
    return next();
  }).join("/");
}
