import { assertEquals } from "@std/assert";
import { buildImage } from "../../../fixtures/images/image_builder.ts";
import { FaultyRegistry } from "../../../fixtures/images/faulty_registry.ts";
import { blobsOf, neededBlobs, openImages, pullID } from "../../../fixtures/images/rig.ts";

Deno.test("Images.pull() of an image compressed in another way leaves nothing of the first form (it stayed staged for a week)", async () => {
  await using registry = new FaultyRegistry();
  const rig = await openImages({ registries: registry.registries });
  const layer = { entries: [{ type: "file" as const, path: "a", content: "a" }] };
  const [packed, plain] = [true, false].map((gzip) =>
    buildImage({ architecture: "amd64", layers: [{ ...layer, gzip }] })
  );
  assertEquals(packed.id, plain.id);
  assertEquals(await pullID(rig.images, registry.add("app:packed", packed)), packed.id);
  assertEquals(await pullID(rig.images, registry.add("app:plain", plain)), packed.id);
  assertEquals(await blobsOf(rig.blobs), await neededBlobs(rig));
  assertEquals(await rig.blobs.stat(packed.layers[0].digest), undefined);
  assertEquals(await rig.blobs.staged(packed.layers[0].digest), 0);
});
