import { mediaType } from "../codecs/codec.ts";
import type { APIOptions } from "../definition.ts";
import { jsonSchemaOf } from "../plan/exact_kinds.ts";
import { markerOf } from "../plan/kind.ts";
import type { Plan } from "../plan/plan_types.ts";
import type { Schema } from "../plan/schema.ts";
import { holdsZodFile, isZod } from "../plan/zod_schema.ts";
import type { Problem } from "./check.ts";

/** The content types that have no way to say bytes, and of which nobody would name one for a file. */
const TEXTS: readonly string[] = ["text/plain", "application/json", "application/x-ndjson"];

/**
 * Returns the problems of files where there is no place for one: anywhere but in a form of several parts or what a codec of the API's own
 * carries. Their content would be lost.
 */
export function problemsOfFiles(
  { method, body, result, results, arguments: all }: Plan,
  options: APIOptions,
): Problem[] {
  const problems: Problem[] = [];
  const look = (
    what: string,
    { contentType, item, tagged }: Plan["result"] | NonNullable<Plan["body"]>,
    of: Schemas,
  ) => {
    if (!(item ? [item] : of).some(holdsFile) || carriesFiles(contentType, options)) return;
    const type = mediaType(contentType);
    const name = item || TEXTS.includes(type) ? "" : JSON.stringify(type);
    const advice = `take stream(${name}) in its place, to which a Blob can be given, or a form, multipart/form-data`;
    const message = `"${contentType}" cannot carry ${what}, which holds a file: ${advice}`;
    problems.push({ message, column: tagged ? method.length + 2 : 1 });
  };
  if (body) look("the body", body, body.arguments.map((index) => all[index].schema));
  look("the result", result, result.schemas);
  for (const [index, { schema }] of all.entries()) {
    if (body?.arguments.includes(index) || !holdsFile(schema)) continue;
    const message = `argument ${
      index + 1
    } holds a file, which cannot stand in path, query or headers: make it the body, a stream()`;
    problems.push({ message, column: 1 });
  }
  for (const schema of results) {
    if (result.schemas.includes(schema) || !holdsFile(schema)) continue;
    problems.push({
      message: "a result holds a file, which cannot stand in a header: make it the body, a stream()",
      column: 1,
    });
  }
  return problems;
}

type Schemas = readonly Schema[];

/** Whether a body of this type has a way to say a file. An API's own codec is trusted. */
function carriesFiles(contentType: string, { codecs = [] }: APIOptions): boolean {
  const type = mediaType(contentType);
  return type === "multipart/form-data" || codecs.some((codec) => codec.type === type);
}

/** Whether values of a schema are files, or hold some. */
function holdsFile(schema: Schema): boolean {
  // A stream is not a file, though a document describes both in the same words.
  if (markerOf(schema)) return false;
  if (isZod(schema)) return holdsZodFile(schema);
  try {
    return saysFile(jsonSchemaOf(schema));
  } catch {
    return false;
  }
}

/** Whether a JSON Schema says a file anywhere. Values in it say nothing. */
function saysFile(json: unknown): boolean {
  if (typeof json !== "object" || json === null) return false;
  return (json as { format?: unknown }).format === "binary" ||
    Object.entries(json).some(([key, part]) => !VALUES.includes(key) && saysFile(part));
}

const VALUES: readonly string[] = ["const", "enum", "default", "examples"];
