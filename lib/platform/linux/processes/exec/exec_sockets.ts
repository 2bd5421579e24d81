import { mkdir, open, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { EngineError } from "../../../../engine/errors.ts";
import { FrameReader } from "../../perl/frames.ts";

/** How long a supervisor may take from its connection to its first word. */
const PATIENCE = 10_000;

/** A supervisor that is connected. */
export interface ExecConnection {
  socket: Socket;
  frames: FrameReader;
}

/**
 * The socket on which supervisors of exec sessions connect to this server: `sockets/exec` in the runroot, in a folder that nobody else
 * can enter. `exec.pl` connects from a session's folder.
 */
export class ExecSockets {
  readonly #folder: string;
  readonly #expected = new Map<string, PromiseWithResolvers<ExecConnection>>();
  #server?: Promise<Server>;

  constructor(runroot: string) {
    this.#folder = join(runroot, "sockets");
  }

  /** Gives the connection of a session's supervisor, to be called before that is started. Rejects when disposed of before. */
  async expect(session: string): Promise<{ connection: Promise<ExecConnection> } & Disposable> {
    await (this.#server ??= this.#listen());
    const expected = Promise.withResolvers<ExecConnection>();
    expected.promise.catch(() => {});
    this.#expected.set(session, expected);
    return {
      connection: expected.promise,
      [Symbol.dispose]: () => {
        this.#expected.delete(session);
        expected.reject(new EngineError("internal", "Exec: the supervisor did not connect"));
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
      const path = `/proc/self/fd/${folder.fd}/exec`;
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
