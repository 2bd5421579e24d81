/**
 * The engine's port to a kernel: layers, processes, networks and volumes. `lib/platform/linux` is its implementation.
 *
 * @module
 */
import type { ContainerRecord, ExitStatus, LogSource } from "../records/container_record.ts";
import type { Checkpoints, RestoreImages } from "./checkpoint_port.ts";
import type { Execs } from "./exec_port.ts";
import type { ContainerFacts, HostInfo } from "./host_facts.ts";
import type { IDMaps } from "../records/id_maps.ts";
import type { Limits, TreeLimit } from "../records/limits.ts";
import type { QuadletShelf } from "./quadlet_port.ts";
import type { UnitManager } from "./unit_port.ts";
import type { LocalFiles } from "./local_files_port.ts";
import type { Peers } from "./peers_port.ts";
import type { NotifySockets } from "./unit_port.ts";
import type { Networks } from "./network_port.ts";
import type { FileOwner, FolderRights, VolumeDevice } from "../records/volume_record.ts";
import type { Resources } from "./resource_port.ts";
import type { Trees } from "./tree_port.ts";
import type { GitRepositories, GRPC, LocalSockets } from "./build_port.ts";
import type { SecretVault } from "./secret_port.ts";
import type { SpecPort } from "./spec_port.ts";
import type { TreeOptions } from "./tree_stack.ts";
import type { UserNamespaces } from "./user_port.ts";
import type { NetworkStatus } from "../records/network_status.ts";
import type { TerminalSize } from "../records/spec_parts.ts";

/** Unpacked layers and the container trees mounted from them. A layer is named by its diff ID (`sha256:<hex>`). */
export interface Layers {
  /** Trees are mounted in a user namespace: marks of layers are attributes that a user may set. */
  readonly isUsers?: boolean;
  has(diffID: string): Promise<boolean>;
  /**
   * Unpacks a layer from its checked and translated tar (see `lib/oci/tar/layer_tar.ts`: whiteouts are already what the
   * snapshotter understands). Visible only when whole, and durable only after a `sync()`. A diff ID that is not known before the tar was read is asked for then.
   */
  apply(
    diffID: string | (() => Promise<string>),
    tar: ReadableStream<Uint8Array>,
    options?: { /** Put it in place of a damaged one that no container has mounted. */ replace?: boolean },
  ): Promise<void>;
  /**
   * Makes a container's writable layer, which nothing will use again, an unpacked layer that is not there yet. Resolves with
   * whether it did: it can do so only within one file system and quota.
   */
  adopt(containerID: string, diffID: string): Promise<boolean>;
  /** Looks whether a layer has what a mount needs; `undefined` where there is none. */
  inspect(diffID: string): Promise<UnpackedLayer | undefined>;
  /** Compares a layer with its tar, and tells the first differences. */
  compare(diffID: string, tar: ReadableStream<Uint8Array>): Promise<string[]>;
  /** Resolves when every layer that was there before the call lasts, whatever becomes of the machine. */
  sync(): Promise<void>;
  remove(diffID: string): Promise<void>;
  list(): Promise<string[]>;
  /** Makes the container's writable layer. `diffIDs` go from base to top. Throws `unsupported` for a limit that cannot be set. */
  create(containerID: string, diffIDs: readonly string[], limit?: TreeLimit): Promise<void>;
  /** Mounts the container's tree and returns its path on the host. Mounting twice is not an error. */
  mount(containerID: string, diffIDs: readonly string[], options?: TreeOptions): Promise<string>;
  /** Mounts an image's tree for a container, anew, under a number of its choice. Goes with the container's own tree. */
  mountImage(containerID: string, number: number, diffIDs: readonly string[], options?: TreeOptions): Promise<void>;
  /** Unmounts them. Idempotent. */
  unmount(containerID: string): Promise<void>;
  /** Unmounts and deletes the writable layer. Idempotent. */
  destroy(containerID: string, options?: DeleteOptions): Promise<void>;
  /** Containers that have a writable layer here. */
  containers(): Promise<string[]>;
  /** Bytes in the container's writable layer. */
  usage(containerID: string): Promise<number>;
  /** The same for several, in order; 0 for one that is not there. */
  usages(containerIDs: readonly string[]): Promise<number[]>;
  /** Throws unless so many bytes more fit where layers are: a copy of a file with holes takes all that the file claims. */
  requireRoom(bytes: number, what: string): Promise<void>;
  /** Reads a file of the mounted tree, resolved inside it; `undefined` when missing. At most `limit` bytes. */
  readFile(containerID: string, path: string, limit: number): Promise<Uint8Array | undefined>;
}

/** The state of an unpacked layer. */
export interface UnpackedLayer {
  /** When it was unpacked, in milliseconds since the epoch. */
  since: number;
  /** Why it cannot be mounted; `undefined` where it can. */
  damage?: string;
}

/** How a tree is deleted that a container may have made as large as it liked. */
export interface DeleteOptions {
  /** It is out of the way when this resolves, and deleted behind that. */
  behind?: boolean;
}

/** The state of a container's process, as the host knows it. */
export interface ProcessState {
  status: "missing" | "created" | "running" | "paused" | "stopped";
  pid?: number;
  conmonPid?: number;
  /** When the container process was started, ms since the epoch. */
  startedAt?: number;
  exit?: ExitStatus;
}

/** Which output an attached frame belongs to. */
export interface Frame {
  stream: "stdout" | "stderr";
  /** Belongs to who reads the frame. */
  data: Uint8Array;
}

/** A live attachment to a container's standard streams. */
export interface Attachment {
  output: ReadableStream<Frame>;
  /** Closing it half-closes the container's standard input. A write is done when its bytes are needed no more. */
  input: WritableStream<Uint8Array>;
  close(): void;
}

/** A secret as a file in a container. */
export interface SecretFile {
  /** The path in the container. */
  path: string;
  uid: number;
  gid: number;
  mode: number;
  data: Uint8Array;
}

/** The secrets of one container; of what the host makes of them nothing lasts longer than its process. */
export interface ContainerSecrets {
  files: readonly SecretFile[];
  /** Variables, for further processes in it too. */
  env: Record<string, string>;
}

/** A file of an artifact, shown as a file of this host: `path` below `folder`. */
export interface ArtifactFile {
  name: string;
  folder: string;
  path: string;
}

/** Everything the host needs to make the container's process; paths are the host's. */
export interface ProcessOptions {
  record: ContainerRecord;
  /** The mounted root. */
  rootfs: string;
  /** The network namespace to join (`host` uses the host's, `none` a new empty one that `networks` has made). */
  netns?: string;
  secrets?: ContainerSecrets;
  /** By the number of the mount in the record. */
  artifacts?: Readonly<Record<number, ArtifactFile[]>>;
  /** Folders of the host that containers may write to: what is below them may be a link by the next look. */
  writtenFolders?: readonly string[];
  /** The user namespace to join; absent: the host's. */
  userns?: string;
  /** Bring the container back from its checkpoint: it then runs, in place of being created. */
  restore?: RestoreImages;
  /** Limits of the cgroup that the container's own lies in, its pod's; absent: that cgroup is not the engine's. */
  groupLimits?: Limits;
  /** The result of `networks.setup`, for `/etc/hosts` and `/etc/resolv.conf`. */
  network?: NetworkStatus;
}

/** Container processes, supervised outside this one so that they outlive it. */
export interface Processes {
  /** How many starts side by side are done sooner than more of them would be; absent where there is no such number. */
  readonly startsAtOnce?: number;
  /** The runtime in use, for `info`: name, path, version text. */
  runtime(): Promise<{ name: string; path: string; version: string }>;
  /**
   * Begins, behind the caller, the part of `create` that needs nothing but the record. `create` with this record, but for its hosts, follows, or `delete`.
   * Absent where there is no such part.
   */
  prepare?(record: ContainerRecord): void;
  /** Makes the process up to the runtime's "created". Failures of the runtime are `command_not_found`, `command_not_executable` or `internal` with its own message. */
  create(options: ProcessOptions): Promise<{ pid: number; conmonPid: number }>;
  start(containerID: string): Promise<void>;
  kill(containerID: string, signal: number): Promise<void>;
  pause(containerID: string): Promise<void>;
  resume(containerID: string): Promise<void>;
  resize(containerID: string, size: TerminalSize): Promise<void>;
  /** Removes what the runtime and the supervisor hold of it (bundle, state, cgroup, exit file, sockets); not the log. Idempotent. */
  delete(containerID: string): Promise<void>;
  state(containerID: string): Promise<ProcessState>;
  /** Calls back once for every container that ends while this process lives. Returns a function that stops it. */
  onExit(callback: (containerID: string, exit: ExitStatus) => void): () => void;
  attach(containerID: string, options: { stdin: boolean; stdout: boolean; stderr: boolean }): Promise<Attachment>;
  /** Ends a container's attachments: a supervisor whose output no client reads does not notice that its process has exited. */
  cutAttachments(containerID: string): void;
  /** The supervisor's log file as raw bytes. */
  log(source: LogSource, options: LogReadOptions): ReadableStream<Uint8Array>;
  /** Finds the place where the log's last `records` records begin; its start where it has no more than these. */
  logPlace(source: LogSource, records: number): Promise<LogPlace>;
  /**
   * Sends the lines of a log whose driver is `syslog` on, from where that was left. Resolves when the container has ended and all is
   * sent, or its receiver is not there; failures are logged. Absent where nothing can be sent.
   */
  forwardLog?(record: ContainerRecord, options: LogForwardOptions): Promise<void>;
  /** Deletes log files. */
  deleteLog(source: LogSource): Promise<void>;
  /** Containers the host holds anything of: bundles, runtime state, exit files. */
  list(): Promise<string[]>;
  /** The namespaces of a container's process, by the names of /proc/PID/ns; none where it has no process. */
  namespaces(containerID: string): Record<string, string>;
  /** Lists the processes in a container: the requested columns, by Podman's descriptors or arguments of `ps(1)`. */
  top(containerID: string, args: readonly string[]): Promise<ProcessTable>;
  /** Further processes in them. */
  readonly execs: Execs;
}

/** Processes by columns; every row has as many cells as there are titles. */
export interface ProcessTable {
  titles: string[];
  rows: string[][];
}

/** A place in a log. */
export interface LogPlace {
  /** Bytes from the file's start. */
  offset: number;
  /** Which file, of those that follow each other under the log's name; empty where there was none yet. */
  file: string;
  /** The log from there to its end at that time, where a search for the place has read it. */
  bytes?: Uint8Array;
}

/** How a log file is read. */
export interface LogReadOptions {
  /** Begin here; whole file when absent. The stream fails with `EngineError("state")` when that file was replaced since. */
  from?: LogPlace;
  /** Keep reading as the file grows until this resolves and the end is reached. */
  followUntil?: Promise<void>;
  signal?: AbortSignal;
}

/** How a log is sent on. */
export interface LogForwardOptions {
  /** Resolves when the container has ended: what is written by then is sent, and no more. */
  followUntil: Promise<void>;
  /** Ends the sending, which goes on from there another time. */
  signal: AbortSignal;
}

/** The owner of a volume's folder when it is filled. */
export interface FillOwner {
  owner?: FileOwner;
  /** The user of the container's process, who gets what the image has nothing for before the owner does; absent for root. */
  user?: FillUser;
  /** Give it to the owner also where it gets something from the image, whose owner it would have else. */
  always?: boolean;
}

/** A user of a container, in its own words, and the host's IDs of it. */
export interface FillUser {
  /** `name`, `uid`, `uid:gid` or `name:group`, as the container's tree knows them. */
  name: string;
  idMaps?: IDMaps;
}

/** Named volumes on the host. */
export interface Volumes {
  /** Makes the volume's folder, root's by default, and returns its path. Throws `unsupported` for a limit that cannot be set. */
  create(name: string, owner?: FolderRights, limit?: TreeLimit): Promise<string>;
  path(name: string): string;
  /**
   * Fills an empty volume from a path of the container's mounted tree (image content, ownership and mode included). Where
   * there is no such folder the volume is given to the user, else to the owner.
   */
  copyUp(name: string, containerID: string, path: string, owner?: FillOwner): Promise<void>;
  /** Mounts a device on the volume's folder, unless there is a mount on it. */
  mount(name: string, device: VolumeDevice): Promise<void>;
  /** Undoes `mount`. Idempotent. */
  unmount(name: string): Promise<void>;
  /** Bytes of the files in a volume; those of a device that is not mounted are not counted. */
  size(name: string): Promise<number>;
  /** The same for several, in order; 0 for one that is not there. */
  sizes(names: readonly string[]): Promise<number[]>;
  remove(name: string, options?: DeleteOptions): Promise<void>;
  list(): Promise<string[]>;
}

/** The operations that name host paths. */
export interface Files {
  exists(path: string): Promise<boolean>;
  /** Makes a folder, with its parents, for everybody to read. Nothing where there is one. */
  makeFolder(path: string): Promise<void>;
  isFolder(path: string): Promise<boolean>;
  /** The paths that an absolute shell pattern fits, in order. */
  glob(pattern: string): Promise<string[]>;
  /** Writes a file for its owner to read, in place of one there may be. */
  writeText(path: string, text: string): Promise<void>;
  /** Removes a plain file that holds this text and nothing else but white space around it; leaves any other. Missing is no error. */
  removeHolding(path: string, text: string): Promise<void>;
}

/** A kernel to run containers on. */
export interface Host {
  layers: Layers;
  processes: Processes;
  networks: Networks;
  volumes: Volumes;
  /** The files of containers. */
  trees: Trees;
  files: Files;
  resources: Resources;
  checkpoints: Checkpoints;
  localFiles: LocalFiles;
  peers: Peers;
  sockets: LocalSockets;
  git: GitRepositories;
  /** Absent where clients of BuildKit are not served. */
  grpc?: GRPC;
  specs: SpecPort;
  users: UserNamespaces;
  /** The host's own platform; `info()` has programs tell of themselves, which takes its time. */
  readonly platform: Pick<HostInfo, "os" | "arch">;
  secrets: SecretVault;
  /** The folder of quadlets; without one the engine keeps them in its own store. */
  quadlets?: QuadletShelf;
  notifySockets: NotifySockets;
  /** The manager of services; absent where none runs the host, and the engine runs units itself. */
  units?: UnitManager;
  info(): Promise<HostInfo>;
  /** Another text after each boot of the host; `undefined` where that is not known. */
  bootID(): Promise<string | undefined>;
  /** Returns the place of the container's log. */
  logSource(containerID: string, driver: string): LogSource;
  /** Returns the container's paths, and its process's capabilities and hidden paths, for inspection, from the record alone. */
  describe(record: ContainerRecord): ContainerFacts;
  /** Stops watching; leaves containers running. */
  close(): Promise<void>;
}

/** The host of a platform without a kernel: every operation that needs one answers 501 with this reason. */
export interface NoHost {
  unavailable: string;
}
