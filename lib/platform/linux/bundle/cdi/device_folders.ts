import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { messageOf } from "../../../../oci/message_of.ts";
import { folderDanger } from "../../../storage/folder_danger.ts";
import { readTextBounded } from "../../helpers/bounded_read.ts";
import { namesIn } from "../../helpers/tree.ts";
import { parseYAML } from "../../helpers/yaml.ts";
import { mayBeRoots } from "../../rootless/outer_user.ts";
import { type ContainerEdits, type DeviceFile, readDeviceFile } from "./spec_file.ts";

/** The folders of device files where nobody names others; a later one wins. */
export const DEVICE_FOLDERS: readonly string[] = ["/etc/cdi", "/var/run/cdi"];

/** The most bytes of a file, and the most files of a folder. */
const MOST_BYTES = 1024 * 1024;
const MOST_FILES = 256;
/** Write permission for the group, or for everybody. */
const FOREIGN_WRITE = 0o022;

/** A device that a file describes. */
export interface KnownDevice {
  file: DeviceFile;
  path: string;
  /** The number of its folder. */
  priority: number;
  edits: ContainerEdits;
}

/**
 * Reads the device files of folders, `*.json` and `*.yaml`, and returns their devices by full name. A device that two files of one
 * folder describe is none. A file that cannot be used is passed over, and `warn` is told why: it may be of a device that nobody
 * asked for.
 */
export async function readDevices(
  folders: readonly string[],
  warn: (message: string) => void,
): Promise<Map<string, KnownDevice>> {
  const found = new Map<string, KnownDevice>();
  const conflicts = new Set<string>();
  for (const [priority, folder] of folders.entries()) {
    for (const path of await filesOf(folder, warn)) {
      const file = await readFile(path).catch((error) =>
        warn(`failed to load CDI Spec "${path}": ${messageOf(error)}`)
      );
      for (const [name, edits] of file?.devices ?? []) {
        const full = `${file!.kind}=${name}`;
        const other = found.get(full);
        if (other?.priority === priority) {
          warn(`conflicting device "${full}" (specs "${other.path}", "${path}")`);
          conflicts.add(full);
        } else conflicts.delete(full);
        found.set(full, { file: file!, path, priority, edits });
      }
    }
  }
  for (const name of conflicts) found.delete(name);
  return found;
}

async function filesOf(folder: string, warn: (message: string) => void): Promise<string[]> {
  const names = await namesIn(folder).catch((error) => {
    warn(`failed to read CDI folder "${folder}": ${messageOf(error)}`);
    return [];
  });
  const files = names.filter((name) => /\.(?:json|yaml)$/.test(name)).sort();
  if (files.length > MOST_FILES) {
    warn(`CDI folder "${folder}" has more than ${MOST_FILES} files: the others are not read`);
  }
  return files.slice(0, MOST_FILES).map((name) => join(folder, name));
}

/** Reads a file that only root, or this process's user, may write: it hands out devices of the host and runs its programs. */
async function readFile(path: string): Promise<DeviceFile> {
  const { O_NONBLOCK, O_RDONLY } = constants;
  // A pipe does not wait for its other end.
  const file = await open(path, O_RDONLY | O_NONBLOCK);
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw new TypeError("it is no file");
    const isOwn = facts.uid === 0 || facts.uid === process.getuid?.();
    // The files of /etc/cdi are the machine's root's, whose number a user's namespace does not have: the folder says whether somebody
    // else can have made them.
    const isRoots = isOwn || (mayBeRoots(facts.uid) && await folderDanger(dirname(path)) === undefined);
    if (!isRoots || (facts.mode & FOREIGN_WRITE) !== 0) throw new TypeError("others than root may write it");
    if (facts.size > MOST_BYTES) throw new RangeError(`it has more than ${MOST_BYTES} bytes`);
    const text = await readTextBounded(file, MOST_BYTES) ?? "";
    return readDeviceFile(path.endsWith(".json") ? JSON.parse(text) : await parseYAML(text));
  } finally {
    await file.close();
  }
}
