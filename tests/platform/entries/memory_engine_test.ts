import { assertEquals, assertRejects } from "@std/assert";
import { containersAPI, engineHandler, imagesAPI } from "../../../mod.ts";
import { openMemoryEngine } from "../../../lib/platform/entries/memory_engine.ts";
import { link } from "../../../lib/rest/mod.ts";
import { buildImage, pushImage } from "../../fixtures/images/image_builder.ts";
import { registriesConf, startRegistry } from "../../fixtures/images/registry.ts";

Deno.test("openMemoryEngine() pulls for real and says why it starts nothing", async () => {
  const registry = await startRegistry();
  const image = buildImage({ layers: [{ entries: [{ type: "file", path: "hello", content: "hi" }] }] });
  await pushImage(registry.url, "team/tiny:1", image);
  const engine = await openMemoryEngine({ registries: registriesConf(registry.host) });
  try {
    for await (const _progress of engine.images.pull(`${registry.host}/team/tiny:1`, {}));
    const fetch = engineHandler(engine);
    const [first] = await link(imagesAPI, "http://localhost", { fetch }).GetImages({});
    assertEquals(first.Id, image.id);
    const { CreateContainer } = link(containersAPI, "http://localhost", { fetch });
    const body = { image: "team/tiny:1", command: ["true"] };
    await assertRejects(() => CreateContainer(body), Error, "this engine has no kernel");
  } finally {
    await engine.close();
    await registry.close();
  }
});

Deno.test("openMemoryEngine() refuses a registries.conf that does not parse", async () => {
  await assertRejects(() => openMemoryEngine({ registries: "[[" }), SyntaxError);
});
