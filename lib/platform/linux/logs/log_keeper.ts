import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { EngineError } from "../../../engine/errors.ts";
import { findProgram } from "../helpers/programs.ts";
import { HELPER_ENVIRONMENT, startPipedProgram } from "../helpers/spawn.ts";
import { namesIn } from "../helpers/tree.ts";
import { FrameReader } from "../perl/frames.ts";
import { OLDER_LOGS_PROGRAM, perlArguments } from "../perl/programs.ts";
import { OLDER_FOLDER } from "./older_files.ts";

/** The helper at work. */
interface Keeper {
  child: ChildProcessWithoutNullStreams;
  closed: Promise<void>;
}

/**
 * The process that keeps the older files of a host's logs, one for all of them. It starts with the first log that has any, and
 * ends with this process. Without it a log loses what it had before its last file but one.
 */
export class LogKeeper {
  readonly #logs: string;
  readonly #log: (level: "warn", message: string) => void;
  #running?: Promise<Keeper>;
  #closing = false;

  /** @param logs The folder of the logs */
  constructor(logs: string, log: (level: "warn", message: string) => void) {
    this.#logs = logs;
    this.#log = log;
  }

  /** Sees to the logs that an earlier server left. */
  async resume(): Promise<void> {
    const kept = await namesIn(`${this.#logs}/${OLDER_FOLDER}`).catch(() => []);
    if (kept.length > 0) await this.start().catch(({ message }) => this.#log("warn", message));
  }

  /** Resolves when no log loses a file. Throws `EngineError("unsupported")` where there is no Perl. */
  async start(): Promise<void> {
    await (this.#running ??= this.#start());
  }

  /** Ends the helper. */
  async close(): Promise<void> {
    this.#closing = true;
    const running = await this.#running?.catch(() => undefined);
    running?.child.stdin.end();
    await running?.closed;
  }

  async #start(): Promise<Keeper> {
    try {
      const perl = await findProgram("perl");
      if (perl === undefined) throw new EngineError("unsupported", "Keep older logs: perl is not installed");
      const args = perlArguments(OLDER_LOGS_PROGRAM, "Keep older logs", [this.#logs]);
      const child = startPipedProgram(perl, args, { cwd: "/", env: HELPER_ENVIRONMENT });
      let errors = "";
      const closed = Promise.withResolvers<void>();
      const end = (why = "") => {
        errors ||= why;
        // The next log that has older files starts another.
        this.#running = undefined;
        closed.resolve();
      };
      child.stdin.on("error", () => {});
      child.stderr.on("data", (chunk: Uint8Array) => errors = (errors + new TextDecoder().decode(chunk)).slice(-4096));
      child.once("error", ({ message }) => end(message));
      child.once("close", () => end());
      const answer = await new FrameReader(child.stdout).readTexts();
      if (answer?.[0] === "ready") {
        void closed.promise.then(() =>
          this.#closing || this.#log("warn", `Keep older logs: the helper ended: ${errors}`)
        );
        return { child, closed: closed.promise };
      }
      child.kill("SIGKILL");
      await closed.promise;
      throw new EngineError("internal", `Keep older logs: ${errors.trim() || "the helper ended"}`);
    } catch (error) {
      this.#running = undefined;
      throw error;
    }
  }
}
