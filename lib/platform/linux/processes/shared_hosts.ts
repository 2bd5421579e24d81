/**
 * The names of a container in the /etc/hosts of the one whose network it is in.
 *
 * All of it is synchronous, so that nobody else of this server changes the file in between; it stays the same file, as it is
 * bound into the containers' trees.
 *
 * @module
 */
import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { ContainerRecord } from "../../../engine/container_record.ts";

const NOTE = "joined-hosts.json";

/** What is remembered in a bundle: which file has the line, and the line. */
interface Joined {
  file: string;
  line: string;
}

/** Adds a container's names to another one's /etc/hosts, as Podman does: under the loopback's address, which they share. */
export function joinHosts(file: string, bundle: string, { hostname, name }: ContainerRecord): void {
  const names = [...new Set([hostname, name])].filter((known) => known !== "");
  if (names.length === 0) return;
  const line = `127.0.0.1\t${names.join(" ")}\n`;
  const joined: Joined = { file, line };
  // First: a server that ends in between leaves nothing in the file that no note tells of.
  writeFileSync(join(bundle, NOTE), JSON.stringify(joined));
  const text = readFileSync(file, "utf8");
  appendFileSync(file, text === "" || text.endsWith("\n") ? line : `\n${line}`);
}

/** Takes the names out again. Nothing to do is no error, nor is a file that went with its own container. */
export function leaveHosts(bundle: string): void {
  const joined = readIfThere(join(bundle, NOTE));
  if (joined === undefined) return;
  let note: Joined;
  try {
    note = JSON.parse(joined);
  } catch {
    // Cut short: the file was not written to either.
    return;
  }
  const text = readIfThere(note.file);
  const at = text === undefined ? -1 : `\n${text}`.lastIndexOf(`\n${note.line}`);
  if (text === undefined || at < 0) return;
  const bytes = new TextEncoder().encode(text.slice(0, at) + text.slice(at + note.line.length));
  const file = openSync(note.file, "r+");
  try {
    writeSync(file, bytes, 0, bytes.length, 0);
    ftruncateSync(file, bytes.length);
  } finally {
    closeSync(file);
  }
}

function readIfThere(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    // What Node's functions throw has a code.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
