/**
 * A client for programs that want containers and not an API: of Gantry, Podman and Docker, over `fetch` or in the same process. It names no
 * runtime, so that a page can load it; `./client` adds Unix sockets, TCP and the engine of this host.
 *
 * @example An engine in memory, driven without a server
 * ```ts
 * import { engineHandler } from "../../mod.ts";
 * import { openMemoryEngine } from "../platform/entries/memory_engine.ts";
 * import { connectHandler, openEngine } from "./mod.ts";
 *
 * const memory = await openMemoryEngine();
 * await using engine = await openEngine(connectHandler(engineHandler(memory), () => memory.close()));
 * console.assert((await engine.images.list()).length === 0);
 * ```
 *
 * @module
 */
export { type BuildContext, type ReadFolder } from "./build_context.ts";
export { ClientError, type ClientErrorCode, type ExitFacts } from "./client_error.ts";
export { ClientImages, type ImageSummary, type RegistryLogin, type TransferOptions } from "./client_images.ts";
export type { Connection, Hijacked } from "./connections/connection.ts";
export { Container } from "./container.ts";
export type { Abortable, AttachToOptions, ExecOptions, InteractOptions, LogsOptions } from "./container_calls.ts";
export type { ContainerDetails, ContainerSummary } from "./container_details.ts";
export { ContainerFiles, type FileEntry, type WriteFileOptions } from "./container_files.ts";
export type { ContainerOptions } from "./container_options.ts";
export {
  type BuildOptions,
  EngineClient,
  type EngineClientOptions,
  type ListOptions,
  openEngine,
  type RunOptions,
  type StartOptions,
} from "./engine_client.ts";
export type { OutputFrame, OutputLine } from "./frames.ts";
export { connectHandler } from "./connections/in_process.ts";
export type { Progress } from "./progress.ts";
export type { ReadyOptions } from "./readiness.ts";
export type { ClientEvent, EventsOptions } from "./resources/client_events.ts";
export { type ClientNetwork, ClientNetworks } from "./resources/client_networks.ts";
export type { NetworkDetails, NetworkOptions, NetworkSubnet } from "./resources/network_details.ts";
export { ClientPods, type Pod } from "./resources/client_pods.ts";
export type { PodDetails, PodOptions, PodStats, PodSummary } from "./resources/pod_details.ts";
export { ClientSecrets, type SecretDetails } from "./resources/client_secrets.ts";
export { ClientVolumes, type Volume, type VolumeDetails, type VolumeOptions } from "./resources/client_volumes.ts";
export { type CollectOptions, type InputData, type RunResult, Session } from "./session.ts";
export { connectWeb, type WebOptions } from "./connections/web_connection.ts";
