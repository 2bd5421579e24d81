/** The inputs and results of the image operations. */
import type { Platform } from "../options.ts";
import type { CredentialSource } from "../ports/credential_source.ts";

/** When a pull asks the registry: always; only if nothing is here; if the registry's is another one; or not at all. */
export type PullPolicy = "always" | "missing" | "newer" | "never";

/** How a caller wants registries to be reached. */
export interface RegistryAccess {
  credentials?: CredentialSource;
  /** Other names that the same request asks registries for. */
  beside?: readonly string[];
  /** False accepts any certificate, and plain HTTP; as configured when absent. */
  tlsVerify?: boolean;
  /**
   * Without {@linkcode RegistryAccess.tlsVerify}: false for registries on loopback addresses and `localhost`, as Docker has it. Other names
   * that lead to loopback do not count.
   */
  trustLoopback?: boolean;
  /** How often a failed request is made again: 3. */
  retries?: number;
  /** The first pause before that, in milliseconds, doubled each time: 500. */
  retryDelay?: number;
}

/** Options of {@linkcode Images.pull}. */
export interface PullOptions extends RegistryAccess {
  /** `always` by default. */
  policy?: PullPolicy;
  /** Parts left out are the engine's default platform's. */
  platform?: Partial<Platform>;
  /** Every tag of the repository. */
  allTags?: boolean;
  signal?: AbortSignal;
}

/** The state of a layer of a pull. */
export type LayerState = "waiting" | "pulling" | "extracting" | "done" | "exists";

/** One thing a pull has to tell. The last one is `done`; a pull that fails throws instead. */
export type PullProgress =
  | { kind: "status"; text: string }
  | { kind: "layer"; digest: string; state: LayerState; current: number; total: number }
  | { kind: "done"; ids: string[] };

/** Options of {@linkcode Images.remove}. */
export interface RemoveImageOptions {
  /** Remove it though it has several names or containers use it; the containers go too. */
  force?: boolean;
  /** Keep dangling parents. */
  noPrune?: boolean;
  /** An image that is not there is no error. */
  ignore?: boolean;
  /** Only manifest lists: the name of anything else is an error. */
  onlyLists?: boolean;
  /** With `force`: containers that run stay, and with them the image (`in_use`). */
  keepRunning?: boolean;
}

/** The outcome of an image removal. */
export interface RemoveImageReport {
  /** Names that went. */
  untagged: string[];
  /** IDs of images that went, but for those whose content others that were built on them still hold. */
  deleted: string[];
  /** Every image that went, with the bytes of the layers that went with it. */
  removed: { id: string; size: number }[];
}

/** The containers, as far as images must know them. `Containers` sets it; without it nothing uses an image. */
export interface ImageUsers {
  /** Containers made of the image, and of those being made. */
  of(imageID: string): { id: string; running?: boolean }[];
  /** Removes a container, running or not. */
  remove(containerID: string): Promise<void>;
}

/** Options of {@linkcode Images.push}. */
export interface PushOptions extends RegistryAccess {
  /** The destination, `registry/repository:tag`; by default the name the image was found by. */
  destination?: string;
  /** The manifest's family; the image's own by default, OCI where Zstandard needs it. */
  format?: "oci" | "docker";
  /** The compression of layers; by default they go as they are stored, and plain ones as gzip. */
  compression?: "gzip" | "zstd";
  /** As the compression counts it. */
  compressionLevel?: number;
  /** Compress anew what is compressed in another way: true where {@linkcode PushOptions.compression} is set. */
  forceCompression?: boolean;
  /** Of a manifest list: all its images, and not only this platform's. */
  all?: boolean;
  /** Of a manifest list: each of its images once more with each of these, where it is not compressed so already. */
  addCompression?: readonly ("gzip" | "zstd")[];
  signal?: AbortSignal;
}

/** The state of a layer of a push. */
export type PushState = "waiting" | "compressing" | "pushing" | "done" | "exists" | "mounted";

/** One thing a push has to tell. The last one is `done`; a push that fails throws instead. */
export type PushProgress =
  | { kind: "status"; text: string }
  | { kind: "layer"; digest: string; state: PushState; current: number; total: number }
  /** The manifest (or index) as the registry has it: its digest, its bytes, and its full name there. */
  | { kind: "done"; digest: string; size: number; name: string };
