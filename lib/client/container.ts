import { ClientError, unlessMissing, unlessUnchanged, withErrors } from "./client_error.ts";
import type { Connection } from "./connections/connection.ts";
import { ContainerFiles } from "./container_files.ts";
import { type ContainerDetails, detailsOf } from "./container_details.ts";
import type { Dialect } from "./dialects/dialect.ts";
import { type OutputLine, readFrames, readLines } from "./frames.ts";
import { openStreams } from "./open_streams.ts";
import type { Abortable, AttachToOptions, ExecOptions, InteractOptions, LogsOptions } from "./container_calls.ts";
import { type RunResult, Session } from "./session.ts";

/** Facts that a container is made with. */
export interface ContainerParts {
  readonly dialect: Dialect;
  readonly connection: Connection;
  readonly details: ContainerDetails;
  readonly owned: boolean;
}

/** Milliseconds between two looks at an exec session that has ended, until the server knows it. */
const EXEC_INTERVAL = 20;
/** Milliseconds until a process that has closed its output, and goes on, is asked after no more. */
const EXEC_PATIENCE = 60_000;

/**
 * A container. `await using` removes one that this client has made, running or not, with its anonymous volumes; one that was only looked
 * up stays.
 *
 * @example
 * ```ts
 * import type { EngineClient } from "./mod.ts";
 * async function versionOf(engine: EngineClient): Promise<string> {
 *   await using db = await engine.start({ image: "postgres", env: { POSTGRES_PASSWORD: "x" }, ready: { log: "ready to accept" } });
 *   return (await db.exec(["psql", "-U", "postgres", "-c", "select version()"])).stdout;
 * }
 * ```
 */
export class Container implements AsyncDisposable {
  readonly id: string;
  readonly name: string;
  readonly files: ContainerFiles;
  readonly #dialect: Dialect;
  readonly #connection: Connection;
  readonly #isOwned: boolean;
  #details: ContainerDetails;

  constructor({ dialect, connection, details, owned }: ContainerParts) {
    this.id = details.id;
    this.name = details.name;
    this.#details = details;
    this.#dialect = dialect;
    this.#connection = connection;
    this.#isOwned = owned;
    this.files = new ContainerFiles(dialect, details.id);
  }

  /**
   * The port of the host where a port of the container is published, as of the last start or look.
   *
   * @throws {ClientError} `not_found` where it is not published, or the container has not been started
   */
  port(container: number, protocol: "tcp" | "udp" | "sctp" = "tcp"): number {
    const host = this.#details.ports[`${container}/${protocol}`]?.[0]?.port;
    if (host !== undefined) return host;
    throw new ClientError("not_found", `Look up port ${container}/${protocol} of "${this.name}": it is not published`);
  }

  /** Looks at the container. */
  async inspect({ signal }: Abortable = {}): Promise<ContainerDetails> {
    const view = await this.#do("Inspect", () => this.#dialect.inspect(this.id, { signal }));
    return this.#details = detailsOf(view);
  }

  /** Starts it; no error where it runs. */
  async start({ signal }: Abortable = {}): Promise<void> {
    await this.#do("Start", () => unlessUnchanged(this.#dialect.start(this.id, { signal })));
    await this.inspect({ signal });
  }

  /** Stops it: its stop signal, and after `seconds` (10 by default) SIGKILL. No error where it is stopped. */
  async stop({ seconds, signal }: Abortable & { seconds?: number } = {}): Promise<void> {
    await this.#do("Stop", () => unlessUnchanged(this.#dialect.stop(this.id, seconds, { signal })));
  }

  /** Stops and starts it. */
  async restart({ seconds, signal }: Abortable & { seconds?: number } = {}): Promise<void> {
    await this.#do("Restart", () => this.#dialect.restart(this.id, seconds, { signal }));
    await this.inspect({ signal });
  }

  /** Sends a signal to its first process. */
  async kill(signalName = "SIGKILL", { signal }: Abortable = {}): Promise<void> {
    await this.#do("Kill", () => this.#dialect.kill(this.id, signalName, { signal }));
  }

  /** Freezes its processes. */
  async pause({ signal }: Abortable = {}): Promise<void> {
    await this.#do("Pause", () => this.#dialect.pause(this.id, { signal }));
  }

  /** Undoes {@linkcode Container.pause}. */
  async unpause({ signal }: Abortable = {}): Promise<void> {
    await this.#do("Unpause", () => this.#dialect.unpause(this.id, { signal }));
  }

  /** Resolves with the exit code when it has ended. */
  async wait({ signal }: Abortable = {}): Promise<number> {
    return await this.#do("Wait for", () => this.#dialect.wait(this.id, { signal }));
  }

  /** Removes it, running or not, with its anonymous volumes. No error where it is gone. */
  async remove({ signal }: Abortable = {}): Promise<void> {
    const options = { force: true, volumes: true };
    await unlessMissing(this.#do("Remove", () => this.#dialect.remove(this.id, options, { signal })));
  }

  /** Lines of its output, standard error among them, without their ends; see {@linkcode Container.logLines}. */
  async *logs(options: LogsOptions = {}): AsyncGenerator<string, void> {
    for await (const { text } of this.logLines(options)) yield text;
  }

  /** Lines of its output with the stream of each. */
  async *logLines(options: LogsOptions = {}): AsyncGenerator<OutputLine, void> {
    const { follow = false, stream, tail, since, until, timestamps = false, signal } = options;
    const bytes = await this.#do("Read logs of", () =>
      this.#dialect.logs(this.id, {
        follow,
        stdout: stream !== "stderr",
        stderr: stream !== "stdout",
        tail: tail === undefined ? "all" : String(tail),
        since: since && String(since.getTime() / 1000),
        until: until && String(until.getTime() / 1000),
        timestamps,
      }, { signal }));
    yield* readLines(readFrames(bytes, this.#details.terminal));
  }

  /**
   * Attaches to its standard streams. Attached before the start, nothing of its output is missed.
   *
   * @throws {ClientError} `unsupported` where this connection cannot
   */
  async attach({ stdin = false, logs = false, signal }: AttachToOptions = {}): Promise<Session> {
    const query = { stdin, stdout: true, stderr: true, stream: true, logs };
    const path = this.#dialect.attachPath?.(this.id);
    return await this.#open(`Attach to "${this.name}"`, {
      stdin,
      signal,
      terminal: this.#details.terminal,
      call: (via, call) => this.#dialect.attach(via, this.id, query, call),
      socketPath: path && `${path}?stdin=${stdin}&stdout=true&stderr=true&stream=true&logs=${logs}`,
      exitCode: () => this.wait({ signal }),
      resize: (size) => this.#dialect.resize(this.id, size),
    });
  }

  /** Starts a further process in it, and gives its streams. */
  async interact(command: readonly string[], options: InteractOptions = {}): Promise<Session> {
    const { env = {}, terminal = false, stdin = true, privileged = false, user, workdir, signal } = options;
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const config = { command, env: variables, user, workdir, terminal, stdin, privileged };
    const action = `Run "${command.join(" ")}" in "${this.name}"`;
    const { hijack, openWebSocket } = this.#connection;
    const { execPath } = this.#dialect;
    // Before a session is made that nobody could start.
    if (stdin && hijack === undefined && (openWebSocket === undefined || execPath === undefined)) {
      throw new ClientError(
        "unsupported",
        `${action}: a connection by fetch alone gives no standard input to it; connect from Deno or Node`,
      );
    }
    const exec = await withErrors(action, () => this.#dialect.createExec(this.id, config, { signal }));
    return await this.#open(action, {
      stdin,
      signal,
      terminal,
      call: (via, call) => this.#dialect.startExec(via, exec, terminal, call),
      socketPath: execPath?.(exec),
      exitCode: () => withErrors(action, () => this.#execExit(exec, signal)),
      resize: (size) => this.#dialect.resizeExec(exec, size),
    });
  }

  /**
   * Runs a further process in it to its end.
   *
   * @throws {ClientError} `exited`, with its exit code and output, unless it exits with 0 or `check` is false
   */
  async exec(command: readonly string[], options: ExecOptions = {}): Promise<RunResult> {
    const { stdin, onOutput, check = true, ...rest } = options;
    await using session = await this.interact(command, { ...rest, stdin: stdin !== undefined });
    const result = await session.collect({ stdin, onOutput });
    if (check) requireSuccess(`Run "${command.join(" ")}" in "${this.name}"`, result);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOwned) await this.remove();
  }

  #do<T>(verb: string, run: () => Promise<T>): Promise<T> {
    return withErrors(`${verb} container "${this.name}"`, run);
  }

  /** A server notes the end of an exec session a moment after its output has ended. */
  async #execExit(exec: string, signal: AbortSignal | undefined): Promise<number> {
    for (const since = Date.now(); Date.now() - since < EXEC_PATIENCE;) {
      const code = await this.#dialect.execExit(exec, { signal });
      if (code !== undefined) return code;
      await new Promise((resolve) => setTimeout(resolve, EXEC_INTERVAL));
    }
    throw new ClientError("internal", `Wait for a process in "${this.name}": its output has ended, and it runs on`);
  }

  async #open(action: string, plan: OpenPlan): Promise<Session> {
    const { stdin, signal, terminal, call, socketPath, exitCode, resize } = plan;
    const end = new AbortController();
    const either = signal === undefined ? end.signal : AbortSignal.any([end.signal, signal]);
    const streams = await withErrors(
      action,
      () =>
        openStreams(this.#connection, {
          call: (via) => call(via, { signal: either }),
          socketPath,
          stdin,
          action,
          signal: either,
        }),
    );
    // Without standard input nobody is to wait for some: this half of the connection ends.
    if (!stdin) void streams.input?.close().catch(() => {});
    const output = readFrames(streams.output, terminal, either);
    const close = () => end.abort();
    return new Session({ output, input: stdin ? streams.input : undefined, exitCode, resize, close });
  }
}

type OpenPlan = {
  stdin: boolean;
  signal: AbortSignal | undefined;
  terminal: boolean;
  call: (via: Parameters<Dialect["attach"]>[0], call: { signal: AbortSignal }) => Promise<ReadableStream<Uint8Array>>;
  socketPath?: string;
  exitCode: () => Promise<number>;
  resize: (size: { h: number; w: number }) => Promise<void>;
};

/** Throws `exited` for another exit code than 0. */
export function requireSuccess(action: string, { exitCode, stdout, stderr }: RunResult): void {
  if (exitCode === 0) return;
  const said = stderr.trim() || stdout.trim();
  const text = `${action}: exit code ${exitCode}${said === "" ? "" : `: ${said.split("\n").slice(-10).join("\n")}`}`;
  throw new ClientError("exited", text, { exit: { exitCode, stdout, stderr } });
}
