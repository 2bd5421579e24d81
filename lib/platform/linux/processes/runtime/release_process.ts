import { closeSync, constants, openSync, rmSync, writeSync } from "node:fs";
import { hasSystemCode } from "../../../../oci/system_error.ts";

/**
 * Lets the process of a created container go on to its command, as `crun start` does: it waits for one byte from the FIFO in
 * the runtime's folder. To load the runtime for that byte takes longer than most of what a start does.
 *
 * @returns False where nothing waits there: the runtime knows why
 */
export function releaseProcess(folder: string): boolean {
  const fifo = `${folder}/exec.fifo`;
  let file: number;
  try {
    // Without waiting for a reader: there is none when the process has ended.
    file = openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (hasSystemCode(error, "ENXIO", "ENOENT")) return false;
    throw error;
  }
  try {
    writeSync(file, new Uint8Array(1));
    // Its absence says that the container was started.
    rmSync(fifo);
    return true;
  } finally {
    closeSync(file);
  }
}
