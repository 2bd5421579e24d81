import type { JSONSchemaOptions, Schema } from "../../lib/rest/mod.ts";
import { accept, decode, DecodeError } from "./decode.ts";
import type { Sparse } from "./emit.ts";
import { Int64, UInt64OrMinusOne } from "./numbers.ts";
import { z } from "./zod.ts";

/**
 * A request body that is read as Go reads it: a client may leave anything out, and an absent body is an empty object.
 *
 * @param schema What it holds
 */
export function body<S extends z.ZodType>(schema: S): Schema<Sparse<z.input<S>>, z.output<S>> {
  return {
    "~standard": {
      version: 1,
      vendor: "gantry",
      validate(value) {
        try {
          return { value: typeof value === "string" ? decode(schema, value) : accept(schema, value ?? {}) };
        } catch (error) {
          if (error instanceof DecodeError) return { issues: [{ message: error.message }] };
          throw error;
        }
      },
      jsonSchema: { input: describeSchema(schema, sparse), output: describeSchema(schema, sparse) },
    },
  };
}

/** A reply that holds numbers of 64 bits. */
export function reply<S extends z.ZodType>(schema: S): Schema<z.input<S>, z.output<S>> {
  const { validate } = schema["~standard"];
  return {
    "~standard": {
      version: 1,
      vendor: "gantry",
      validate: (value) => validate(value),
      jsonSchema: { input: describeSchema(schema, markExact), output: describeSchema(schema, markExact) },
    },
  };
}

/** A function that changes a part of a schema's description. */
type Override = (part: { zodSchema: unknown; jsonSchema: Record<string, unknown> }) => void;

function describeSchema(
  schema: z.ZodType,
  override: Override,
): (options: JSONSchemaOptions) => Record<string, unknown> {
  return ({ target }) => z.toJSONSchema(schema, { target, io: "input", unrepresentable: "any", override });
}

/** Nothing of a request body has to be there. */
const sparse: Override = (part) => {
  markExact(part);
  delete part.jsonSchema.required;
};

/** The mark tells the transport to keep all 64 bits. */
function markExact({ zodSchema, jsonSchema }: Parameters<Override>[0]): void {
  if (zodSchema !== UInt64OrMinusOne && zodSchema !== Int64) return;
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
  const format = zodSchema === Int64 ? "int64" : "uint64";
  Object.assign(jsonSchema, { type: "integer", format, "x-gantry-kind": "int64" });
}
