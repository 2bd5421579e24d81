/** The part of a schema of zod that is there for other libraries (https://zod.dev/library-authors). */
export interface ZodSchema {
  readonly _zod?: { readonly def: ZodDefinition; readonly traits: ReadonlySet<string> };
}

/** The definition that a schema of zod was made of. */
export interface ZodDefinition {
  readonly type: string;
  readonly checks?: readonly ZodCheck[];
  readonly coerce?: boolean;
  readonly format?: string;
  readonly element?: ZodSchema;
  readonly innerType?: ZodSchema;
  readonly shape?: Readonly<Record<string, ZodSchema>>;
  readonly catchall?: ZodSchema;
}

/** A check of a schema of zod. */
export interface ZodCheck {
  readonly _zod: {
    readonly def: {
      readonly check: string;
      readonly format?: string;
      readonly minimum?: number;
      readonly maximum?: number;
      readonly value?: unknown;
      readonly inclusive?: boolean;
    };
  };
}
