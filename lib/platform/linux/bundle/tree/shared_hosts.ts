/**
 * The names of a container in the /etc/hosts of the one whose network it is in.
 *
 * It stays the same file, as it is bound into the containers' trees: any of them may write to it, and make it as large as it
 * likes. The containers of this server change it one after the other.
 *
 * @module
 */
import { constants } from "node:fs";
import { type FileHandle, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ContainerRecord } from "../../../../engine/records/container_record.ts";
import { Locks } from "../../../../engine/store/locks.ts";
import { readTextBounded } from "../../helpers/bounded_read.ts";
import { hasSystemCode } from "../../../../oci/system_error.ts";

const NOTE = "joined-hosts.json";
const NOTE_LIMIT = 64 * 1024;
/** A larger file is the containers' own affair: what was added to it stays. */
const HOSTS_LIMIT = 1024 * 1024;
const FLAGS = constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** One key for each file. */
const locks = new Locks();

/** A bundle's note: the file that has the line, and the line. */
interface Joined {
  file: string;
  line: string;
}

/** Adds a container's names to another one's /etc/hosts, as Podman does: under the loopback's address, which they share. */
export async function joinHosts(file: string, bundle: string, { hostname, name }: ContainerRecord): Promise<void> {
  const names = [...new Set([hostname, name])].filter((known) => known !== "");
  if (names.length === 0) return;
  const line = `127.0.0.1\t${names.join(" ")}\n`;
  const joined: Joined = { file, line };
  // First: a server that ends in between leaves nothing in the file that no note tells of.
  await writeFile(join(bundle, NOTE), JSON.stringify(joined));
  await withFile(file, async (handle) => {
    const { size } = await handle.stat();
    const last = new Uint8Array(1);
    if (size > 0) await handle.read(last, 0, 1, size - 1);
    const text = size === 0 || last[0] === 10 ? line : `\n${line}`;
    await handle.write(text, size);
  });
}

/** Takes the names out again. Nothing to do is no error, nor is a file that went with its own container. */
export async function leaveHosts(bundle: string): Promise<void> {
  const joined = await readTextBounded(join(bundle, NOTE), NOTE_LIMIT);
  if (joined === undefined) return;
  let note: Joined;
  try {
    note = JSON.parse(joined);
  } catch {
    // Cut short: the file was not written to either.
    return;
  }
  await withFile(note.file, async (handle) => {
    if ((await handle.stat()).size > HOSTS_LIMIT) return;
    const text = await readTextBounded(handle, HOSTS_LIMIT) ?? "";
    const at = `\n${text}`.lastIndexOf(`\n${note.line}`);
    if (at < 0) return;
    const bytes = new TextEncoder().encode(text.slice(0, at) + text.slice(at + note.line.length));
    await handle.write(bytes, 0, bytes.length, 0);
    await handle.truncate(bytes.length);
  });
}

/** Works on a file while nobody else of this server does; not where there is none, or something that is no file. */
export async function withFile(path: string, work: (handle: FileHandle) => Promise<void>): Promise<void> {
  await locks.with(path, async () => {
    const handle = await open(path, FLAGS).catch((error) => {
      if (hasSystemCode(error, "ENOENT", "ELOOP", "ENXIO", "EISDIR")) return undefined;
      throw error;
    });
    if (handle === undefined) return;
    try {
      if ((await handle.stat()).isFile()) await work(handle);
    } finally {
      await handle.close();
    }
  });
}
