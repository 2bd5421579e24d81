import type { Server } from "node:http";
import { connect } from "node:net";
import type { Address } from "./address.ts";

/** Milliseconds from one look at a listener to the next, and those that it has to take a connection. */
const LOOK_EVERY = 3000;
const PATIENCE = 2000;

/**
 * Looks whether a listener takes connections, and listens again where it does not: Deno's stops for ever, without a word, when
 * a connection cannot be taken for want of files (2.9.6). Node's goes on by itself.
 *
 * @param again Listens at the address again, once the old listener is closed
 */
export function keepListening(
  server: Server,
  address: Address,
  again: () => Promise<unknown>,
  tell: (error: unknown) => void,
): Disposable {
  if (!("Deno" in globalThis)) return { [Symbol.dispose]() {} };
  let taken = 0;
  let seen = 0;
  let looking = false;
  server.on("connection", () => taken++);
  const look = async () => {
    if (looking) return;
    looking = true;
    try {
      // A listener that has taken one since the last look needs no other.
      const isBusy = taken > seen;
      seen = taken;
      if (isBusy || await probeAddress(address, () => taken > seen)) return;
      server.close();
      await again();
      tell(new Error("Listen again: no connection was taken any more, for want of files it seems"));
    } catch (error) {
      tell(error);
    } finally {
      looking = false;
    }
  };
  const timer = setInterval(look, LOOK_EVERY);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Connects, and tells whether the connection is taken. A shortage on this side says nothing of the listener. */
function probeAddress(address: Address, isTaken: () => boolean): Promise<boolean> {
  const host = address.kind === "tcp" && !/^(?:|0\.0\.0\.0|::)$/.test(address.host) ? address.host : "localhost";
  const socket = connect(address.kind === "unix" ? { path: address.path } : { host, port: address.port });
  return new Promise((resolve) => {
    const settle = (answer: boolean) => {
      clearInterval(polling);
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const polling = setInterval(() => isTaken() && settle(true), 20);
    const timer = setTimeout(() => settle(isTaken()), PATIENCE);
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "ECONNREFUSED" && error.code !== "ENOENT") settle(true);
    });
  });
}
