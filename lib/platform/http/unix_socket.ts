import { chmod, lstat, mkdir, unlink } from "node:fs/promises";
import type { Server } from "node:http";
import { connect } from "node:net";
import { dirname } from "node:path";
import process from "node:process";
import { folderDanger } from "../storage/folder_danger.ts";
import { hasSystemCode } from "../../oci/system_error.ts";

/**
 * Listens on a Unix socket that only its owner may use, in a folder where nobody else can put another in its place. A socket
 * nobody listens on any more is replaced.
 *
 * @throws {Error} if another user could exchange the socket, if somebody listens there, or if the path is not a socket
 */
export async function listenUnix(server: Server, path: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const danger = await folderDanger(folder, true);
  if (danger !== undefined) throw new Error(`Listen on "${path}": ${danger}`);
  try {
    await bindSocket(server, path);
  } catch (error) {
    if (!hasSystemCode(error, "EADDRINUSE")) throw error;
    const refuse = (why: string) => new Error(`Listen on "${path}": ${why}, or choose another path`, { cause: error });
    if (!(await lstat(path)).isSocket()) throw refuse("the path is taken by something else: remove that");
    if (await isLive(path)) throw refuse("another server listens there: stop it");
    await unlink(path);
    await bindSocket(server, path);
  }
  await chmod(path, 0o600);
}

function bindSocket(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // The socket is made within this call; a mode set afterwards would leave it open to all for a moment.
    const mask = process.umask(0o177);
    try {
      server.listen({ path }, () => {
        server.removeListener("error", reject);
        resolve();
      });
    } finally {
      process.umask(mask);
    }
  });
}

function isLive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const settle = (live: boolean) => {
      socket.destroy();
      resolve(live);
    };
    socket.on("connect", () => settle(true));
    // Anything but a refusal (a full backlog, no permission) may be a living server.
    socket.on("error", (error) => settle(!hasSystemCode(error, "ECONNREFUSED", "ENOENT")));
  });
}
