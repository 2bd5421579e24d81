import { shapeOf, zero } from "./zero.ts";
import type { Schema } from "./zero.ts";
import { z } from "./zod.ts";

/** A value in which anything may be missing, or null, which is the same. */
export type Sparse<T> = T extends readonly (infer Item)[] ? readonly Sparse<Item>[]
  : T extends object ? { [Key in keyof T]?: Sparse<T[Key]> | null | undefined }
  : T;

/**
 * Completes a reply to what Go would write: every field in the order of its schema, fields nobody set with Go's zero
 * value, and fields marked `omitempty` left out when they are empty.
 */
export function emit<S extends z.ZodType>(schema: S, value: Sparse<z.output<S>>): z.output<S> {
  // The writer fills what is missing, as the schema has it.
  return writerOf(schema)(value) as z.output<S>;
}

type Writer = (value: unknown) => unknown;

const writers = new WeakMap<Schema, Writer>();

function writerOf(schema: Schema): Writer {
  let writer = writers.get(schema);
  if (!writer) writers.set(schema, writer = compileWriter(schema));
  return writer;
}

function compileWriter(schema: Schema): Writer {
  const { inner, optional, nullable } = shapeOf(schema);
  const write = writeStructure(inner);
  const absent = absentValue(schema, write);
  // `.nullish()` is a pointer: what it points to is written even when that is empty.
  if (optional && !nullable) return (value) => isEmpty(value) ? undefined : write(value);
  return (value) => value === undefined || value === null ? absent() : write(value);
}

/** Makes what stands for a missing value. Structures are made anew each time: replies may be changed. */
function absentValue(schema: Schema, write: Writer): () => unknown {
  const value = zero(schema);
  if (Array.isArray(value)) return () => [];
  return typeof value === "object" && value !== null ? () => write({}) : () => value;
}

function writeStructure(schema: Schema): Writer {
  if (schema instanceof z.ZodObject) return writeObject(schema);
  if (schema instanceof z.ZodArray) {
    const element = schema.def.element;
    // Scalars go as they are.
    if (isScalar(element)) return (value) => value;
    return (value) => Array.isArray(value) ? value.map(writerOf(element)) : value;
  }
  if (schema instanceof z.ZodRecord) {
    const element = schema.def.valueType;
    if (isScalar(element)) return (value) => value;
    return (value) => {
      const write = writerOf(element);
      return Object.fromEntries(Object.entries(value ?? {}).map(([key, item]) => [key, write(item)]));
    };
  }
  return (value) => value;
}

function writeObject(schema: z.ZodObject): Writer {
  let fields: [string, Writer][] | undefined;
  const open = schema.def.catchall !== undefined && !(schema.def.catchall instanceof z.ZodNever);
  return (value) => {
    if (open) return value;
    // Only values of this schema's type come here.
    const source = value as Record<string, unknown>;
    fields ??= Object.entries(schema.shape).map(([key, field]) => [key, writerOf(field)]);
    const out: Record<string, unknown> = {};
    for (const [key, write] of fields) {
      const item = write(source[key]);
      if (item !== undefined) out[key] = item;
    }
    return out;
  };
}

function isScalar(schema: Schema): boolean {
  return schema instanceof z.ZodString || schema instanceof z.ZodNumber || schema instanceof z.ZodBoolean ||
    schema instanceof z.ZodUnknown;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === 0 || value === 0n || value === false) {
    return true;
  }
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}
