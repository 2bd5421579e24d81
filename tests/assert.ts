/**
 * The names of JSR's `@std/assert` that our tests use, over `node:assert`. `scripts/test.ts` maps the one to the other only
 * where JSR cannot be reached.
 *
 * @module
 */
import nodeAssert from "node:assert";

/** An error class, as `assertThrows` and `assertInstanceOf` take it. */
// deno-lint-ignore no-explicit-any -- a constructor of anything: its parameters do not matter here
export type ErrorClass<E = Error> = abstract new (...args: any[]) => E;

/** The error every assertion here throws. */
export class AssertionError extends Error {
  override name = "AssertionError";
}

/** Fails unless the value is truthy. */
export function assert(value: unknown, message = "Expected a truthy value"): asserts value {
  if (!value) throw new AssertionError(message);
}

/** Fails when the value is truthy. */
export function assertFalse(value: unknown, message = "Expected a falsy value"): asserts value is false {
  if (value) throw new AssertionError(message);
}

/** Fails unless both are deeply and strictly equal. */
export function assertEquals<T>(actual: T, expected: T, message?: string): void {
  nodeAssert.deepStrictEqual(actual, expected, message);
}

/** Fails when both are deeply and strictly equal. */
export function assertNotEquals<T>(actual: T, expected: T, message?: string): void {
  nodeAssert.notDeepStrictEqual(actual, expected, message);
}

/** Fails unless both are the same by `Object.is`. */
export function assertStrictEquals<T>(actual: unknown, expected: T, message?: string): asserts actual is T {
  nodeAssert.strictEqual(actual, expected, message);
}

/** Fails when the value is null or undefined. */
export function assertExists<T>(value: T, message = "Expected a value"): asserts value is NonNullable<T> {
  if (value === null || value === undefined) throw new AssertionError(message);
}

/** Fails unless `actual` holds `expected`. */
export function assertStringIncludes(actual: string, expected: string, message?: string): void {
  if (!actual.includes(expected)) throw new AssertionError(message ?? `Expected "${expected}" in: ${actual}`);
}

/** Fails unless the array holds every expected item. */
export function assertArrayIncludes<T>(actual: ArrayLike<T>, expected: ArrayLike<T>, message?: string): void {
  for (const item of Array.from(expected)) {
    const found = Array.from(actual).some((other) => isEqual(other, item));
    if (!found) throw new AssertionError(message ?? `Expected ${JSON.stringify(item)} in ${JSON.stringify(actual)}`);
  }
}

/** Fails unless the text matches. */
export function assertMatch(actual: string, expected: RegExp, message?: string): void {
  if (!expected.test(actual)) throw new AssertionError(message ?? `Expected ${expected} to match: ${actual}`);
}

/** Fails when the text matches. */
export function assertNotMatch(actual: string, expected: RegExp, message?: string): void {
  if (expected.test(actual)) throw new AssertionError(message ?? `Expected ${expected} not to match: ${actual}`);
}

/** Fails unless the value is an instance of the class. */
export function assertInstanceOf<T>(actual: unknown, expected: ErrorClass<T>, message?: string): asserts actual is T {
  if (!(actual instanceof expected)) {
    throw new AssertionError(message ?? `Expected an instance of ${expected.name}, got ${String(actual)}`);
  }
}

/** Fails unless `actual > expected`. */
export function assertGreater<T>(actual: T, expected: T, message?: string): void {
  if (!(actual > expected)) throw new AssertionError(message ?? `Expected ${actual} > ${expected}`);
}

/** Fails unless `actual >= expected`. */
export function assertGreaterOrEqual<T>(actual: T, expected: T, message?: string): void {
  if (!(actual >= expected)) throw new AssertionError(message ?? `Expected ${actual} >= ${expected}`);
}

/** Fails unless `actual < expected`. */
export function assertLess<T>(actual: T, expected: T, message?: string): void {
  if (!(actual < expected)) throw new AssertionError(message ?? `Expected ${actual} < ${expected}`);
}

/** Fails unless `actual <= expected`. */
export function assertLessOrEqual<T>(actual: T, expected: T, message?: string): void {
  if (!(actual <= expected)) throw new AssertionError(message ?? `Expected ${actual} <= ${expected}`);
}

/** Fails unless every property of `expected` is in `actual`, deeply. */
export function assertObjectMatch(
  // deno-lint-ignore no-explicit-any -- any object at all, as in @std/assert
  actual: Record<PropertyKey, any>,
  expected: Record<PropertyKey, unknown>,
  message?: string,
): void {
  nodeAssert.deepStrictEqual(pick(actual, expected), expected, message);
}

/** Fails unless the function throws, of that class and with that text where given; returns the error. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  errorClass?: ErrorClass<E>,
  includes?: string,
  message?: string,
): E {
  try {
    fn();
  } catch (error) {
    return checkError(error, errorClass, includes, message);
  }
  throw new AssertionError(message ?? "Expected function to throw");
}

/** Fails unless the promise rejects, with that class and that text where given; resolves to the error. */
export async function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  errorClass?: ErrorClass<E>,
  includes?: string,
  message?: string,
): Promise<E> {
  try {
    await fn();
  } catch (error) {
    return checkError(error, errorClass, includes, message);
  }
  throw new AssertionError(message ?? "Expected function to reject");
}

/** Fails always. */
export function fail(message = "Failed"): never {
  throw new AssertionError(message);
}

/** Marks what cannot be reached. */
export function unreachable(message = "Unreachable"): never {
  throw new AssertionError(message);
}

function isEqual(a: unknown, b: unknown): boolean {
  try {
    nodeAssert.deepStrictEqual(a, b);
    return true;
  } catch {
    return false;
  }
}

function pick(actual: unknown, like: unknown): unknown {
  if (typeof like !== "object" || like === null || typeof actual !== "object" || actual === null) return actual;
  if (Array.isArray(like)) {
    return Array.isArray(actual) ? actual.map((item, i) => i in like ? pick(item, like[i]) : item) : actual;
  }
  const entries = Object.keys(like).filter((key) => key in actual).map((key) => {
    return [key, pick(Reflect.get(actual, key), Reflect.get(like, key))] as const;
  });
  return Object.fromEntries(entries);
}

function checkError<E extends Error>(
  error: unknown,
  errorClass: ErrorClass<E> | undefined,
  includes: string | undefined,
  message: string | undefined,
): E {
  if (errorClass !== undefined) assertInstanceOf(error, errorClass, message);
  else assertInstanceOf(error, Error, message);
  if (includes !== undefined) assertStringIncludes((error as Error).message, includes, message);
  // The class was checked above; without one, E is its default, Error.
  return error as E;
}
