import { isObject } from "../surfaces/components.ts";
import type { JSONSchema } from "../surfaces/openapi_types.ts";

/** Returns the part of a document that a reference stands for, or the part itself; an empty object for one that is not there. */
export function resolveReference(part: unknown, document: JSONSchema): JSONSchema {
  let found = part;
  for (let i = 0; i < 16 && isObject(found) && typeof found.$ref === "string" && found.$ref.startsWith("#/"); i++) {
    found = found.$ref.slice(2).split("/").reduce<unknown>(
      (within, key) =>
        isObject(within) ? within[decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")] : undefined,
      document,
    );
  }
  return isObject(found) ? found : {};
}
