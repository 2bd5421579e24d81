/**
 * Limits of the files below a folder, by the project quotas of ext4 and XFS.
 *
 * The kernel counts files by their project, a number which files inherit from their folder. A folder with limits of its own has a project
 * of its own, whose number is chosen at random among those without files, so that several engines, and other programs, can share a file
 * system. `project.json` in the folder keeps number and limits: a root that is copied elsewhere leaves both behind.
 *
 * @module
 */
import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../../engine/errors.ts";
import type { TreeLimit } from "../../../engine/records/limits.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { CommandError, runCommand } from "../helpers/command.ts";
import type { HostContext } from "../helpers/context.ts";
import { findProgram } from "../helpers/programs.ts";
import { perlArguments, QUOTAS_PROGRAM } from "../perl/programs.ts";

/** Projects that people number by hand, in `/etc/projects`, have lower numbers than these. */
const LOWEST = 2 ** 24;
const HIGHEST = 2 ** 31;
/** A number drawn at random is free but for the rarest of chances. */
const MOST_DRAWS = 8;
/** The exit codes of `quotas.pl`. */
const IN_USE = 3;
const OTHER_PROJECT = 4;
const NOT_IN_FORCE = 5;

/** The project of a folder, as `project.json` has it. */
interface Project extends TreeLimit {
  project: number;
}

/** Runs `quotas.pl`. Throws `CommandError`, or `EngineError("unsupported")` without Perl. */
export type QuotaHelper = (verb: string, ...args: string[]) => Promise<void>;

/** The folders of one host that have limits. */
export class ProjectQuotas {
  readonly #log: HostContext["log"];
  readonly #help: QuotaHelper;
  readonly #draw: () => number;

  /**
   * @param log Says when a limit is lost
   * @param help Makes the system calls
   * @param draw Proposes the number of a project
   */
  constructor(
    log: HostContext["log"],
    help: QuotaHelper = runQuotas,
    draw: () => number = () => randomInt(LOWEST, HIGHEST),
  ) {
    this.#log = log;
    this.#help = help;
    this.#draw = draw;
  }

  /** Throws `EngineError("unsupported")` unless limits can be set on the file system of a folder. */
  async require(folder: string): Promise<void> {
    await this.#help("check", folder).catch((error) => {
      throw asUnsupported(folder, error);
    });
  }

  /** Whether a folder was given limits. */
  has(folder: string): boolean {
    return existsSync(noteOf(folder));
  }

  /** Limits what is, and will be, in a folder. Throws `EngineError("unsupported")` where the file system has no such limits. */
  async limit(folder: string, limit: TreeLimit): Promise<void> {
    for (let draws = 0; draws < MOST_DRAWS; draws++) {
      const project = this.#draw();
      // The note comes first: a crash in between leaves one that is not true yet, which renew() sees.
      await writeFile(noteOf(folder), JSON.stringify({ project, ...limit } satisfies Project));
      try {
        return await this.#help("limit", folder, ...numbersOf({ project, ...limit }));
      } catch (error) {
        if (!(error instanceof CommandError) || error.code !== IN_USE) throw asUnsupported(folder, error);
      }
    }
    throw new EngineError("internal", `Limit "${folder}": no number of a project is free`);
  }

  /**
   * Sets the limits of a folder again, where it was given some: it may have been copied. A failure goes to the log.
   *
   * @param known Its limits, if they are known from elsewhere: the note may be lost
   */
  async renew(folder: string, known?: TreeLimit): Promise<void> {
    const note = await readNote(folder) ?? known;
    if (note === undefined) return;
    try {
      await this.#setAgain(folder, note);
    } catch (error) {
      this.#log("warn", `The files below "${folder}" have no limit any more: ${messageOf(error)}`);
    }
  }

  async #setAgain(folder: string, { project, ...limit }: TreeLimit & Partial<Project>): Promise<void> {
    if (project === undefined) return await this.limit(folder, limit);
    try {
      await this.#help("renew", folder, ...numbersOf({ project, ...limit }));
    } catch (error) {
      if (!(error instanceof CommandError) || error.code !== OTHER_PROJECT) throw asUnsupported(folder, error);
      await this.limit(folder, limit);
    }
  }

  /** Gives the project of a folder back, before the folder goes. Nothing where it has none; a failure goes to the log. */
  async release(folder: string): Promise<void> {
    const note = await readNote(folder);
    if (note === undefined) return;
    await this.#help("release", folder, String(note.project)).catch((error) => {
      this.#log("debug", `The limit of "${folder}" could not be taken back: ${messageOf(error)}`);
    });
  }
}

/** Returns a program and arguments that run a command which limits hold for, as they do not for root. */
export async function heldToLimits(program: string, args: readonly string[]): Promise<[string, string[]]> {
  const work = [await requireProgram("perl"), await requireProgram(program)];
  return [work[0], perlArguments(QUOTAS_PROGRAM, "Limit files", ["unprivileged", work[1], ...args])];
}

async function runQuotas(verb: string, ...args: string[]): Promise<void> {
  await runCommand(await requireProgram("perl"), perlArguments(QUOTAS_PROGRAM, "Limit files", [verb, ...args]));
}

async function requireProgram(name: string): Promise<string> {
  const path = await findProgram(name);
  if (path === undefined) throw new EngineError("unsupported", `Limit files: ${name} is not installed`);
  return path;
}

/** Returns the error to throw for a failure of the helper: most file systems have no project quotas. */
function asUnsupported(folder: string, error: unknown): unknown {
  if (!(error instanceof CommandError)) return error;
  const why = error.code === NOT_IN_FORCE
    ? `no project quota is in force on the file system of "${folder}"`
    : `the file system of "${folder}" has no project quotas`;
  return new EngineError("unsupported", `${why}: ${error.stderr.trim()}`, { cause: error });
}

function numbersOf({ project, size = 0, inodes = 0 }: Project): string[] {
  return [project, size, inodes].map(String);
}

function noteOf(folder: string): string {
  return join(folder, "project.json");
}

async function readNote(folder: string): Promise<Project | undefined> {
  const path = noteOf(folder);
  if (!existsSync(path)) return undefined;
  try {
    // Written by this class alone.
    return JSON.parse(await readFile(path, "utf8")) as Project;
  } catch {
    // A power cut left it empty: the folder has no limit that could be told.
    return undefined;
  }
}
