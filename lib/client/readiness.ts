import { ClientError } from "./client_error.ts";
import type { Container } from "./container.ts";
import { orAborted } from "./or_aborted.ts";

/** When a container that was started is ready; all that are given have to be true. */
export interface ReadyOptions {
  /** A line of its output holds this. */
  readonly log?: string | RegExp;
  /** This command, run in it, exits with 0. */
  readonly exec?: readonly string[];
  /** Its health check says that it is healthy. */
  readonly healthy?: boolean;
  /** This returns true. */
  readonly check?: (container: Container) => boolean | Promise<boolean>;
  /** Milliseconds to wait; 60,000 by default. */
  readonly timeout?: number;
}

/** Milliseconds between two looks. */
const INTERVAL = 100;

/**
 * Waits until a container is ready.
 *
 * @throws {ClientError} `timeout`, or `exited` where it ends before, both with the end of its log; `invalid` where it cannot be healthy
 */
export async function waitUntilReady(container: Container, options: ReadyOptions, signal?: AbortSignal): Promise<void> {
  const { timeout = 60_000 } = options;
  const late = AbortSignal.timeout(timeout);
  const either = signal === undefined ? late : AbortSignal.any([late, signal]);
  try {
    if (options.log !== undefined) await waitForLine(container, options.log, either);
    for (const isReady of looksOf(options)) {
      // A look of the caller's own knows no signal.
      while (!await orAborted(isReady(container, either), either)) await pauseBetween(container, either);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (!late.aborted) throw error;
    const end = await lastLines(container);
    throw new ClientError("timeout", `Wait for "${container.name}": not ready after ${timeout} ms${end}`, {
      cause: error,
    });
  }
}

type Look = (container: Container, signal: AbortSignal) => boolean | Promise<boolean>;

function looksOf({ exec, healthy, check }: ReadyOptions): Look[] {
  const looks: Look[] = [];
  if (exec !== undefined) {
    looks.push(async (container, signal) => (await container.exec(exec, { check: false, signal })).exitCode === 0);
  }
  if (healthy) looks.push(isHealthy);
  if (check !== undefined) looks.push((container) => check(container));
  return looks;
}

async function isHealthy(container: Container, signal: AbortSignal): Promise<boolean> {
  const { health, running } = await container.inspect({ signal });
  if (health === undefined && running) {
    throw new ClientError("invalid", `Wait for "${container.name}" to be healthy: it has no health check`);
  }
  return health === "healthy";
}

async function waitForLine(container: Container, pattern: string | RegExp, signal: AbortSignal): Promise<void> {
  for await (const line of container.logs({ follow: true, signal })) {
    // A pattern with `g` would begin where its last match ended.
    if (typeof pattern === "string" ? line.includes(pattern) : line.search(pattern) >= 0) return;
  }
  signal.throwIfAborted();
  throw await endedEarly(container);
}

async function pauseBetween(container: Container, signal: AbortSignal): Promise<void> {
  const { running } = await container.inspect({ signal });
  if (!running) throw await endedEarly(container);
  await new Promise((resolve) => setTimeout(resolve, INTERVAL));
  signal.throwIfAborted();
}

async function endedEarly(container: Container): Promise<ClientError> {
  const { exitCode } = await container.inspect();
  const stderr = await lastLines(container);
  return new ClientError("exited", `Wait for "${container.name}": it ended with exit code ${exitCode}${stderr}`, {
    exit: { exitCode, stdout: "", stderr },
  });
}

/** The end of a container's log, for an error. */
async function lastLines(container: Container): Promise<string> {
  const lines = await Array.fromAsync(container.logs({ tail: 10 })).catch(() => []);
  return lines.length === 0 ? "" : `; its last lines:\n${lines.join("\n")}`;
}
