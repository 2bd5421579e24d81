import { Buffer } from "node:buffer";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { arch } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { EngineError } from "../../../../engine/errors.ts";
import { CommandError } from "../../helpers/command.ts";
import type { HostPaths } from "../../helpers/paths.ts";
import { findProgram } from "../../helpers/programs.ts";
import { HELPER_ENVIRONMENT, startPipedProgram } from "../../helpers/spawn.ts";
import { Cgroups, usableCgroupLayout } from "../../resources/cgroups.ts";
import { frameOf, FrameReader } from "../../perl/frames.ts";
import { eventSize, NURSERY_PROGRAM, perlArguments } from "../../perl/programs.ts";
import { isAlive, markProcess, type ProcessMark } from "../../helpers/proc.ts";

/** How often those are looked at whose parent was lost. */
const POLL = 100;

/** The first report of a process of the nursery. */
export interface Said {
  pid: number;
  /** The first line from its sync pipe; empty when it ended without one. */
  line: string;
  /** Its standard error up to then. */
  errors: string;
}

/** A process of the nursery. */
export interface Nursling {
  /** Rejects with `EngineError("internal")` when the nursery is lost before. */
  said: Promise<Said>;
  /** Resolves with the wait status when it has ended; -1 where nobody saw it. Never rejects. */
  ended: Promise<number>;
  kill(): void;
  /** Lets a conmon that waits go on. */
  goOn(): void;
}

interface Job {
  said: PromiseWithResolvers<Said>;
  ended: PromiseWithResolvers<number>;
  /** Once it has said something. */
  mark?: ProcessMark;
}

/** The nursery at work. */
interface Running {
  child: ChildProcessWithoutNullStreams;
  jobs: Map<string, Job>;
  closed: Promise<void>;
  /** Why it is no more. */
  lost?: string;
}

/** Makes the nursery of a host; its process starts with the first request. Throws `unsupported` where there is no Perl. */
export async function openNursery(paths: HostPaths, log: (level: "warn", message: string) => void): Promise<Nursery> {
  const [layout, perl] = await Promise.all([usableCgroupLayout(), findProgram("perl")]);
  if (perl === undefined) throw new EngineError("unsupported", "Open host: perl is not installed");
  const cgroups = new Cgroups(layout, paths.runroot);
  return new Nursery(perl, (pid) => cgroups.adopt(pid), log);
}

/**
 * The process that starts supervisors, and whose children they are: a small one of its own, in the supervisors' cgroups.
 *
 * To start a program in a session of its own, or with more than the standard streams, Deno and Node fork, and to fork a
 * server of 150 MB stops it for 5 ms and costs it as much again in page faults; for each move to other cgroups the kernel waits
 * up to 10 ms. A program of the nursery is where it belongs from its beginning, after half a millisecond.
 *
 * It ends with this process, however that ends; what it has started goes on.
 */
export class Nursery {
  readonly #perl: string;
  readonly #adopt: (pid: number) => Promise<void>;
  readonly #log: (level: "warn", message: string) => void;
  #count = 0;
  #closing = false;
  readonly #onLost: (() => void)[] = [];
  #running?: Promise<Running>;

  constructor(
    perl: string,
    /** Moves a process to the supervisors' cgroups. */
    adopt: (pid: number) => Promise<void>,
    log: (level: "warn", message: string) => void,
  ) {
    this.#perl = perl;
    this.#adopt = adopt;
    this.#log = log;
  }

  /** Starts conmon in a folder, with its sync pipe. `ports` are as `PortHolder` gives them; `waits` for `goOn()` before it starts anything. */
  conmon(folder: string, ports: readonly string[], command: readonly string[], waits = false): Promise<Nursling> {
    return this.#begin(waits ? "wait" : "conmon", [folder, ...ports, "--", ...command]);
  }

  /** Supervises a process of an exec session; the fields are those of `exec.pl`. Its line is the number of the process. */
  exec(fields: readonly string[]): Promise<Nursling> {
    return this.#begin("exec", fields);
  }

  /** Attaches to a container; the fields are those of `attach.pl`. Its line is `attached`. */
  attach(fields: readonly string[]): Promise<Nursling> {
    return this.#begin("attach", fields);
  }

  /** Works on the files of a container; the fields are those of `tree` in `trees.pl`. */
  tree(fields: readonly string[]): Promise<Nursling> {
    return this.#begin("tree", fields);
  }

  /** Looks at a path of a container; the fields are those of `look` in `trees.pl`. Its line is the answer. */
  look(fields: readonly string[]): Promise<Nursling> {
    return this.#begin("look", fields);
  }

  /** Sets the size of a terminal; the fields are those of `resize.pl`. Returns the line that it says. */
  resize(fields: readonly string[]): Promise<string> {
    return this.#answerOf("resize", fields, "Resize terminal");
  }

  /**
   * Runs a program whose output is of no interest to its end. Throws {@linkcode CommandError} with its standard error, or
   * `EngineError("internal")` when the nursery is lost.
   */
  async run(program: string, args: readonly string[], timeout: number): Promise<void> {
    const { said, ended, kill } = await this.#begin("run", [program, ...args]);
    const timer = setTimeout(kill, timeout);
    try {
      const { errors } = await said;
      const status = await ended;
      if (status === 0) return;
      const why = errors.trim() || `wait status ${status}`;
      throw new CommandError(`Run "${program}": ${why}`, exitCodeOf(status), errors);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Calls back whenever its process has ended, and with it what it kept. */
  onLost(callback: () => void): void {
    this.#onLost.push(callback);
  }

  /** Makes a copy of a program that nobody can change, and returns a path of it that is good for as long as the nursery lives. */
  seal(program: string): Promise<string> {
    return this.#answerOf("seal", [program], `Copy "${program}"`);
  }

  /** Makes a network namespace with its loopback up, kept by a file that is there. */
  async netns(path: string): Promise<void> {
    await this.#answerOf("netns", [path], `Make network namespace "${path}"`);
  }

  /** Makes a mount namespace; the fields are those of `launch.pl`. Returns why it is not a small one, or an empty text. */
  launch(fields: readonly string[]): Promise<string> {
    return this.#answerOf("launch", fields, "Make mount namespace");
  }

  /** Lets go of the mount namespace to which a link leads. */
  async land(link: string): Promise<void> {
    await this.#answerOf("land", [link], "Let go of a mount namespace");
  }

  /** Has work done, and returns the line that is said of it. */
  async #answerOf(verb: string, fields: readonly string[], task: string): Promise<string> {
    const { said, ended } = await this.#begin(verb, fields);
    const { line, errors } = await said;
    if (await ended === 0) return line;
    throw new EngineError("internal", `${task}: ${errors.trim() || "no reason given"}`);
  }

  /** Ends it. Programs that it started continue. */
  async close(): Promise<void> {
    this.#closing = true;
    const running = await this.#running?.catch(() => undefined);
    if (running === undefined) return;
    running.child.stdin.end();
    await running.closed;
  }

  async #begin(verb: string, fields: readonly string[]): Promise<Nursling> {
    const running = await (this.#running ??= this.#start());
    if (running.lost !== undefined) throw lostError(running.lost);
    const { child, jobs } = running;
    const key = String(++this.#count);
    const request = requestOf(verb, key, ...fields);
    const job: Job = { said: Promise.withResolvers(), ended: Promise.withResolvers() };
    job.said.promise.catch(() => {});
    jobs.set(key, job);
    child.stdin.write(request);
    const tell = (word: string) => void (jobs.has(key) && child.stdin.write(requestOf(word, key)));
    return { said: job.said.promise, ended: job.ended.promise, kill: () => tell("kill"), goOn: () => tell("go") };
  }

  async #start(): Promise<Running> {
    const child = startPipedProgram(
      this.#perl,
      perlArguments(NURSERY_PROGRAM, "Start supervisor", [eventSize(), RESIZE, UNREAD]),
      {
        cwd: "/",
        env: HELPER_ENVIRONMENT,
      },
    );
    const closed = Promise.withResolvers<void>();
    const running: Running = { child, jobs: new Map(), closed: closed.promise };
    const { jobs } = running;
    const lost = (why: string) => {
      this.#running = undefined;
      running.lost = why;
      for (const callback of this.#onLost) callback();
      for (const { said } of jobs.values()) said.reject(lostError(why));
      if (jobs.size > 0 && !this.#closing) {
        this.#log("warn", `The parent of supervisors was lost: ${why}`);
        for (const job of jobs.values()) void lookForEnd(job);
      }
      jobs.clear();
      closed.resolve();
    };
    let errors = "";
    child.stdin.on("error", () => {});
    child.stderr.on("data", (chunk: Uint8Array) => errors = (errors + Buffer.from(chunk).toString()).slice(-4096));
    listen(new FrameReader(child.stdout), jobs).catch((error) => {
      errors ||= String(error.message);
      child.kill("SIGKILL");
    });
    child.once("error", ({ message }) => lost(message));
    child.once("close", (code, signal) => lost(errors.trim() || `it ended with ${signal ?? code}`));
    try {
      if (child.pid !== undefined) await this.#adopt(child.pid);
    } catch (error) {
      child.kill("SIGKILL");
      await closed.promise;
      // If the child had ended by itself, `running.lost` has the reason.
      if (errors === "") throw error;
    }
    return running;
  }
}

/** The exit code in a wait status; -1 where a signal ended the process, or nobody saw it. */
export function exitCodeOf(status: number): number {
  return status >= 0 && (status & 0x7f) === 0 ? status >> 8 : -1;
}

/** `TIOCSWINSZ` of ioctl_tty(2). */
const RESIZE = String(arch() === "ppc64" ? 0x80087467 : 0x5414);
/** `FIONREAD` of pipe(7). */
const UNREAD = String(arch() === "ppc64" ? 0x4004667f : 0x541b);

async function listen(frames: FrameReader, jobs: Map<string, Job>): Promise<void> {
  for (let fields = await frames.readTexts(); fields !== undefined; fields = await frames.readTexts()) {
    hearJob(jobs, fields);
  }
}

function hearJob(jobs: Map<string, Job>, [verb, key = "", ...rest]: string[]): void {
  const job = jobs.get(key);
  if (job === undefined) return;
  if (verb === "said") {
    const [pid, line = "", errors = ""] = rest;
    job.mark = markProcess(Number(pid));
    job.said.resolve({ pid: Number(pid), line, errors });
  } else {
    jobs.delete(key);
    job.ended.resolve(Number(rest[0]));
  }
}

/** Waits for the end of a process that runs on without its parent, by looking from time to time. */
async function lookForEnd({ ended, mark }: Job): Promise<void> {
  while (mark !== undefined && isAlive(mark)) await sleep(POLL, undefined, { ref: false });
  ended.resolve(-1);
}

function lostError(why: string): EngineError {
  return new EngineError("internal", `Start supervisor: its parent was lost: ${why}`);
}

/** Throws `EngineError("invalid")` for a field with a NUL byte: a program's argument ends there. */
function requestOf(verb: string, ...fields: string[]): Buffer {
  if (fields.some((field) => field.includes("\0"))) {
    throw new EngineError("invalid", "Start supervisor: an argument has a NUL byte");
  }
  return Buffer.concat(frameOf(verb, ...fields));
}
