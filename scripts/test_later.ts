/**
 * `deno task test:later`: runs the host suite in a Debian of today's versions (crun, netavark, aardvark-dns, conmon, passt, Podman, Docker's
 * client), which is a folder that the first run makes. Files and folders of tests, and behind them options of `deno test`, choose some:
 * `deno task test:later tests/host/pods --filter NAME`.
 *
 * @module
 */
import { setup } from "./setup.ts";
import { findTestFiles } from "./test/gather.ts";
import { makeImportMap } from "./test/import_map.ts";
import { LATER_FOLDERS, runLaterStep } from "./test/later_step.ts";

const firstOption = Deno.args.findIndex((arg) => arg.startsWith("-"));
const named = Deno.args.slice(0, firstOption === -1 ? undefined : firstOption);
const options = Deno.args.slice(named.length);
const files = (named.length > 0 ? named : LATER_FOLDERS).flatMap((path) =>
  path.endsWith(".ts") ? [path] : findTestFiles([path.replace(/\/$/, "")])
);
const { failed: lacks, missing } = await setup({ debian: true, long: true });
if (lacks || missing.length > 0 || Deno.uid() !== 0) {
  const reason = missing.length > 0 ? `${missing.join(", ")} cannot be had` : "entering another Debian needs root";
  console.error(`test:later: ${reason}: nothing was tested`);
  Deno.exit(1);
}
const scratch = await Deno.makeTempDir({ prefix: "gantry-test-" });
try {
  const run = { args: [...await makeImportMap(scratch), ...options], filtered: options.length > 0, env: {} };
  const print = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(text));
  const { passed, failed } = await runLaterStep(files, run, scratch, print);
  console.log(`${passed} passed, ${failed} failed`);
  Deno.exitCode = failed > 0 ? 1 : 0;
} finally {
  await Deno.remove(scratch, { recursive: true });
}
