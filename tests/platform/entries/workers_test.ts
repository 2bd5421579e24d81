import { assertEquals, assertMatch } from "@std/assert";
import { bundled } from "../../fixtures/platform/test_cache.ts";
import { startWorkerd } from "../../conformance/workerd.ts";
import { buildImage, pushImage } from "../../fixtures/images/image_builder.ts";
import { startRegistry } from "../../fixtures/images/registry.ts";

const TOKEN = "a-token-of-a-test";
const headers = { authorization: `Bearer ${TOKEN}` };

Deno.test("DurableStore, DurableBlobs and workersCodec() pass their suites in workerd", async (t) => {
  await using workerd = await startWorkerd({
    script: await bundled("tests/platform/workers/suites.ts", "workers"),
    objects: { SUITE: "Suite" },
    buckets: ["BLOBS"],
    // The suites assert with node:assert.
    flags: ["nodejs_compat"],
  });
  const names: string[] = await (await fetch(workerd.url)).json();
  assertEquals(names.length > 25, true);
  for (const name of names) {
    await t.step(name, async () => {
      const response = await fetch(`${workerd.url}/?name=${encodeURIComponent(name)}`);
      const text = await response.text();
      if (response.status !== 204) throw new Error(text);
    });
  }
});

Deno.test("workers.ts lets nobody in without GANTRY_TOKEN and says why", async () => {
  const script = await bundled("lib/platform/entries/workers.ts", "workers");
  await using open = await startWorkerd({ script, objects: { ENGINE: "GantryEngine" } });
  for (const path of ["/_ping", "/nowhere"]) {
    const response = await fetch(open.url + path, { headers });
    assertEquals(response.status, 401);
    assertMatch((await response.json()).message, /GANTRY_TOKEN must be set/);
  }
});

Deno.test("workers.ts asks for the token, over HTTP and WebSocket", async () => {
  const script = await bundled("lib/platform/entries/workers.ts", "workers");
  await using workerd = await startWorkerd({
    script,
    bindings: { GANTRY_TOKEN: TOKEN },
    objects: { ENGINE: "GantryEngine" },
  });
  for (const authorization of [undefined, "Bearer wrong", "Basic x"]) {
    const response = await fetch(`${workerd.url}/version`, { headers: authorization ? { authorization } : {} });
    assertEquals(response.status, 401);
    await response.body?.cancel();
  }
  const refused = new WebSocket(`${workerd.url.replace("http", "ws")}/libpod/events`);
  await new Promise<void>((resolve, reject) => {
    refused.onerror = () => resolve();
    refused.onopen = () => reject(new Error("opened without a token"));
  });
});

Deno.test("GantryEngine keeps what it holds when the runtime ends", async () => {
  const registry = await startRegistry();
  const folder = await Deno.makeTempDir({ prefix: "gantry-workers-" });
  try {
    await pushImage(registry.url, "lasting:1", buildImage({ layers: [{ entries: [{ type: "dir", path: "a" }] }] }));
    const options = {
      script: await bundled("lib/platform/entries/workers.ts", "workers"),
      bindings: { GANTRY_TOKEN: TOKEN, GANTRY_REGISTRIES: registry.registriesConf },
      objects: { ENGINE: "GantryEngine" },
      folder,
    };
    const image = `${registry.host}/lasting:1`;
    {
      await using workerd = await startWorkerd(options);
      const pulled = await fetch(`${workerd.url}/libpod/images/pull?reference=${image}`, { method: "POST", headers });
      assertMatch(await pulled.text(), /"id":"[0-9a-f]{64}"/);
    }
    await using again = await startWorkerd(options);
    const images = await (await fetch(`${again.url}/libpod/images/json`, { headers })).json();
    assertEquals(images.map(({ RepoTags }: { RepoTags: string[] }) => RepoTags), [[image]]);
    const events = await (await fetch(`${again.url}/libpod/events?stream=false&since=0`, { headers })).text();
    assertMatch(events, /"Action":"pull"/);
  } finally {
    await registry.close();
    await Deno.remove(folder, { recursive: true });
  }
});
