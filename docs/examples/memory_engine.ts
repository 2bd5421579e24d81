/** An engine in memory that mirrors an image: `deno run -A docs/examples/memory_engine.ts FROM TO`, two names of images. */
import { engineHandler, imagesAPI } from "@gantry/gantry";
import { openMemoryEngine } from "@gantry/gantry/memory";
import { link } from "@gantry/gantry/rest";

const [from, to] = Deno.args;
// The registry of this example may be without TLS.
const registries = `[[registry]]\nlocation = "${from.split("/")[0]}"\ninsecure = true`;
const engine = await openMemoryEngine({ registries });

// The API without a server: the handler takes the place of fetch. The same client drives a real server, Podman's too.
const images = link(imagesAPI, "http://localhost", { fetch: engineHandler(engine) });

for await (const report of await images.ImagesPull({ reference: from })) {
  if ("error" in report && report.error) throw new Error(report.error);
}
const image = await images.GetImage(from);
console.log(image.Os, image.Architecture, image.RootFS?.Layers?.length, "layers");

for await (const report of await images.PushImage(from, { destination: to })) {
  if (report.error) throw new Error(report.error);
}
console.log("pushed to", to);
await engine.close();
