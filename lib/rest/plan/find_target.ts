import { ANY, type Field, structFields } from "./kind.ts";
import type { ArgumentPlan, Target } from "./plan_types.ts";
import type { Source } from "../tag/tag.ts";

/**
 * Returns the destination of a placeholder's value; the argument is -1 when there is none. A name is looked for in the struct arguments first, then
 * in the structs within them, level by level, as Go promotes the fields of embedded structs; the first in order of definition is taken.
 */
export function findTarget(all: readonly ArgumentPlan[], source: Source): Target {
  const queue = all.map((one, argument): Target => ({ argument, path: [], kind: one.kind }));
  if ("argument" in source) return { path: [], kind: ANY, ...queue[source.argument] as Target | undefined, ...source };
  for (const target of queue) {
    const found = findField(target, source.field);
    if (found) return found;
    // A type may hold itself, without end.
    if (queue.length < 1e4) queue.push(...structFields(target.kind).map((field) => into(target, field)));
  }
  return { argument: -1, path: [], kind: ANY };
}

/** The destination of a field within a destination. */
export const into = (target: Target, [key, field]: [string, Field]): Target => ({
  ...target,
  path: [...target.path, key],
  kind: field.kind,
});

const findField = (target: Target | undefined, names: readonly string[]): Target | undefined =>
  names.reduce((within, name) => {
    const fields = structFields(within?.kind ?? ANY);
    const found = fields.find(([key]) => key === name) ?? fields.find(([, { alias }]) => alias === name);
    return found && into(within!, found);
  }, target);
