/**
 * Random lives of a store on a host, against a model of what it must hold: the blobs and unpacked layers of what is there, those of
 * containers, and nothing else.
 */
import { assertEquals } from "@std/assert";
import type { ContainerRecord } from "../../../../lib/engine/records/container_record.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { keysOf } from "../../../../lib/engine/images/store/content.ts";
import { artifactBlobs } from "../../../../lib/engine/records/artifact_record.ts";
import { buildTar } from "../../../fixtures/images/tar_builder.ts";
import { FaultyRegistry } from "../../../fixtures/images/faulty_registry.ts";
import { openOnHost, sampleImage } from "../../../fixtures/images/host_rig.ts";
import { blobsOf, pullID } from "../../../fixtures/images/rig.ts";
import { isLongRun } from "../../../long_run.ts";

const STEPS = isLongRun ? 2000 : 200;
const CONFIG = { architecture: "amd64", os: "linux", rootfs: { type: "layers", diff_ids: [] } };

Deno.test("the store holds what images, artifacts and containers need, and nothing else, whatever is done", async () => {
  // A Lehmer generator, whose high digits are the random ones: the same run every time.
  let random = 7;
  const below = (limit: number) => Math.floor(((random = (random * 48271) % 2147483647) / 2147483647) * limit);
  await using registry = new FaultyRegistry();
  await using rig = await openOnHost({ registries: registry.registries });
  const { images, core, layers } = rig;
  const { artifacts } = images;
  const remote = [[900], [900, 50], [900, 60], [70]].map((sizes, i) => registry.add(`app${i}:1`, sampleImage(sizes)));
  const archives: Uint8Array[] = [];
  const tar = () => new Blob([buildTar([{ type: "file", path: `f${below(3)}`, content: "x" }]).slice()]).stream();
  const containers = core.state.table<ContainerRecord>("containers");
  images.users = {
    of: (id) => containers.values().filter((record) => record.imageID === id),
    remove: async (id) => void await core.state.commit([containers.drop(id)]),
  };
  const any = <T>(list: readonly T[]): T | undefined => list[below(list.length || 1)];
  const tag = () => `localhost/n${below(5)}:1`;

  const actions: (() => Promise<unknown>)[] = [
    async () => await pullID(images, any(remote)!),
    async () => await images.tag(any(images.list())?.id ?? "none", tag()),
    async () => await images.untag(tag()),
    async () => await images.remove(tag(), { force: below(2) === 0, noPrune: below(2) === 0 }),
    async () => await images.remove(any(images.list())?.id ?? "none", { force: below(2) === 0 }),
    async () => await images.archives.import(tar(), { reference: below(2) === 0 ? tag() : undefined }),
    async () => {
      const format = (["docker-archive", "oci-archive", "docker-dir"] as const)[below(3)];
      const stream = await images.archives.save([any(images.list())?.id ?? "none"], { format });
      archives.push(new Uint8Array(await new Response(stream).arrayBuffer()));
    },
    async () => await images.archives.load(new Blob([any(archives)?.slice() ?? new Uint8Array(10)]).stream()),
    async () => {
      const options = { config: CONFIG, history: [{}], format: (["oci", "docker"] as const)[below(2)] };
      await images.assemble({
        ...options,
        base: any(images.list())?.id,
        layers: [{ tar: tar() }],
        names: below(2) === 0 ? [tag()] : [],
      });
    },
    async () => {
      const image = any(images.list());
      if (!image) return;
      const id = String(below(1e6)).padStart(64, "c");
      const diffIDs = image.layers.map(({ diffID }) => diffID);
      // Only these fields of a container are looked at here.
      await core.state.commit([containers.put(id, { id, imageID: image.id, diffIDs } as ContainerRecord)]);
    },
    async () => {
      const record = any(containers.values());
      if (record) await core.state.commit([containers.drop(record.id)]);
    },
    async () => await images.prune((all) => all.filter(({ names }) => names.length === 0)),
    async () => {
      const file = { name: `f${below(3)}`, content: tar() };
      await artifacts.add(`localhost/a${below(2)}:1`, file, { append: below(2) === 0, replace: false });
    },
    async () => await artifacts.remove([`localhost/a${below(2)}:1`]),
  ];
  for (let step = 0; step < STEPS; step++) {
    // Several at once, as clients do.
    const chosen = Array.from({ length: 1 + below(3) }, () => actions[below(actions.length)]);
    await Promise.all(chosen.map((action) =>
      action().catch((error) => {
        if (!(error instanceof EngineError) || error.code === "internal") throw error;
      })
    ));
    const keys = new Set([
      ...images.list().flatMap(keysOf),
      ...artifacts.list().flatMap(artifactBlobs).map((digest) => `blob:${digest}`),
      ...containers.values().flatMap(({ diffIDs }) => diffIDs.map((diffID) => `layer:${diffID}`)),
    ]);
    const needed = (kind: string) =>
      [...keys].filter((key) => key.startsWith(kind)).map((key) => key.slice(kind.length)).sort();
    assertEquals(await blobsOf(rig.blobs), needed("blob:"), `blobs after step ${step}`);
    const unpacked = await layers.list();
    // A layer whose container has gone waits for the next sweep: containers release nothing here.
    assertEquals(needed("layer:").filter((diffID) => !unpacked.includes(diffID)), [], `layers after step ${step}`);
  }
  for (const record of containers.values()) await core.state.commit([containers.drop(record.id)]);
  await images.removeAll({ force: true });
  await artifacts.removeAll();
  await images.recover();
  assertEquals([await blobsOf(rig.blobs), await layers.list()], [[], []]);
});
