/** What a {@linkcode Schema} validated to: the value, or what is wrong with it. */
export type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

/** One thing that is wrong with a value, and where in it. */
export interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema library is asked for when it writes a JSON Schema. */
export interface JSONSchemaOptions {
  readonly target: "draft-2020-12";
  /** Passed through to the library; libraries ignore what they do not know. */
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/**
 * A Standard Schema (https://standardschema.dev) with its JSON Schema part, as zod 4 offers it. Anything of this shape
 * describes an argument or a result.
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

/** The type a schema accepts: what a client passes as an argument, and what a server returns as a result. */
export type Input<S extends Schema> = NonNullable<S["~standard"]["types"]>["input"];

/** The type a schema makes of what it accepts: what a server function is given, and what a client gets back. */
export type Output<S extends Schema> = NonNullable<S["~standard"]["types"]>["output"];

/** Writes issues as one line: `at "a.b": message; …`. */
export function describeIssues(issues: readonly Issue[]): string {
  return issues.map(({ message, path }) => {
    const text = path?.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
    return text ? `at "${text}": ${message}` : message;
  }).join("; ");
}
