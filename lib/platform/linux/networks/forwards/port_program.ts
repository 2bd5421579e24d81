import { writeFileSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { clearTimeout, setTimeout } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../../../../engine/errors.ts";
import { hasSystemCode } from "../../../../oci/system_error.ts";
import { isAlive, isStopped, markProcess, type ProcessMark, readMark, signalIfThere } from "../../helpers/proc.ts";
import { HELPER_ENVIRONMENT, startProgram } from "../../helpers/spawn.ts";
import { frameOf, FrameReader, readPrompt } from "../../perl/frames.ts";
import { eventSize, perlArguments, PORTS_PROGRAM } from "../../perl/programs.ts";

const TASK = "Publish ports";
/** Milliseconds that the program may take over an answer: a range may have every port there is. */
const PATIENCE = 20_000;

interface Connection {
  socket: Socket;
  answers: FrameReader;
}

/**
 * The one program that has the ports of all containers of an engine (`ports.pl`). It starts with the first that is published, goes
 * on when this process ends, and ends by itself when it has none. Its folder has its mark, `program`, and its socket, `ports`.
 */
export class PortProgram {
  readonly #folder: string;
  readonly #netns: string | undefined;
  readonly #onLost: () => void;
  #connection?: Promise<Connection | undefined>;
  /** Requests are answered in their order. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #dropped = new WeakSet<Connection>();
  #isClosed = false;
  /** The program that was started last, or was there. */
  #seen?: ProcessMark;
  #timesStopped = 0;

  /**
   * @param netns The namespace of an ordinary user's bridges
   * @param onLost Hears that a program which this had to do with has ended, or hears nobody
   */
  constructor(folder: string, netns: string | undefined, onLost: () => void) {
    this.#folder = folder;
    this.#netns = netns;
    this.#onLost = onLost;
  }

  /**
   * Has a container's ports in place of those that it has, all of them or none. The same ports again leave connections alone.
   *
   * @param limit The most connections, and clients of UDP, at a time
   * @returns The first port, by its number, that cannot be had, with the error
   */
  async publish(
    containerID: string,
    limit: number,
    ports: string,
  ): Promise<{ number: number; error: string } | undefined> {
    const request = ["publish", containerID, String(limit), ports] as const;
    // One that has ended, or is about to for lack of ports, has a successor.
    const answer = await this.#ask(request, true) ?? await this.#ask(request, true);
    const [word, number = "0", error = ""] = answer ?? [];
    if (word === "ready") return undefined;
    if (word !== "taken") throw new EngineError("internal", `${TASK}: their program does not answer`);
    return { number: Number(number), error };
  }

  /** Ends a container's ports: they are free afterwards. None, or no program, is no error. */
  async end(containerID: string): Promise<void> {
    await this.#ask(["end", containerID], false);
  }

  /**
   * Has a program that somebody has stopped go on, or makes room for its successor where it stays stopped.
   *
   * @returns Whether it was stopped
   */
  wake(): boolean {
    // A look costs one read: it comes each second.
    const mark = this.#seen ??= this.#mark();
    if (mark === undefined || !isStopped(mark)) {
      this.#timesStopped = 0;
      return false;
    }
    // One that stays stopped is traced, or is stopped again and again.
    if (this.#timesStopped++ === 0) signalIfThere(mark.pid, "SIGCONT");
    else signalIfThere(-mark.pid, "SIGKILL");
    return true;
  }

  /** Leaves the program to itself: it goes on while it has ports. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = await this.#connection?.catch(() => undefined);
    connection?.socket.destroy();
  }

  /** Asks the program; `undefined` where there is none, and where it ends or does not answer. */
  async #ask(request: readonly [string, ...string[]], mayStart: boolean): Promise<string[] | undefined> {
    const answer = this.#last.then(async () => {
      if (this.#isClosed) return undefined;
      const connection = await this.#connect(mayStart);
      if (connection === undefined) return undefined;
      const { socket, answers } = connection;
      const timer = setTimeout(() => {
        socket.destroy();
        void this.#kill();
      }, PATIENCE);
      socket.ref();
      try {
        for (const part of frameOf(...request)) socket.write(part);
        const texts = await answers.readTexts();
        if (texts === undefined) this.#drop(connection);
        return texts;
      } finally {
        socket.unref();
        clearTimeout(timer);
      }
    });
    this.#last = answer.catch(() => {});
    return await answer;
  }

  /** The connection that there is, or a new one; `undefined` where no program is and none may be started. */
  async #connect(mayStart: boolean): Promise<Connection | undefined> {
    const opened = this.#connection ??= this.#open(mayStart);
    try {
      const connection = await opened;
      if (connection === undefined) this.#connection = undefined;
      return connection;
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }

  async #open(mayStart: boolean): Promise<Connection | undefined> {
    // One that nobody has noted has no ports: its server came to its end when it was about to start it.
    let socket = this.#mark() === undefined ? undefined : await connectTo(this.#folder);
    if (socket === undefined) {
      // It holds ports as long as it lives, and nobody can ask it.
      await this.#kill();
      if (!mayStart) return undefined;
      await this.#start();
      socket = await connectTo(this.#folder);
      if (socket === undefined) throw new EngineError("internal", `${TASK}: their program ended`);
    }
    const connection = { socket, answers: new FrameReader(socket) };
    socket.once("close", () => this.#drop(connection));
    return connection;
  }

  #drop(connection: Connection): void {
    connection.socket.destroy();
    if (this.#dropped.has(connection)) return;
    this.#dropped.add(connection);
    // There is no other before this one is dropped.
    this.#connection = undefined;
    this.#onLost();
  }

  async #start(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const args = perlArguments(PORTS_PROGRAM, TASK, [eventSize(), this.#folder, this.#netns ?? ""]);
    // A session of its own: it goes on when the server ends.
    const child = startProgram("perl", args, {
      cwd: "/",
      env: HELPER_ENVIRONMENT,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    // Before anything is waited for: the output of a process that has ended by then would flow away.
    const answers = new FrameReader(child.stdout!);
    let errors = "";
    child.stderr!.on("data", (chunk: Uint8Array) => errors = (errors + new TextDecoder().decode(chunk)).slice(-4096));
    child.once("error", ({ message }) => errors ||= message);
    child.unref();
    try {
      const mark = child.pid === undefined ? undefined : markProcess(child.pid);
      // Before it listens: a server that comes to its end here leaves none that nobody knows of.
      this.#seen = mark;
      if (mark !== undefined) writeFileSync(join(this.#folder, "program"), JSON.stringify(mark));
      if ((await readPrompt(child, answers, PATIENCE))?.[0] !== "ready") {
        throw new EngineError("internal", `${TASK}: their program ended: ${errors.trim()}`);
      }
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    } finally {
      child.stdout!.destroy();
      child.stderr!.destroy();
    }
  }

  /** The program's mark while it lives. */
  #mark(): ProcessMark | undefined {
    const mark = readMark(join(this.#folder, "program"));
    return mark !== undefined && isAlive(mark) ? mark : undefined;
  }

  async #kill(): Promise<void> {
    await killGroup(join(this.#folder, "program"));
  }
}

/** Kills the process that a file marks, with those that it has started, and waits for its end. */
export async function killGroup(note: string): Promise<void> {
  const mark = readMark(note);
  // A note of ports only has none.
  if (mark?.pid === undefined || !isAlive(mark)) return;
  // With the processes of its connections: they are one group.
  signalIfThere(-mark.pid, "SIGKILL");
  // Only then are its ports free for the next one.
  while (isAlive(mark)) await sleep(2);
}

/** Connects to a program's socket; `undefined` where nobody listens. */
async function connectTo(path: string): Promise<Socket | undefined> {
  const folder = await open(path).catch((error) => {
    if (hasSystemCode(error, "ENOENT")) return undefined;
    throw error;
  });
  if (folder === undefined) return undefined;
  try {
    // A path of a socket has at most 107 bytes.
    const socket = connect(`/proc/self/fd/${folder.fd}/ports`);
    return await new Promise((resolve, reject) => {
      socket.once("connect", () => {
        socket.off("error", reject);
        socket.on("error", () => {});
        resolve(socket);
      });
      socket.once("error", reject);
    });
  } catch (error) {
    if (["ENOENT", "ECONNREFUSED"].some((code) => hasSystemCode(error, code))) return undefined;
    throw error;
  } finally {
    await folder.close();
  }
}
