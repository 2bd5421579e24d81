/**
 * Unpacking a layer with GNU tar.
 *
 * @module
 */
import { EngineError } from "../../../engine/errors.ts";
import { withRoom } from "../../storage/disk_room.ts";
import { CommandError, runCommand } from "../helpers/command.ts";

/**
 * Device nodes, attributes of the overlay (`trusted.*`) and capabilities come along; members that climb out, and links
 * through which a later member could, tar itself holds back (it has no `-P` here).
 */
const EXTRACT = [
  "--extract",
  "--file=-",
  "--xattrs",
  "--xattrs-include=*",
  "--numeric-owner",
  "--same-owner",
  "--preserve-permissions",
  "--delay-directory-restore",
  "--warning=no-timestamp",
  "--warning=no-unknown-keyword",
];

/** The errors of tar about input that is no archive, or only the beginning of one. */
const BROKEN = /does not look like a tar archive|Unexpected EOF|Skipping to next header|Archive value .* is out of/;

/** Unpacks a checked and translated layer into an empty folder. A failure of the stream is thrown as it is. */
export async function unpackLayer(tar: ReadableStream<Uint8Array>, folder: string): Promise<void> {
  try {
    await withRoom(folder, "Unpack layer", (signal) => {
      return runCommand("tar", [...EXTRACT, `--directory=${folder}`], { stdin: tar, timeout: Infinity, signal });
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const code = BROKEN.test(error.stderr) ? "corrupt" : "internal";
    throw new EngineError(code, `Unpack layer: ${error.message}`, { cause: error });
  }
}
