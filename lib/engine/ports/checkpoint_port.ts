/**
 * The engine's port to a host that freezes containers into files and brings them back.
 *
 * A container's checkpoint is a folder of its own, kept as long as the container: `checkpoint` and `pre-checkpoint` hold CRIU's
 * images, beside them lie the files that describe the container.
 *
 * @module
 */

/** How a container is dumped. */
export interface DumpOptions {
  leaveRunning: boolean;
  tcpEstablished: boolean;
  fileLocks: boolean;
  /** Memory only, ahead of a later dump. */
  preCheckpoint: boolean;
  /** On top of an earlier `preCheckpoint`. */
  withPrevious: boolean;
}

/** How a dumped container is brought back. */
export interface RestoreImages {
  tcpEstablished: boolean;
  tcpClose: boolean;
  fileLocks: boolean;
}

/** What CRIU tells of its work. Times are microseconds. */
export interface CRIUStatistics {
  dump?: {
    freezingTime: number;
    frozenTime: number;
    memdumpTime: number;
    memwriteTime: number;
    pagesScanned: number;
    pagesWritten: number;
  };
  restore?: {
    pagesCompared: number;
    pagesSkippedCow: number;
    forkingTime: number;
    restoreTime: number;
    pagesRestored: number;
  };
}

/** An archive that was taken in and belongs to no container yet. Disposing of it deletes what was not adopted. */
export interface ReceivedCheckpoint extends AsyncDisposable {
  /** A file's text; `undefined` where there is none. At most 16 MiB. */
  text(name: string): Promise<string | undefined>;
  /** Makes all of it a container's checkpoint. */
  adopt(containerID: string): Promise<void>;
}

/** Checkpoints of containers. */
export interface Checkpoints {
  /** Throws `internal`, with CRIU's own reason, where this machine or its runtime cannot. */
  check(): Promise<void>;
  /** Has the runtime write a container's images. Throws `internal` with the runtime's and CRIU's reasons; it then runs on. */
  dump(containerID: string, options: DumpOptions): Promise<void>;
  /** Whether there is a whole checkpoint to restore. */
  exists(containerID: string): Promise<boolean>;
  statistics(containerID: string): Promise<CRIUStatistics>;
  /** Writes a file of the checkpoint. */
  write(containerID: string, name: string, content: string | ReadableStream<Uint8Array>): Promise<void>;
  /** A file of the checkpoint; `undefined` where there is none. */
  open(containerID: string, name: string): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Files of the checkpoint as a tar archive; names that are not there are left out. */
  pack(containerID: string, names: readonly string[]): Promise<ReadableStream<Uint8Array>>;
  /** Unpacks an archive of {@linkcode pack}. Throws `invalid` for what is none. */
  receive(archive: ReadableStream<Uint8Array>): Promise<ReceivedCheckpoint>;
  /** Makes an OCI changeset the content of a container's writable layer, which is empty and not mounted. */
  fillLayer(containerID: string, changeset: ReadableStream<Uint8Array>): Promise<void>;
  /** Writes a volume's content into a file of the checkpoint. */
  saveVolume(containerID: string, volume: string): Promise<void>;
  /** Fills a volume that is new from such a file. */
  loadVolume(containerID: string, volume: string): Promise<void>;
  /** Deletes files of the checkpoint, or all of it. */
  remove(containerID: string, names?: readonly string[]): Promise<void>;
}
