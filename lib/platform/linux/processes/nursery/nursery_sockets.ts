import { mkdir, open, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../../../../engine/errors.ts";
import { FrameReader } from "../../perl/frames.ts";
import type { Nursery, Nursling } from "./nursery.ts";

/** How long a process of the nursery may take from its connection to its first word. */
const PATIENCE = 10_000;

/** The means by which a process of the nursery is started that carries bytes. */
export interface Carriers {
  nursery: Nursery;
  sockets: NurserySockets;
  runroot: string;
}

/** A process of the nursery that is connected. */
export interface NurseryConnection {
  socket: Socket;
  frames: FrameReader;
}

/**
 * The socket on which processes of the nursery connect to this server that carry bytes: `sockets/nursery` in the runroot, in a folder that
 * nobody else can enter.
 */
export class NurserySockets {
  readonly #folder: string;
  readonly #expected = new Map<string, PromiseWithResolvers<NurseryConnection>>();
  #server?: Promise<Server>;

  constructor(runroot: string) {
    this.#folder = join(runroot, "sockets");
  }

  /** Gives the connection of the process that says this word, to be called before it is started. Rejects when disposed of before. */
  async expect(session: string): Promise<{ connection: Promise<NurseryConnection> } & Disposable> {
    await (this.#server ??= this.#listen());
    const expected = Promise.withResolvers<NurseryConnection>();
    expected.promise.catch(() => {});
    this.#expected.set(session, expected);
    return {
      connection: expected.promise,
      [Symbol.dispose]: () => {
        this.#expected.delete(session);
        expected.reject(new EngineError("internal", "Connect: a process of the nursery did not"));
      },
    };
  }

  /** Listens no more. Connections that there are stay. */
  close(): void {
    void this.#server?.then((server) => server.close(), () => {});
  }

  async #listen(): Promise<Server> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    // A path of a socket has at most 107 bytes.
    const folder = await open(this.#folder);
    try {
      const path = `/proc/self/fd/${folder.fd}/nursery`;
      await rm(path, { force: true });
      const server = createServer((socket) => void this.#greet(socket).catch(() => socket.destroy()));
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(path, resolve);
      });
      server.unref();
      return server;
    } finally {
      await folder.close();
    }
  }

  async #greet(socket: Socket): Promise<void> {
    socket.on("error", () => socket.destroy());
    const timer = setTimeout(() => socket.destroy(), PATIENCE);
    const frames = new FrameReader(socket);
    const [word, session = ""] = await frames.readTexts() ?? [];
    clearTimeout(timer);
    const expected = word === "session" ? this.#expected.get(session) : undefined;
    if (expected === undefined) return void socket.destroy();
    this.#expected.delete(session);
    expected.resolve({ socket, frames });
  }
}

/**
 * The connection of a process, or the failure that `lost` makes when that has failed before, or was cut off. One that has ended well may be
 * read later than its end is heard of.
 */
export async function firstConnection(
  connection: Promise<NurseryConnection>,
  { ended }: Pick<Nursling, "ended">,
  lost: () => Error,
): Promise<NurseryConnection> {
  const failed = ended.then(async (status) => {
    if (status === 0) await sleep(PATIENCE, undefined, { ref: false });
    throw lost();
  });
  failed.catch(() => {});
  return await Promise.race([connection, failed]);
}
