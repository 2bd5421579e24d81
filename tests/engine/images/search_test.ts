import { assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { buildImage, pushImage } from "../../fixtures/images/image_builder.ts";
import { registriesConf, startRegistry } from "../../fixtures/images/registry.ts";
import { openImages } from "../../fixtures/images/rig.ts";

/** Answers of an index, on loopback. */
function startIndex(results: unknown) {
  const asked: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, ({ url }) => {
    const { pathname, search } = new URL(url);
    asked.push(pathname + search);
    if (pathname === "/v2/") return new Response("{}");
    return pathname === "/v1/search" ? Response.json({ results }) : new Response("no", { status: 404 });
  });
  return { asked, host: `127.0.0.1:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("Images.search() asks an index, and filters what it says", async () => {
  await using index = startIndex([
    { name: "team/app", description: "An app", star_count: 5, is_official: true },
    { name: "other/app", star_count: 1, is_automated: true },
    { name: 7 },
    "nonsense",
  ]);
  const { images } = await openImages({ registries: registriesConf(index.host) });
  const found = await images.search(`${index.host}/app`, { limit: 7 });
  assertEquals(found.map(({ name, stars, description }) => [name, stars, description]), [
    [`${index.host}/team/app`, 5, "An app"],
    [`${index.host}/other/app`, 1, ""],
  ]);
  assertEquals(index.asked.at(-1), "/v1/search?q=app&n=7");
  const names = async (filter: Record<string, unknown>) => {
    return (await images.search(`${index.host}/app`, { filter })).map(({ name }) => name.split("/")[1]);
  };
  assertEquals(await names({ stars: 2 }), ["team"]);
  assertEquals(await names({ official: false }), ["other"]);
  assertEquals(await names({ automated: true }), ["other"]);
});

Deno.test("Images.search() looks through a registry's catalogue, and lists tags", async () => {
  const registry = await startRegistry();
  try {
    const image = buildImage({ layers: [] });
    for (const name of ["team/app:1", "team/app:2", "app:1", "thing:1"]) await pushImage(registry.url, name, image);
    const conf = registriesConf(registry.host).replace(`"${registry.host}"]`, `"${registry.host}", "127.0.0.1:1"]`);
    const { images } = await openImages({ registries: conf });
    const names = async (term: string, options = {}) =>
      (await images.search(term, options)).map(({ name, tag }) => `${name}:${tag}`);
    const { host } = registry;
    // The other registry does not answer: one that does is enough.
    assertEquals(await names("app"), [`${host}/app:`, `${host}/team/app:`]);
    assertEquals(await names(`${host}/`, { limit: 1 }), [`${host}/app:`]);
    assertEquals(await names(`${host}/none`), []);
    assertEquals((await names(`${host}/team/app`, { listTags: true })).sort(), [
      `${host}/team/app:1`,
      `${host}/team/app:2`,
    ]);
    const error = await assertRejects(() => images.search("127.0.0.1:1/app", { retries: 0 }), EngineError);
    assertEquals(error.code, "registry");
    const invalid = await assertRejects(() => images.search(`${host}/NO`, { listTags: true }), EngineError);
    assertEquals(invalid.message, 'reference "NO" must be a docker reference');
  } finally {
    await registry.close();
  }
});
