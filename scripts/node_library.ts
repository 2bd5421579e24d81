/**
 * What `dist/gantry-node.mjs` offers: the public exports in one module, so that they share their classes.
 *
 * @module
 */
export * from "../mod.ts";
export * as rest from "../lib/rest/mod.ts";
export * from "../lib/platform/http/serve.ts";
export { type HostEngineOptions, openHostEngine } from "../lib/platform/entries/host_engine.ts";
export * from "../lib/platform/entries/pretend_engine.ts";
export * as client from "../lib/platform/entries/client.ts";
export { type MemoryEngineOptions, openMemoryEngine } from "../lib/platform/entries/memory_engine.ts";
