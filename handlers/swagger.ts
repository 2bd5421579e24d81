import { openapi, type OpenAPIDocument } from "../lib/rest/surfaces.ts";
import { listDefinitions } from "./families.ts";
import { ABOUT } from "./words/documents.ts";
import { wordsOf } from "./words/operation_words.ts";

let made: OpenAPIDocument | undefined;

/** The document is made when it is first asked for, as the schemas of a whole engine take a moment. */
function makeSpec(): OpenAPIDocument {
  return made ??= openapi(listDefinitions(), { ...ABOUT, words: wordsOf });
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
    return makeSpec().openapi;
  },
  get info() {
    return makeSpec().info;
  },
  get servers() {
    return makeSpec().servers;
  },
  get tags() {
    return makeSpec().tags;
  },
  get paths() {
    return makeSpec().paths;
  },
  get components() {
    return makeSpec().components;
  },
  get "x-gantry-options"() {
    return makeSpec()["x-gantry-options"];
  },
};
