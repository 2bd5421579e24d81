import type { CallOptions, Client } from "../../rest/mod.ts";
import type { ContainerOptions } from "../container_options.ts";
import type { PodDialect } from "./resources/pod_dialect.ts";
import type { ResourceDialect } from "./resources/resource_dialect.ts";
import type { ContainerView, ListedContainer, ListedImage, StepView } from "./views.ts";

/** The part of a log that is read. */
export interface LogOptions {
  readonly follow?: boolean;
  readonly stdout?: boolean;
  readonly stderr?: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly tail?: string;
  readonly timestamps?: boolean;
}

/** The streams to attach to. */
export interface AttachOptions {
  readonly stdin?: boolean;
  readonly stdout?: boolean;
  readonly stderr?: boolean;
  /** Begin with the output so far. */
  readonly logs?: boolean;
  readonly stream?: boolean;
}

/** A further process in a container. */
export interface ExecConfig {
  readonly command: readonly string[];
  readonly env: readonly string[];
  readonly user?: string;
  readonly workdir?: string;
  readonly terminal: boolean;
  readonly stdin: boolean;
  readonly privileged: boolean;
}

/** Rows and columns of a terminal. */
export interface TerminalSize {
  readonly h: number;
  readonly w: number;
}

/** How an image is built. */
export interface BuildParameters {
  readonly tags: readonly string[];
  readonly dockerfile?: string;
  readonly args: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly target?: string;
  readonly platform?: string;
  readonly isUncached: boolean;
  readonly pull: boolean;
}

/** The operations of one tree of an engine's API, as the client calls them. */
export interface Dialect {
  /** The operations on volumes, networks, secrets and events. */
  readonly resources: ResourceDialect;
  /** Absent in Docker's tree, which has no pods. */
  readonly pods?: PodDialect;
  create(options: ContainerOptions, call?: CallOptions): Promise<string>;
  start(id: string, call?: CallOptions): Promise<void>;
  stop(id: string, seconds: number | undefined, call?: CallOptions): Promise<void>;
  restart(id: string, seconds: number | undefined, call?: CallOptions): Promise<void>;
  kill(id: string, signal: string, call?: CallOptions): Promise<void>;
  pause(id: string, call?: CallOptions): Promise<void>;
  unpause(id: string, call?: CallOptions): Promise<void>;
  remove(id: string, options: { force: boolean; volumes: boolean }, call?: CallOptions): Promise<void>;
  /** Resolves with the exit code. */
  wait(id: string, call?: CallOptions): Promise<number>;
  inspect(id: string, call?: CallOptions): Promise<ContainerView>;
  list(options: { all: boolean; filters: string | undefined }, call?: CallOptions): Promise<ListedContainer[]>;
  logs(id: string, options: LogOptions, call?: CallOptions): Promise<ReadableStream<Uint8Array>>;
  /** Attaches, sending by a client that takes the connection over. */
  attach(via: Client, id: string, options: AttachOptions, call?: CallOptions): Promise<ReadableStream<Uint8Array>>;
  /** The path of attach over a WebSocket, where the server has one with frames. */
  readonly attachPath?: (id: string) => string;
  /** The path of the start of an exec session over a WebSocket, where the server has one. */
  readonly execPath?: (exec: string) => string;
  resize(id: string, size: TerminalSize, call?: CallOptions): Promise<void>;
  createExec(id: string, config: ExecConfig, call?: CallOptions): Promise<string>;
  /** Starts an exec session, sending by a client that takes the connection over. */
  startExec(via: Client, exec: string, terminal: boolean, call?: CallOptions): Promise<ReadableStream<Uint8Array>>;
  /** The exit code of an exec session; undefined while it runs. */
  execExit(exec: string, call?: CallOptions): Promise<number | undefined>;
  resizeExec(exec: string, size: TerminalSize, call?: CallOptions): Promise<void>;
  readArchive(id: string, path: string, call?: CallOptions): Promise<ReadableStream<Uint8Array>>;
  writeArchive(id: string, path: string, tar: ReadableStream<Uint8Array>, call?: CallOptions): Promise<void>;
  pull(image: string, platform: string | undefined, call?: CallOptions): Promise<AsyncIterable<StepView>>;
  push(image: string, call?: CallOptions): Promise<AsyncIterable<StepView>>;
  images(all: boolean, call?: CallOptions): Promise<ListedImage[]>;
  inspectImage(image: string, call?: CallOptions): Promise<{ Id: string }>;
  removeImage(image: string, force: boolean, call?: CallOptions): Promise<void>;
  tagImage(image: string, target: { repo: string; tag: string }, call?: CallOptions): Promise<void>;
  saveImage(image: string, call?: CallOptions): Promise<ReadableStream<Uint8Array>>;
  loadImages(tar: ReadableStream<Uint8Array>, call?: CallOptions): Promise<void>;
  build(
    options: BuildParameters,
    tar: ReadableStream<Uint8Array>,
    call?: CallOptions,
  ): Promise<AsyncIterable<StepView>>;
}
