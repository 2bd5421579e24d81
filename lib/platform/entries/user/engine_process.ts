import { rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import { engineHandler } from "../../../../handlers/engine_handler.ts";
import { EngineError, type ErrorCode } from "../../../engine/errors.ts";
import type { LogLevel } from "../../../engine/ports/log.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { listen, type Listener } from "../../http/listener.ts";
import { requestLogger } from "../server_log.ts";
import { endSignal } from "../start/end_signal.ts";
import { type HostEngineOptions, openEngineHere } from "../start/engine_here.ts";
import { takesOver } from "../start/open_doors.ts";
import { startStep } from "../start/start_failure.ts";

/** The name of the command. It is in no help: only a program that opens an engine starts it. */
export const ENGINE_COMMAND = "engine-process";

/** The first line of the process's input: how its engine is opened, and where it listens. */
export interface EngineSettings extends Omit<HostEngineOptions, "log" | "tls" | "credentials"> {
  /** The path of a socket in a folder that is only the user's. */
  readonly socket: string;
}

/** A line of the process's output. */
export type EngineWord =
  | { readonly log: [level: LogLevel, message: string] }
  | { readonly failed: { readonly code: ErrorCode; readonly message: string } }
  | { readonly ready: true };

/** The way to another place for the socket, as errors tell it. */
export const SOCKET_OPTION = "the variable TMPDIR";

/** Characters of the settings at most. */
const MOST_SETTINGS = 1 << 20;

/**
 * Runs the engine of a program that an ordinary user started, and resolves with the exit code when the program closes it or ends. Its input
 * is a line with {@linkcode EngineSettings} and then nothing; its output is lines with an {@linkcode EngineWord} each.
 */
export async function runEngineProcess(): Promise<number> {
  const ended = endSignal(true);
  // The program may be gone: nobody is told then.
  process.stdout.on("error", () => {});
  const tell = (word: EngineWord) => void process.stdout.write(`${JSON.stringify(word)}\n`);
  const log = (level: LogLevel, message: string) => tell({ log: [level, message] });
  process.on(
    "unhandledRejection",
    (error) => log("error", `Unhandled: ${error instanceof Error ? error.stack : error}`),
  );
  const input = new ProgramInput();
  let listener: Listener | undefined;
  try {
    const { socket, ...options } = readSettings(await input.firstLine);
    const engine = await openEngineHere({ ...options, log });
    try {
      const onRequest = requestLogger((level, message) => level === "error" && log(level, message));
      const handler = engineHandler(engine, { onRequest });
      listener = await startStep(
        { text: `Listen on "${socket}"`, option: SOCKET_OPTION },
        () =>
          listen(`unix://${socket}`, handler, {
            hijacks: takesOver,
            onError: (error) => log("error", `Serve: ${error instanceof Error ? error.stack : error}`),
          }),
      );
      tell({ ready: true });
      await Promise.race([input.ended, ended]);
    } finally {
      await listener?.close();
      await engine.close();
      // A program that was killed removes nothing itself.
      await rmdir(dirname(socket)).catch(() => {});
    }
    return 0;
  } catch (error) {
    const code = error instanceof EngineError ? error.code : "internal";
    tell({ failed: { code, message: messageOf(error) } });
    return 1;
  }
}

/** The input of the process: a line, and an end. */
class ProgramInput {
  readonly firstLine: Promise<string>;
  readonly ended: Promise<void>;

  constructor() {
    const { stdin } = process;
    stdin.setEncoding("utf8");
    this.ended = new Promise((resolve) => void stdin.on("end", resolve).on("error", () => resolve()));
    this.firstLine = new Promise((resolve, reject) => {
      let text: string | undefined = "";
      stdin.on("data", (piece: string) => {
        if (text === undefined) return;
        text += piece;
        const [line, ...rest] = text.split("\n");
        if (rest.length === 0 && text.length <= MOST_SETTINGS) return;
        text = undefined;
        if (rest.length > 0 && line!.length <= MOST_SETTINGS) resolve(line!);
        else reject(new EngineError("limit", `Read settings: they have more than ${MOST_SETTINGS} characters`));
      });
      this.ended.then(() => reject(new EngineError("invalid", "Read settings: the input has no line with them")));
    });
    // One that nobody waits for any more.
    this.firstLine.catch(() => {});
  }
}

function readSettings(line: string): EngineSettings {
  const read = (): Partial<EngineSettings> | undefined => {
    try {
      return JSON.parse(line) ?? undefined;
    } catch {
      return undefined;
    }
  };
  const { root, runroot, socket, ...options } = read() ?? {};
  const places = [root, runroot, socket];
  if (places.every((path) => typeof path === "string" && path.startsWith("/"))) {
    return { ...options, root: root!, runroot: runroot!, socket: socket! };
  }
  const why =
    "expected one line of JSON with the full paths of root, runroot and socket, as openHostEngine() writes it";
  throw new EngineError("invalid", `Read settings: ${why}`);
}
