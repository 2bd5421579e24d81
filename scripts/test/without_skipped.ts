/**
 * Runs host tests once more in other surroundings, without the tests that a list names. An entry that fits no test is a failure, as one
 * that is never looked at hides what works by now.
 *
 * @module
 */
import type { HostFile } from "../../tests/fixtures/leave_out.ts";
import { runTests, type TestRun } from "./deno_run.ts";
import type { Counts, Print } from "./lanes.ts";

/** Settings of {@linkcode runWithoutSkipped}. */
export interface SkippingRun {
  /** The module with the list, for messages. */
  list: string;
  /** Options of `deno test`; one preloads the module that calls `leaveOut()`. */
  flags: string[];
  /** The modules that `deno test` runs: the files, or one that imports them. */
  paths: string[];
  print: Print;
}

/** Runs tests of these files, and says what was left out and why. */
export async function runWithoutSkipped(
  run: TestRun,
  files: readonly HostFile[],
  { list, flags, paths, print }: SkippingRun,
): Promise<Counts> {
  const leftOut = await Deno.makeTempFile({ dir: run.folder });
  try {
    const { passed, failed } = await runTests(
      { ...run, env: { ...run.env, GANTRY_TEST_LEFT_OUT: leftOut } },
      flags,
      paths,
      print,
    );
    // A filter looks at some of them only.
    if (run.filtered) return { passed, failed };
    const noted = new Set((await Deno.readTextFile(leftOut)).split("\n"));
    let unused = 0;
    for (const { path, skipped } of files) {
      for (const { name, reason } of skipped) {
        const isUsed = noted.has(`${path} ${name}`);
        if (!isUsed) unused++;
        print(
          isUsed ? `left out: ${path}: ${name}: ${reason}\n` : `FAILED: ${list} lists no test: ${path}: ${name}\n`,
        );
      }
    }
    return { passed, failed: failed + unused };
  } finally {
    await Deno.remove(leftOut);
  }
}
