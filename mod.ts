/**
 * A container engine whose HTTP API is Podman's, in both of its trees, as a library: the engine over ports that a runtime
 * fills, and the handlers that serve it. `./rest` is the transport the handlers are written with, `./serve` a server for a
 * Linux host.
 *
 * @example An engine in memory, without a kernel, and its API called in place
 * ```ts
 * import { Engine, engineHandler, systemAPI } from "./mod.ts";
 * import { hostClock } from "./lib/platform/clock.ts";
 * import { hostCodec } from "./lib/platform/codec.ts";
 * import { MemoryBlobs } from "./lib/platform/memory_blobs.ts";
 * import { MemoryStore } from "./lib/platform/memory_store.ts";
 * import { hostNet } from "./lib/platform/net.ts";
 * import { hostRandom } from "./lib/platform/random.ts";
 * import { link } from "./lib/rest/mod.ts";
 *
 * const codec = hostCodec();
 * const engine = await Engine.open({
 *   store: new MemoryStore(),
 *   blobs: new MemoryBlobs(codec),
 *   net: hostNet(),
 *   codec,
 *   clock: hostClock(),
 *   random: hostRandom(),
 *   host: { unavailable: "this example has no kernel" },
 * }, { defaultPlatform: { os: "linux", architecture: "amd64" } });
 * const client = link(systemAPI, "http://localhost", { fetch: engineHandler(engine) });
 * console.assert((await client.VersionHandler()).Os === "linux");
 * await engine.close();
 * ```
 *
 * @module
 */
export { Engine } from "./lib/engine/engine.ts";
export { EngineError, type EngineErrorOptions, type ErrorCode } from "./lib/engine/errors.ts";
export type { EngineOptions, Limits, Platform } from "./lib/engine/options.ts";
export type * from "./lib/engine/ports.ts";
export { engineHandler, type EngineHandlerOptions, operations } from "./handlers/engine_handler.ts";
export { compatContainersAPI } from "./handlers/compat/containers/api.ts";
export { compatImagesAPI } from "./handlers/compat/images/api.ts";
export { compatSystemAPI } from "./handlers/compat/system/api.ts";
export { containersAPI } from "./handlers/containers/api.ts";
export { imagesAPI } from "./handlers/images/api.ts";
export { systemAPI } from "./handlers/system/api.ts";
export { UInt64OrMinusOne, WirePOSIXRlimit } from "./handlers/wire/numbers.ts";
