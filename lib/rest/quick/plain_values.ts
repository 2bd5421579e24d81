import type { IsPlain } from "../run/check_result.ts";
import type { Schema } from "../plan/schema.ts";
import { isZod, type ZodCheck, type ZodDefinition, type ZodSchema } from "../plan/zod_schema.ts";

/**
 * Makes quick tests of zod's strings, numbers, booleans, lists and objects, optional and nullable ones, and checks of length and range. All that is
 * more than that, and each value of which they are not sure, is for the schema to judge.
 */
export function quickTest(schema: Schema): IsPlain | undefined {
  return isZod(schema) ? makeTest(schema, []) : undefined;
}

const isText: IsPlain = (value) => typeof value === "string";
const isBoolean: IsPlain = (value) => typeof value === "boolean";
const isNumber: IsPlain = (value) => Number.isFinite(value);
const isInteger: IsPlain = (value) => Number.isSafeInteger(value);

/** Calls a test. The most frequent ones stand here: a call of a function that is not known beforehand takes longer than all they do. */
function passesTest(value: unknown, test: IsPlain): boolean {
  if (test === isText) return typeof value === "string";
  if (test === isNumber) return Number.isFinite(value);
  if (test === isInteger) return Number.isSafeInteger(value);
  return test === isBoolean ? typeof value === "boolean" : test(value);
}

/** The tests that stand in the loop over fields, by their numbers there. */
const FREQUENT: readonly IsPlain[] = [isText, isNumber, isInteger, isBoolean];

function makeTest(schema: ZodSchema, outer: readonly ZodSchema[]): IsPlain | undefined {
  const { def, traits } = schema._zod ?? {};
  if (!def || def.coerce || outer.includes(schema) || traits?.has("$ZodExactOptional")) return undefined;
  const { type, format, checks = [] } = def;
  const test = (inner: ZodSchema | undefined) => inner && makeTest(inner, [...outer, schema]);
  switch (type) {
    case "string":
      return format ? undefined : withChecks(isText, checks);
    case "number":
      return format && format !== "safeint" ? undefined : withChecks(format ? isInteger : isNumber, checks);
    case "boolean":
      return withChecks(isBoolean, checks);
    case "array": {
      const isItem = test(def.element);
      return isItem && withChecks(listTest(isItem), checks);
    }
    case "object":
      return checks.length > 0 ? undefined : objectTest(def, test);
    case "optional":
    case "nullable": {
      const none = type === "optional" ? undefined : null;
      const isInner = test(def.innerType);
      return isInner && checks.length === 0 ? (value) => value === none || isInner(value) : undefined;
    }
  }
}

/** A test with checks on top; none where one of these is more than a length or a range. */
function withChecks(test: IsPlain, checks: readonly ZodCheck[]): IsPlain | undefined {
  for (const check of checks) {
    const passes = checkTest(check);
    if (!passes) return undefined;
    const before = test;
    test = (value) => before(value) && passes(value);
  }
  return test;
}

/** The test of a check, for values that are of the type it is for. */
function checkTest({ _zod: { def } }: ZodCheck): IsPlain | undefined {
  const { check, format, minimum, maximum, value: limit, inclusive } = def;
  const lengthOf = (value: unknown) => (value as string | unknown[]).length;
  if (check === "number_format") return format === "safeint" ? isInteger : undefined;
  if (check === "min_length" && minimum !== undefined) return (value) => lengthOf(value) >= minimum;
  if (check === "max_length" && maximum !== undefined) return (value) => lengthOf(value) <= maximum;
  if (typeof limit !== "number") return undefined;
  if (check === "greater_than") return (value) => inclusive ? value as number >= limit : value as number > limit;
  if (check === "less_than") return (value) => inclusive ? value as number <= limit : value as number < limit;
}

function listTest(isItem: IsPlain): IsPlain {
  return (value) => {
    if (!Array.isArray(value)) return false;
    // Not by `every`, which calls a function that it cannot inline, and passes over holes.
    for (let i = 0; i < value.length; i++) if (!passesTest(value[i], isItem)) return false;
    return true;
  };
}

function objectTest(
  { shape = {}, catchall }: ZodDefinition,
  test: (schema: ZodSchema) => IsPlain | undefined,
): IsPlain | undefined {
  const names = Object.keys(shape);
  const tests: IsPlain[] = [];
  for (const name of names) {
    const isField = name === "__proto__" ? undefined : test(shape[name]);
    if (!isField) return undefined;
    tests.push(isField);
  }
  // An object that takes fields beyond its own may change them.
  if (catchall && catchall._zod?.def.type !== "never") return undefined;
  const codes = tests.map((test) => FREQUENT.indexOf(test));
  const places = new Map(names.map((name, place) => [name, place]));
  return (value) => {
    if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return false;
    let next = 0;
    let count = 0;
    // The fields of most values stand in the order of the schema: to compare names takes a fraction of a look-up.
    for (const name in value) {
      const place = name === names[next] ? next : places.get(name);
      if (place === undefined) return false;
      const field = (value as Record<string, unknown>)[name];
      // Not by `passesTest`: through it this function calls itself, and engines do not put such a call's code where it stands.
      switch (codes[place]) {
        case 0:
          if (typeof field !== "string") return false;
          break;
        case 1:
          if (!Number.isFinite(field)) return false;
          break;
        case 2:
          if (!Number.isSafeInteger(field)) return false;
          break;
        case 3:
          if (typeof field !== "boolean") return false;
          break;
        default:
          if (!tests[place](field)) return false;
      }
      next = place + 1;
      count++;
    }
    return count === names.length ||
      names.every((name, place) => tests[place]((value as Record<string, unknown>)[name]));
  };
}
