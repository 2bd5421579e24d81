import { assertEquals } from "@std/assert";
import { openTestEngine, type TestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

async function answer(test: TestEngine, method: string, path: string, body?: unknown) {
  const response = await test.send(
    method,
    path,
    body,
    body === undefined ? undefined : {
      "content-type": "application/json",
    },
  );
  // Any JSON: the test looks into it.
  return [response.status, JSON.parse(await response.text())] as const;
}

Deno.test("DiskUsage answers with nothing where there is nothing, in both trees and every version", async () => {
  await using test = await openTestEngine({ pulled: false });
  const lists = { LayersSize: 0, Images: [], Containers: [], Volumes: [], BuildCache: [] };
  assertEquals(await answer(test, "GET", "/v1.40/system/df"), [200, lists]);
  const totals = { ImageUsage: {}, ContainerUsage: {}, VolumeUsage: {}, BuildCacheUsage: {} };
  assertEquals(await answer(test, "GET", "/v1.52/system/df"), [200, totals]);
  assertEquals(await answer(test, "GET", "/libpod/system/df"), [
    200,
    { ImagesSize: 0, Images: [], Containers: [], Volumes: [] },
  ]);
});

Deno.test("DiskUsage tells an image under each of its names, with what it shares, and volumes by their users", async () => {
  await using test = await openTestEngine();
  const { engine } = test;
  const [image] = engine.images.list();
  await engine.images.tag(image.id, "localhost/other", "2");
  await engine.volumes.create({ name: "used" });
  await engine.volumes.create({ name: "idle" });
  const container = { image: TINY_NAME, name: "c", volumes: [{ Name: "used", Dest: "/data" }] };
  assertEquals((await answer(test, "POST", "/libpod/containers/create", container))[0], 201);
  const [status, usage] = await answer(test, "GET", "/libpod/system/df");
  assertEquals(status, 200);
  const { Created: _created, ...first } = usage.Images[0];
  assertEquals(first, {
    Repository: "localhost/other",
    Tag: "2",
    ImageID: image.id,
    Size: image.size,
    SharedSize: 0,
    UniqueSize: image.size,
    Containers: 1,
  });
  assertEquals([usage.Images.length, usage.Images[1].Repository, usage.ImagesSize], [
    2,
    "localhost:5000/team/tiny",
    image.size,
  ]);
  const [{ Names, RWSize, Size, LocalVolumes, Status, Command }] = usage.Containers;
  assertEquals([Names, RWSize, Size, LocalVolumes, Status, Command], ["c", 42, 42 + image.size, 1, "created", [
    "serve",
    "--all",
  ]]);
  assertEquals(usage.Volumes, [
    { VolumeName: "idle", Links: 0, Size: 0, ReclaimableSize: 0 },
    { VolumeName: "used", Links: 1, Size: 0, ReclaimableSize: 0 },
  ]);
});

Deno.test("CompatGetDiskUsage has lists before 1.52, totals since, and only the types that are asked for", async () => {
  await using test = await openTestEngine();
  await test.engine.volumes.create({ name: "v" });
  await answer(test, "POST", "/libpod/containers/create", { image: TINY_NAME, name: "c" });
  const [image] = test.engine.images.list();
  const keys = async (path: string) => Object.keys((await answer(test, "GET", path))[1]).sort();
  const lists = ["BuildCache", "Containers", "Images", "LayersSize", "Volumes"];
  const totals = ["BuildCacheUsage", "ContainerUsage", "ImageUsage", "VolumeUsage"];
  assertEquals(await keys("/v1.44/system/df"), lists);
  assertEquals(await keys("/v1.52/system/df?verbose=1"), totals);
  // A client that does not know of the totals asks for the newest version all the same.
  assertEquals(await keys("/v1.52/system/df"), [...lists.slice(1), ...totals].sort());
  assertEquals(await keys("/v1.44/system/df?type=volume"), ["LayersSize", "Volumes"]);
  assertEquals(await keys("/v1.52/system/df?verbose=1&type=volume&type=image"), ["ImageUsage", "VolumeUsage"]);
  assertEquals(await keys("/v1.41/system/df?type=volume"), lists, "older clients have no choice");
  const [status, { message }] = await answer(test, "GET", "/v1.44/system/df?type=pods");
  assertEquals([status, message], [400, "unknown object type: pods"]);

  const [, old] = await answer(test, "GET", "/v1.43/system/df");
  assertEquals([old.Images[0].Size, old.Images[0].VirtualSize, old.Images[0].SharedSize], [image.size, image.size, 0]);
  const [, newer] = await answer(test, "GET", "/v1.44/system/df");
  assertEquals(newer.Images[0].VirtualSize, undefined);
  assertEquals(newer.Volumes[0].UsageData, { RefCount: 0, Size: 0 });
  assertEquals([newer.Containers[0].SizeRw, newer.Containers[0].SizeRootFs], [42, 42 + image.size]);
  const [, { ImageUsage, ContainerUsage }] = await answer(test, "GET", "/v1.52/system/df");
  assertEquals([ImageUsage.TotalCount, ImageUsage.ActiveCount, ImageUsage.TotalSize, ImageUsage.Reclaimable], [
    1,
    1,
    image.size,
    undefined,
  ]);
  assertEquals([ContainerUsage.TotalCount, ContainerUsage.TotalSize, ContainerUsage.Reclaimable], [1, 42, 42]);
});
