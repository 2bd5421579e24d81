/**
 * The self-description of an API: an OpenAPI document, a page to read and try it, and a client module, all made from its
 * definition.
 *
 * @example
 * ```ts
 * import { api, handler, implement, int64, rest } from "./mod.ts";
 * import { surfaces } from "./surfaces.ts";
 *
 * const calculator = api("calculator.example.com", {
 *   Add: rest("GET /sum?a=%v&b=%v", [int64, int64], [int64]),
 * });
 * const serve = handler(null, implement(calculator, { Add: (a, b) => a + b }), { fallback: surfaces(calculator) });
 *
 * const page = await serve(new Request("http://localhost/", { headers: { accept: "text/html" } }));
 * console.assert((await page.text()).startsWith("<!doctype html>"));
 * ```
 * @module
 */
export { clientModule } from "./surfaces/client/client_module.ts";
export { clientTypes } from "./surfaces/client/client_types.ts";
export { docsPage } from "./surfaces/docs_page.ts";
export { clientSamples } from "./surfaces/page/client_sample.ts";
export { type DocumentOptions, openapi, type OperationWords } from "./surfaces/openapi.ts";
export type {
  HeaderObject,
  JSONSchema,
  MediaTypeObject,
  OpenAPIDocument,
  OperationObject,
  ParameterObject,
  RequestBodyObject,
  ResponseObject,
  SecurityScheme,
} from "./surfaces/openapi_types.ts";
export { surfaces, type SurfacesOptions } from "./surfaces/surfaces.ts";
