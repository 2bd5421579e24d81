import { VERSION } from "../../lib/engine/info.ts";
import { type DocumentOptions, openapi } from "../../lib/rest/surfaces.ts";
import { listDefinitions } from "../families.ts";
import { API_VERSION } from "../wire/api_options.ts";

/** The general description of the API in its documents, but for the words of its operations and their fields. */
export const ABOUT: DocumentOptions = {
  title: "Gantry engine",
  version: API_VERSION.libpod,
  description: "Containers and what belongs to them: the native tree under `/engine`, and Docker's beside it. " +
    `Gantry ${VERSION} speaks versions up to ${API_VERSION.libpod} of Podman's API and up to ${API_VERSION.compat} of Docker's.`,
};

/** Describes the API with all words. They are loaded for the first document: half a megabyte that an idle server does without. */
export async function describeAPI(): Promise<DocumentOptions> {
  const { wordsOf } = await import("./operation_words.ts");
  return { ...ABOUT, words: wordsOf };
}

let made: Promise<string> | undefined;

/** The OpenAPI document of both trees as text: JSON with a value to the line, which is YAML too (YAML 1.2, section 1.3). */
export function swaggerText(): Promise<string> {
  return made ??= describeAPI().then((about) => JSON.stringify(openapi(listDefinitions(), about), null, 1) + "\n");
}
