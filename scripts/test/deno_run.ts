/**
 * Starts `deno test` and counts what it says.
 *
 * @module
 */
import type { Counts, Print } from "./lanes.ts";

const root = new URL("../../", import.meta.url);

/** Lists of failed tests of this run, to be said again at the end: among lines of other lanes they get lost. */
export const failures: string[] = [];

/** Settings of `deno test` that hold for a whole run. */
export interface TestRun {
  /** Arguments that every start gets: the import map, and what the user gave. */
  args: readonly string[];
  /** The user chose tests by name, so that a part may run none. */
  filtered: boolean;
  /** Variables of the environment. */
  env: Readonly<Record<string, string>>;
  /** The words of a command that runs the words behind them somewhere else, with the project at its place; none for here. */
  within?: readonly string[];
  /** A folder that is seen there too; any for here. */
  folder?: string;
}

/** Runs `deno test` and counts from its closing line; a run that skips tests, or runs none without a filter, counts as failed. */
export async function runTests(run: TestRun, flags: string[], paths: string[], print: Print): Promise<Counts> {
  const args = ["test", "-A", "--quiet", ...flags, ...run.args, ...paths];
  const { success, output } = await runDeno(args, run.env, print, run.within);
  // deno-lint-ignore no-control-regex -- colours of the terminal
  const text = output.replace(/\x1b\[[0-9;]*m/g, "");
  const closing = text.match(/\| (\d+) passed (?:\([^)]*\) )?\| (\d+) failed(?: \([^)]*\))?(?: \| (\d+) ignored)?/);
  const passed = Number(closing?.[1] ?? 0);
  const failed = Number(closing?.[2] ?? 0);
  const ignored = Number(closing?.[3] ?? 0);
  if (ignored > 0) console.log(`FAILED: ${ignored} ignored, and a test that does not run proves nothing`);
  const list = text.match(/ FAILURES [^]*?(?=\nFAILED \|)/);
  if (list) failures.push(list[0].trim());
  const broken = !success && failed === 0 ? 1 : 0;
  return { passed, failed: failed + ignored + broken + (passed + failed === 0 && !run.filtered ? 1 : 0) };
}

/** Runs `deno` in the project's folder, `within` other surroundings, and prints its output as it comes. */
export async function runDeno(
  args: string[],
  env: Readonly<Record<string, string>>,
  print: Print,
  within: readonly string[] = [],
): Promise<{ success: boolean; output: string }> {
  const [program, ...words] = [...within, Deno.execPath(), ...args];
  const child = new Deno.Command(program, {
    args: words,
    cwd: root,
    env: { ...env, DENO_NO_UPDATE_CHECK: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let output = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    // Only the end is read again, for the closing line.
    output = (output + text).slice(-16_384);
    print(text);
  }
  return { success: (await child.status).success, output };
}
