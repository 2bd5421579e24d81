/**
 * What `dist/rest.js` offers: the transport for runtimes that know no TypeScript, in one module, so that its parts share their
 * classes.
 *
 * @module
 */
export * from "../lib/rest/mod.ts";
export * from "../lib/rest/batch.ts";
export * from "../lib/rest/events.ts";
export * from "../lib/rest/surfaces.ts";
