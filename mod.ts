/**
 * A container engine whose HTTP API is Podman's, in both of its trees, as a library: the engine over ports that a runtime
 * fills, and the handlers that serve it. It names no runtime. Engines are opened by `./host` (this Linux machine's) and `./memory`
 * (without a kernel), served by `./serve`; `./rest` is the transport the handlers are written with. `deno.json` lists the files.
 *
 * @example An engine in memory, and its API called in place
 * ```ts
 * import { engineHandler, systemAPI } from "./mod.ts";
 * import { openMemoryEngine } from "./lib/platform/entries/memory_engine.ts"; // "./memory"
 * import { link } from "./lib/rest/mod.ts"; // "./rest"
 *
 * const engine = await openMemoryEngine();
 * const client = link(systemAPI, "http://localhost", { fetch: engineHandler(engine) });
 * console.assert((await client.VersionHandler()).Os === "linux");
 * await engine.close();
 * ```
 *
 * @module
 */
export { Engine } from "./lib/engine/engine.ts";
export type { ContainerRequest } from "./lib/engine/containers/request/container_request.ts";
export { EngineError, type EngineErrorOptions, type ErrorCode } from "./lib/engine/errors.ts";
export type { EngineOptions, InputLimits as Limits, Platform } from "./lib/engine/options.ts";
export type * from "./lib/engine/ports/host_port.ts";
export type * from "./lib/engine/ports/network_port.ts";
export { convertQuadlets, type SystemdUnit, unitText } from "./lib/engine/quadlets/convert/convert_quadlets.ts";
export type { QuadletOptions } from "./lib/engine/quadlets/convert/conversion.ts";
export { type QuadletSpec, quadletSpec, type QuadletSpecOptions } from "./lib/engine/quadlets/spec/quadlet_spec.ts";
export type { QuadletWork } from "./lib/engine/quadlets/spec/read_work.ts";
export type { RestartRule, UnitPlan } from "./lib/engine/quadlets/spec/unit_plan.ts";
export type {
  AutoUpdateOptions,
  AutoUpdateOutcome,
  AutoUpdateReport,
} from "./lib/engine/quadlets/update/auto_update.ts";
export { QuadletError, type QuadletPlace } from "./lib/engine/quadlets/quadlet_error.ts";
export type { QuadletFile } from "./lib/engine/quadlets/unit_file.ts";
export type * from "./lib/engine/ports/quadlet_port.ts";
export type { NetworkStatus } from "./lib/engine/records/network_status.ts";
export type * from "./lib/engine/ports/ports.ts";
export { engineHandler, type EngineHandlerOptions, operations } from "./handlers/engine_handler.ts";
export { DefaultEngineSwaggerSpec } from "./handlers/swagger.ts";
export { artifactsAPI } from "./handlers/artifacts/api.ts";
export { compatBuildsAPI } from "./handlers/compat/builds/api.ts";
export { compatContainersAPI } from "./handlers/compat/containers/api.ts";
export { compatExecAPI } from "./handlers/compat/exec/api.ts";
export { compatFilesAPI } from "./handlers/compat/files/api.ts";
export { compatImagesAPI } from "./handlers/compat/images/api.ts";
export { compatNetworksAPI } from "./handlers/compat/networks/api.ts";
export { compatRegistriesAPI } from "./handlers/compat/registries/api.ts";
export { compatSecretsAPI } from "./handlers/compat/secrets/api.ts";
export { compatSystemAPI } from "./handlers/compat/system/api.ts";
export { compatVolumesAPI } from "./handlers/compat/volumes/api.ts";
export { buildsAPI } from "./handlers/builds/api.ts";
export { containersAPI } from "./handlers/containers/api.ts";
export { execAPI } from "./handlers/exec/api.ts";
export { filesAPI } from "./handlers/files/api.ts";
export { imagesAPI } from "./handlers/images/api.ts";
export { networksAPI } from "./handlers/networks/api.ts";
export { kubeAPI } from "./handlers/kube/api.ts";
export { podsAPI } from "./handlers/pods/api.ts";
export { quadletsAPI } from "./handlers/quadlets/api.ts";
export { secretsAPI } from "./handlers/secrets/api.ts";
export { manifestsAPI } from "./handlers/manifests/api.ts";
export { monitorAPI } from "./handlers/monitor/api.ts";
export { systemAPI } from "./handlers/system/api.ts";
export { unitsAPI } from "./handlers/units/api.ts";
export { volumesAPI } from "./handlers/volumes/api.ts";
export { UInt64OrMinusOne, WirePOSIXRlimit } from "./handlers/wire/numbers.ts";
