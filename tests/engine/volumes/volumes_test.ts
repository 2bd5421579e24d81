import { assert, assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { TreeLimit } from "../../../lib/engine/records/limits.ts";
import { MemoryStore } from "../../../lib/platform/storage/memory_store.ts";
import { Dying } from "../../fixtures/engine/dying_engine.ts";
import { assertConsistent } from "../../fixtures/engine/fake_check.ts";
import { openFake, spec } from "../../fixtures/engine/fake_engine.ts";
import { FakeKernel } from "../../fixtures/engine/fake_kernel.ts";

const mount = (source: string) => ({ type: "volume" as const, source, destination: "/data", options: [] });

async function refused(work: Promise<unknown>): Promise<string> {
  const error = await assertRejects(() => work, EngineError) as EngineError;
  return `${error.code}: ${error.message}`;
}

Deno.test("Volumes.create() keeps what a volume was made with, over restarts, and never makes one twice", async () => {
  const [store, kernel] = [new MemoryStore(), new FakeKernel()];
  const first = await openFake({ store, kernel });
  const made = await first.volumes.create({ name: "v", labels: { a: "b" }, options: { o: "uid=5" }, gid: 6 });
  assertEquals([made.owner, made.options], [{ uid: 5, gid: 6 }, { UID: "5", o: "uid=5" }]);
  assertEquals(
    await refused(first.volumes.create({ name: "v" })),
    "name_in_use: volume with name v already exists: volume already exists",
  );
  assertEquals(await first.volumes.create({ name: "v", ignoreIfExists: true }), made);
  const anonymous = await first.volumes.create();
  assertEquals([anonymous.name.length, anonymous.anonymous, made.anonymous], [64, true, false]);
  assert((await refused(first.volumes.create({ driver: "nfs" }))).startsWith("invalid: volume"));
  // It needs the files of an image, and there is none of that name.
  assert(
    (await refused(first.volumes.create({ driver: "image", options: { image: "x" } }))).startsWith("no_such_image"),
  );
  assert((await refused(first.volumes.create({ name: "a/b" }))).startsWith("invalid: names must match"));
  assert(
    (await refused(first.volumes.create({ labels: { a: "x".repeat(600_000) } }))).startsWith("limit: Create volume"),
  );
  await first[Symbol.asyncDispose]();
  // As after a power cut: the record was on the disk, the empty folder not yet.
  kernel.volumes.delete("v");
  await using second = await openFake({ store, kernel });
  assertEquals([second.volumes.resolve("v"), kernel.volumes.has("v")], [made, true]);
  await assertConsistent(second);
});

Deno.test("Volumes.create() limits a volume, and again after a restart, or says why it cannot", async () => {
  const [store, kernel] = [new MemoryStore(), new FakeKernel()];
  const options = { o: "size=10m" };
  const first = await openFake({ store, kernel });
  assertEquals(
    await refused(first.volumes.create({ name: "v", options })),
    "unsupported: volume options size and inodes are not supported: no project quota is in force",
  );
  // Nothing of it is left, for the next start to remove.
  const left = (await store.load()).filter(({ table }) => table === "intents" || table === "volumes");
  assertEquals([left, kernel.volumes.size], [[], 0]);
  kernel.quotas = new Map();
  assertEquals((await first.volumes.create({ name: "v", options })).limit, { size: 10_000_000 });
  await first.containers.create(spec({
    mounts: [{ ...mount("made"), making: { options: { size: "1k" } } }],
  }));
  const limits: [string, TreeLimit][] = [["v", { size: 10_000_000 }], ["made", { size: 1024 }]];
  assertEquals([...kernel.quotas], limits);
  await first[Symbol.asyncDispose]();
  // As where the root was copied from another file system.
  kernel.quotas.clear();
  await using second = await openFake({ store, kernel });
  assertEquals(new Map([...kernel.quotas]), new Map(limits));
  await second.volumes.remove("v");
  assertEquals([...kernel.quotas.keys()], ["made"]);
});

Deno.test("Volumes.list() and prune() know Podman's filters, and no others", async () => {
  await using fake = await openFake();
  const { volumes, containers } = fake;
  await volumes.create({ name: "old", labels: { kind: "a" } });
  await volumes.create({ name: "new", labels: { kind: "b" }, options: { type: "tmpfs", o: "nodev" } });
  const { name: loose } = await volumes.create();
  await containers.create(spec({ name: "c", mounts: [mount("old")] }));
  const names = (filters: Record<string, string[]>) =>
    volumes.list(filters).map(({ name }) => name === loose ? "loose" : name);
  assertEquals(names({ name: ["^o", "nothing"] }), ["old"]);
  assertEquals(names({ label: ["kind"] }), ["new", "old"]);
  assertEquals(names({ "label!": ["kind=a"], anonymous: ["false"] }), ["new"]);
  assertEquals(names({ opt: ["type=tmpfs"] }), ["new"]);
  assertEquals(names({ dangling: ["0"] }), ["old"]);
  assertEquals(names({ since: ["old"], anonymous: ["0"] }), ["new"]);
  assertEquals(names({ until: [volumes.resolve("new").created] }), ["old"]);
  assertEquals(names({ driver: ["local"], scope: ["local"], name: ["["] }), []);
  for (
    const [filters, text] of [[{ colour: ["red"] }, '"colour" is an invalid volume filter'], [
      { dangling: ["maybe"] },
      "must be true or false",
    ]] as const
  ) {
    assert((await refused(Promise.resolve().then(() => volumes.list(filters)))).includes(text));
  }
  assert((await refused(volumes.prune({ name: ["x"] }))).includes('"name" is an invalid volume filter'));
  assertEquals((await volumes.prune({}, { dryRun: true })).map(({ name }) => name), [loose]);
  assertEquals(volumes.exists(loose), true);
  assertEquals((await volumes.prune()).map(({ name }) => name), [loose]);
  assertEquals(await volumes.prune({ all: ["true"], label: ["kind=a"] }), [], "all does not outdo a label");
  assert((await refused(volumes.prune({ all: ["true"], name: ["x"] }))).includes('"name" is an invalid volume filter'));
  assertEquals((await volumes.prune({ all: ["true"] })).map(({ name }) => name), ["new"]);
  assertEquals(volumes.list().map(({ name }) => name), ["old"], "a container has it");
  await assertConsistent(fake);
});

Deno.test("Volumes.remove() refuses what containers have, and takes them along when it is forced", async () => {
  await using fake = await openFake();
  const { volumes, containers } = fake;
  await volumes.create({ name: "kept" });
  await volumes.create({ name: "keeper" });
  const { record: { id } } = await containers.create(spec({ name: "c", mounts: [mount("kept")] }));
  await containers.start(id);
  assertEquals(
    await refused(volumes.remove("kept")),
    `in_use: volume kept is being used by the following container(s): ${id}: volume is being used`,
  );
  assertEquals(
    await refused(volumes.remove("ke")),
    'ambiguous: more than one result for volume name "ke": volume already exists',
  );
  assertEquals(
    await refused(volumes.remove("none")),
    'no_such_volume: no volume with name "none" found: no such volume',
  );
  await volumes.remove("keepe");
  await volumes.remove("kept", { force: true });
  assertEquals([containers.list({ all: true }), volumes.list()], [[], []]);
  await assertConsistent(fake);
});

Deno.test("a volume's device is mounted while somebody uses it, also over a restart of the engine", async () => {
  const [store, kernel] = [new MemoryStore(), new FakeKernel()];
  const fake = await openFake({ store, kernel });
  await fake.volumes.create({ name: "t", options: { type: "tmpfs", o: "nodev" } });
  const mounts = [mount("t")];
  const a = (await fake.containers.create(spec({ name: "a", mounts }))).record.id;
  const b = (await fake.containers.create(spec({ name: "b", mounts }))).record.id;
  assertEquals([kernel.mounted.size, fake.volumes.mountCount("t")], [0, 0]);
  await fake.containers.start(a);
  await fake.containers.start(b);
  assertEquals(kernel.mounted.get("t"), { type: "tmpfs", source: "tmpfs", options: "nodev" });
  assertEquals(fake.volumes.mountCount("t"), 2);
  await fake.containers.stop(a, { timeout: 0 });
  await fake.containers.settled();
  assertEquals([kernel.mounted.size, fake.volumes.mountCount("t")], [1, 1]);
  await fake[Symbol.asyncDispose]();
  await using second = await openFake({ store, kernel });
  assertEquals([kernel.mounted.size, second.volumes.mountCount("t")], [1, 1]);
  await second.containers.stop(b, { timeout: 0 });
  await second.containers.settled();
  assertEquals([kernel.mounted.size, second.volumes.mountCount("t")], [0, 0]);
  await assertConsistent(second);
});

Deno.test("Volumes.create() and remove() lose nothing and leave nothing, cut short anywhere", {
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  let limit = 0;
  for (let ended = false; !ended; limit++) {
    const dying = new Dying(limit);
    dying.kernel.quotas = new Map();
    const options = { o: "size=1m" };
    const told = new Set<string>();
    ended = await dying.outlived((async () => {
      const { volumes } = await dying.open();
      for (const name of ["a", "b"]) told.add((await volumes.create({ name, options })).name);
      told.delete("a");
      await volumes.remove("a");
      told.add((await volumes.create({ name: "c", options })).name);
    })());
    await using engine = await openFake({ kernel: dying.kernel, store: dying.store });
    await assertConsistent(engine);
    const kept = engine.volumes.list().map(({ name }) => name);
    assertEquals([...told].filter((name) => !kept.includes(name)), [], `died at step ${limit}`);
  }
  assert(limit > 8, `${limit} steps`);
});
