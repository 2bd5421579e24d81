/**
 * The parts of the schema library that this tree uses. Bundles hold these, and not the library's texts in fifty languages.
 *
 * @module
 */
import * as zod from "npm:zod@4.6.7";

export {
  bigint,
  coerce,
  type core,
  custom,
  type input,
  looseObject,
  NEVER,
  object,
  type output,
  record,
  toJSONSchema,
  union,
  unknown,
  ZodArray,
  ZodBigInt,
  ZodBoolean,
  ZodDefault,
  ZodNever,
  ZodNullable,
  ZodNumber,
  ZodObject,
  ZodOptional,
  ZodPipe,
  ZodRecord,
  ZodString,
  ZodType,
  ZodUnion,
  ZodUnknown,
} from "npm:zod@4.6.7";

// A schema does not change: its methods return another. Two thousand fields share four of them, of 700 bytes each, and what these
// make without an argument: schemas of a field that may be left out, or be null, or both.
const [TEXT, NUMBER, INTEGER, FLAG] = [zod.string(), zod.number(), zod.int(), zod.boolean()].map(shareWrappers) as [
  zod.ZodString,
  zod.ZodNumber,
  zod.ZodInt,
  zod.ZodBoolean,
];

/** Lets all of a schema's fields share what its methods without arguments return. */
function shareWrappers(schema: zod.ZodType): zod.ZodType {
  const [optional, nullable] = [schema.optional(), schema.nullable()];
  const nullish = nullable.optional();
  return Object.assign(schema, { optional: () => optional, nullable: () => nullable, nullish: () => nullish });
}

/** Lists by the schema of their items. */
const lists = new WeakMap<zod.core.SomeType, unknown>();

/** Returns the schema of a list, the same for the same schema of its items. */
function sharedList<T extends zod.core.SomeType>(item: T): zod.ZodArray<T> {
  const known = lists.get(item) as zod.ZodArray<T> | undefined;
  const list = known ?? zod.array(item);
  if (known === undefined) lists.set(item, list);
  return list;
}

/** Returns the schema of any text. */
function anyText(): zod.ZodString {
  return TEXT;
}

/** Returns the schema of any finite number. */
function anyNumber(): zod.ZodNumber {
  return NUMBER;
}

/** Returns the schema of any safe integer. */
function anyInteger(): zod.ZodInt {
  return INTEGER;
}

/** Returns the schema of `true` and `false`. */
function anyFlag(): zod.ZodBoolean {
  return FLAG;
}

export { anyFlag as boolean, anyInteger as int, anyNumber as number, anyText as string, sharedList as array };
