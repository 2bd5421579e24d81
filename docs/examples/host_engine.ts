/**
 * Runs a container on this Linux host, without a server: `deno run -A docs/examples/host_engine.ts FOLDER IMAGE COMMAND…`, as root.
 * All files are in FOLDER.
 */
import { containersAPI, engineHandler, imagesAPI } from "@gantry/gantry";
import { openHostEngine } from "@gantry/gantry/host";
import { link } from "@gantry/gantry/rest";

const [folder, image, ...command] = Deno.args;
const engine = await openHostEngine({
  root: `${folder}/root`,
  runroot: `${folder}/run`,
  registriesConf: `${folder}/registries.conf`,
});
const fetch = engineHandler(engine);
const images = link(imagesAPI, "http://localhost", { fetch });
const containers = link(containersAPI, "http://localhost", { fetch });
try {
  for await (const report of await images.ImagesPull({ reference: image })) {
    if ("error" in report && report.error) throw new Error(report.error);
  }
  const { Id } = await containers.CreateContainer({ image, command, netns: { nsmode: "none" } });
  try {
    await containers.StartContainer(Id, {});
    const status = await new Response(await containers.WaitContainer(Id, {})).text();
    console.log("exit status", status);
    // Each piece of output has a header of eight bytes: its stream, and its length (Docker's stream format).
    const log = await new Response(await containers.LogsFromContainer(Id, { stdout: true })).bytes();
    console.log(new TextDecoder().decode(log.subarray(8)).trimEnd());
  } finally {
    await containers.RemoveContainer(Id, { force: true });
  }
} finally {
  await engine.close();
}
