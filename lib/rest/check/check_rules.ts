import type { Problem } from "./check.ts";
import { mediaType } from "../codecs/codec.ts";
import { problemsOfFiles } from "./check_files.ts";
import { headerProblems } from "./check_headers.ts";
import { declaredErrors } from "../plan/declared_errors.ts";
import type { APIOptions, Operation } from "../definition.ts";
import { knownKind } from "../plan/exact_kinds.ts";
import { isScalar, isStream, type Kind } from "../plan/kind.ts";
import { kindWord } from "./kind_word.ts";
import { isJSON } from "../plan/plan_body.ts";
import type { Plan } from "../plan/plan_types.ts";
import type { Schema } from "../plan/schema.ts";
import type { CheckedTag } from "../tag/tag_checker.ts";

/** Returns advice for a schema whose kind cannot be told. */
function hint(schema: Schema): string {
  return schema["~standard"].jsonSchema
    ? "use int64, uint64, time or bytes, give it a type, or name a content type in the tag"
    : "it has no JSON Schema part: wrap it as toStandardJsonSchema() of @valibot/to-json-schema does, or name a content type in the tag";
}

/** Returns the problems of an operation's query, body, results and options. */
export function problemsOfRules(operation: Operation, tag: CheckedTag, plan: Plan, options: APIOptions): Problem[] {
  return [
    ...queryProblems(tag, plan),
    ...bodyProblems(tag, plan),
    ...resultProblems(operation, tag, plan),
    ...typesOrFiles(plan, options),
    ...optionProblems(plan),
    ...errorProblems(tag, plan),
    ...headerProblems(operation, tag, plan),
  ];
}

/** Errors that have a schema and no place, or a name and no schema. */
function errorProblems({ columns }: CheckedTag, plan: Plan): Problem[] {
  const { errors: schemas = {} } = plan.options;
  const declared = [...declaredErrors(plan).values()];
  const nameless = declared.filter(({ name, schema }) => name !== undefined && schema === undefined);
  const placeless = Object.keys(schemas).filter((key) =>
    !/^[45]\d\d$/.test(key) && !declared.some(({ name }) => name === key)
  );
  const named = declared.filter(({ name, status }) => name !== undefined && Object.hasOwn(schemas, status));
  return [
    ...nameless.map(({ name }) => `the option "errors" has no schema "${name}"`),
    ...placeless.map((key) => `the error "${key}" is neither a status from 400 to 599 nor named in the tag`),
    ...named.map(({ name, status }) => `the error ${status} has two schemas: "${name}" and "${status}"`),
  ].map((message) => ({ message, column: columns.errors }));
}

/** Values of two arguments under one name could not be told apart. */
function queryProblems({ query }: CheckedTag, plan: Plan): Problem[] {
  const problems: Problem[] = [];
  const columns = query.flatMap((item) => item.type === "spread" ? [item.column] : []);
  const columnOf = (argument: number) => columns[plan.spreads.findIndex((spread) => spread.argument === argument)];
  const owners = new Map<string, number>();
  for (const { name, argument, kind } of plan.query) {
    if (isWhole(kind)) {
      problems.push({ message: `${kindWord(kind)} cannot stand in the query, as "${name}"`, column: 1 });
    }
    const owner = owners.get(name) ?? argument;
    owners.set(name, argument);
    const column = columnOf(argument) ?? columnOf(owner);
    // Two that the tag itself names are its own problem.
    if (owner === argument || column === undefined) continue;
    problems.push({ message: `the query "${name}" stands for argument ${owner + 1} and for ${argument + 1}`, column });
  }
  const [first, second] = plan.spreads.filter(({ value }) => value !== undefined).map(({ argument }) => argument);
  if (second !== undefined && second !== first) {
    const message = `arguments ${first + 1} and ${second + 1} are maps: each would get all of the query`;
    problems.push({ message, column: columnOf(second) ?? 1 });
  }
  return problems;
}

/** The properties that body and result have in common. */
type Typed = Pick<Plan["result"] | NonNullable<Plan["body"]>, "shape" | "contentType" | "kind" | "tagged">;

/** Of a file that has no place it helps nobody to hear of codecs, too. */
function typesOrFiles(plan: Plan, options: APIOptions): Problem[] {
  const files = problemsOfFiles(plan, options);
  return files.length > 0 ? files : typeProblems(plan, options);
}

/** A content type that carries no such value would be answered 415 or 406 whatever comes. */
function typeProblems({ method, body, result }: Plan, options: APIOptions): Problem[] {
  const problems: Problem[] = [];
  const look = (what: string, { shape, contentType, kind, tagged }: Typed) => {
    if (/^(?:none|stream|channel)$/.test(shape) || carries(contentType, kind, options)) return;
    const detail = `${kindWord(kind)}: the API's option "codecs" may name one that can`;
    problems.push({
      message: `"${contentType}" cannot carry ${what}, ${detail}`,
      column: tagged ? method.length + 2 : 1,
    });
  };
  if (body) look("the body", body);
  look("the result", result);
  return problems;
}

function carries(contentType: string, kind: Kind, { codecs = [] }: APIOptions): boolean {
  const type = mediaType(contentType);
  if (isJSON(type) || codecs.some((codec) => codec.type === type && codec.carries(kind))) return true;
  if (type === "text/plain") return isScalar(kind);
  return FORMS.includes(type) && /^(?:struct|map)$/.test(kind.type);
}

const FORMS: readonly string[] = ["application/x-www-form-urlencoded", "multipart/form-data"];

function optionProblems({ status, limit, method, result, options: { view } }: Plan): Problem[] {
  const problems: Problem[] = [];
  if (!Number.isInteger(status) || status < 200 || status > 399) {
    problems.push({ message: `the status ${status} is not one of success: 200 to 399`, column: 1 });
  } else if (BODYLESS.includes(status) && result.shape !== "none") {
    problems.push({ message: `an answer of status ${status} has no body for its result`, column: 1 });
  }
  if (!(limit >= 0)) problems.push({ message: `the limit ${limit} is not a number of bytes`, column: 1 });
  if (view !== undefined && (result.shape !== "stream" || view.as === "console" && method !== "GET")) {
    problems.push({ message: 'the option "view" needs a stream, a console a GET', column: 1 });
  }
  return problems;
}

/** Statuses that have no body (Fetch Standard, section 2.2.3). */
const BODYLESS: readonly number[] = [204, 205, 304];

function bodyProblems({ method, argumentRules: rules, columns, contentType }: CheckedTag, plan: Plan): Problem[] {
  const problems: Problem[] = [];
  const fail = (message: string, column = 1) => problems.push({ message, column });
  const rest = plan.body?.arguments ?? [];
  const { unplaced } = plan;
  const kindAt = (index: number) => plan.arguments[index].kind;
  if (rules.length > 0 && rules.length !== unplaced.length) {
    fail(
      `${rules.length} argument rules for ${unplaced.length} arguments that stand neither in path nor in query`,
      columns.arguments,
    );
  }
  for (const [index, { kind }] of plan.arguments.entries()) {
    if (kind.type === "error") fail(`argument ${index + 1} is an error, which only a result can be`);
  }
  if (rest.length === 0) return problems;
  if (method === "GET" || method === "HEAD") {
    fail(`${method} has no body: argument ${rest[0] + 1} stands neither in path nor in query`);
  }
  const streamed = rest.findIndex((index) => isWhole(kindAt(index)));
  if (streamed >= 0) {
    const kind = kindAt(rest[streamed]);
    const problem = streamProblem(kind, rest.slice(streamed).map(kindAt), rest.length, plan, contentType);
    if (problem !== undefined) fail(`argument ${rest[streamed] + 1} is ${kindWord(kind)}${problem}`, columns.arguments);
    const later = rest.slice(streamed + 1).find((index) => kindAt(index).type === "stream?");
    if (later !== undefined) {
      const why = "only the first can be left out, as a later one is known once those before it have been read";
      fail(`argument ${later + 1} is an optional stream behind another: ${why}`, columns.arguments);
    }
  }
  if (contentType === undefined && rest.length === 1 && rules.length === 0 && isUnknown(kindAt(rest[0]))) {
    fail(`the kind of argument ${rest[0] + 1} cannot be told from its schema: ${hint(plan.arguments[rest[0]].schema)}`);
  }
  return problems;
}

/** Says why a stream or channel cannot be in the body: one is all of it, or a stream one of the last fields of a form. */
function streamProblem(
  kind: Kind,
  follow: readonly Kind[],
  count: number,
  { body }: Plan,
  contentType: string | undefined,
): string | undefined {
  const isNamed = body?.names.length === count;
  if (kind.type === "chan" || !isNamed) {
    const form = isStream(kind) ? ", or all in the named fields of a form, as POST(multipart/form-data) /x (a,b)" : "";
    if (kind.type === "stream?" && count === 1) {
      return " and the whole body: take stream(), which is empty where nothing comes; optional() is for parts of a form";
    }
    return count > 1 ? ` and takes the whole body: others must stand in path or query${form}` : undefined;
  }
  if (mediaType(contentType ?? "") !== "multipart/form-data") {
    return ` and no field of ${
      contentType ?? "JSON"
    }: only a form, as POST(multipart/form-data) /x (a,b), has such fields`;
  }
  if (follow.every(isStream)) return undefined;
  return " and stands in front of other fields: the streams of a form are its last";
}

function resultProblems(operation: Operation, { resultRules: rules, columns }: CheckedTag, plan: Plan): Problem[] {
  const problems: Problem[] = [];
  const fail = (message: string, column = 1) => problems.push({ message, column });
  const { schemas, tagged } = plan.result;
  const kinds = schemas.map(knownKind);
  if (kinds.some((kind) => kind.type === "error")) fail("only the last result can be error");
  const count = operation.results.length - Number(plan.result.fallible);
  if (rules.length > 0 && rules.length !== count) {
    fail(`${rules.length} result rules for ${count} results`, columns.results);
  }
  const whole = kinds.findIndex(isWhole);
  if (whole >= 0 && plan.method === "HEAD") {
    fail(`HEAD has no body: result ${whole + 1} is ${kindWord(kinds[whole])}, which is nothing else`);
  }
  if (whole >= 0 && schemas.length > 1) {
    fail(`result ${whole + 1} is ${kindWord(kinds[whole])} and must be the only one`);
  }
  if (kinds[whole]?.type === "stream?") {
    fail(`result ${whole + 1} is an optional stream, which only an argument can be: take stream()`);
  } else if (kinds[whole]?.type === "stream" && plan.result.names.length > 0) {
    fail(`result ${whole + 1} is a stream, which is all of the body and no field of it`, columns.results);
  }
  if (!tagged && schemas.length === 1 && rules.length === 0 && isUnknown(kinds[0])) {
    fail(
      `the kind of result ${operation.results.indexOf(schemas[0]) + 1} cannot be told from its schema: ${
        hint(schemas[0])
      }`,
    );
  }
  return problems;
}

const isWhole = (kind: Kind) => isStream(kind) || kind.type === "chan";

const isUnknown = (kind: Kind) => kind.type === "any" && kind.unknown === true;
