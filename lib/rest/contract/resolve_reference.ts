import { isObject } from "../surfaces/components.ts";
import type { JSONSchema } from "../surfaces/openapi_types.ts";

/** References that lead to references. */
const MOST = 16;

/**
 * Returns the part of a document that a reference stands for, or the part itself; an empty object for what is no object.
 *
 * @throws {TypeError} for a reference that leads nowhere, to itself, or out of the document
 */
export function resolveReference(part: unknown, document: JSONSchema): JSONSchema {
  let found = part;
  for (let i = 0; isObject(found) && typeof found.$ref === "string"; i++) {
    if (i === MOST) throw new TypeError(`Import the document: ${JSON.stringify(found.$ref)} leads back to itself`);
    found = partOf(document, found.$ref);
  }
  return isObject(found) ? found : {};
}

/** The part of a document at a JSON Pointer (RFC 6901) in a fragment. */
function partOf(document: JSONSchema, reference: string): unknown {
  const what = `Import the document: ${JSON.stringify(reference)}`;
  if (!reference.startsWith("#")) throw new TypeError(`${what} is in another document: put both into one first`);
  const found = reference.split("/").slice(1).reduce<unknown>((within, key) => {
    const name = decodeURIComponent(key.replace(/%(?![0-9a-f]{2})/gi, "%25")).replaceAll("~1", "/").replaceAll(
      "~0",
      "~",
    );
    return typeof within === "object" && within !== null && Object.hasOwn(within, name)
      ? (within as JSONSchema)[name]
      : undefined;
  }, document);
  if (found === undefined) throw new TypeError(`${what} leads nowhere: the document has no such part`);
  return found;
}
