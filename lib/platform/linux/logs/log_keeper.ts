import { mkdir } from "node:fs/promises";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { LogSource } from "../../../engine/records/container_record.ts";
import { EngineError } from "../../../engine/errors.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";
import { isStopped, signalIfThere } from "../helpers/proc.ts";
import { findProgram } from "../helpers/programs.ts";
import { HELPER_ENVIRONMENT, startPipedProgram } from "../helpers/spawn.ts";
import { namesIn } from "../helpers/tree.ts";
import { frameOf, FrameReader, readPrompt } from "../perl/frames.ts";
import { OLDER_LOGS_PROGRAM, perlArguments } from "../perl/programs.ts";
import { OLDER_FOLDER, prepareOlder } from "./older_files.ts";

/** Milliseconds until a helper that ended by itself has a successor: the first time, and the longest after several. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 60_000;
/** Milliseconds that a helper works before its end counts as the first one again. */
const SETTLED = 60_000;

/** Milliseconds between two looks at whether the helper works. */
const CHECK = 1000;

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
  readonly #closing = new AbortController();
  #pause = FIRST_PAUSE;
  /** Requests are answered in their order. */
  #last: Promise<unknown> = Promise.resolve();

  readonly #patience: number | undefined;

  /**
   * @param logs The folder of the logs
   * @param patience Milliseconds that the helper may take over an answer
   */
  constructor(logs: string, log: (level: "warn", message: string) => void, patience?: number) {
    this.#logs = logs;
    this.#log = log;
    this.#patience = patience;
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
      return readPrompt(child, answers, this.#patience);
    });
    this.#last = answer.catch(() => {});
    if ((await answer)?.[0] !== "armed") {
      throw new EngineError("internal", `Keep older logs: the log of container ${containerID} cannot be watched`);
    }
  }

  /** Ends the helper. */
  async close(): Promise<void> {
    this.#closing.abort();
    const running = await this.#running?.catch(() => undefined);
    // One that is stopped would not see the end of its input.
    if (running !== undefined) signalHelper(running.child, "SIGCONT");
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
        this.#running = undefined;
        closed.resolve();
      };
      child.stdin.on("error", () => {});
      child.stderr.on("data", (chunk: Uint8Array) => errors = (errors + new TextDecoder().decode(chunk)).slice(-4096));
      child.once("error", ({ message }) => end(message));
      child.once("close", () => end());
      const answers = new FrameReader(child.stdout);
      void this.#keepGoing(child, closed.promise);
      // It looks at all logs before, however many there are.
      const [word, canLease] = await answers.readTexts() ?? [];
      if (word === "ready" && canLease === "1") {
        const since = performance.now();
        void closed.promise.then(() => {
          if (this.#closing.signal.aborted) return;
          this.#log("warn", `Keep older logs: the helper ended: ${errors}`);
          if (performance.now() - since >= SETTLED) this.#pause = FIRST_PAUSE;
          void this.#startAgain();
        });
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

  /**
   * Has the helper go on where somebody has stopped it: a supervisor that begins a file would wait until the kernel breaks the lease, 45
   * seconds, and its container with it.
   */
  async #keepGoing(child: ChildProcessWithoutNullStreams, closed: Promise<void>): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, over.signal]);
    void closed.then(() => over.abort());
    for (let times = 0;;) {
      await sleep(CHECK, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted || child.pid === undefined) return;
      if (!isStopped({ pid: child.pid })) {
        times = 0;
        continue;
      }
      this.#log("warn", "Keep older logs: the helper was stopped, and has to go on");
      // One that stays stopped is traced, or is stopped again and again: another one takes its place.
      signalHelper(child, times++ === 0 ? "SIGCONT" : "SIGKILL");
    }
  }

  /** Starts a helper in place of one that ended: the logs of running containers go on where nobody looks for them without one. */
  async #startAgain(): Promise<void> {
    const pause = this.#pause;
    this.#pause = Math.min(LONGEST_PAUSE, 2 * pause);
    await sleep(pause, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
    if (this.#closing.signal.aborted) return;
    await this.start().catch((error) => {
      this.#log("warn", (error as Error).message);
      return this.#startAgain();
    });
  }
}

/** Sends a signal, and no more: under Deno, `child.kill()` also closes the input, with which the helper ends. */
function signalHelper({ pid, exitCode, signalCode }: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  // Its number may be another one's once it has been reaped.
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  signalIfThere(pid, signal);
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error) => {
    if (!hasSystemCode(error, "EEXIST")) throw error;
  });
}
