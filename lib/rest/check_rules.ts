import type { Problem } from "./check.ts";
import type { Operation } from "./definition.ts";
import { type Kind, knownKind } from "./kind.ts";
import type { Plan } from "./plan_types.ts";
import type { CheckedTag } from "./tag_checker.ts";

const MARKERS = "use int64, uint64, time or bytes, give it a type, or name a content type in the tag";

/** What is wrong with the body and the results of an operation. */
export function problemsOfRules(operation: Operation, tag: CheckedTag, plan: Plan): Problem[] {
  return [...bodyProblems(tag, plan), ...resultProblems(operation, tag, plan)];
}

function bodyProblems({ method, argumentRules: rules, columns, contentType }: CheckedTag, plan: Plan): Problem[] {
  const problems: Problem[] = [];
  const fail = (message: string, column = 1) => problems.push({ message, column });
  const rest = plan.body?.arguments ?? [];
  const kindAt = (index: number) => plan.arguments[index].kind;
  if (rules.length > 0 && rules.length !== rest.length) {
    fail(
      `${rules.length} argument rules for ${rest.length} arguments that stand neither in path nor in query`,
      columns.arguments,
    );
  }
  for (const [index, { kind }] of plan.arguments.entries()) {
    if (!isResultOnly(kind)) continue;
    fail(`argument ${index + 1} is a ${kind.type}, which only a result can be`);
  }
  if (rest.length === 0) return problems;
  if (method === "GET" || method === "HEAD") {
    fail(`${method} has no body: argument ${rest[0] + 1} stands neither in path nor in query`);
  }
  const streamed = rest.find((index) => kindAt(index).type === "stream");
  if (streamed !== undefined && rest.length > 1) {
    fail(`argument ${streamed + 1} is a stream and takes the whole body: others must stand in path or query`);
  }
  if (contentType === undefined && rest.length === 1 && rules.length === 0 && isUnknown(kindAt(rest[0]))) {
    fail(`the kind of argument ${rest[0] + 1} cannot be told from its schema: ${MARKERS}`);
  }
  return problems;
}

function resultProblems(operation: Operation, { resultRules: rules, columns }: CheckedTag, plan: Plan): Problem[] {
  const problems: Problem[] = [];
  const fail = (message: string, column = 1) => problems.push({ message, column });
  const { schemas, tagged } = plan.result;
  const kinds = schemas.map(knownKind);
  if (kinds.some((kind) => kind.type === "error")) fail("only the last result can be error");
  if (rules.length > 0 && rules.length !== schemas.length) {
    fail(`${rules.length} result rules for ${schemas.length} results`, columns.results);
  }
  const whole = kinds.findIndex((kind) => kind.type === "stream" || kind.type === "chan");
  if (whole >= 0 && plan.method === "HEAD") {
    fail(`HEAD has no body: result ${whole + 1} is a ${kinds[whole].type}, which is nothing else`);
  }
  if (whole >= 0 && schemas.length > 1) {
    fail(`result ${whole + 1} is a ${kinds[whole].type} and must be the only one`);
  }
  if (!tagged && schemas.length === 1 && rules.length === 0 && isUnknown(kinds[0])) {
    fail(`the kind of result ${operation.results.indexOf(schemas[0]) + 1} cannot be told from its schema: ${MARKERS}`);
  }
  return problems;
}

const isResultOnly = ({ type }: Kind) => type === "chan" || type === "error";

const isUnknown = (kind: Kind) => kind.type === "any" && kind.unknown === true;
