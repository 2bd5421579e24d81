/**
 * Runs a container on this Linux host, without a server: `deno run -A docs/examples/host_engine.ts FOLDER IMAGE COMMAND…`, as root, or as
 * an ordinary user, whose engine runs in a process beside this one. All files are in FOLDER.
 */
import { open } from "@gantry/gantry/client";
import { openHostEngine } from "@gantry/gantry/host";

const [folder, image, ...command] = Deno.args;
const host = await openHostEngine({
  root: `${folder}/root`,
  runroot: `${folder}/run`,
  registriesConf: `${folder}/registries.conf`,
});
try {
  // The client calls the engine's handler in place of a server. The operations themselves are `link(containersAPI, …)`.
  await using engine = await open(host);
  await using box = await engine.start({ image, command: ["sleep", "1000"], network: "none" });
  const { exitCode, stdout } = await box.exec(command, { check: false });
  console.log("exit status", exitCode);
  console.log(stdout.trimEnd());
} finally {
  await host.close();
}
