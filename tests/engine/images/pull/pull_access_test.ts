import { assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { pushImage } from "../../../fixtures/images/image_builder.ts";
import { REGISTRY_USER, startRegistry } from "../../../fixtures/images/registry.ts";
import { sampleImage } from "../../../fixtures/images/host_rig.ts";
import { openImages, pullID } from "../../../fixtures/images/rig.ts";

Deno.test("Images.pull() signs in with the credential of the registry", async () => {
  const registry = await startRegistry({ auth: true });
  try {
    const image = sampleImage([10, 20]);
    await pushImage(registry.url, "private/app:1", image, registry.authorization);
    const { images, core } = await openImages({ registries: registry.registriesConf });
    const name = `${registry.host}/private/app:1`;
    const asked: string[] = [];
    const credentials = (host: string, path: string) => {
      asked.push(`${host} ${path}`);
      return REGISTRY_USER;
    };
    const without = await assertRejects(() => pullID(images, name), EngineError);
    assertEquals([without.code, without.status], ["registry", 401]);
    const wrong = { ...REGISTRY_USER, password: "shut" };
    const refused = await assertRejects(() => pullID(images, name, { credentials: () => wrong }), EngineError);
    assertEquals([refused.code, refused.status, refused.message.includes("shut")], ["registry", 401, false]);
    assertEquals(images.list(), []);
    assertEquals(await pullID(images, name, { credentials }), image.id);
    assertEquals(asked, [`${registry.host} private/app`]);
    const events = await Array.fromAsync(core.events.list({ follow: false }));
    const told = events.map(({ action, name, attributes }) => [action, name, attributes.error]);
    assertEquals(told, [["pull-error", name, without.message], ["pull-error", name, refused.message], [
      "pull",
      name,
      undefined,
    ]]);
  } finally {
    await registry.close();
  }
});

Deno.test("Images.pull() trusts the certificates it is given, and all of them only when asked", async () => {
  const storage = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const image = sampleImage([10]);
  const open = await startRegistry({ storage });
  await pushImage(open.url, "app:1", image).finally(() => open.close());
  const registry = await startRegistry({ tls: true, storage });
  try {
    const name = `${registry.host}/app:1`;
    const strict = await openImages({ registries: "" });
    assertEquals((await assertRejects(() => pullID(strict.images, name), EngineError)).code, "registry");
    assertEquals(await pullID(strict.images, name, { tlsVerify: false }), image.id);
    const trusting = await openImages({ registries: "", ca: registry.ca });
    assertEquals(await pullID(trusting.images, name, { tlsVerify: true }), image.id);
  } finally {
    await registry.close();
    await Deno.remove(storage, { recursive: true });
  }
});
