import { VERSION } from "../lib/engine/info.ts";
import type { DocumentOptions, OpenAPIDocument } from "../lib/rest/surfaces.ts";
import { openapi } from "../lib/rest/surfaces.ts";
import { listDefinitions } from "./families.ts";
import { API_VERSION } from "./wire/api_options.ts";
import { wordsOf } from "./words/operation_words.ts";

/** The general description of the API in its documents. */
export const ABOUT: DocumentOptions = {
  title: "Gantry engine",
  version: API_VERSION.libpod,
  description: "Containers and what belongs to them: the native tree under `/engine`, and Docker's beside it. " +
    `Gantry ${VERSION} speaks versions up to ${API_VERSION.libpod} of Podman's API and up to ${API_VERSION.compat} of Docker's.`,
  words: wordsOf,
};

let made: { readonly document: OpenAPIDocument; readonly text: string } | undefined;

/** The document is made when it is first asked for, as the schemas of a whole engine take a moment. */
function makeSpec(): { readonly document: OpenAPIDocument; readonly text: string } {
  if (made !== undefined) return made;
  const document = openapi(listDefinitions(), ABOUT);
  return made = { document, text: JSON.stringify(document, null, 1) + "\n" };
}

/**
 * The OpenAPI 3.1 document of the engine's API, both trees of it, read off the definitions it is served by. It is made when one of its
 * fields is first read.
 *
 * @example
 * ```ts
 * import { DefaultEngineSwaggerSpec } from "./swagger.ts";
 * console.assert("/engine/info" in DefaultEngineSwaggerSpec.paths);
 * ```
 */
export const DefaultEngineSwaggerSpec: OpenAPIDocument = {
  get openapi() {
    return makeSpec().document.openapi;
  },
  get info() {
    return makeSpec().document.info;
  },
  get servers() {
    return makeSpec().document.servers;
  },
  get tags() {
    return makeSpec().document.tags;
  },
  get paths() {
    return makeSpec().document.paths;
  },
  get components() {
    return makeSpec().document.components;
  },
  get "x-gantry-options"() {
    return makeSpec().document["x-gantry-options"];
  },
};

/** The document as text: JSON with a value to the line, which is YAML too (YAML 1.2, section 1.3). */
export function swaggerText(): string {
  return makeSpec().text;
}
