/**
 * The outcome of a {@linkcode Schema}'s validation: the value, or its issues.
 *
 * @example
 * ```ts
 * import type { Validated } from "../mod.ts";
 * const even = (value: unknown): Validated<number> =>
 *   typeof value === "number" && value % 2 === 0 ? { value } : { issues: [{ message: "Expected an even number" }] };
 * console.assert(even(3).issues?.length === 1);
 * ```
 */
export type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

/**
 * One thing that is wrong with a value, and where in it.
 *
 * @example
 * ```ts
 * import type { Issue } from "../mod.ts";
 * const issue: Issue = { message: "Expected a string", path: ["user", "name"] };
 * ```
 */
export interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * An issue as a server tells it, in the `issues` of an {@linkcode HTTPError} and of its problem details.
 *
 * @example
 * ```ts
 * import type { ToldIssue } from "../mod.ts";
 * const issue: ToldIssue = { path: ["user", "age"], code: "invalid_type", message: "Expected a number" };
 * ```
 */
export interface ToldIssue {
  /** The argument's name (`body` for one that is the body itself), and the way into its value; of a deep one the first ten steps. */
  readonly path: readonly (string | number)[];
  /** The kind of issue, where the schema's library has a word for it. */
  readonly code?: string;
  readonly message: string;
}

/**
 * The options for a schema library when it writes a JSON Schema.
 *
 * @example
 * ```ts
 * import type { JSONSchemaOptions } from "../mod.ts";
 * const options: JSONSchemaOptions = { target: "draft-2020-12" };
 * ```
 */
export interface JSONSchemaOptions {
  readonly target: "draft-2020-12";
  /** Passed through to the library; libraries ignore what they do not know. */
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/**
 * A Standard Schema (https://standardschema.dev) with its JSON Schema part, as zod 4 offers it. Anything of this shape
 * describes an argument or a result.
 *
 * @example
 * ```ts
 * import { api, handler, implement, rest, type Schema } from "../mod.ts";
 * const json = () => ({ type: "number" });
 * const even: Schema<number> = {
 *   "~standard": {
 *     version: 1,
 *     vendor: "example",
 *     validate: (value) =>
 *       typeof value === "number" && value % 2 === 0 ? { value } : { issues: [{ message: "Expected an even number" }] },
 *     jsonSchema: { input: json, output: json },
 *   },
 * };
 * const halves = api("x", { Half: rest("GET /half?of=%v", [even], [even]) });
 * const serve = handler(null, implement(halves, { Half: (n) => n / 2 }));
 * console.assert((await serve(new Request("http://localhost/half?of=3"))).status === 400);
 * ```
 */
export interface Schema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    readonly jsonSchema?: {
      readonly input: (options: JSONSchemaOptions) => Record<string, unknown>;
      readonly output: (options: JSONSchemaOptions) => Record<string, unknown>;
    } | undefined;
  };
}

/**
 * The type a schema accepts: what a client passes as an argument, and what a server returns as a result.
 *
 * @example
 * ```ts
 * import { type Input, int64 } from "../mod.ts";
 * const passed: Input<typeof int64>[] = [1, 2n];
 * ```
 */
export type Input<S extends Schema> = NonNullable<S["~standard"]["types"]>["input"];

/**
 * The type a schema makes of what it accepts: what a server function is given, and what a client gets back.
 *
 * @example
 * ```ts
 * import { int64, type Output } from "../mod.ts";
 * const got: Output<typeof int64> = 2n;
 * ```
 */
export type Output<S extends Schema> = NonNullable<S["~standard"]["types"]>["output"];

/** How many issues are told, and how long their texts may be: a value of many faults is not answered by many times its size. */
const MOST = 10;
const LONGEST = 200;

/** Writes issues as one line: `at "a.b": message; …; and 7 more`. */
export function describeIssues(issues: readonly Issue[]): string {
  const told = issues.slice(0, MOST).map(({ message, path }) => {
    const text = path?.map(keyOf).map(String).join(".");
    return text ? `at "${text}": ${message}` : message;
  });
  const more = issues.length - MOST;
  return told.join("; ").slice(0, 2000) + (more > 0 ? `; and ${more} more` : "");
}

const keyOf = (part: PropertyKey | { readonly key: PropertyKey }) => typeof part === "object" ? part.key : part;

const short = (text: string) => text.slice(0, LONGEST);

/** The first issues for a machine: where each is, beginning with `name`, and in what code its library has one. */
export const listIssues = (issues: readonly (Issue & { readonly code?: unknown })[], name: string): ToldIssue[] =>
  issues.slice(0, MOST).map(({ message, path = [], code }) => ({
    path: [
      name,
      ...path.slice(0, MOST).map(keyOf).map((key) => typeof key === "number" ? key : short(String(key))),
    ],
    ...typeof code === "string" && { code },
    message: short(message),
  }));
