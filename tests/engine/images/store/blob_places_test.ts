import { assert, assertEquals } from "@std/assert";
import { rm } from "node:fs/promises";
import { BlobPlaces } from "../../../../lib/engine/images/store/blob_places.ts";
import { State } from "../../../../lib/engine/store/state.ts";
import { hostClock } from "../../../../lib/platform/clock.ts";
import { hostCodec } from "../../../../lib/platform/codec.ts";
import { MemoryBlobs } from "../../../../lib/platform/storage/memory_blobs.ts";
import { MemoryStore } from "../../../../lib/platform/storage/memory_store.ts";
import { hostNet } from "../../../../lib/platform/net.ts";
import { buildImage, pushImage } from "../../../fixtures/images/image_builder.ts";
import { startRegistry } from "../../../fixtures/images/registry.ts";
import { noise } from "../../../fixtures/images/host_rig.ts";
import { openImages, pullID, type Rig } from "../../../fixtures/images/rig.ts";

/** One layer that is compressed, and a plain one that a push has to compress. */
const IMAGE = buildImage({
  layers: [
    { entries: [{ type: "file", path: "a", content: noise(2_000_000, 1) }] },
    { gzip: false, entries: [{ type: "file", path: "b", content: noise(2_000_000, 2) }] },
  ],
});

/** A net that counts the requests which carry blobs. */
function countingNet() {
  const net = hostNet();
  const uploads: string[] = [];
  return {
    uploads,
    net: {
      fetch(request: Request, tls?: Parameters<typeof net.fetch>[1]) {
        const carries = request.method === "PATCH" || (request.method === "PUT" && request.url.includes("/blobs/"));
        if (carries) uploads.push(`${request.method} ${new URL(request.url).pathname.split("/blobs/")[0]}`);
        return net.fetch(request, tls);
      },
    },
  };
}

async function pushStates(rig: Rig, name: string, destination: string): Promise<string[]> {
  const told = await Array.fromAsync(rig.images.push(name, { destination }));
  return [...new Set(told.flatMap((value) => value.kind === "layer" ? [value.state] : []))].sort();
}

Deno.test("Images.push() mounts what it pushed to another repository before, compressed or not, also after a restart and when the image came anew", async () => {
  const [source, registry] = await Promise.all([startRegistry(), startRegistry()]);
  const { net, uploads } = countingNet();
  const setup = { registries: source.registriesConf + registry.registriesConf.replace(/^unqualified.*$/m, "") };
  const store = new MemoryStore();
  try {
    await pushImage(source.url, "mixed:1", IMAGE);
    const rig = await openImages({ ...setup, net, store });
    await pullID(rig.images, `${source.host}/mixed:1`);
    assertEquals(await pushStates(rig, "mixed:1", `${registry.host}/one:1`), [
      "compressing",
      "done",
      "pushing",
      "waiting",
    ]);
    // Two layers and the config; a large blob takes a PATCH and a PUT that ends it.
    assertEquals(uploads.splice(0).sort(), [
      "PATCH /v2/one",
      "PATCH /v2/one",
      "PUT /v2/one",
      "PUT /v2/one",
      "PUT /v2/one",
    ]);
    assertEquals(await pushStates(rig, "mixed:1", `${registry.host}/two:1`), ["mounted", "waiting"]);
    await rig.images.remove("mixed:1");
    const later = await openImages({ ...setup, net, store, blobs: new MemoryBlobs(hostCodec()) });
    await pullID(later.images, `${source.host}/mixed:1`);
    assertEquals(await pushStates(later, "mixed:1", `${registry.host}/team/three:1`), ["mounted", "waiting"]);
    assertEquals(uploads, []);
    // It is whole there.
    const other = await openImages(setup);
    assertEquals(await pullID(other.images, `${registry.host}/team/three:1`), IMAGE.id);
    // Repositories that lost the blobs are no failure, and are asked once.
    for (const name of ["one", "two", "team"]) {
      await rm(`${registry.storage}/docker/registry/v2/repositories/${name}`, { recursive: true });
    }
    await rm(`${registry.storage}/docker/registry/v2/blobs`, { recursive: true });
    assert((await pushStates(later, "mixed:1", `${registry.host}/four:1`)).includes("pushing"));
    assertEquals(uploads.splice(0).length, 5);
    assertEquals(await pushStates(later, "mixed:1", `${registry.host}/five:1`), ["mounted", "waiting"]);
    assertEquals(uploads, []);
  } finally {
    await Promise.all([source.close(), registry.close()]);
  }
});

Deno.test("BlobPlaces keeps the places seen last, and the blobs", async () => {
  const state = await State.open(new MemoryStore());
  let now = 0;
  const open = () => new BlobPlaces({ state, clock: { ...hostClock(), now: () => ++now } });
  const note = async (work: (places: BlobPlaces) => void) => {
    const places = open();
    work(places);
    await state.commit(places.operations());
  };
  for (let i = 0; i < 20; i++) await note((places) => places.see(`host:1/repository-${i}`, ["sha256:a"]));
  assertEquals(
    open().repositories("host:1", "sha256:a"),
    [19, 18, 17, 16, 15, 14, 13, 12].map((i) => `repository-${i}`),
  );
  assertEquals(open().repositories("host", "sha256:a"), []);
  await note((places) => places.miss("host:1/repository-18", "sha256:a"));
  assertEquals(open().repositories("host:1", "sha256:a").slice(0, 2), ["repository-19", "repository-17"]);
  for (let i = 0; i < 20; i++) {
    await note((places) => places.pack("sha256:a", `zstd ${i}`, { digest: `sha256:${i}`, size: i }));
  }
  assertEquals(open().packed("sha256:a", "zstd 19"), { digest: "sha256:19", size: 19 });
  assertEquals(open().packed("sha256:a", "zstd 3"), undefined);
  await note((places) => places.see("host:1/many", Array.from({ length: 8192 }, (_, i) => `sha256:many-${i}`)));
  assertEquals(state.table("blobPlaces").size <= 8192, true);
  assertEquals(open().repositories("host:1", "sha256:a"), [], "what was seen longest ago goes first");
  await note((places) => places.see("host:1/more", ["sha256:b"]));
  assertEquals(open().repositories("host:1", "sha256:b"), ["more"]);
  assert(state.table("blobPlaces").size <= 8192);
});
