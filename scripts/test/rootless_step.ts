/**
 * The step `rootless` of `deno task test`: host tests that ran with root's server run again with that of an ordinary user.
 *
 * The account is the step's own. `tests/rootless/skipped_tests.ts` lists the files, and what of them is left out and why; an entry that
 * fits no test is a failure, as one that is never looked at hides what works by now. A long run has more files.
 *
 * @module
 */
import type { HostFile } from "../../tests/fixtures/leave_out.ts";
import type { TestRun } from "./deno_run.ts";
import { writeTestModule } from "./gather.ts";
import type { Counts, Print } from "./lanes.ts";
import { runWithoutSkipped } from "./without_skipped.ts";

/**
 * Runs the step on these files, with settings that every run of tests has. It needs root, which makes the account and removes it.
 *
 * @param scratch A folder of this run
 */
export async function runRootlessStep(
  files: readonly HostFile[],
  run: TestRun,
  scratch: string,
  print: Print,
): Promise<Counts> {
  const account = `gantry-${crypto.randomUUID().slice(0, 8)}`;
  await runProgram("useradd", ["--create-home", "--shell", "/bin/sh", account]);
  try {
    // Short counts in a long run too: root's server has had the long ones in it, and they are of the same code.
    const env = { ...run.env, GANTRY_TEST_LONG: "", GANTRY_TEST_USER: account };
    return await runWithoutSkipped({ ...run, env }, files, {
      list: "tests/rootless/skipped_tests.ts",
      flags: ["--no-check", "--preload=tests/rootless/as_user.ts"],
      // One module, so that its tests hand on one server.
      paths: [writeTestModule(scratch, "rootless", files.map(({ path }) => path))],
      print,
    });
  } finally {
    await removeAccount(account);
  }
}

/** Removes the account. Processes of it that are on their way out are waited for. */
async function removeAccount(account: string): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      return await runProgram("userdel", ["--remove", account]);
    } catch (error) {
      if (attempt === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

async function runProgram(program: string, args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args, stdout: "null", stderr: "piped" }).output();
  if (!success) throw new Error(`Run ${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr).trim()}`);
}
