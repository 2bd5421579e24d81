/**
 * The statuses of errors: one table for all, and the operations that differ.
 *
 * @module
 */
import type { ErrorCode } from "../lib/engine/errors.ts";

/** The codes of {@linkcode RequestError}s. */
export type RequestCode =
  /** The request cannot be read: an operation answers it alike wherever it stands. */
  | "malformed"
  /** A request that can be read and makes no sense to Podman's code below its readers, which answers 500. */
  | "refused"
  /** Of the engine's own: `invalid` is a value that cannot be, which several operations answer with 500, as Podman does. */
  | Extract<ErrorCode, "invalid" | "unsupported" | "forbidden" | "no_such_container">;

/** The status that each code answers. */
export const STATUSES: Readonly<Record<ErrorCode | RequestCode, number>> = {
  malformed: 400,
  refused: 500,
  invalid: 400,
  no_such_container: 404,
  no_such_image: 404,
  no_such_artifact: 404,
  no_such_network: 404,
  no_such_volume: 404,
  no_such_pod: 404,
  no_such_exec: 404,
  no_such_file: 404,
  no_such_secret: 404,
  no_such_quadlet: 404,
  ambiguous: 404,
  name_in_use: 409,
  in_use: 409,
  state: 500,
  unchanged: 304,
  unauthorized: 401,
  forbidden: 403,
  registry: 500,
  corrupt: 500,
  limit: 500,
  command_not_found: 500,
  command_not_executable: 500,
  port_in_use: 500,
  unsupported: 501,
  unavailable: 503,
  cancelled: 500,
  timeout: 500,
  internal: 500,
};

/** Podman answers whatever is wrong with a Kubernetes document, or with what it asks for, by 500. */
const PLAYED: Partial<Record<ErrorCode, number>> = {
  invalid: 500,
  in_use: 500,
  name_in_use: 500,
  ambiguous: 500,
  unauthorized: 500,
  forbidden: 500,
  no_such_container: 500,
  no_such_image: 500,
  no_such_network: 500,
  no_such_pod: 500,
  no_such_secret: 500,
  no_such_volume: 500,
  no_such_file: 500,
};

/** The operations that answer a code with another status, as Podman does. */
const EXCEPTIONS: Readonly<Record<string, Partial<Record<ErrorCode, number>>>> = {
  // Clients take a 404 of a create for an image to be pulled.
  CreateContainer: {
    invalid: 500,
    no_such_secret: 500,
    no_such_artifact: 500,
    name_in_use: 500,
    no_such_container: 500,
    no_such_network: 500,
    no_such_pod: 500,
    limit: 400,
  },
  CompatCreateContainer: { limit: 400, no_such_container: 500, no_such_network: 500 },
  CreateVolume: { invalid: 500, name_in_use: 500, limit: 400 },
  CompatCreateVolume: { limit: 400 },
  ListVolumes: { invalid: 500, no_such_volume: 500, ambiguous: 500 },
  CompatListVolumes: { invalid: 500, no_such_volume: 500, ambiguous: 500 },
  PruneVolumes: { invalid: 500, no_such_volume: 500, ambiguous: 500 },
  CompatPruneVolumes: { invalid: 500, no_such_volume: 500, ambiguous: 500 },
  CreateNetwork: { invalid: 500 },
  ListNetworks: { invalid: 500 },
  UpdateNetwork: { invalid: 500, no_such_network: 500 },
  RemoveNetwork: { in_use: 500, ambiguous: 500 },
  Connect: { forbidden: 500, in_use: 500, invalid: 500 },
  Prune: { invalid: 500 },
  CompatListNetworks: { invalid: 500 },
  CompatRemoveNetwork: { in_use: 403, invalid: 403, ambiguous: 400 },
  CompatConnect: { in_use: 403 },
  CompatPrune: { invalid: 500 },
  SystemPrune: { invalid: 500, no_such_image: 500, no_such_volume: 500, ambiguous: 500 },
  Pods: { invalid: 500 },
  PodCreate: {
    invalid: 500,
    in_use: 500,
    ambiguous: 500,
    no_such_image: 500,
    no_such_container: 500,
    no_such_network: 500,
    no_such_volume: 500,
  },
  PodDelete: { ambiguous: 500, in_use: 500 },
  PodInspect: { ambiguous: 500 },
  PodExists: { ambiguous: 500 },
  PodStart: { ambiguous: 500 },
  PodStop: { ambiguous: 500 },
  PodRestart: { ambiguous: 500 },
  PodKill: { ambiguous: 500, invalid: 500, state: 409 },
  PodPause: { ambiguous: 500 },
  PodUnpause: { ambiguous: 500 },
  PodTop: { ambiguous: 500, invalid: 500 },
  PodStats: { ambiguous: 500 },
  PlayKube: PLAYED,
  KubePlay: PLAYED,
  PlayKubeDown: PLAYED,
  KubePlayDown: PLAYED,
  GenerateKube: PLAYED,
  KubeGenerate: PLAYED,
  KubeApply: PLAYED,
  GenerateSystemd: { invalid: 500, ambiguous: 500, no_such_container: 500 },
  CreateSecret: { name_in_use: 500, limit: 400 },
  CompatCreateSecret: { limit: 400 },
  InitContainer: { state: 304 },
  ExecCreateHandler: { state: 409, invalid: 500, limit: 400 },
  ExecStartHandler: { state: 409, invalid: 500 },
  KillContainer: { state: 409, ambiguous: 500 },
  ResizeTTY: { state: 409 },
  RemoveContainer: { ambiguous: 500 },
  RestartContainer: { ambiguous: 500 },
  ListContainers: { invalid: 500 },
  PruneContainers: { invalid: 500 },
  TopContainer: { invalid: 500 },
  ListSecrets: { invalid: 500 },
  ListQuadlets: { invalid: 500 },
  QuadletExists: { invalid: 500 },
  CompatListContainers: { invalid: 500 },
  CompatPruneContainers: { invalid: 500 },
  CompatTopContainer: { invalid: 500, state: 409 },
  CompatListSecrets: { invalid: 500 },
  RunHealthCheck: { state: 409 },
  UpdateContainer: { limit: 400 },
  CompatUpdateContainer: { limit: 400 },
  WaitContainer: { ambiguous: 500 },
  ManifestCreate: { name_in_use: 500 },
  ManifestCreateV3: { name_in_use: 500 },
  CompatExecCreateHandler: { state: 409, limit: 400 },
  CompatExecStartHandler: { state: 409 },
  CompatKillContainer: { state: 409, ambiguous: 400 },
  CompatResizeTTY: { state: 409 },
  CompatStartContainer: { command_not_found: 400, command_not_executable: 400 },
  CompatRestartContainer: { command_not_found: 400, command_not_executable: 400, ambiguous: 400 },
  CompatPauseContainer: { state: 409 },
  CompatAttachContainer: { state: 409 },
  // Docker's: its clients tell by the status that a container runs.
  CompatRemoveContainer: { ambiguous: 400, state: 409 },
  CompatWaitContainer: { ambiguous: 400 },
  CompatRemoveImage: { state: 409 },
  ImageScp: { invalid: 500 },
  AddArtifact: { name_in_use: 500 },
  AddLocalArtifact: { name_in_use: 500 },
};

/** Operations that answer 500 where a query does not parse, as Podman does. */
export const UNREADABLE: ReadonlySet<string> = new Set([
  "ListContainers",
  "PruneContainers",
  "ListSecrets",
  "RemoveNetwork",
  "RemoveVolume",
  "CompatListContainers",
  "CompatPruneContainers",
  "CompatListSecrets",
  "CompatRemoveVolume",
]);

/** Operations whose error for a query that does not parse quotes the query, as Podman's does: clients match on the words. */
export const QUOTING: ReadonlySet<string> = new Set(["Pods", "PodStop", "PodDelete", "PodKill", "PodTop", "PodStats"]);

/** The status that an error of this code answers from an operation. */
export function statusOfCode(code: ErrorCode | RequestCode, operation: string): number {
  const exceptions: Partial<Record<ErrorCode | RequestCode, number>> = EXCEPTIONS[operation] ?? {};
  return exceptions[code] ?? STATUSES[code];
}
