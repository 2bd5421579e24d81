import { assertEquals } from "@std/assert";
import { humanSize } from "../../../handlers/human_size.ts";
import { openTestEngine, TINY, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

const TAR = () => new Blob([new Uint8Array(1024)]).stream();

Deno.test("ImageTree shows an image's layers, and what stands on them", async () => {
  await using test = await openTestEngine();
  const { images } = test.engine;
  const config = { architecture: "amd64", os: "linux", rootfs: { type: "layers", diff_ids: [] } };
  for (const name of ["one", "two"]) {
    const layer = new Blob([new Uint8Array(1024), name]).stream();
    await images.assemble({
      base: TINY_NAME,
      layers: [{ tar: layer }, { tar: TAR() }],
      config,
      history: [{}, {}],
      format: "oci",
      names: [name],
    });
  }
  const tree = async (query: string) =>
    (await (await test.send("GET", `/libpod/images/${query}`)).json()).Tree.split("\n");
  const own = await tree("one/tree");
  assertEquals(own.slice(1, 2), ["Tags:     [localhost/one:latest]"]);
  const count = TINY.layers.length;
  assertEquals(own.slice(4 + count).map((line: string) => line.replace(/ID: [0-9a-f]{12} Size: +/, "")), [
    "├── 1.027kB",
    "└── 1.024kB Top Layer of: [localhost/one:latest]",
    "",
  ]);
  const above = await tree(`${TINY_NAME}/tree?whatrequires=true`);
  const stripped = above.slice(4).map((line: string) => line.replace(/ID: [0-9a-f]{12} Size: +/, ""));
  assertEquals(stripped.slice(1), [
    "├── 1.027kB",
    "│   └── 1.024kB Top Layer of: [localhost/two:latest]",
    "└── 1.027kB",
    "    └── 1.024kB Top Layer of: [localhost/one:latest]",
    "",
  ]);
  assertEquals((await test.send("GET", "/libpod/images/none/tree")).status, 404);
});

Deno.test("humanSize() has four digits and units of 1000", () => {
  assertEquals([0, 999, 1000, 2138112, 1.5e9].map(humanSize), ["0B", "999B", "1kB", "2.138MB", "1.5GB"]);
});

Deno.test("PruneImages removes what has no name, or all, and tells how much", async () => {
  await using test = await openTestEngine();
  const { images } = test.engine;
  const made = await images.archives.import(TAR());
  const { size } = images.resolve(TINY_NAME);
  await images.tag(TINY_NAME, "other");
  const prune = async (path: string) => await (await test.send("POST", path)).json();
  assertEquals(await prune("/libpod/images/prune"), [{ Id: made.id, Size: 1024 }]);
  assertEquals(await prune("/libpod/images/prune"), []);
  assertEquals(await prune('/images/prune?filters={"dangling":["true"]}'), { ImagesDeleted: [], SpaceReclaimed: 0 });
  // What is old enough goes, and only that.
  assertEquals(await prune('/libpod/images/prune?all=true&filters={"until":["500000"]}'), []);
  const created = await test.send("POST", "/libpod/containers/create", { image: TINY_NAME, name: "user" });
  assertEquals(created.status, 201);
  assertEquals(await prune("/libpod/images/prune?all=true"), []);
  await test.engine.containers.remove("user");
  assertEquals(await prune("/libpod/images/prune?all=true"), [{ Id: TINY.id, Size: size }]);
});

Deno.test("PruneImages refuses filters that make no sense", async () => {
  await using test = await openTestEngine();
  for (const path of ["/libpod/images/prune", "/images/prune"]) {
    assertEquals((await test.send("POST", `${path}?filters={"nonsense":["1"]}`)).status, 400, path);
  }
  assertEquals((await test.send("POST", '/libpod/images/prune?filters={"all":["maybe"]}')).status, 400);
});

Deno.test("ImagesBatchRemove tells of each, and how a client should exit", async () => {
  await using test = await openTestEngine();
  const { images } = test.engine;
  await images.tag(TINY_NAME, "other");
  const remove = async (query: string) => await (await test.send("DELETE", `/libpod/images/remove?${query}`)).json();
  const none = await remove("images=none&images=nothing");
  assertEquals([none.ExitCode, none.Errors.length, none.Deleted], [1, 2, undefined]);
  assertEquals(await remove("images=none&ignore=true"), { ExitCode: 0, Errors: [] });
  const both = await remove(`images=other&images=none&images=${TINY.id}`);
  assertEquals([both.Untagged, both.Deleted, both.ExitCode], [["localhost/other:latest", TINY_NAME], [TINY.id], 1]);
});

Deno.test("GetImages hides images that others were built on, unless all are asked for", async () => {
  await using test = await openTestEngine();
  const { images } = test.engine;
  const config = { architecture: "amd64", os: "linux", rootfs: { type: "layers", diff_ids: [] } };
  const middle = await images.assemble({
    layers: [{ tar: TAR() }],
    config,
    history: [{ created_by: "a" }],
    format: "oci",
  });
  const top = await images.assemble({
    base: middle.id,
    layers: [],
    config: { ...config, author: "x" },
    history: [{ created_by: "b", empty_layer: true }],
    format: "oci",
    names: ["top"],
  });
  const ids = async (query: string) => {
    const listed: { Id: string; ParentId: string }[] = await (await test.send("GET", `/libpod/images/json${query}`))
      .json();
    return listed.filter(({ Id }) => Id !== TINY.id).map(({ Id, ParentId }) => [Id, ParentId]);
  };
  assertEquals(await ids(""), [[top.id, middle.id]]);
  assertEquals((await ids("?all=true")).length, 2);
  assertEquals(await ids('?filters={"intermediate":["true"]}'), [[middle.id, ""]]);
  assertEquals(await ids('?filters={"dangling":["true"]}'), []);
  const compat = await (await test.send("GET", "/images/json?shared-size=true")).json();
  const shared = compat.map(({ SharedSize }: { SharedSize: number }) => SharedSize).sort();
  assertEquals(shared, [0, 1024]);
});
