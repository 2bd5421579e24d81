/** The inputs and results of builds. */
import type { ManifestFormat } from "../../oci/manifest_writer.ts";
import type { Limits } from "../records/limits.ts";
import type { ContainerSpec, NamespaceMode, RLimit } from "../records/container_record.ts";
import type { Platform } from "../options.ts";
import type { SocketConnection } from "../ports/build_port.ts";
import type { MountRequest } from "../records/mount_spec.ts";
import type { RemoteFolder } from "./folders/remote_folder.ts";
import type { PullPolicy, RegistryAccess } from "../images/types.ts";

/** The limits and networks of the containers that run a build's commands. */
export interface BuildSandbox {
  network?: NamespaceMode;
  /** Namespaces that commands share with the machine, or with others; each is the command's own by default. */
  namespaces?: Partial<Record<"pid" | "ipc" | "uts" | "cgroup", NamespaceMode>>;
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
  apparmor?: string;
  /** Further groups of a command's user. */
  groups?: string[];
  devices?: ContainerSpec["devices"];
  mounts?: MountRequest[];
}

/** A context besides the main one, which `FROM` and `from=` name. */
export type NamedContext =
  /** A tar archive, plain or compressed. It is opened at most once, when an instruction needs it. */
  | { kind: "archive"; open: () => ReadableStream<Uint8Array> }
  /** A folder of the caller, of whose files the build asks for those that it has not kept. */
  | { kind: "files"; folder: RemoteFolder }
  /** An image, pulled as the build's policy says. */
  | { kind: "image"; name: string }
  /** A Git repository: `https://host/path.git#ref:folder`. */
  | { kind: "git"; url: string }
  /** The URL of an archive or a Git repository. */
  | { kind: "url"; url: string }
  /** A folder of the host, by its absolute path. */
  | { kind: "folder"; path: string };

/** A repository in which a build keeps the results of its steps for other engines. */
export interface CacheTarget {
  /** `host/path`; a tag is not looked at, for each step's is its key. */
  name: string;
  /** The steps of all stages, and not only those of the target's own. */
  all: boolean;
  /** A failure is told and does not fail the build. */
  mayFail?: boolean;
}

/** The inputs of a build. */
export interface BuildOptions {
  /** The context as a tar archive, plain or compressed; none: an empty one. */
  context?: ReadableStream<Uint8Array>;
  /** The context and further ones, one behind the other: each is read before the next comes. The main one has an empty name. */
  contextParts?: AsyncIterable<{ name: string; archive: ReadableStream<Uint8Array> }>;
  /** A folder of the caller, of whose files the build asks for those that it has not kept. */
  contextFiles?: RemoteFolder;
  /** A folder of the host as the context, by its absolute path. */
  contextFolder?: string;
  /**
   * The URL of a context in place of it: of an archive, of a Dockerfile alone, or of a Git repository
   * (`https://host/path.git#ref:folder`).
   */
  remote?: string;
  /** Paths of Dockerfiles in the context, or their URLs; several are read as one. */
  dockerfiles: readonly string[];
  /** Dockerfiles with their names for messages, in place of files of the context. */
  dockerfileTexts?: readonly { name: string; text: string }[];
  /** Further contexts by name. One with the name of an image or a stage is taken in place of it. */
  contexts?: Readonly<Record<string, NamedContext>>;
  /** Patterns of files that are no part of the context, in place of its own ignore file. */
  exclude?: readonly string[];
  names?: readonly string[];
  target?: string;
  buildArgs?: Readonly<Record<string, string>>;
  labels?: Readonly<Record<string, string>>;
  platform?: Partial<Platform>;
  /** Several platforms, each with an image of its own; the names are those of a manifest list of them. */
  platforms?: readonly Partial<Platform>[];
  format?: ManifestFormat;
  /** Stages that are built at a time; 0 for all that can be, 4 by default. */
  jobs?: number;
  /** Tell of a stage when those before it have ended, so that steps come by their numbers. */
  inOrder?: boolean;
  /** Nothing made before is taken. */
  noCache?: boolean;
  /**
   * Names of images that were made with `inlineCache`, here or in a registry, and of repositories that `cacheTo` wrote: results of
   * steps that this engine has not made are taken from there. Whoever can write there decides what is in the image.
   */
  cacheFrom?: readonly string[];
  cacheTo?: readonly CacheTarget[];
  /**
   * The image says the keys of its steps, so that it can be a cache; not where `squash` or `omitHistory` leave no steps. The
   * argument `BUILDKIT_INLINE_CACHE=1` asks for it too.
   */
  inlineCache?: boolean;
  pull?: PullPolicy;
  registry?: RegistryAccess;
  /** Make it of one layer. */
  squash?: boolean;
  /** The time that everything is said to be made at, in seconds since the epoch; by default the argument `SOURCE_DATE_EPOCH`. */
  timestamp?: number;
  /** Files of layers get `timestamp`: all of them, or those that are later. */
  rewriteTimes?: "all" | "later";
  /** Annotations of the manifest; Docker's format has none. */
  annotations?: Readonly<Record<string, string>>;
  /** Variables that every stage begins with, over those of its image. */
  env?: Readonly<Record<string, string>>;
  /** Variables that the image does not get. */
  unsetEnv?: readonly string[];
  /** Labels of base images that are not taken over: all, or those of a list. */
  dropLabels?: true | readonly string[];
  /** Each step's image tells the one below as its parent, as those of Docker's classic builder do; BuildKit's have none. */
  recordsParents?: boolean;
  /** The image has no history. */
  omitHistory?: boolean;
  osVersion?: string;
  osFeatures?: readonly string[];
  /** A manifest list that the image is added to; it is made where there is none. */
  manifest?: string;
  /** Results of earlier builds that are older are not taken, in milliseconds. */
  cacheTTL?: number;
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
  /**
   * Reads a secret that a command asks for; `undefined`: there is none of that name. It is asked once for each command that
   * runs, and never for one whose result is taken from an earlier build.
   */
  readSecret?: (id: string, signal: AbortSignal) => Promise<Uint8Array | undefined>;
  /** Secrets that are files of the context, by their names: no instruction sees these files otherwise. */
  secretFiles?: Readonly<Record<string, string>>;
  /**
   * Connects to an SSH agent of the caller, once for each connection that a command opens; `undefined`: there is none of that
   * name. The name is `default` where the instruction has none.
   */
  openAgent?: (id: string) => Promise<SocketConnection | undefined>;
  /** Allow `RUN --security=insecure`: the command has all the rights of this machine's root. */
  allowInsecure?: boolean;
  signal?: AbortSignal;
}

/**
 * One thing a build has to tell. The last one is `done`; a build that fails throws instead. `step` is the number of the step
 * that it belongs to: stages run side by side, so that their steps mix.
 */
export type BuildProgress = BuildEvent & { step?: number };

/** The beginning of a step. */
export interface StepEvent {
  kind: "step";
  /** Its number in the whole build, which has `total` steps. */
  number: number;
  total: number;
  /** The instruction. */
  text: string;
  /** The same within its stage, and which one that is of the file's. */
  stage: { number: number; total: number; position: number; count: number };
  /** Its platform, where the build is for several: `linux/arm64`. */
  platform?: string;
}

type BuildEvent =
  | StepEvent
  | { kind: "cached"; id: string }
  /** A command runs in a container. */
  | { kind: "running"; container: string }
  | { kind: "output"; text: string }
  /** A line of a pull, or a warning. */
  | { kind: "note"; text: string }
  /** The image that a step made. */
  | { kind: "made"; id: string }
  | { kind: "done"; id: string; names: string[] };
