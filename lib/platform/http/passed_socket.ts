/**
 * Sockets that listen already when this process starts: those of systemd's `.socket` units, sd_listen_fds(3).
 *
 * @module
 */
import { readFile, readlink } from "node:fs/promises";
import type { Address } from "./address.ts";

/** The first descriptor of a socket that is passed on: those before it are the standard streams. */
export const FIRST_DESCRIPTOR = 3;

/** Reads `fd://4`, a descriptor of this process; `undefined` for an address of another kind. */
export function parseDescriptor(text: string): number | undefined {
  const [, fd] = /^fd:\/\/(\d{1,4})$/.exec(text) ?? [];
  return fd === undefined ? undefined : Number(fd);
}

/**
 * Finds the address of a socket that this process was given, on Linux. Throws `Error` for a descriptor that is none, or is a socket of
 * another kind.
 */
export async function addressOfDescriptor(fd: number): Promise<Address> {
  const target = await readlink(`/proc/self/fd/${fd}`).catch(() => "nothing");
  const [, inode] = /^socket:\[(\d+)\]$/.exec(target) ?? [];
  if (inode === undefined) throw new Error(`Listen on "fd://${fd}": it is no socket, but ${target}`);
  const found = await findUnix(inode) ?? await findTCP(inode, "tcp") ?? await findTCP(inode, "tcp6");
  if (found !== undefined) return found;
  throw new Error(`Listen on "fd://${fd}": it is no socket of a path or of TCP that listens`);
}

/** `/proc/net/unix`: the seventh field is the inode, the eighth the path. */
async function findUnix(inode: string): Promise<Address | undefined> {
  for (const line of await readLines("unix")) {
    const [, found, path] = /^(?:\S+ +){6}(\d+) (\/.*)$/.exec(line) ?? [];
    if (found === inode) return { kind: "unix", path };
  }
  return undefined;
}

/** `/proc/net/tcp`: the second field is the local address, the tenth the inode. */
async function findTCP(inode: string, table: "tcp" | "tcp6"): Promise<Address | undefined> {
  for (const line of await readLines(table)) {
    const fields = line.trim().split(/\s+/);
    if (fields[9] !== inode) continue;
    const [bytes, port] = fields[1].split(":");
    return { kind: "tcp", host: readHost(bytes), port: parseInt(port, 16) };
  }
  return undefined;
}

async function readLines(table: string): Promise<string[]> {
  const text = await readFile(`/proc/self/net/${table}`, "utf8").catch(() => "");
  return text.split("\n").slice(1);
}

/** Words of 32 bits in the processor's own order, which is little-endian wherever this runs. */
function readHost(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => (word.match(/../g) ?? []).reverse());
  if (bytes.length === 4) return bytes.map((byte) => parseInt(byte, 16)).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => `${bytes[2 * index]}${bytes[2 * index + 1]}`);
  return new URL(`http://[${groups.join(":")}]/`).hostname.slice(1, -1);
}
