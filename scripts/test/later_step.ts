/**
 * The step `later` of `deno task test:long`, and `deno task test:later`: the host suite in a Debian of today's versions.
 *
 * `tests/later_debian/skipped_tests.ts` names what is left out of it, and why.
 *
 * @module
 */
import { LATER_SKIPPED } from "../../tests/later_debian/skipped_tests.ts";
import { openLaterDebian } from "../later_debian/debian_folder.ts";
import type { TestRun } from "./deno_run.ts";
import { writeTestModule } from "./gather.ts";
import type { Counts, Print } from "./lanes.ts";
import { runWithoutSkipped } from "./without_skipped.ts";

/** The folders of the tests that belong into it: those that run programs of the host. */
export const LATER_FOLDERS: readonly string[] = ["tests/host", "tests/platform/linux"];

/**
 * Runs these files there, with settings that every run of tests has. Needs root.
 *
 * @param scratch A folder of this run, which is seen there
 */
export async function runLaterStep(
  files: readonly string[],
  run: TestRun,
  scratch: string,
  print: Print,
): Promise<Counts> {
  const cache = `${scratch}/later_cache`;
  await Deno.mkdir(cache);
  const node = await findNode(cache);
  await using later = await openLaterDebian({ shown: [scratch, node.replace(/\/[^/]*$/, "")] });
  // Short counts in a long run too: this machine's programs have had the long ones in it.
  const env = { ...run.env, ...later.env, GANTRY_TEST_LONG: "", GANTRY_TEST_CACHE: cache };
  const chosen = files.map((path) => LATER_SKIPPED.find((file) => file.path === path) ?? { path, skipped: [] });
  return await runWithoutSkipped({ ...run, env, within: later.words, folder: scratch }, chosen, {
    list: "tests/later_debian/skipped_tests.ts",
    flags: ["--no-check", "--preload=tests/later_debian/leave_out.ts"],
    paths: [writeTestModule(scratch, "later", files)],
    print,
  });
}

/** Returns the path of Node's program, and puts it into the cache that tests look into: npx would want a network. */
async function findNode(cache: string): Promise<string> {
  const module = new URL("../../tests/fixtures/platform/test_cache.ts", import.meta.url).href;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-lock", `import { nodeProgram } from "${module}"; console.log(await nodeProgram());`],
    env: { GANTRY_TEST_CACHE: cache, DENO_NO_UPDATE_CHECK: "1" },
  }).output();
  const text = new TextDecoder();
  if (!success) throw new Error(`Find Node for the later Debian: ${text.decode(stderr).trim()}`);
  return text.decode(stdout).trim();
}
