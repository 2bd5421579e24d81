/** The one place that names the schema library. */
export * as z from "./zod_parts.ts";
