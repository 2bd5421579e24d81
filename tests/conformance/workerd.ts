/** workerd, by miniflare. */
import process from "node:process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Log, LogLevel, Miniflare } from "miniflare";

/** How a worker is run. */
export interface WorkerdOptions {
  /** The module's text. */
  script: string;
  bindings?: Record<string, string>;
  /** Compatibility flags; none by default, as a user may have none. */
  flags?: string[];
  /** Durable Object classes with SQLite, by binding. */
  objects?: Record<string, string>;
  /** R2 buckets, by binding. */
  buckets?: string[];
  /** Where their storage is kept; in memory by default. */
  folder?: string;
}

/** A running workerd. */
export interface Workerd extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
}

/** Starts workerd on loopback. */
export async function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  const objects = Object.entries(options.objects ?? {});
  const miniflare = new Miniflare({
    modules: true,
    script: options.script,
    compatibilityDate: "2026-07-01",
    compatibilityFlags: options.flags,
    bindings: options.bindings,
    durableObjects: Object.fromEntries(objects.map(([name, className]) => [name, { className, useSQLite: true }])),
    durableObjectsPersist: options.folder ?? false,
    r2Buckets: options.buckets,
    r2Persist: options.folder ?? false,
    host: "127.0.0.1",
    port: 0,
    log: new Log(LogLevel.ERROR),
    handleRuntimeStdio(stdout: Readable, stderr: Readable) {
      stdout.pipe(process.stdout, { end: false });
      createInterface(stderr).on("line", (line) => {
        // A registry is asked over HTTPS before HTTP, and workerd reports what comes of that.
        if (!/tls\.c\+\+|^stack: |WRONG_VERSION_NUMBER/.test(line)) console.error(line);
      });
    },
  });
  const url = (await miniflare.ready).origin;
  return { url, [Symbol.asyncDispose]: () => miniflare.dispose() };
}
