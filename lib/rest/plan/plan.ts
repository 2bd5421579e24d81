import type { APIOptions, Operation } from "../definition.ts";
import { absentOf, ANY, type Field, type Kind, knownKind } from "./kind.ts";
import { encodePathText } from "../tag/path_text.ts";
import { inBody, planBody, planResult } from "./plan_body.ts";
import type { ArgumentPlan, Plan, QueryParameter, QuerySpread, Segment, Target } from "./plan_types.ts";
import type { Schema, Validated } from "./schema.ts";
import { parseTag, type Placeholder, type Source, type Tag, type TagSegment } from "../tag/tag.ts";

/**
 * Makes the plan of an operation. It trusts the definition: {@linkcode checkDefinition} is what says what is wrong with one.
 *
 * @throws {SyntaxError} when the tag has not even the outline of one
 */
export function planOperation(
  name: string,
  { tag: text, args, results, options }: Operation,
  // The largest body where nothing else is said, in bytes, and that of a stream, which a function reads piece by piece.
  { limit = 1 << 22, streamLimit = 1 << 30, trusted = false }: APIOptions,
  tag: Tag = parseTag(text),
): Plan {
  const all: ArgumentPlan[] = args.map((schema) => ({ schema, kind: knownKind(schema) }));
  const parameters = tag.segments.flatMap((segment) =>
    placeholdersOf(segment).map(({ name, source }) => ({
      name,
      remainder: segment.remainder,
      ...findTarget(all, source),
    }))
  );
  const query: QueryParameter[] = [];
  const spreads: QuerySpread[] = [];
  const constants: [string, string][] = [];
  for (const item of tag.query) {
    if (item.type === "constant") constants.push([item.name, item.value]);
    else {
      const target = findTarget(all, item.source);
      if (item.type === "named") {
        const absent = !target.path.length && isRequired(args[target.argument]) ? absentOf(target.kind) : undefined;
        query.push({ name: item.name, absent, followed: false, ...target });
      } else {
        const { argument, kind } = target;
        spreads.push({ argument, value: kind.type === "map" ? kind.value : undefined });
        query.push(...spread(target, parameters, "", true));
      }
    }
  }
  const targets = [...parameters, ...query, ...spreads.map(({ argument }) => ({ argument, path: [] }))];
  const unplaced = [...all.keys()].filter((index) =>
    !isPlaced(all[index].kind, targets.filter(({ argument }) => argument === index))
  );
  const body = planBody(tag, all, inBody(tag.argumentRules, unplaced));
  const result = planResult(tag, results, body !== undefined);
  return {
    name,
    tag: text,
    description: options.description,
    method: tag.method,
    segments: tag.segments.map(toSegment),
    parameters,
    query,
    spreads,
    constants,
    present: options.present ?? [],
    versionsText: options.versions,
    arguments: all,
    unplaced,
    body,
    result,
    status: options.status ?? (result.shape === "none" ? 204 : 200),
    limit: options.limit ?? (body?.shape === "stream" ? streamLimit : limit),
    asTagged: options.body === "as-tagged",
    trusted: options.trusted ?? trusted,
    parsed: tag,
    results,
    options,
  };
}

/** The placeholders of a segment, in order. */
export function placeholdersOf({ parts }: TagSegment): Placeholder[] {
  return parts.filter((part) => typeof part !== "string");
}

/**
 * Returns the destination of a placeholder's value; the argument is -1 when there is none. A name is looked for in the struct arguments first, then
 * in the structs within them, level by level, as Go promotes the fields of embedded structs; the first in order of definition is taken.
 */
export function findTarget(all: readonly ArgumentPlan[], source: Source): Target {
  const queue = all.map(({ kind }, argument): Target => ({ argument, path: [], kind }));
  if ("argument" in source) return queue[source.argument] ?? { ...source, path: [], kind: ANY };
  for (const target of queue) {
    const found = findField(target, source.field);
    if (found) return found;
    // A type may hold itself, without end.
    if (queue.length < 1e4) queue.push(...fieldsOf(target.kind).map((field) => into(target, field)));
  }
  return { argument: -1, path: [], kind: ANY };
}

const fieldsOf = (kind: Kind) => kind.type === "struct" ? [...kind.fields] : [];

/** The destination of a field within a destination. */
const into = (target: Target, [key, { kind }]: [string, Field]): Target => ({
  ...target,
  path: [...target.path, key],
  kind,
});

function findField(target: Target, names: readonly string[]): Target | undefined {
  for (const name of names) {
    const fields = fieldsOf(target.kind);
    const found = fields.find(([key]) => key === name) ?? fields.find(([, { alias }]) => alias === name);
    if (!found) return undefined;
    target = into(target, found);
  }
  return target;
}

/** Whether the values in path and query make up all of an argument, or of a struct within it, so that none of it is left for the body. */
function isPlaced(kind: Kind, targets: readonly Pick<Target, "path">[], depth = 0): boolean {
  return targets.some(({ path }) => path.length === depth) || targets.length > 0 && kind.type === "struct" &&
      fieldsOf(kind).every(([name, { kind }]) =>
        isPlaced(kind, targets.filter(({ path }) => path[depth] === name), depth + 1)
      );
}

function toSegment({ parts, remainder }: TagSegment): Segment {
  const made = parts.map((part): { text: string } | { name: string } =>
    typeof part === "string" ? { text: encodePathText(part) } : { name: part.name }
  );
  const [first = { text: "" }] = made;
  if (made.length > 1) return { type: "partial", parts: made };
  return "text" in first ? { type: "literal", ...first } : { type: remainder ? "remainder" : "parameter", ...first };
}

/** Whether a schema takes no undefined; one that is not there is a problem that the check tells. */
function isRequired(schema: Schema | undefined): boolean {
  // A promise has no issues: one that is asynchronous is not asked.
  return !!(schema?.["~standard"].validate(undefined) as Validated<unknown> | undefined)?.issues;
}

/** How deep structs within structs are spread. */
const MAX_DEPTH = 8;

const placeOf = ({ argument, path }: Target) => `${argument},${path}`;

/** The fields of a struct as query parameters. */
function spread(from: Target, placed: readonly Target[], prefix: string, required: boolean): QueryParameter[] {
  if (from.path.length >= MAX_DEPTH) return [];
  return fieldsOf(from.kind).flatMap(([key, field]) => {
    const target = into(from, [key, field]);
    if (placed.some((one) => placeOf(one) === placeOf(target))) return [];
    const name = prefix + (field.alias ?? key);
    // The struct itself can arrive as JSON under its own name, or each of its fields as `a.b`.
    const isThere = required && field.required === true;
    const fields = spread(target, placed, `${name}.`, isThere);
    return [
      { name, absent: isThere ? absentOf(field.kind) : undefined, followed: fields.length > 0, ...target },
      ...fields,
    ];
  });
}
