import type { Context } from "../context.ts";
import { checkpointContainer, type CheckpointOptions, type CheckpointReport } from "./checkpoint.ts";
import { importCheckpoint, type ImportOptions } from "./import.ts";
import { restoreContainer, type RestoreOptions } from "./restore.ts";

/** Containers frozen into files, and brought back. */
export class ContainerCheckpoints {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * Freezes a running container into files; it ends, unless told to run on. Throws `internal` with CRIU's own reason where
   * that cannot be, and the container runs on.
   */
  async checkpoint(nameOrID: string, options?: CheckpointOptions): Promise<CheckpointReport> {
    return await checkpointContainer(this.#context, nameOrID, options);
  }

  /** Brings a container back from its checkpoint. */
  async restore(nameOrID: string, options?: RestoreOptions): Promise<CheckpointReport> {
    return await restoreContainer(this.#context, nameOrID, options);
  }

  /** Makes a container of an exported checkpoint and brings it back; or nothing at all. */
  async import(archive: ReadableStream<Uint8Array>, options: ImportOptions): Promise<CheckpointReport> {
    return await importCheckpoint(this.#context, archive, options);
  }
}
