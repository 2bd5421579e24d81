/**
 * What the engine asks of the world. `lib/platform` implements these for each runtime; nothing else in `lib/engine` may
 * name a runtime.
 *
 * @module
 */
import type { ContainerRecord, ExitStatus, LogSource, NetworkAttachment, PortMapping } from "./container_record.ts";
import type { Execs } from "./exec_port.ts";
import type { ContainerFacts, HostInfo } from "./host_facts.ts";
import type { NetworkRecord } from "./network_record.ts";

/** One record of a table. Values are texts the engine wrote; a store never looks inside. */
export interface Row {
  table: string;
  key: string;
  value: string;
}

/** One change of a {@linkcode Store.commit} batch; `value: null` deletes. */
export interface Change {
  table: string;
  key: string;
  value: string | null;
}

/** One record of an append-only stream. `seq` rises by at least one per record, in append order. */
export interface StreamEntry {
  seq: number;
  /** Milliseconds since the epoch, with fractions where the clock has them. */
  time: number;
  value: string;
}

/** How much of an append-only stream is kept. */
export interface Retention {
  /** Keep at most this many of the newest records. */
  records?: number;
}

/** Durable records: tables of rows and append-only streams. */
export interface Store {
  /** Every row there is, in no order that matters. Called once, at start. */
  load(): Promise<Row[]>;
  /** Applies a batch whole or not at all; durable when it resolves. Concurrent calls may be grouped. */
  commit(changes: readonly Change[]): Promise<void>;
  /** Appends to a stream, in order, and drops what `retention` no longer keeps. */
  append(stream: string, entries: readonly Omit<StreamEntry, "seq">[], retention?: Retention): Promise<void>;
  /** The stream's records in append order with `time >= since` (all by default). */
  read(stream: string, since?: number): AsyncIterable<StreamEntry>;
  /** Drops a whole stream. */
  drop(stream: string): Promise<void>;
  close(): Promise<void>;
}

/** What is known of a blob before it is stored. */
export interface PutOptions {
  /** The digest the content must have (`sha256:…`); computed when absent. */
  digest?: string;
  /** The exact size in bytes the content must have. */
  size?: number;
  /** The most bytes accepted; more is an `EngineError("limit")`. */
  limit?: number;
  /** Continue what {@linkcode Blobs.staged} reported for `digest`, from this byte on. */
  offset?: number;
  signal?: AbortSignal;
}

/** Content-addressed storage. A blob is visible only when whole and verified. Digests are `sha256:<64 hex>`. */
export interface Blobs {
  stat(digest: string): Promise<{ size: number } | undefined>;
  /** The content, or the bytes `start` (inclusive) to `end` (exclusive) of it; `undefined` where there is none. */
  open(digest: string, range?: { start: number; end?: number }): Promise<ReadableStream<Uint8Array> | undefined>;
  /**
   * Stores a stream. When the source breaks off and the digest was given, what arrived stays staged for a resume;
   * content that is whole but wrong (digest, size, limit) throws `EngineError("corrupt" | "limit")` and leaves nothing.
   */
  put(source: ReadableStream<Uint8Array>, options?: PutOptions): Promise<{ digest: string; size: number }>;
  /** How many bytes of an unfinished `put` under this digest are kept; 0 when none. */
  staged(digest: string): Promise<number>;
  /** Throws away unfinished puts, of one digest or of all. */
  unstage(digest?: string): Promise<void>;
  /**
   * Takes a blob out of sight again: it becomes staged, whole, so that a `put` from its end brings it back without its
   * bytes. What cannot stage deletes instead. Nothing where there is no such blob.
   */
  restage(digest: string): Promise<void>;
  delete(digest: string): Promise<void>;
  list(): AsyncIterable<{ digest: string; size: number }>;
}

/** TLS choices for one registry. */
export interface TLSOptions {
  /** Accept any certificate. */
  insecure?: boolean;
  /** PEM certificates to trust besides the system's. */
  ca?: string;
  /** PEM client certificate and key. */
  cert?: string;
  key?: string;
}

/** The network as registries are reached. `fetch` does not follow redirects when `redirect: "manual"` is asked. */
export interface Net {
  fetch(request: Request, tls?: TLSOptions): Promise<Response>;
}

/** An incremental digest. */
export interface Hash {
  update(bytes: Uint8Array): void;
  /** `sha256:<hex>`; ends the hash. */
  digest(): Promise<string>;
}

/** Digests and compression, native where the runtime has them. */
export interface Codec {
  hash(): Hash;
  gunzip(): TransformStream<Uint8Array, Uint8Array>;
  gzip(): TransformStream<Uint8Array, Uint8Array>;
  /** Zstandard, decompressing; throws `EngineError("unsupported")` where there is none. */
  unzstd(): TransformStream<Uint8Array, Uint8Array>;
}

/** Wall clock and timers. */
export interface Clock {
  /** Milliseconds since the epoch, with fractions where the runtime has them. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Random bytes, cryptographic. */
export interface Random {
  bytes(length: number): Uint8Array;
}

/** Unpacked layers and the container trees mounted from them. A layer is named by its diff ID (`sha256:<hex>`). */
export interface Layers {
  has(diffID: string): Promise<boolean>;
  /**
   * Unpacks a layer from its checked and translated tar (see `lib/oci/layer_tar.ts`: whiteouts are already what the
   * snapshotter understands). Visible only when whole. Returns the unpacked size in bytes.
   */
  apply(diffID: string, tar: ReadableStream<Uint8Array>): Promise<{ size: number }>;
  remove(diffID: string): Promise<void>;
  list(): Promise<string[]>;
  /** Makes the container's writable layer. `diffIDs` go from base to top. */
  create(containerID: string, diffIDs: readonly string[]): Promise<void>;
  /** Mounts the container's tree and returns its path on the host. Mounting twice is not an error. */
  mount(containerID: string, diffIDs: readonly string[]): Promise<string>;
  /** Unmounts it. Idempotent. */
  unmount(containerID: string): Promise<void>;
  /** Unmounts and deletes the writable layer. Idempotent. */
  destroy(containerID: string): Promise<void>;
  /** Containers that have a writable layer here. */
  containers(): Promise<string[]>;
  /** Bytes in the container's writable layer. */
  usage(containerID: string): Promise<number>;
  /** Reads a file of the mounted tree, resolved inside it; `undefined` when missing. At most `limit` bytes. */
  readFile(containerID: string, path: string, limit: number): Promise<Uint8Array | undefined>;
}

/** What the host knows of a container's process. */
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
  data: Uint8Array;
}

/** A live attachment to a container's standard streams. */
export interface Attachment {
  output: ReadableStream<Frame>;
  /** Closing it half-closes the container's standard input. */
  input: WritableStream<Uint8Array>;
  close(): void;
}

/** Everything the host needs to make the container's process; paths are the host's. */
export interface ProcessOptions {
  record: ContainerRecord;
  /** The mounted root. */
  rootfs: string;
  /** The network namespace to join (`host` uses the host's, `none` a new empty one that `networks` has made). */
  netns?: string;
  /** What `networks.setup` gave, for `/etc/hosts` and `/etc/resolv.conf`. */
  network?: NetworkStatus;
}

/** Container processes, supervised outside this one so that they outlive it. */
export interface Processes {
  /** The runtime in use, for `info`: name, path, version text. */
  runtime(): Promise<{ name: string; path: string; version: string }>;
  /** Makes the process up to the runtime's "created". Failures of the runtime are `command_not_found`, `command_not_executable` or `internal` with its own message. */
  create(options: ProcessOptions): Promise<{ pid: number; conmonPid: number }>;
  start(containerID: string): Promise<void>;
  kill(containerID: string, signal: number): Promise<void>;
  pause(containerID: string): Promise<void>;
  resume(containerID: string): Promise<void>;
  resize(containerID: string, size: { height: number; width: number }): Promise<void>;
  /** Removes what the runtime and the supervisor hold of it (bundle, state, cgroup, exit file, sockets); not the log. Idempotent. */
  delete(containerID: string): Promise<void>;
  state(containerID: string): Promise<ProcessState>;
  /** Calls back once for every container that ends while this process lives. Returns a function that stops it. */
  onExit(callback: (containerID: string, exit: ExitStatus) => void): () => void;
  attach(containerID: string, options: { stdin: boolean; stdout: boolean; stderr: boolean }): Promise<Attachment>;
  /** The supervisor's log file as raw bytes. */
  log(source: LogSource, options: LogReadOptions): ReadableStream<Uint8Array>;
  /** Where the log's last `records` records begin; its start where it has no more than these. */
  logPlace(source: LogSource, records: number): Promise<LogPlace>;
  /** Deletes log files. */
  deleteLog(source: LogSource): Promise<void>;
  /** Containers the host holds anything of: bundles, runtime state, exit files. */
  list(): Promise<string[]>;
  /** What runs in a container: the columns that are asked for, by Podman's descriptors or arguments of `ps(1)`. */
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
}

/** How a log file is read. */
export interface LogReadOptions {
  /** Begin here; whole file when absent. The stream fails with `EngineError("state")` when that file was replaced since. */
  from?: LogPlace;
  /** Keep reading as the file grows until this resolves and the end is reached. */
  followUntil?: Promise<void>;
  signal?: AbortSignal;
}

/** What one container got of its networks. */
export interface NetworkStatus {
  /** Path of the network namespace. */
  netns: string;
  /** By network name. */
  interfaces: Record<
    string,
    { name: string; mac: string; addresses: { address: string; prefix: number; gateway?: string }[] }
  >;
  dnsServers: string[];
  searchDomains: string[];
}

/** Networks on the host. */
export interface Networks {
  /** A bridge name and a subnet (CIDR) free of everything the host has, and of `taken`. */
  propose(taken: readonly NetworkRecord[]): Promise<{ interface: string; subnet: string; gateway: string }>;
  /** Fails with `port_in_use` when a host port cannot be had. Holds nothing. */
  checkPorts(ports: readonly PortMapping[]): Promise<void>;
  /** Makes the container's network namespace, without networks in it; returns its path. */
  createNamespace(containerID: string): Promise<string>;
  /** Where the container's namespace is, or would be: what a teardown is given after the record has forgotten it. */
  path(containerID: string): string;
  /** Connects the namespace to networks and publishes ports; undoes its own parts on failure. */
  setup(options: NetworkSetup): Promise<NetworkStatus>;
  /** Undoes `setup`. Idempotent. */
  teardown(options: NetworkSetup): Promise<void>;
  /** Removes the namespace. Idempotent. */
  deleteNamespace(containerID: string): Promise<void>;
  /** Removes a network's bridge and what belongs to it. */
  remove(network: NetworkRecord): Promise<void>;
  /** Containers that have a namespace here. */
  list(): Promise<string[]>;
}

/** One container's wish to be connected. */
export interface NetworkSetup {
  containerID: string;
  containerName: string;
  netns: string;
  attachments: readonly { network: NetworkRecord; attachment: NetworkAttachment }[];
  ports: readonly PortMapping[];
}

/** Named volumes on the host. */
export interface Volumes {
  /** Makes the volume's folder and returns its path. */
  create(name: string): Promise<string>;
  path(name: string): string;
  /** Fills an empty volume from a path of the container's mounted tree (image content, ownership and mode included). */
  copyUp(name: string, containerID: string, path: string): Promise<void>;
  remove(name: string): Promise<void>;
  list(): Promise<string[]>;
}

/** The operations that name host paths. */
export interface Files {
  exists(path: string): Promise<boolean>;
  /** Makes a folder, with its parents, for everybody to read. Nothing where there is one. */
  makeFolder(path: string): Promise<void>;
}

/** A kernel to run containers on. */
export interface Host {
  layers: Layers;
  processes: Processes;
  networks: Networks;
  volumes: Volumes;
  files: Files;
  info(): Promise<HostInfo>;
  /** Where the container's log is kept. */
  logSource(containerID: string, driver: string): LogSource;
  /** Where a container's things are, and what its process may do: for inspection. Asks nobody. */
  describe(record: ContainerRecord): ContainerFacts;
  /** Stops watching; leaves containers running. */
  close(): Promise<void>;
}

/** Where there is no kernel: every operation that needs one answers 501 with this reason. */
export interface NoHost {
  unavailable: string;
}

/** All ports. */
export interface Ports {
  store: Store;
  blobs: Blobs;
  net: Net;
  codec: Codec;
  clock: Clock;
  random: Random;
  host: Host | NoHost;
}
