import type { Builds } from "../build/builds.ts";
import type { Containers } from "../containers/containers.ts";
import type { Images } from "../images/images.ts";
import type { Networks } from "../networks/networks.ts";
import type { Pods } from "../pods/pods.ts";
import type { Host } from "../ports/host_port.ts";
import type { LocalFiles } from "../ports/local_files_port.ts";
import type { Clock, Codec, Net } from "../ports/ports.ts";
import type { Secrets } from "../secrets.ts";
import type { Volumes } from "../volumes/volumes.ts";

/** The parts of an engine that documents are played with. */
export interface KubeParts {
  images: Images;
  builds: Builds;
  containers: Containers;
  pods: Pods;
  networks: Networks;
  volumes: Volumes;
  secrets: Secrets;
  codec: Codec;
  log(level: "warn", text: string): void;
  hasHost(): boolean;
  /** The host's files. Throws `unsupported` where there is no host. */
  files(): Host["files"];
  /** Files of the host that a caller names. Throws `unsupported` where there is no host. */
  localFiles(): LocalFiles;
  net(): Net;
  /** The machine's name, memory in bytes and processors. */
  machine(): Promise<{ name: string; memory: number; cpus: number }>;
  /** Seconds that a container gets to stop where its request leaves that to the owner. */
  usualGrace?: number;
  clock: Clock;
}
