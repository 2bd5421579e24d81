import { openapi, type OpenAPIDocument } from "../lib/rest/surfaces.ts";
import { containersAPI } from "./containers/api.ts";
import { engineErrors } from "./errors.ts";
import { imagesAPI } from "./images/api.ts";
import { systemAPI } from "./system/api.ts";
import { API_VERSION } from "./wire/api_options.ts";

/** The families of the native tree under the titles they have in the document. */
const FAMILIES = [
  { title: "Containers", definition: containersAPI },
  { title: "Images", definition: imagesAPI },
  { title: "System", definition: systemAPI },
];

let made: OpenAPIDocument | undefined;

/**
 * The OpenAPI 3.1 document of the engine's native API, read off the definitions it is served by. It is made when it is first
 * asked for, as the schemas of a whole engine take a moment.
 *
 * @example
 * ```ts
 * import { DefaultEngineSwaggerSpec } from "./swagger.ts";
 * console.assert("/engine/info" in DefaultEngineSwaggerSpec().paths);
 * ```
 */
export function DefaultEngineSwaggerSpec(): OpenAPIDocument {
  return made ??= openapi(
    FAMILIES.map(({ title, definition }) => ({
      ...definition,
      options: { ...definition.options, title, errors: engineErrors },
    })),
    { title: "Gantry engine", version: API_VERSION.libpod, description: "Containers and what belongs to them." },
  );
}
