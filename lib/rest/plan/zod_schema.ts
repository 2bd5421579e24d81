import type { Schema } from "./schema.ts";

/** The part of a schema of zod that is there for other libraries (https://zod.dev/library-authors). */
export interface ZodSchema {
  readonly _zod?: {
    readonly def: ZodDefinition;
    readonly traits: ReadonlySet<string>;
    /** Whether a field of this type may be absent, and how; undefined where it must be there. */
    readonly optin?: string;
    readonly bag?: { readonly Class?: unknown };
    readonly toJSONSchema?: unknown;
  };
  /** The metadata; zod/mini has no such method. */
  readonly meta?: () => Readonly<Record<string, unknown>> | undefined;
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
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly values?: readonly unknown[];
  readonly options?: readonly ZodSchema[];
  readonly in?: ZodSchema;
  readonly out?: ZodSchema;
  readonly keyType?: ZodSchema;
  readonly valueType?: ZodSchema;
  /** Of a record: whether keys that do not fit pass. */
  readonly mode?: string;
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

/** Whether a schema is one of zod's; one that is made of it, to validate in a way of its own, is none. */
export function isZod(schema: Schema): schema is Schema & ZodSchema {
  return Object.hasOwn(schema, "_zod") && schema["~standard"].vendor === "zod";
}

/** Schemas that were looked into, and those that hold a file. */
const filed = /* @__PURE__ */ new WeakMap<object, boolean>();

/** Whether instances of a class are files. */
export function isFileClass(of: unknown): boolean {
  return typeof of === "function" && (of === Blob || of.prototype instanceof Blob);
}

/** Whether values of a schema of zod are files, or hold some. A type that is only made when it is asked for is not looked into. */
export function holdsZodFile(schema: unknown): boolean {
  const { def, bag } = Object((schema as ZodSchema | undefined)?._zod) as Partial<NonNullable<ZodSchema["_zod"]>>;
  if (!def) return false;
  const known = filed.get(def);
  if (known !== undefined) return known;
  // A type may hold itself.
  filed.set(def, false);
  const { type, shape = {}, options = [], element, innerType, valueType, catchall, in: from, out } = def;
  const parts = [...Object.values(shape), ...options, element, innerType, valueType, catchall, from, out];
  const holds = type === "file" || isFileClass(bag?.Class) || parts.some(holdsZodFile);
  filed.set(def, holds);
  return holds;
}

/** Whether a schema puts a value of its own in the place of one that does not fit, and changes none that does. */
export function isCatch({ _zod }: ZodSchema): boolean {
  return _zod?.def.type === "catch" && isUnchanging(_zod.def.innerType);
}

function isUnchanging({ _zod }: ZodSchema = {}): boolean {
  const { type = "", innerType, element, valueType, shape = {}, catchall } = _zod?.def ?? {};
  if (/^(string|number|boolean|bigint|date|null|enum|literal)$/.test(type)) return true;
  if (/^(optional|nullable|default|readonly|catch)$/.test(type)) return isUnchanging(innerType);
  if (type === "array" || type === "record") return isUnchanging(element ?? valueType);
  return type === "object" && [...Object.values(shape), ...catchall ? [catchall] : []].every(isUnchanging);
}
