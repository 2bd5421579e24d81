/** Caches that engines share: repositories with the images of steps, and images that know their own steps. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { BuildRig, type BuiltResult } from "../../fixtures/build/build_rig.ts";

/** Two stages, with steps of every kind; each command's output says that it ran. */
const DOCKERFILE = "FROM IMAGE AS first\nRUN echo ran in the first > /first; echo first ran\n" +
  "FROM IMAGE\nENV A=b\nWORKDIR /srv/deep\nCOPY . .\nRUN cat one.txt > /two; echo second ran\n" +
  "COPY --from=first /first /\nCMD cat /first\n";
const FILES = { "one.txt": "one", "more/two.txt": "two" };

Deno.test("builds: caches in a registry, and in images, serve an engine with an empty store", async (t) => {
  await using rig = await BuildRig.start();
  const { host } = rig.registry;
  const repository = `${host}/suite/cache`;
  const first = await rig.build(DOCKERFILE, { files: FILES, cacheTo: [{ name: repository, all: true }] });
  assertEquals(first.output, "first ran\nsecond ran\n");
  assertStringIncludes(notesOf(first), `Cache of 7 steps exported to ${repository}, 7 of them new`);

  await t.step("a repository gives every step, and the image is the same", async () => {
    await using other = await rig.another();
    const again = await other.build(DOCKERFILE, { files: FILES, cacheFrom: [repository] });
    assertEquals(again.output, "");
    assertEquals(countKind(again, "cached"), 7);
    assertEquals(again.image.id, first.image.id);
    assertEquals(await other.layerNames(again.image), ["first"]);
    assertEquals(other.engine.images.list().flatMap(({ names }) => names).filter((name) => name.includes("cache")), []);
    const changed = await other.build(DOCKERFILE, {
      files: { ...FILES, "one.txt": "changed" },
      cacheFrom: [repository],
    });
    assertEquals(changed.output, "second ran\n");
  });
  await t.step("only what is new goes to a cache", async () => {
    const again = await rig.build(DOCKERFILE, { files: FILES, cacheTo: [{ name: repository, all: true }] });
    assertStringIncludes(notesOf(again), "7 steps exported");
    assertStringIncludes(notesOf(again), ", 0 of them new");
  });
  await t.step("the target's own steps alone are exported where that is asked for", async () => {
    const own = await rig.build(DOCKERFILE, { files: FILES, cacheTo: [{ name: `${host}/suite/own`, all: false }] });
    assertStringIncludes(notesOf(own), "Cache of 6 steps exported");
  });
  await t.step("an image that knows its steps is a cache of them, in a registry and here", async () => {
    const name = `${host}/suite/app:1`;
    const inline = await rig.build(DOCKERFILE, {
      files: FILES,
      names: [name],
      buildArgs: { BUILDKIT_INLINE_CACHE: "1" },
    });
    assert(!notesOf(inline).includes("not consumed"));
    for await (const _ of rig.engine.images.push(name)) { /* until it is there */ }
    await using other = await rig.another();
    const options = { files: FILES, cacheFrom: [name], inlineCache: true };
    const again = await other.build(DOCKERFILE, options);
    // The first stage is no part of the image.
    assertEquals(again.output, "first ran\n");
    assertEquals(countKind(again, "cached"), 6);

    for await (const _ of other.engine.images.pull(name)) { /* until it is here */ }
    await other.engine.builds.prune({ all: true });
    await rig.registry.close();
    const single = DOCKERFILE.slice(DOCKERFILE.indexOf("FROM IMAGE\n")).replace(/COPY --from.*\n/, "");
    const local = await other.build(single, options);
    assertEquals(local.output, "", "the image is here, and no registry is needed");
  });
});

Deno.test("builds: a shared cache that is gone, or lies, makes a build slower and not wrong", async (t) => {
  await using rig = await BuildRig.start();
  const { host } = rig.registry;
  const text = "FROM IMAGE\nRUN echo made here > /made; echo ran\n";
  await t.step("a registry that does not answer is told of, and left out", async () => {
    const built = await rig.build(text, { cacheFrom: ["127.0.0.1:1/gone/cache", `${host}/suite/empty`] });
    assertEquals(built.output, "ran\n");
    assertStringIncludes(notesOf(built), "Cache of 127.0.0.1:1/gone/cache is left out: ");
  });
  await t.step("an export that fails is an error, or a note where it may fail", async () => {
    const cacheTo = [{ name: "127.0.0.1:1/gone/cache", all: true }];
    const registry = { retries: 0 };
    const error = await assertRejects(() => rig.build(text, { cacheTo, registry }), EngineError);
    assertStringIncludes(error.message, "Cache export to 127.0.0.1:1/gone/cache: ");
    const built = await rig.build(text, { cacheTo: [{ ...cacheTo[0], mayFail: true }], registry });
    assertStringIncludes(notesOf(built), "Cache export to 127.0.0.1:1/gone/cache: ");
  });
  await t.step("a name that is none is refused", async () => {
    const error = await assertRejects(() => rig.build(text, { cacheFrom: ["Not a name"] }), EngineError);
    assertEquals(error.code, "invalid");
    assertStringIncludes(error.message, 'Build cache "Not a name": ');
  });
  await t.step("a layer that is not the one its config names is not taken", async () => {
    const repository = `${host}/suite/lies`;
    await rig.build(text, { cacheTo: [{ name: repository, all: true }] });
    const wrong = await rig.build("FROM IMAGE\nRUN echo wrong > /wrong\n");
    await replaceLayer(rig, "suite/lies", { by: wrong.image.layers.at(-1)!.digest });
    await using other = await rig.another();
    const built = await other.build(text, { cacheFrom: [repository] });
    assertEquals(built.output, "ran\n");
    assertStringIncludes(notesOf(built), "Cached result not taken: ");
    assertEquals(await other.layerNames(built.image), ["made"]);
  });
});

/** Puts another layer into the manifest of the repository's one image. */
async function replaceLayer(rig: BuildRig, path: string, { by }: { by: string }): Promise<void> {
  const at = `${rig.registry.url}/v2/${path}`;
  const { tags: [tag] } = await (await fetch(`${at}/tags/list`)).json();
  const answer = await fetch(`${at}/manifests/${tag}`, {
    headers: { accept: "application/vnd.oci.image.manifest.v1+json" },
  });
  const manifest = await answer.json();
  const bytes = await Deno.readFile(rig.layerFile(by));
  const begun = await fetch(`${at}/blobs/uploads/`, { method: "POST" });
  await begun.body?.cancel();
  const place = new URL(begun.headers.get("location")!, at);
  place.searchParams.set("digest", by);
  const put = await fetch(place, { method: "PUT", body: bytes });
  assertEquals(put.status, 201);
  manifest.layers[manifest.layers.length - 1] = {
    mediaType: "application/vnd.oci.image.layer.v1.tar",
    digest: by,
    size: bytes.length,
  };
  const written = await fetch(`${at}/manifests/${tag}`, {
    method: "PUT",
    body: JSON.stringify(manifest),
    headers: { "content-type": manifest.mediaType ?? "application/vnd.oci.image.manifest.v1+json" },
  });
  assertEquals(written.status, 201);
}

function notesOf({ events }: BuiltResult): string {
  return events.map((event) => event.kind === "note" ? event.text : "").join("");
}

function countKind({ events }: BuiltResult, kind: string): number {
  return events.filter((event) => event.kind === kind).length;
}
