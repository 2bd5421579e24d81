/**
 * Runs host tests with an ordinary user's server inside the tests' virtual machine: all that `tests/rootless/skipped_tests.ts` lists, or the
 * files that the arguments name. The first argument is the import map.
 *
 * @module
 */
import { LONG_ROOTLESS_FILES, ROOTLESS_FILES } from "../../tests/rootless/skipped_tests.ts";
import { failures } from "../test/deno_run.ts";
import { runRootlessStep } from "../test/rootless_step.ts";

const [importMap, ...paths] = Deno.args;
const all = [...ROOTLESS_FILES, ...LONG_ROOTLESS_FILES];
const unknown = paths.filter((path) => !all.some((file) => file.path === path));
if (unknown.length > 0) {
  console.error(`tests/rootless/skipped_tests.ts does not list ${unknown.join(", ")}`);
  Deno.exit(2);
}
const files = paths.length === 0 ? all : all.filter(({ path }) => paths.includes(path));
const cache = await Deno.makeTempDir();
const run = { args: [`--import-map=${importMap}`], filtered: false, env: { GANTRY_TEST_CACHE: cache } };
const { passed, failed } = await runRootlessStep(
  files,
  run,
  cache,
  (text) => Deno.stdout.writeSync(new TextEncoder().encode(text)),
);
for (const list of failures) console.log(list);
console.log(`${passed} passed, ${failed} failed`);
await Deno.remove(cache, { recursive: true });
Deno.exit(failed > 0 ? 1 : 0);
