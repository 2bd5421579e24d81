/** The inputs and results of builds. */
import type { ManifestFormat } from "../../oci/manifest_writer.ts";
import type { Limits } from "../records/limits.ts";
import type { NamespaceMode, RLimit } from "../records/container_record.ts";
import type { Platform } from "../options.ts";
import type { PullPolicy, RegistryAccess } from "../images/types.ts";

/** The limits and networks of the containers that run a build's commands. */
export interface BuildSandbox {
  network?: NamespaceMode;
  /** By network name. */
  networks?: Record<string, Record<string, never>>;
  /** `name:ip` lines for /etc/hosts. */
  hosts?: string[];
  noHosts?: boolean;
  dnsServers?: string[];
  dnsSearch?: string[];
  dnsOptions?: string[];
  resources?: Limits;
  rlimits?: RLimit[];
  shmSize?: number;
  cgroupParent?: string;
  capAdd?: string[];
  capDrop?: string[];
  /** Whether the engine's proxy variables are given to commands. */
  httpProxy?: boolean;
  seccomp?: string;
  noNewPrivileges?: boolean;
}

/** The inputs of a build. */
export interface BuildOptions {
  /** The context as a tar archive, plain or compressed; none: an empty one. */
  context?: ReadableStream<Uint8Array>;
  /** Paths of Dockerfiles in the context; several are read as one. */
  dockerfiles: readonly string[];
  /** Patterns of files that are no part of the context, in place of its own ignore file. */
  exclude?: readonly string[];
  names?: readonly string[];
  target?: string;
  buildArgs?: Readonly<Record<string, string>>;
  labels?: Readonly<Record<string, string>>;
  platform?: Partial<Platform>;
  format?: ManifestFormat;
  /** Nothing made before is taken. */
  noCache?: boolean;
  pull?: PullPolicy;
  registry?: RegistryAccess;
  /** Make it of one layer. */
  squash?: boolean;
  /** The time that everything is said to be made at, in seconds since the epoch. */
  timestamp?: number;
  /** Remove containers of commands that went well: true by default. */
  removes?: boolean;
  /** Remove the container of a command that failed, too. */
  alwaysRemoves?: boolean;
  /** An image in place of the first stage's. */
  from?: string;
  /** Names as the caller's API has them: of an image that is here, and of one that is pulled or made. */
  findName?: (name: string) => string;
  fullName?: (name: string) => string;
  sandbox?: BuildSandbox;
  signal?: AbortSignal;
}

/** One thing a build has to tell. The last one is `done`; a build that fails throws instead. */
export type BuildProgress =
  | { kind: "step"; number: number; total: number; text: string }
  | { kind: "cached"; id: string }
  /** A command runs in a container. */
  | { kind: "running"; container: string }
  | { kind: "output"; text: string }
  /** A line of a pull, or a warning. */
  | { kind: "note"; text: string }
  /** The image that a step made. */
  | { kind: "made"; id: string }
  | { kind: "done"; id: string; names: string[] };
