import type { APIOptions, HeaderContext } from "../../lib/rest/mod.ts";
import { ARCHIVE_LIMIT } from "./files/file.ts";
import { wireErrors } from "./error_model.ts";
import { firstJSON } from "./first_value.ts";

/** The API versions that the service announces. Clients compare these and refuse what is too old for them. */
export const API_VERSION = { libpod: "6.0.0-dev", libpodMinimal: "4.0.0", compat: "1.52", compatMinimal: "1.24" };

/** No identity a client sends is longer in earnest. */
const MAX_REFERENCE = 256;

/** Headers of every reply. */
export function wireHeaders({ request }: Pick<HeaderContext, "request">): HeadersInit {
  return {
    "Api-Version": API_VERSION.compat,
    "Libpod-Api-Version": API_VERSION.libpod,
    "Server": `Libpod/${API_VERSION.libpod} (linux)`,
    "X-Reference-Id": givenReference(request) ?? newReference(),
  };
}

/** The headers of a reply, by their names in lower case, that a further reply to the same request has other values of. */
export function freshHeaders(request: Request): Readonly<Record<string, () => string>> | undefined {
  return givenReference(request) === undefined ? FRESH : undefined;
}

const newReference = () => crypto.randomUUID();
const FRESH = { "x-reference-id": newReference };

function givenReference({ headers }: Request): string | undefined {
  const reference = headers.get("x-reference-id");
  return reference && reference.length <= MAX_REFERENCE ? reference : undefined;
}

/** The options that all families have in common; paths begin with a version or not, and `libpod` is another word for `engine`. */
export const API_OPTIONS: APIOptions = {
  versioned: true,
  // Results are made by typed code from the engine's own records: a check of each list and event would only cost.
  trusted: true,
  // Images and archives go through piece by piece.
  streamLimit: ARCHIVE_LIMIT,
  aliases: { engine: ["libpod"] },
  errors: wireErrors,
  codecs: [firstJSON],
  query: { ignoreCase: true, emptyIsAbsent: true },
  headers: wireHeaders,
};
