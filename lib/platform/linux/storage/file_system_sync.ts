import { runCommand } from "../helpers/command.ts";
import { syncFileSystemOf } from "../helpers/libc.ts";

/**
 * Makes everything written so far to the file system of a path durable. Callers that ask while a run is under way share the
 * next one.
 */
export class FileSystemSync {
  readonly #path: string;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when what was written before the call lasts. */
  run(): Promise<void> {
    if (this.#running === undefined) return this.#start();
    return this.#next ??= this.#running.catch(() => {}).then(() => {
      this.#next = undefined;
      return this.#start();
    });
  }

  #start(): Promise<void> {
    const running = this.#sync().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    return this.#running = running;
  }

  async #sync(): Promise<void> {
    if (await syncFileSystemOf(this.#path)) return;
    await runCommand("sync", ["--file-system", "--", this.#path], { timeout: Infinity });
  }
}
