import type { Server } from "node:http";
import { connect } from "node:net";
import type { Address } from "./address.ts";

/** How often a listener is looked at, and how long it has to take a connection. */
export interface LookTimes {
  /** Milliseconds from one look to the next. */
  readonly every: number;
  /** Milliseconds from one turn of the event loop to the next, and how many a connection may wait. */
  readonly turn: number;
  readonly turns: number;
}

/** Errors of a connection that say that nobody takes it: no listener, no socket, a queue that nobody empties. */
const REFUSALS: readonly (string | undefined)[] = ["ECONNREFUSED", "ENOENT", "EAGAIN"];

const LOOK_TIMES: LookTimes = { every: 3000, turn: 20, turns: 100 };

/**
 * Looks whether a listener takes connections, and listens again where it does not: Deno's stops for ever, without a word, when
 * a connection cannot be taken for want of files (2.9.6). Node's goes on by itself.
 *
 * @param again Listens at the address again, once the old listener is closed
 * @param times Every 3 s, and 100 turns of 20 ms, by default
 */
export function keepListening(
  server: Server,
  address: Address,
  again: () => Promise<unknown>,
  tell: (error: unknown) => void,
  times: LookTimes = LOOK_TIMES,
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
      if (isBusy || await probeAddress(address, () => taken > seen, times)) return;
      server.close();
      await again();
      tell(new Error("Listen again: no connection was taken any more, for want of files it seems"));
    } catch (error) {
      tell(error);
    } finally {
      looking = false;
    }
  };
  const timer = setInterval(look, times.every);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/**
 * Connects, and tells whether the connection is taken within so many turns of the event loop. A clock would say less: a process that
 * had no processor for seconds has taken nothing, and listens all the same. A shortage on this side says nothing of the listener.
 */
function probeAddress(address: Address, isTaken: () => boolean, { turn, turns }: LookTimes): Promise<boolean> {
  const host = address.kind === "tcp" && !/^(?:|0\.0\.0\.0|::)$/.test(address.host) ? address.host : "localhost";
  const socket = connect(address.kind === "unix" ? { path: address.path } : { host, port: address.port });
  return new Promise((resolve) => {
    const settle = (answer: boolean) => {
      clearInterval(polling);
      socket.destroy();
      resolve(answer);
    };
    let waited = 0;
    const polling = setInterval(() => {
      if (isTaken()) settle(true);
      else if (++waited >= turns) settle(false);
    }, turn);
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (!REFUSALS.includes(error.code)) settle(true);
    });
  });
}
