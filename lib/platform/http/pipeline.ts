import type { Socket } from "node:net";
import type { ServerResponse } from "node:http";

/** Requests of one connection that may wait for the answers before theirs; a client that sends more is cut off. */
const MOST_WAITING = 256;

/**
 * Serves the requests of a connection one after the other, in the order in which their answers are sent (RFC 9112, section
 * 9.3.2). A client that sends requests by the thousand and reads no answer then costs the memory of one answer.
 */
export class Pipelines {
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();

  /** Calls `serve` when the connection's earlier answers have been sent. */
  add(socket: Socket, out: ServerResponse, serve: () => void): void {
    const start = () => {
      out.once("close", () => this.#next(socket));
      serve();
    };
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) {
      this.#waiting.set(socket, []);
      start();
    } else if (waiting.length < MOST_WAITING) {
      waiting.push(start);
    } else {
      socket.destroy();
    }
  }

  #next(socket: Socket): void {
    const waiting = this.#waiting.get(socket);
    const start = socket.destroyed ? undefined : waiting?.shift();
    if (start === undefined) this.#waiting.delete(socket);
    else start();
  }
}
