import { EngineError } from "../../../engine/errors.ts";
import { readTextBounded } from "../helpers/bounded_read.ts";
import { CommandError, runCommand } from "../helpers/command.ts";
import { findProgram } from "../helpers/programs.ts";

/** How CRIU marks what stopped it, in its log and on its standard error. */
const ERROR_LINE = /^(?:\(\d+\.\d+\)\s*)?(?:\d+:\s*)?Error \([^)]*\):\s*(.+)$/;
const REASONS = 4;
/** The first errors are what it is read for. */
const LOG_LIMIT = 4 * 1024 * 1024;

/** Throws `internal` where CRIU is missing or says that it does not work here. */
export async function checkCRIU(): Promise<void> {
  const program = await findProgram("criu");
  if (program === undefined) {
    const sentinel = 'exec: "criu": executable file not found in $PATH';
    throw new EngineError("internal", `failed to check for criu version: ${sentinel}`, { sentinel });
  }
  try {
    await runCommand(program, ["check"]);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const reason = reasonsOf(error.stderr) || error.stderr.trim() || error.message;
    throw new EngineError("internal", `checkpoint/restore needs CRIU, which does not work here: ${reason}`, {
      sentinel: reason,
    });
  }
}

/** Throws `internal` where the runtime was built without CRIU. */
export async function checkRuntime(path: string): Promise<void> {
  const helps = await runCommand(path, ["checkpoint", "--help"]).then(() => true, () => false);
  if (helps) return;
  throw new EngineError("internal", "configured runtime does not support checkpoint/restore");
}

/** What CRIU's log gives as the reasons of a failure; empty where there is no log, or nothing in it. */
export async function reasonsIn(log: string): Promise<string> {
  return reasonsOf(await readTextBounded(log, LOG_LIMIT).catch(() => undefined) ?? "");
}

/** The first errors, which later ones only follow from. */
export function reasonsOf(text: string): string {
  const found = text.split("\n").flatMap((line) => ERROR_LINE.exec(line.trim())?.[1] ?? []);
  return found.slice(0, REASONS).join("; ");
}
