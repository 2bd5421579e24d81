import { randomUUID } from "node:crypto";
import { chmod, chown, mkdir, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { Duplex } from "node:stream";
import type { LocalSockets } from "../../engine/ports/build_port.ts";
import type { HostPaths } from "./helpers/paths.ts";

/** The connections that one socket has at a time: each costs a connection of the client of a build. */
const MOST_CONNECTIONS = 32;

/** {@linkcode LocalSockets} of this machine, each in a folder that nobody else can enter by its path. */
export function localSockets({ runroot }: Pick<HostPaths, "runroot">): LocalSockets {
  return {
    async listen({ mode, uid, gid, connect }) {
      const folder = join(runroot, "sockets", randomUUID().slice(0, 13));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, "socket");
      const open = new Set<Socket>();
      const server = createServer((socket) => {
        open.add(socket);
        socket.once("close", () => open.delete(socket));
        socket.on("error", () => socket.destroy());
        joinSockets(socket, connect).catch(() => socket.destroy());
      });
      server.maxConnections = MOST_CONNECTIONS;
      const close = async () => {
        for (const socket of open) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
        await rm(folder, { recursive: true, force: true });
      };
      try {
        await new Promise<void>((resolve, reject) => {
          server.once("error", reject);
          server.listen(path, resolve);
        });
        await chown(path, uid, gid);
        await chmod(path, mode & 0o777);
      } catch (error) {
        await close();
        throw error;
      }
      return { path, [Symbol.asyncDispose]: close };
    },
  };
}

/** Carries bytes both ways until both ends have said all, or one breaks off. */
async function joinSockets(socket: Socket, connect: Parameters<LocalSockets["listen"]>[0]["connect"]): Promise<void> {
  const other = await connect();
  if (other === undefined) return void socket.destroy();
  const { readable, writable } = Duplex.toWeb(socket);
  const ends = [
    other.readable.pipeTo(writable as WritableStream<Uint8Array>),
    (readable as ReadableStream<Uint8Array>).pipeTo(other.writable),
  ];
  const results = await Promise.allSettled(ends);
  if (results.some(({ status }) => status === "rejected")) socket.destroy();
}
