/**
 * The parts of the schema library that this tree uses. Bundles hold these, and not the library's texts in fifty languages.
 *
 * @module
 */
import * as zod from "npm:zod@4.6.7";

export {
  array,
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

// A schema does not change: its methods return another. Two thousand fields share four of them, of 700 bytes each.
const [TEXT, NUMBER, INTEGER, FLAG] = [zod.string(), zod.number(), zod.int(), zod.boolean()];

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

export { anyFlag as boolean, anyInteger as int, anyNumber as number, anyText as string };
