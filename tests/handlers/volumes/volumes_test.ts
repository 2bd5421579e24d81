import { assertEquals, assertMatch } from "@std/assert";
import { openTestEngine, type TestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";
import { buildTar } from "../../fixtures/images/tar_builder.ts";

const json = { "content-type": "application/json" };

async function answer(test: TestEngine, method: string, path: string, body?: unknown): Promise<[number, unknown]> {
  const response = await test.send(method, path, body, body === undefined ? undefined : json);
  const text = await response.text();
  return [response.status, text === "" ? undefined : JSON.parse(text)];
}

Deno.test("CreateVolume, InspectVolume, ListVolumes and RemoveVolume answer in Podman's shapes", async () => {
  await using test = await openTestEngine();
  const request = {
    Name: "v",
    Label: { old: "1" },
    Labels: { new: "2" },
    Options: { type: "tmpfs", o: "nodev" },
    UID: 5,
  };
  const [status, made] = await answer(test, "POST", "/libpod/volumes/create", request);
  const { CreatedAt, Mountpoint, ...rest } = made as Record<string, string>;
  assertEquals([status, rest], [201, {
    Name: "v",
    Driver: "local",
    Labels: { old: "1", new: "2" },
    Scope: "local",
    Options: { type: "tmpfs", o: "nodev" },
    UID: 5,
    MountCount: 0,
    NeedsCopyUp: true,
    LockNumber: 0,
  }]);
  assertMatch(CreatedAt, /^\d{4}-\d{2}-\d{2}T/);
  assertMatch(Mountpoint, /\/v$/);
  assertEquals(await answer(test, "GET", "/libpod/volumes/v/json"), [200, made]);
  assertEquals(await answer(test, "GET", '/v5.0.0/libpod/volumes/json?filters={"name":["v"]}'), [200, [made]]);
  assertEquals(await answer(test, "GET", "/libpod/volumes/v/exists"), [204, undefined]);
  // Go reads one value of a body, and some clients write more.
  assertEquals((await answer(test, "POST", "/libpod/volumes/create", '{"Name":"w"}}'))[0], 201);
  assertEquals((await answer(test, "POST", "/libpod/volumes/create", '{"Name":"x"'))[0], 400);
  assertEquals(await answer(test, "DELETE", "/libpod/volumes/v"), [204, undefined]);
  assertEquals((await answer(test, "GET", "/libpod/volumes/v/exists"))[0], 404);
});

Deno.test("volume operations answer what Podman answers when they cannot", async () => {
  await using test = await openTestEngine();
  await answer(test, "POST", "/libpod/volumes/create", { Name: "v" });
  const container = { image: TINY_NAME, name: "c", volumes: [{ Name: "v", Dest: "/data" }] };
  assertEquals((await answer(test, "POST", "/libpod/containers/create", container))[0], 201);
  const cases: [method: string, path: string, body: unknown, status: number, cause: string][] = [
    ["POST", "/libpod/volumes/create", { Name: "v" }, 500, "volume already exists"],
    ["POST", "/libpod/volumes/create", { Name: "w", Driver: "nfs" }, 500, "required plugin missing"],
    ["POST", "/libpod/volumes/create", { Name: "w", Options: { x: "y" } }, 500, "invalid argument"],
    ["POST", "/libpod/volumes/create", { Name: "../w" }, 500, "invalid argument"],
    ["GET", "/libpod/volumes/none/json", undefined, 404, "no such volume"],
    ["GET", "/libpod/volumes/none/export", undefined, 404, "no such volume"],
    ["DELETE", "/libpod/volumes/none", undefined, 404, "no such volume"],
    ["DELETE", "/libpod/volumes/v", undefined, 409, "volume is being used"],
    ["DELETE", "/volumes/v?force=true", undefined, 409, "volume is being used"],
    ["DELETE", "/volumes/none", undefined, 404, "no such volume"],
    [
      "GET",
      "/libpod/volumes/json?filters=garb1age}",
      undefined,
      500,
      "invalid character 'g' looking for beginning of value",
    ],
    ["GET", '/volumes?filters={"label":["x', undefined, 500, "unexpected end of JSON input"],
    ["POST", '/libpod/volumes/prune?filters={"name":["v"]}', undefined, 500, '"name" is an invalid volume filter'],
    ["POST", '/volumes/prune?filters={"driver":["v"]}', undefined, 500, '"driver" is an invalid volume filter'],
    ["GET", '/libpod/volumes/json?filters={"since":["none"]}', undefined, 500, "no such volume"],
  ];
  for (const [method, path, body, status, cause] of cases) {
    const [code, error] = await answer(test, method, path, body);
    assertEquals([code, (error as { cause: string }).cause], [status, cause], `${method} ${path}`);
  }
  assertEquals((await answer(test, "DELETE", "/volumes/none?force=1"))[0], 204);
  assertEquals((await answer(test, "DELETE", "/libpod/volumes/v?force=true"))[0], 204);
  assertEquals((await answer(test, "GET", "/libpod/containers/c/json"))[0], 404);
});

Deno.test("Docker's volume operations answer in its shapes: a create of what exists gives that, a list has warnings", async () => {
  await using test = await openTestEngine();
  const [status, made] = await answer(test, "POST", "/volumes/create", { Name: "v", Labels: { a: "b" } });
  const { CreatedAt, Mountpoint, ...rest } = made as Record<string, string>;
  assertEquals([status, rest], [201, {
    Driver: "local",
    Labels: { a: "b" },
    Name: "v",
    Options: null,
    Scope: "local",
  }]);
  assertMatch(CreatedAt, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);
  assertMatch(Mountpoint, /\/v$/);
  assertEquals(await answer(test, "POST", "/volumes/create", { Name: "v" }), [201, made]);
  const shown = { ...made as object, Options: {} };
  assertEquals(await answer(test, "GET", "/v1.44/volumes/v"), [200, shown]);
  assertEquals(await answer(test, "GET", "/volumes"), [200, { Volumes: [shown], Warnings: [] }]);
  const [, unnamed] = await answer(test, "POST", "/volumes/create");
  const { Name } = unnamed as { Name: string };
  assertMatch(Name, /^[0-9a-f]{64}$/);
  const [, pruned] = await answer(test, "POST", "/volumes/prune");
  assertEquals(pruned, { VolumesDeleted: [Name], SpaceReclaimed: 0 });
  const [, all] = await answer(test, "POST", '/libpod/volumes/prune?filters={"all":["true"]}');
  assertEquals(all, [{ Id: "v", Size: 0 }]);
});

Deno.test("CompatPruneVolumes() takes what its client has told its user of", async () => {
  const rows: [path: string, filters: Record<string, string[]>, gone: string[]][] = [
    ["/v1.44", {}, []],
    ["/v1.44", { label: ["team=b"] }, []],
    ["/v1.44", { all: ["1"], label: ["team=c"] }, []],
    ["/v1.44", { all: ["1"], label: ["team=b"] }, ["mine"]],
    ["/v1.44", { all: ["true"] }, ["mine", "other"]],
    ["/v1.41", {}, ["mine", "other"]],
    ["/v1.41", { "label!": ["team=b"] }, ["other"]],
    ["", { label: ["team=b"] }, ["mine"]],
    ["/v1.44", { until: ["5000000000"] }, ["mine", "other"]],
    ["/v1.44", { until: ["500000"] }, []],
  ];
  for (const [path, filters, gone] of rows) {
    await using test = await openTestEngine({ pulled: false, host: false });
    await answer(test, "POST", "/volumes/create", { Name: "mine", Labels: { team: "b" } });
    await answer(test, "POST", "/volumes/create", { Name: "other" });
    const query = new URLSearchParams({ filters: JSON.stringify(filters) });
    const [, report] = await answer(test, "POST", `${path}/volumes/prune?${query}`);
    assertEquals(report, { VolumesDeleted: gone, SpaceReclaimed: 0 }, `${path} ${query}`);
  }
});

Deno.test("without a kernel a volume is the archives that were imported, one after the other", async () => {
  await using test = await openTestEngine({ host: false, pulled: false });
  await answer(test, "POST", "/libpod/volumes/create", { Name: "v" });
  const empty = await test.send("GET", "/libpod/volumes/v/export");
  assertEquals((await empty.arrayBuffer()).byteLength, 1024);
  for (const path of ["one", "two"]) {
    const body = new Uint8Array(buildTar([{ type: "file", path, content: path }]));
    const request = new Request("http://d/libpod/volumes/v/import", { method: "POST", body });
    assertEquals((await test.serve(request)).status, 204);
  }
  const exported = await test.send("GET", "/libpod/volumes/v/export");
  assertEquals(exported.headers.get("content-type"), "application/x-tar");
  const bytes = new Uint8Array(await exported.arrayBuffer());
  const name = (at: number) => new TextDecoder().decode(bytes.subarray(at, at + 3));
  assertEquals([bytes.length, name(0), name(512), name(1024), name(1536)], [512 * 6, "one", "one", "two", "two"]);
  const cut = new Request("http://d/libpod/volumes/v/import", { method: "POST", body: bytes.slice(0, 700) });
  assertEquals((await test.serve(cut)).status, 400);
  const digests = async () => (await Array.fromAsync(test.blobs.list())).length;
  assertEquals(await digests(), 2);
  assertEquals((await answer(test, "DELETE", "/libpod/volumes/v"))[0], 204);
  assertEquals(await digests(), 0, "nothing of it is left in the blob store");
});

Deno.test("a volume's limit is taken by both trees where there are quotas, and 501 where there are none", async () => {
  const [native, docker] = [
    { Name: "n", Options: { o: "size=10m" } },
    { Name: "d", DriverOpts: { size: "10m" } },
  ];
  const make = async (test: TestEngine) => [
    (await answer(test, "POST", "/libpod/volumes/create", native))[0],
    (await answer(test, "POST", "/volumes/create", docker))[0],
  ];
  await using edge = await openTestEngine({ host: false, pulled: false });
  assertEquals(await make(edge), [501, 501]);
  await using test = await openTestEngine();
  assertEquals(await make(test), [501, 501]);
  test.kernel.quotas = new Map();
  assertEquals(await make(test), [201, 201]);
  assertEquals([...test.kernel.quotas], [["n", { size: 10_000_000 }], ["d", { size: 10 * 1024 * 1024 }]]);
  const [, shown] = await answer(test, "GET", "/libpod/volumes/n/json");
  assertEquals((shown as { Options: unknown }).Options, { o: "size=10m", SIZE: "10m" });
});

Deno.test("PruneVolumes() takes all volumes for clients before Podman 6, and those without a name for others", async () => {
  await using test = await openTestEngine();
  const left = async () => {
    const [, found] = await answer(test, "GET", "/libpod/volumes/json");
    return (found as { Name: string }[]).map(({ Name }) => Name);
  };
  const make = () => answer(test, "POST", "/libpod/volumes/create", { Name: "named" });
  for (const version of ["", "/v6.0.0"]) {
    await make();
    await answer(test, "POST", `${version}/libpod/volumes/prune`);
    assertEquals(await left(), ["named"], version);
    await answer(test, "DELETE", "/libpod/volumes/named");
  }
  await make();
  await answer(test, "POST", '/v5.8.6/libpod/volumes/prune?filters={"label":["none"]}');
  assertEquals(await left(), ["named"]);
  await answer(test, "POST", "/v5.8.6/libpod/volumes/prune");
  assertEquals(await left(), []);
});

Deno.test("folders of cache mounts are no volumes to their users, and go by a prune of the build cache alone", async () => {
  await using test = await openTestEngine();
  const { volumes, builds } = test.engine;
  const hold = await volumes.useCache("build-cache-1", "cached mount /x", { uid: 7, gid: 8, mode: 0o750 });
  await answer(test, "POST", "/volumes/create", { Name: "backup" });
  const [, { Volumes }] = await answer(test, "GET", "/volumes") as [number, { Volumes: { Name: string }[] }];
  assertEquals(Volumes.map(({ Name }) => Name), ["backup"]);
  await answer(test, "POST", '/v1.44/volumes/prune?filters={"all":["true"]}');
  assertEquals(volumes.caches().map(({ name, owner }) => [name, owner]), [
    ["build-cache-1", { uid: 7, gid: 8, mode: 0o750 }],
  ]);
  assertEquals((await builds.prune({ all: true })).items, [], "a command is about to use it");
  hold[Symbol.dispose]();
  await answer(test, "POST", "/libpod/images/prune");
  assertEquals(volumes.caches().length, 1);
  await answer(test, "POST", "/libpod/images/prune?buildcache=true");
  assertEquals(volumes.caches(), []);
  // One that somebody made stays a volume.
  await answer(test, "POST", "/volumes/create", { Name: "build-cache-2", Labels: { a: "b" } });
  using _hold = await volumes.useCache("build-cache-2", "cached mount /y", { uid: 0, gid: 0 });
  assertEquals(volumes.list().map(({ name }) => name), ["build-cache-2"]);
});

Deno.test("ListVolumes tells volumes in the order in which they were made, as Podman; CompatListVolumes by name", async () => {
  await using test = await openTestEngine();
  for (const Name of ["z", "m", "a"]) {
    await answer(test, "POST", "/libpod/volumes/create", { Name });
    // The record has the millisecond.
    for (const now = Date.now(); Date.now() === now;);
  }
  const [, native] = await answer(test, "GET", "/libpod/volumes/json");
  const [, docker] = await answer(test, "GET", "/volumes");
  const names = (volumes: unknown) => (volumes as { Name: string }[]).map(({ Name }) => Name);
  assertEquals([names(native), names((docker as { Volumes: unknown }).Volumes)], [["z", "m", "a"], ["a", "m", "z"]]);
});
