/**
 * What `dist/rest-node.mjs` offers: the transport on Node, with XML and with what serves it.
 *
 * @module
 */
export * from "./rest_library.ts";
export * from "../lib/rest/xml.ts";
export * from "../lib/platform/serve.ts";
