/**
 * How a schema's values stand in Go. The schemas of `handlers/wire` say it so: a required field is always written;
 * `.optional()` is `omitempty`, left out when it is Go's empty value; `.nullish()` is a pointer with `omitempty`, left
 * out only when absent; `.nullable()` is a pointer, slice or map, written as null when there is none.
 *
 * @module
 */
import { z } from "./zod.ts";
import { time, ZERO_TIME } from "./time.ts";

/** A schema as the two walkers of this folder see it. */
export type Schema = z.core.$ZodType;

/** The schema that another wraps, and the kind of wrapping. */
export interface Shape {
  /** The schema below optional, nullable, default and transformations. */
  inner: Schema;
  optional: boolean;
  nullable: boolean;
}

/** Looks below what a schema wraps itself in. */
export function shapeOf(schema: Schema): Shape {
  let inner = schema, optional = false, nullable = false;
  for (;;) {
    if (inner instanceof z.ZodOptional) optional = true, inner = inner.def.innerType;
    else if (inner instanceof z.ZodNullable) nullable = true, inner = inner.def.innerType;
    else if (inner instanceof z.ZodDefault) optional = true, inner = inner.def.innerType;
    else if (inner instanceof z.ZodPipe) inner = inner.def.in;
    else return { inner, optional, nullable };
  }
}

/** Go's zero value of a schema: what a field has that nobody set. */
export function zero(schema: Schema): unknown {
  const { inner, optional, nullable } = shapeOf(schema);
  if (optional) return undefined;
  if (nullable) return null;
  if (inner === time) return ZERO_TIME;
  if (inner instanceof z.ZodString) return "";
  if (inner instanceof z.ZodNumber || inner instanceof z.ZodBigInt) return 0;
  // Of two forms the first is the one written today.
  if (inner instanceof z.ZodUnion) return zero(inner.def.options[0]);
  if (inner instanceof z.ZodBoolean) return false;
  if (inner instanceof z.ZodArray) return [];
  if (inner instanceof z.ZodRecord) return {};
  if (inner instanceof z.ZodObject) {
    const fields = Object.entries(inner.shape).filter(([, field]) => !shapeOf(field).optional);
    return Object.fromEntries(fields.map(([key, field]) => [key, zero(field)]));
  }
  return null;
}
