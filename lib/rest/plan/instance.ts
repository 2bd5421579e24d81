import type { Input, Output, Schema } from "./schema.ts";

/** The schema of the values that travel as instances. */
const CARRIED = Symbol();

/** The schema of a value as it travels: that within {@linkcode instance}, or the schema itself. */
export const carriedSchema = (schema: Schema & { readonly [CARRIED]?: Schema }): Schema => schema[CARRIED] ?? schema;

/**
 * A schema whose values arrive as instances of a class. A schema library makes a plain object, without methods: this is what
 * lets a value write and read headers ({@linkcode HeaderWriter}, {@linkcode HeaderReader}) on the side that gets it.
 *
 * @param schema What travels
 * @param make Makes an instance of what has arrived
 *
 * @example
 * ```ts
 * import { api, handler, type HeaderReader, type HeaderWriter, implement, instance, link, rest } from "../mod.ts";
 * import { z } from "npm:zod@4.6.7";
 *
 * class Page implements HeaderReader, HeaderWriter {
 *   constructor(readonly items: string[], public total = 0) {}
 *   writeHeadersHTTP(headers: Headers) {
 *     headers.set("x-total", String(this.total));
 *   }
 *   readHeadersHTTP(headers: Headers) {
 *     this.total = Number(headers.get("x-total"));
 *   }
 * }
 * const page = instance(z.object({ items: z.array(z.string()) }), ({ items }) => new Page(items));
 * const list = api("list.example.com", { Get: rest("GET /items", [], [page]) });
 * const serve = handler(null, implement(list, { Get: () => new Page(["a"], 500) }));
 * const got = await link(list, "http://localhost", { fetch: serve }).Get();
 * console.assert(got instanceof Page && got.total === 500);
 * ```
 */
export function instance<S extends Schema, T extends object>(
  schema: S,
  make: (value: Output<S>) => T,
): Schema<T | Input<S>, T> {
  const { validate, jsonSchema, version } = schema["~standard"];
  // The schema's own types say what it outputs.
  const accept = (validated: Awaited<ReturnType<typeof validate>>) =>
    validated.issues === undefined ? { value: make(validated.value as Output<S>) } : validated;
  const made: Schema<T | Input<S>, T> & { readonly [CARRIED]: Schema } = {
    [CARRIED]: carriedSchema(schema),
    "~standard": {
      version,
      vendor: "gantry",
      jsonSchema,
      validate(value) {
        const validated = validate(value);
        return validated instanceof Promise ? validated.then(accept) : accept(validated);
      },
    },
  };
  return made;
}
