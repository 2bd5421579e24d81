import type { APIOptions, Operation } from "../definition.ts";
import { requirePart } from "../error.ts";
import { findTarget } from "./find_target.ts";
import { absentOf, type Kind, plainKind, structFields, type TellKind } from "./kind.ts";
import { encodePathText } from "../tag/path_text.ts";
import { inBody, planBody, planResult } from "./plan_body.ts";
import type {
  ArgumentPlan,
  PathParameter,
  Plan,
  QueryParameter,
  QuerySpread,
  Segment,
  SpreadQuery,
  Target,
} from "./plan_types.ts";
import type { Schema, Validated } from "./schema.ts";
import { parseTag, type Tag } from "../tag/tag.ts";

/**
 * The parts of a definition beyond what most have.
 *
 * @example
 * ```ts
 * import { type DefinitionParts, exactKinds, spreadQuery } from "../client.ts";
 * const parts: DefinitionParts = { kinds: exactKinds, spread: spreadQuery };
 * ```
 */
export interface DefinitionParts {
  /** Tells the kinds of schemas; without it those of bigint, Date and bytes within objects and lists are not told. */
  readonly kinds?: TellKind;
  /** Spreads arguments over the query. */
  readonly spread?: SpreadQuery;
}

/**
 * Makes the plan of an operation. It trusts the definition: {@linkcode checkDefinition} is what says what is wrong with one.
 *
 * @throws {SyntaxError} when the tag has not even the outline of one
 * @throws {TypeError} when the tag takes a part that is not among those given
 */
export function planOperation(
  name: string,
  { tag: text, args, results, options }: Operation,
  // The largest body where nothing else is said, in bytes, and that of a stream, which a function reads piece by piece.
  api: APIOptions,
  parts: DefinitionParts,
  tag: Tag = parseTag(text),
): Plan {
  const kindOf = (schema: Schema) => (parts.kinds ?? plainKind)(schema, name);
  const all: ArgumentPlan[] = args.map((schema) => ({ schema, kind: kindOf(schema) }));
  const parameters: PathParameter[] = [];
  const segments = tag.segments.map(({ parts: given, remainder }): Segment => {
    const parts = given.map((part): { text: string } | { name: string } => {
      if (typeof part === "string") return { text: encodePathText(part) };
      parameters.push({ name: part.name, remainder, ...findTarget(all, part.source) });
      return { name: part.name };
    });
    const [first = { text: "" }, second] = parts;
    if (second) return { type: "partial", parts };
    return "text" in first ? { type: "literal", ...first } : { type: remainder ? "remainder" : "parameter", ...first };
  });
  const query: QueryParameter[] = [];
  const spreads: QuerySpread[] = [];
  const constants: [string, string][] = [];
  for (const item of tag.query) {
    if (item.type === "constant") constants.push([item.name, item.value]);
    else {
      const target = findTarget(all, item.source);
      if (item.type === "named") {
        // An argument that is not there is a problem that the check tells; a promise has no issues: one that is asynchronous is not asked.
        const alone = target.path.length ? undefined : args[target.argument];
        const isRequired = (alone?.["~standard"].validate(undefined) as Validated<unknown> | undefined)?.issues;
        const absent = isRequired && absentOf(target.kind);
        query.push({ name: item.name, absent, ...target });
      } else {
        const made = requirePart(parts.spread, name, "spreadQuery")(target, parameters);
        spreads.push(made.spread);
        query.push(...made.parameters);
      }
    }
  }
  const targets = [...parameters, ...query, ...spreads];
  const unplaced = all.flatMap(({ kind }, index) =>
    isPlaced(kind, targets.filter(({ argument }) => argument === index)) ? [] : index
  );
  const body = planBody(tag, all, inBody(tag.argumentRules, unplaced), kindOf);
  const result = planResult(tag, results, !!body, kindOf);
  return {
    name,
    tag: text,
    description: options.description,
    method: tag.method,
    segments,
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
    limit: options.limit ??
      (all.some(({ kind }) => /stream|chan/.test(kind.type)) ? api.streamLimit ?? 1 << 30 : api.limit ?? 1 << 22),
    asTagged: options.body === "as-tagged",
    trusted: options.trusted ?? api.trusted ?? false,
    parsed: tag,
    results,
    options,
  };
}

/** Whether the values in path and query make up all of an argument, or of a struct within it, so that none of it is left for the body. */
function isPlaced(kind: Kind, targets: readonly Pick<Target, "path">[], depth = 0): boolean {
  return targets.some(({ path }) => path.length === depth) || targets.length > 0 && kind.type === "struct" &&
      structFields(kind).every(([name, { kind }]) =>
        isPlaced(kind, targets.filter(({ path }) => path[depth] === name), depth + 1)
      );
}
