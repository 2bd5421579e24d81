import { assertEquals } from "@std/assert";
import { openTestEngine, type TestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

async function prune(test: TestEngine, query: string) {
  const response = await test.send("POST", `/libpod/system/prune${query}`);
  // Any JSON: the test looks into it.
  return [response.status, JSON.parse(await response.text())] as const;
}

async function fill(test: TestEngine) {
  const { containers, networks, volumes } = test.engine;
  for (const name of ["ended", "running"]) {
    const body = { image: TINY_NAME, name, labels: { kind: name } };
    const response = await test.send("POST", "/libpod/containers/create", body);
    assertEquals(response.status, 201, await response.text());
  }
  await containers.start("running");
  await networks.create({ name: "loose", labels: { kind: "ended" } });
  await volumes.create({ name: "named", labels: { kind: "ended" } });
  await volumes.create();
}

Deno.test("SystemPrune removes what nothing uses, and volumes only where they are asked for", async () => {
  await using test = await openTestEngine();
  await fill(test);
  const { containers, images, volumes } = test.engine;
  const ended = containers.resolve("ended").id;
  const [status, report] = await prune(test, "");
  assertEquals([status, report], [200, {
    PodPruneReport: [],
    ContainerPruneReports: [{ Id: ended, Size: 42 }],
    ImagePruneReports: [],
    NetworkPruneReports: [{ Name: "loose", Error: null }],
    VolumePruneReports: [],
    ReclaimedSpace: 42,
  }]);
  assertEquals([containers.exists("running"), images.list().length, volumes.list().length], [true, 1, 2]);
  const [, second] = await prune(test, "?volumes=true&build=true");
  assertEquals([second.VolumePruneReports.length, second.ReclaimedSpace], [2, 0]);
});

Deno.test("SystemPrune with all takes the images that only ended containers had, and tells exactly what df loses", async () => {
  await using test = await openTestEngine();
  await fill(test);
  const { containers, images, system } = test.engine;
  const taken = async () => {
    const { layers, containers } = await system.diskUsage();
    return layers + containers.reduce((sum, { writable }) => sum + writable, 0);
  };
  const before = await taken();
  await prune(test, "?all=true");
  assertEquals(images.list().length, 1, "a container runs with it");
  await containers.stop("running");
  const middle = await taken();
  const [, report] = await prune(test, "?all=true");
  assertEquals([before - middle, images.list().length, containers.list({ all: true }).length], [42, 0, 0]);
  assertEquals([report.ReclaimedSpace, await taken()], [middle, 0]);
});

Deno.test("SystemPrune takes only what fits its filters, and refuses those it does not know", async () => {
  await using test = await openTestEngine();
  await fill(test);
  const filter = (filters: unknown) => `?volumes=true&filters=${encodeURIComponent(JSON.stringify(filters))}`;
  const [, none] = await prune(test, filter({ label: ["kind=other"] }));
  assertEquals([none.ContainerPruneReports, none.NetworkPruneReports, none.VolumePruneReports], [[], [], []]);
  const [, some] = await prune(test, filter({ label: ["kind=ended"] }));
  assertEquals([some.ContainerPruneReports.length, some.NetworkPruneReports[0].Name], [1, "loose"]);
  assertEquals(some.VolumePruneReports, [{ Id: "named", Size: 0 }]);
  const [, late] = await prune(test, filter({ until: ["1h"] }));
  assertEquals(late.VolumePruneReports, [], "it was made just now");
  const cases: [query: string, status: number, message: string][] = [
    [filter({ name: ["x"] }), 500, "name is an invalid filter"],
    ["?filters=garbage", 400, ""],
    ["?all=perhaps", 400, ""],
    ["?external=true&all=true", 500, "system prune --external cannot be combined with other options"],
  ];
  for (const [query, status, message] of cases) {
    const [code, error] = await prune(test, query);
    assertEquals([code, message === "" || error.message === message], [status, true], `${query}: ${error.message}`);
  }
  assertEquals((await prune(test, "?external=true"))[0], 200);
});

Deno.test("CompatPruneBuild answers docker system prune where nothing was built, and refuses filters that it does not know", async () => {
  await using test = await openTestEngine({ pulled: false });
  const ask = async (query: string): Promise<[number, unknown]> => {
    const response = await test.send("POST", `/v1.44/build/prune?${query}`);
    const body = await response.json();
    return [response.status, body.message ?? body];
  };
  const nothing = { CachesDeleted: [], SpaceReclaimed: 0 };
  const filters = (value: unknown) => `filters=${encodeURIComponent(JSON.stringify(value))}`;
  for (
    const query of [
      "all=1",
      filters({ until: ["24h"] }),
      filters({ id: ["abc"] }),
      "keep-storage=1000000",
      filters({ label: ["a"] }),
      filters({ "label!": ["a"] }),
    ]
  ) {
    assertEquals(await ask(query), [200, nothing], query);
  }
  const [status, message] = await ask(filters({ type: ["regular"] }));
  assertEquals([status, message], [400, "type is an invalid filter: the build cache has id, until, unused-for"]);
  assertEquals((await ask(filters({ until: ["soon"] })))[0], 400);
  assertEquals((await ask("min-free-space=1"))[0], 501);
});

Deno.test("without a kernel SystemPrune, SystemCheck and DiskUsage are about what there is: images, volumes, blobs", async () => {
  await using test = await openTestEngine({ host: false });
  const [image] = test.engine.images.list();
  const df = await (await test.send("GET", "/libpod/system/df")).json();
  assertEquals([df.ImagesSize, df.Containers], [image.size, []]);
  const check = async (query: string) => await (await test.send("POST", `/libpod/system/check${query}`)).json();
  assertEquals((await check("")).Errors, false);
  await test.blobs.delete(image.layers[0].digest);
  const report = await check("?repair=true");
  assertEquals(report.Images, { [image.id]: [`blob ${image.layers[0].digest}: it is missing`] });
  assertEquals([report.RemovedImages, (await check("")).Errors], [{ [image.id]: [TINY_NAME] }, false]);
  for await (const _ of test.engine.images.pull(TINY_NAME));
  const [status, pruned] = await prune(test, "?all=true&volumes=true");
  assertEquals([status, pruned.ReclaimedSpace], [200, image.size]);
});
