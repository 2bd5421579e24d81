/** Containers: what the engine offers of them, one call per operation. */
import type { ContainerRecord, ContainerSpec } from "../container_record.ts";
import { EngineError } from "../errors.ts";
import type { Attachment } from "../ports.ts";
import type { EngineContext } from "./context.ts";
import type {
  AttachOptions,
  ListOptions,
  LogRecord,
  LogsOptions,
  RemoveOptions,
  RemoveReport,
  StopOptions,
  TerminalSize,
  WaitCondition,
  WaitOptions,
} from "./options.ts";

/**
 * The engine's containers. Every operation takes a name, an ID or an unambiguous prefix of one; what changes a container
 * is durable before it answers, and one container's changes never overlap.
 */
export class Containers {
  readonly #context: EngineContext;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Makes a container; `warnings` say what was asked for and cannot be had in full. */
  create(_spec: ContainerSpec): Promise<{ record: ContainerRecord; warnings: string[] }> {
    return this.#pending();
  }

  /** The container of that name, ID or ID prefix. Throws `no_such_container` or `ambiguous`. */
  resolve(_nameOrID: string): ContainerRecord {
    throw new EngineError("unsupported", "Not yet");
  }

  /** Whether there is one. An ambiguous prefix counts as there. */
  exists(_nameOrID: string): boolean {
    throw new EngineError("unsupported", "Not yet");
  }

  /** Containers, newest first. Throws `invalid` for a filter there is not. */
  list(_options?: ListOptions): ContainerRecord[] {
    throw new EngineError("unsupported", "Not yet");
  }

  /** Containers made of this image: what an image removal must ask. */
  usingImage(_imageID: string): ContainerRecord[] {
    throw new EngineError("unsupported", "Not yet");
  }

  /** Makes the container's process, up to the point where it would start. Throws `unchanged` when that is done already. */
  init(_nameOrID: string): Promise<void> {
    return this.#pending();
  }

  /** Starts it, its dependencies first. Throws `unchanged` when it runs. */
  start(_nameOrID: string): Promise<void> {
    return this.#pending();
  }

  /** Stops it: the stop signal, then SIGKILL when the time is up. Throws `unchanged` when it has ended. */
  stop(_nameOrID: string, _options?: StopOptions): Promise<void> {
    return this.#pending();
  }

  /** Sends a signal (number, `TERM`, `SIGTERM`; `SIGKILL` by default, after which its end is waited for). */
  kill(_nameOrID: string, _options?: { signal?: string | number }): Promise<void> {
    return this.#pending();
  }

  /** Stops it if it runs, then starts it. */
  restart(_nameOrID: string, _options?: StopOptions): Promise<void> {
    return this.#pending();
  }

  pause(_nameOrID: string): Promise<void> {
    return this.#pending();
  }

  unpause(_nameOrID: string): Promise<void> {
    return this.#pending();
  }

  /**
   * Waits for any of the conditions, `exited` by default. Resolves with the exit code, or -1 when what was met is no end.
   * The call is in place when it returns its promise: a start that follows is not missed. Containers that are gone answer
   * with their exit code for five minutes.
   */
  wait(_nameOrID: string, _conditions?: readonly WaitCondition[], _options?: WaitOptions): Promise<number> {
    return this.#pending();
  }

  /** Removes it, and what depends on it when asked. Reports come in the order of removal. */
  remove(_nameOrID: string, _options?: RemoveOptions): Promise<RemoveReport[]> {
    return this.#pending();
  }

  /** The container's log, record by record. */
  // deno-lint-ignore require-yield -- a signature to build on
  async *logs(_nameOrID: string, _options: LogsOptions): AsyncIterable<LogRecord> {
    await this.#pending();
  }

  /** Attaches to its standard streams; initialises a container that is not running, so that nothing is missed at its start. */
  attach(_nameOrID: string, _options: AttachOptions): Promise<Attachment> {
    return this.#pending();
  }

  /** Sets its terminal's size. */
  resize(_nameOrID: string, _size: TerminalSize): Promise<void> {
    return this.#pending();
  }

  rename(_nameOrID: string, _name: string): Promise<void> {
    return this.#pending();
  }

  /** Bytes in its writable layer. */
  size(_nameOrID: string): Promise<number> {
    return this.#pending();
  }

  /** Reconciles records with the host; the engine calls it once, before it answers anybody. */
  recover(): Promise<void> {
    return this.#pending();
  }

  /** Stops watching the host, and waits for the work that goes on behind answers. Containers go on. */
  close(): Promise<void> {
    return this.#pending();
  }

  #pending(): Promise<never> {
    return Promise.reject(new EngineError("unsupported", `Not yet on ${typeof this.#context.host}`));
  }
}
