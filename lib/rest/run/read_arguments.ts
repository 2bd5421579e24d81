import { type Codec, findCodec } from "../codecs/codec.ts";
import { HTTPError } from "../error.ts";
import type { Kind } from "../plan/kind.ts";
import type { Plan, Target } from "../plan/plan_types.ts";
import { decodeText, type QueryOptions, type QueryValues, queryValues, wrong } from "../codecs/query_values.ts";
import { put } from "../codecs/record.ts";
import { describeIssues, type Issue, listIssues } from "../plan/schema.ts";
import { settleWith } from "../plan/settle_with.ts";

/** Puts what path and query say into `values`, one for each argument, after what the body said. Throws an `HTTPError` 400 that names the argument. */
export type ReadArguments = (captures: readonly string[], query: string, values: unknown[], request: Request) => void;

/** Reads values out of path and query: single ones by the text codec, what has parts by that of JSON. The path wins over all. */
export function argumentReader(plan: Plan, options: QueryOptions | undefined, codecs: readonly Codec[]): ReadArguments {
  const { parameters, query, spreads } = plan;
  const readOne = (given: string, kind: Kind, name: string): unknown => {
    if (kind.type === "string") return given;
    const isJSON = isCompound(kind) || kind.type === "list";
    try {
      return findCodec(codecs, isJSON ? "application/json" : "text/plain")!.decode(given, { kind });
    } catch (cause) {
      const detail = isJSON ? "JSON" : String(cause).replace(/.*expected /, "");
      throw wrong(`Read "${name}": "${given.length > 64 ? `${given.slice(0, 64)}…` : given}" is not ${detail}`, cause);
    }
  };

  const readNamed = (given: QueryValues, name: string, kind: Kind): unknown => {
    const isList = kind.type === "list";
    const texts = isList ? given.list(name) : given.get(name)?.slice(-1);
    if (!texts || (isCompound(kind) || options?.emptyIsAbsent) && !texts.some(Boolean)) return undefined;
    return isList
      ? texts.map((text, index) => readOne(text, kind.items?.[index] ?? kind.item, name))
      : readOne(texts[0], kind, name);
  };

  const readQuery = (given: QueryValues, values: unknown[]) => {
    for (const spread of spreads) {
      values[spread.argument] = spread.read(given.names(), plan, (name, kind) => readNamed(given, name, kind));
    }
    for (const target of query) {
      const { absent } = target;
      const value = readNamed(given, target.name, target.kind);
      if (value !== undefined) place(values, target, value);
      else if (
        absent !== undefined &&
        target.path.reduce((within, key) => Object(within)[key], values[target.argument]) === undefined
      ) {
        place(values, target, absent && []);
      }
    }
  };

  return (captures, text, values) => {
    if (query.length + spreads.length) readQuery(queryValues(text, options), values);
    for (let i = 0; i < parameters.length; i++) {
      const target = parameters[i];
      const text = decodeText(captures[i], target.name);
      // Routing has resolved dot segments, but for those behind an encoded slash.
      if (text !== captures[i] && /(^|[/\\])\.\.?([/\\]|$)/.test(text)) {
        throw wrong(`Read "${target.name}": it has a dot segment`);
      }
      place(values, target, readOne(text, target.kind, target.name));
    }
  };
}

const isCompound = ({ type }: Kind) => type === "struct" || type === "map";

/** Puts a value where its target says, making the structs on the way. */
export function place(values: unknown[], { path, argument }: Target, value: unknown): void {
  if (!path.length) values[argument] = value;
  // A list is a struct by its indexes.
  else put(values as unknown as Record<string, unknown>, [String(argument), ...path], value);
}

/**
 * Returns what the schemas of the arguments make of them; a promise only when a schema is asynchronous.
 *
 * @throws {HTTPError} 400 naming the argument
 */
export function validateArguments(plan: Plan, values: readonly unknown[]): unknown[] | Promise<unknown[]> {
  const made = plan.arguments.map((argument, index) =>
    settleWith(
      argument.schema["~standard"].validate(values[index]),
      ({ issues, value }: { issues?: readonly Issue[] | undefined; value?: unknown }) => {
        if (!issues) return value;
        const kind = plan.body?.arguments.includes(index) ? "body" : "argument";
        const missing = values[index] === undefined ? "it is missing: " : "";
        const name = argumentName(plan, index);
        throw new HTTPError(400, `Read "${name}": ${missing}${describeIssues(issues)}`, {
          kind,
          issues: listIssues(issues, name),
        });
      },
    )
  );
  return made.some((one) => one instanceof Promise) ? Promise.all(made) : made;
}

/** Returns the name of an argument in messages: its name in path, query or body, or its number. */
export const argumentName = (plan: Plan, index: number): string =>
  [...plan.parameters, ...plan.query, ...plan.spreads].find(({ argument, path }) => argument === index && !path.length)
    ?.name ??
    plan.parsed.argumentRules[plan.unplaced.indexOf(index)]?.replace("*", "body") ??
    (plan.body?.shape === "value" && plan.body.arguments[0] === index ? "body" : `argument ${index + 1}`);
