/**
 * The step `rootless` of `deno task test`: host tests that ran with root's server run again with that of an ordinary user.
 *
 * The account is the step's own. `tests/rootless/skipped_tests.ts` lists the files, and what of them is left out and why; an entry that
 * fits no test is a failure, as one that is never looked at hides what works by now.
 *
 * @module
 */
import { ROOTLESS_FILES, SKIPPED_TESTS } from "../../tests/rootless/skipped_tests.ts";

/** The means that the run hands to the step. */
export interface RootlessStep {
  /** Takes what the tests print, piece by piece. */
  print(text: string): void;
  /** The root of the tree. */
  root: URL;
  /** Variables of the tests' environment, besides this process's. */
  env: Readonly<Record<string, string>>;
  /** Further arguments of `deno test`: an import map, a filter. */
  flags: readonly string[];
}

/** How many tests passed and failed. */
export interface StepCounts {
  passed: number;
  failed: number;
}

/** Runs the step. It needs root, which makes the account and removes it. */
export async function runRootlessStep({ print, root, env, flags }: RootlessStep): Promise<StepCounts> {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) {
    print(`left out: accounts are made by root of Linux; this is ${Deno.build.os}, uid ${Deno.uid()}\n`);
    return { passed: 0, failed: 0 };
  }
  const account = `gantry-${crypto.randomUUID().slice(0, 8)}`;
  const leftOut = await Deno.makeTempFile();
  await runProgram("useradd", ["--create-home", "--shell", "/bin/sh", account]);
  try {
    const args = ["test", "-A", "--quiet", "--no-check", "--preload=tests/rootless/as_user.ts", ...flags];
    const child = new Deno.Command(Deno.execPath(), {
      args: [...args, ...ROOTLESS_FILES],
      cwd: root,
      env: {
        ...env,
        GANTRY_TEST_USER: account,
        GANTRY_TEST_LEFT_OUT: leftOut,
        DENO_NO_UPDATE_CHECK: "1",
        NO_COLOR: "1",
      },
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    let output = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      output += text;
      print(text);
    }
    const { success } = await child.status;
    const { passed, failed } = countTests(output, success);
    // A filter looks at some of them only.
    if (flags.includes("--filter")) return { passed, failed };
    const names = new Set((await Deno.readTextFile(leftOut)).split("\n"));
    for (const { name, reason } of SKIPPED_TESTS) {
      print(names.has(name) ? `left out: ${name}: ${reason}\n` : `FAILED: skipped_tests.ts lists no test: ${name}\n`);
    }
    const unused = SKIPPED_TESTS.filter(({ name }) => !names.has(name)).length;
    return { passed, failed: failed + unused };
  } finally {
    await removeAccount(account);
    await Deno.remove(leftOut);
  }
}

/** Counts from the closing line of `deno test`. */
function countTests(output: string, success: boolean): StepCounts {
  const [, passed = "0", failed = "0"] = /\| (\d+) passed (?:\([^)]*\) )?\| (\d+) failed/.exec(output) ?? [];
  return { passed: Number(passed), failed: Number(failed) + (!success && Number(failed) === 0 ? 1 : 0) };
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
