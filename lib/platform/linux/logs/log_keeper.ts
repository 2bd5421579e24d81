import { mkdir } from "node:fs/promises";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { LogSource } from "../../../engine/records/container_record.ts";
import { EngineError } from "../../../engine/errors.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";
import { findProgram } from "../helpers/programs.ts";
import { HELPER_ENVIRONMENT, startPipedProgram } from "../helpers/spawn.ts";
import { namesIn } from "../helpers/tree.ts";
import { frameOf, FrameReader } from "../perl/frames.ts";
import { OLDER_LOGS_PROGRAM, perlArguments } from "../perl/programs.ts";
import { OLDER_FOLDER, prepareOlder } from "./older_files.ts";

/** The helper at work. */
interface Keeper {
  child: ChildProcessWithoutNullStreams;
  answers: FrameReader;
  closed: Promise<void>;
}

/**
 * The process that misses no file of a host's logs that begin anew at a greatest size, one for all of them. It starts with the
 * first such log, and ends with this process. Without it such a log has its last file, and what was kept before.
 */
export class LogKeeper {
  readonly #logs: string;
  readonly #log: (level: "warn", message: string) => void;
  #running?: Promise<Keeper>;
  #closing = false;
  /** Requests are answered in their order. */
  #last: Promise<unknown> = Promise.resolve();

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

  /**
   * Resolves when the helper is at work. Throws `EngineError("unsupported")` where there is no Perl, and where files can have no
   * leases.
   */
  async start(): Promise<void> {
    await (this.#running ??= this.#start());
  }

  /**
   * Prepares a log, and returns the path for its supervisor to write to; `undefined` for a log that does not begin anew, and where
   * there can be no helper: the container runs all the same, and its log has the last file only.
   */
  async prepare({ path, older }: LogSource): Promise<string | undefined> {
    if (older === undefined) return undefined;
    try {
      await this.start();
      return await prepareOlder(path, older);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.#log("warn", error.message);
      return undefined;
    }
  }

  /** Has the helper miss no file of a container's log from now on. Its supervisor has opened the log. */
  async arm(containerID: string): Promise<void> {
    try {
      await this.#arm(containerID);
    } catch (error) {
      this.#log("warn", (error as Error).message);
    }
  }

  async #arm(containerID: string): Promise<void> {
    const { child, answers } = await (this.#running ??= this.#start());
    const answer = this.#last.then(() => {
      for (const part of frameOf("arm", containerID)) child.stdin.write(part);
      return answers.readTexts();
    });
    this.#last = answer.catch(() => {});
    if ((await answer)?.[0] !== "armed") {
      throw new EngineError("internal", `Keep older logs: the log of container ${containerID} cannot be watched`);
    }
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
      await makeFolder(`${this.#logs}/${OLDER_FOLDER}`);
      const args = perlArguments(OLDER_LOGS_PROGRAM, "Keep older logs", [this.#logs]);
      const child = startPipedProgram(perl, args, { cwd: "/", env: HELPER_ENVIRONMENT });
      let errors = "";
      const closed = Promise.withResolvers<void>();
      const end = (why = "") => {
        errors ||= why;
        // The next log that begins anew starts another.
        this.#running = undefined;
        closed.resolve();
      };
      child.stdin.on("error", () => {});
      child.stderr.on("data", (chunk: Uint8Array) => errors = (errors + new TextDecoder().decode(chunk)).slice(-4096));
      child.once("error", ({ message }) => end(message));
      child.once("close", () => end());
      const answers = new FrameReader(child.stdout);
      const [word, canLease] = await answers.readTexts() ?? [];
      if (word === "ready" && canLease === "1") {
        void closed.promise.then(() =>
          this.#closing || this.#log("warn", `Keep older logs: the helper ended: ${errors}`)
        );
        return { child, answers, closed: closed.promise };
      }
      child.kill("SIGKILL");
      await closed.promise;
      if (word === "ready") {
        throw new EngineError("unsupported", `Keep older logs: files of "${this.#logs}" cannot have leases (fcntl(2))`);
      }
      throw new EngineError("internal", `Keep older logs: ${errors.trim() || "the helper ended"}`);
    } catch (error) {
      this.#running = undefined;
      throw error;
    }
  }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error) => {
    if (!hasSystemCode(error, "EEXIST")) throw error;
  });
}
