import { readdirSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { hasSystemCode } from "../../oci/system_error.ts";

/** The limit of open files where it cannot be read. */
const USUAL = 256;
/** Files that may be opened between two looks at how many are open. */
const BURST = 1024;
/** Connections taken, and milliseconds passed, from one look at the open files to the next. */
const LOOK_CONNECTIONS = 16;
const LOOK_EVERY = 250;
/** Milliseconds from one line about a shortage to the next. */
const TELL_EVERY = 10_000;

/** How a connection came in. */
export type Door = "tcp" | "unix";

/** The share of the connections, and of the files, that each door may fill: what TCP leaves is the local operator's. */
const SHARES: Readonly<Record<Door, { connections: number; files: number }>> = {
  tcp: { connections: 3 / 4, files: 3 / 4 },
  unix: { connections: 1, files: 7 / 8 },
};

/**
 * The connections of all listeners of a process, which share its open files with whatever else the process opens. Where
 * one more would be too many, the oldest connection that has no request under way makes room, a flood's own ones first; the
 * rest of the files is left to what serves the requests. Deno takes no connections any more once it could not take one for
 * want of files (2.9.6), and ends when it cannot open what it needs itself.
 */
class ConnectionBudget {
  #files?: number;
  readonly #open: Record<Door, number> = { tcp: 0, unix: 0 };
  /** Connections without a request under way, the oldest first. */
  readonly #waiting: Record<Door, Set<Socket>> = { tcp: new Set(), unix: new Set() };
  #seen = 0;
  #since = 0;
  #looked = -Infinity;
  #told = -Infinity;

  /** @param files How many files the process may have open; read with the first connection by default */
  constructor(files?: number) {
    this.#files = files;
  }

  /** How many connections have a request under way, or were taken over by one. */
  get busy(): number {
    const { tcp, unix } = this.#waiting;
    return this.#open.tcp + this.#open.unix - tcp.size - unix.size;
  }

  /**
   * Admits a connection, or destroys it where there is no room. A connection that was admitted is {@linkcode Admission.busy}
   * while a request is under way.
   *
   * @param tell Told of a shortage, now and then
   */
  admit(socket: Socket, door: Door, tell: (error: Error) => void): Admission | undefined {
    if (this.#isFull(door)) {
      this.#tell(tell);
      const oldest = this.#oldest(door);
      if (oldest === undefined) return void socket.destroy();
      this.#waiting.tcp.delete(oldest);
      this.#waiting.unix.delete(oldest);
      oldest.destroy();
    }
    const waiting = this.#waiting[door];
    this.#open[door]++;
    waiting.add(socket);
    let open = true;
    socket.on("close", () => {
      open = false;
      this.#open[door]--;
      waiting.delete(socket);
    });
    return { busy: () => void waiting.delete(socket), idle: () => void (open && waiting.add(socket)) };
  }

  get #limit(): number {
    return this.#files ??= fileLimit();
  }

  #isFull(door: Door): boolean {
    const { connections, files } = SHARES[door];
    const { tcp, unix } = this.#open;
    const limit = this.#limit;
    const most = Math.floor(Math.max(limit / 4, Math.min(limit * 3 / 4, limit - BURST)));
    // A destroyed connection's file closes at once; its `close` event comes later.
    return (door === "tcp" ? tcp : tcp + unix) >= most * connections || this.#openFiles() >= limit * files;
  }

  /** The connection that makes room: a door takes from its own, and the Unix socket from TCP first. */
  #oldest(door: Door): Socket | undefined {
    const { tcp, unix } = this.#waiting;
    const [first] = tcp;
    return door === "tcp" || first !== undefined ? first : [...unix][0];
  }

  /** About how many files this process has open: a look at each connection would cost too much. */
  #openFiles(): number {
    const now = performance.now();
    if (++this.#since >= LOOK_CONNECTIONS || now - this.#looked >= LOOK_EVERY) {
      this.#looked = now;
      this.#since = 0;
      this.#seen = countFiles();
    }
    return this.#seen + this.#since;
  }

  #tell(tell: (error: Error) => void): void {
    const now = performance.now();
    if (now - this.#told < TELL_EVERY) return;
    this.#told = now;
    const { tcp, unix } = this.#open;
    tell(
      new Error(
        `Take a connection: ${tcp} over TCP and ${unix} over Unix sockets are open, and ${this.#seen} of ${this.#limit} files: ` +
          "the oldest without a request are closed",
      ),
    );
  }
}

/** A connection that was admitted. */
export interface Admission {
  /** A request is under way: the connection makes room for no other. */
  busy(): void;
  /** The connection waits for a request again. */
  idle(): void;
}

/** The one budget of this process: files are the process's, whichever listener a connection came to. */
export const processBudget: ConnectionBudget = new ConnectionBudget();

function fileLimit(): number {
  try {
    const soft = Number(/^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
    return soft > 0 ? soft : USUAL;
  } catch {
    return USUAL;
  }
}

function countFiles(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch (error) {
    // No file was left to look with; without a /proc nothing can be told.
    return hasSystemCode(error, "EMFILE") ? Infinity : 0;
  }
}
