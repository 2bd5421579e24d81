import type { Problem } from "./check.ts";
import { argumentPlaces, type HeaderPlace, resultPlaces } from "../headers/places.ts";
import { cookieText } from "../headers/cookies.ts";
import { RESERVED, TOKEN } from "../headers/names.ts";
import type { Operation } from "../definition.ts";
import { knownKind } from "../plan/exact_kinds.ts";
import { isScalar } from "../plan/kind.ts";
import { kindWord } from "./kind_word.ts";
import type { Plan } from "../plan/plan_types.ts";
import type { Schema } from "../plan/schema.ts";
import type { CheckedTag } from "../tag/tag_checker.ts";

/** Returns the problems of values in headers and cookies, and of bodies beside them. */
export function headerProblems({ args, results, options }: Operation, tag: CheckedTag, plan: Plan): Problem[] {
  const isChannel = plan.result.shape === "channel";
  const placed = resultPlaces(plan);
  return [
    ...bodyProblems(tag.argumentRules, tag.columns.arguments),
    ...bodyProblems(tag.resultRules, tag.columns.results),
    ...placeProblems(argumentPlaces(plan), args, "argument", tag.columns.arguments),
    ...placeProblems(placed, results, "result", tag.columns.results),
    ...(isChannel && placed.length > 0
      ? [{ message: "a channel has no headers: it may be a WebSocket", column: 1 }]
      : []),
    ...Object.entries(options.cookies ?? {}).flatMap(([name, attributes]) => {
      const isSet = placed.some((place) => place.type === "cookie" && place.name === name);
      return isSet ? sayOf(() => cookieText(name, "", attributes)) : [`no result sets the cookie "${name}"`];
    }).map((message) => ({ message, column: 1 })),
  ];
}

/** The body itself, `*`, stands alone among the rules of a body. */
function bodyProblems(rules: readonly string[], column: number): Problem[] {
  const within = rules.filter((rule) => !rule.includes(":"));
  const isOdd = within.some((rule) => rule.includes("*")) && within.join() !== "*";
  return isOdd ? [{ message: `"*" is the whole body: "${within.join()}" has more in it`, column }] : [];
}

function placeProblems(
  places: readonly HeaderPlace[],
  schemas: readonly Schema[],
  what: "argument" | "result",
  column: number,
): Problem[] {
  const cookie = what === "argument" ? "Cookie" : "Set-Cookie";
  const seen = new Set<string>();
  return places.flatMap(({ index, type, name, rule }) => {
    const [head, ...more] = rule.split(":");
    const key = type === "header" ? name.toLowerCase() : rule;
    const isTwice = seen.has(key);
    seen.add(key);
    const found = /^(set-)?cookie$/i.test(head) && (type === "header" || head !== cookie)
      ? `"${rule}" is no ${what}: a cookie is ${cookie}:name`
      : type === "cookie" && head !== cookie
      ? `"${rule}" is neither a header, as in ${head}:, nor a cookie, as in ${cookie}:name`
      : more.length > 1 || !TOKEN.test(name)
      ? `"${rule}" is not the name of a ${type}`
      : type === "header" && RESERVED.test(name)
      ? `the header "${name}" is not an operation's to set`
      : isTwice
      ? `"${rule}" stands twice`
      : index in schemas && !isScalar(knownKind(schemas[index]))
      ? `"${rule}" takes a single value, but ${what} ${index + 1} is ${kindWord(knownKind(schemas[index]))}`
      : undefined;
    return found === undefined ? [] : [{ message: found, column }];
  });
}

function sayOf(run: () => void): string[] {
  try {
    run();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
