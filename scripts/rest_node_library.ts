/**
 * What `dist/rest-node.mjs` offers: the transport on Node, with XML and with what serves it.
 *
 * @module
 */
export * from "./rest_library.ts";
export * from "../lib/rest/codecs/xml.ts";
export * from "../lib/platform/http/serve.ts";
