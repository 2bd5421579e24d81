import type { RegistryAccess } from "../../images/types.ts";
import type { KeyValues } from "../read/read_objects.ts";

/** How documents are played. */
export interface PlayOptions extends Pick<RegistryAccess, "credentials" | "tlsVerify"> {
  /** Pods, and containers, of the same names are removed first. */
  replace?: boolean;
  /** `false`: pods are made, and not started. */
  start?: boolean;
  /** Networks that pods join, as the command line has them: `name`, `name:ip=10.0.0.5`, `host`, `none`. */
  networks?: readonly string[];
  /** An address for each pod, in order. */
  staticIPs?: readonly string[];
  /** A hardware address for each pod, in order. */
  staticMACs?: readonly string[];
  /** Make a container that runs as long as the pods do. */
  serviceContainer?: boolean;
  logDriver?: string;
  /** `driver=…`, `path=…`, `max-size=10m`, or an option of the driver's. */
  logOptions?: readonly string[];
  /** The user namespace in words, in place of what the documents say. */
  users?: string;
  /** Ports as the command line has them: `8080:80/tcp`. */
  publish?: readonly string[];
  /** Publish the ports that containers name, at the same ports of the host. */
  publishAll?: boolean;
  annotations?: Readonly<Record<string, string>>;
  /** Labels that each container gets besides its own. */
  labels?: Readonly<Record<string, string>>;
  noHosts?: boolean;
  noHostname?: boolean;
  /** Containers are called as in the document, without their pod's name before it. */
  noPodPrefix?: boolean;
  /** Contexts to build images of, by the last part of the image's name without its tag. */
  contexts?: ReadonlyMap<string, ImageContext>;
  /** `true`: build images though they are here; `false`: build none. */
  build?: boolean;
  signal?: AbortSignal;
}

/** A folder that an image is built of. */
export interface ImageContext {
  /** The name of the Dockerfile in it. */
  dockerfile: string;
  /** Opens it as a tar archive. */
  open(): ReadableStream<Uint8Array>;
}

/** The outcome for one pod. */
export interface PlayedPod {
  id: string;
  /** IDs, in the order of the document. */
  containers: string[];
  initContainers: string[];
  /** The containers that did not start: why. */
  errors: string[];
  /** A line for each part of its document that nobody honours. */
  notes: string[];
}

/** The outcome of a play. */
export interface PlayReport {
  pods: PlayedPod[];
  /** Names. */
  volumes: string[];
  /** IDs. */
  secrets: string[];
  serviceContainer?: string;
}

/** The values that variables and files of containers come from. */
export interface ValueSources {
  /** By name. */
  configMaps: ReadonlyMap<string, KeyValues>;
  /** The values of a secret; `undefined` where there is none. */
  secret(name: string): Promise<KeyValues | undefined>;
}
