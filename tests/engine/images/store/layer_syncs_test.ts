/** Unpacked layers reach the disk behind the answer: what the end of a machine or a server may do to them meanwhile. */
import { assertEquals } from "@std/assert";
import type { ImageRecord } from "../../../../lib/engine/records/image_record.ts";
import type { ContainerRecord } from "../../../../lib/engine/records/container_record.ts";
import { buildTar } from "../../../fixtures/images/tar_builder.ts";
import { openOnHost } from "../../../fixtures/images/host_rig.ts";
import { blobsOf, type Rig } from "../../../fixtures/images/rig.ts";

/** Makes an image of one layer with the file `a`. */
function assemble({ images }: Rig, content: string): Promise<ImageRecord> {
  const tar = buildTar([{ type: "file", path: "a", content }]);
  return images.assemble({
    layers: [{ tar: new Blob([tar.slice()]).stream() }],
    config: { architecture: "amd64", os: "linux", config: {}, rootfs: { type: "layers", diff_ids: [] } },
    history: [{}],
    format: "oci",
  });
}

/** The file `a` of an image's layer, as it is on the host. */
function fileOf({ folder }: { folder: string }, { layers: [{ diffID }] }: ImageRecord): string {
  return `${folder}/root/layers/${diffID.slice("sha256:".length)}/diff/a`;
}

function notesOf({ core }: Rig): string[] {
  return core.intents.open().map(({ kind, subject }) => `${kind} ${subject}`);
}

/** A disk that syncs when the test lets it. */
function gatedSync() {
  const { promise, resolve: open } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const sync = () => {
    asked.resolve();
    return promise;
  };
  return { sync, open, asked: asked.promise };
}

Deno.test("a layer that was not on the disk when the machine stopped is unpacked anew from its blob", async () => {
  await using rig = await openOnHost();
  const image = await assemble(rig, "one");
  const file = fileOf(rig, image);
  assertEquals(notesOf(rig), [`layer.sync ${image.layers[0].diffID}`]);
  // The server alone was killed: containers may run on the layer, and the kernel has all that was written.
  await Deno.writeTextFile(file, "written by the test");
  const killed = await rig.reopen();
  assertEquals(await Deno.readTextFile(file), "written by the test");
  assertEquals(notesOf(killed), notesOf(rig));

  await Deno.writeTextFile(file, "");
  const booted = await rig.reopen("second");
  assertEquals(await Deno.readTextFile(file), "one");
  assertEquals(booted.images.resolve(image.id).id, image.id);

  await booted.images.close();
  assertEquals(notesOf(booted), [], "a server that is stopped leaves nothing to be done");
  await Deno.writeTextFile(file, "nobody looks");
  await rig.reopen("third");
  assertEquals(await Deno.readTextFile(file), "nobody looks", "a layer that had reached the disk is taken as it is");
});

Deno.test("a layer that the end of the machine took whole comes back, too", async () => {
  await using rig = await openOnHost();
  const file = fileOf(rig, await assemble(rig, "one"));
  await Deno.remove(file.slice(0, -"/diff/a".length), { recursive: true });
  await rig.reopen("second");
  assertEquals(await Deno.readTextFile(file), "one");
});

Deno.test("a layer that may be damaged and cannot be unpacked anew is there no more", async () => {
  await using rig = await openOnHost();
  const image = await assemble(rig, "one");
  const { digest, diffID } = image.layers[0];
  const hex = digest.slice("sha256:".length);
  await Deno.writeTextFile(`${rig.folder}/blobs/sha256/${hex.slice(0, 2)}/${hex}`, "not what it was");
  const booted = await rig.reopen("second");
  assertEquals(await rig.layers.has(diffID), false);
  // A pull or a load of the image brings it back.
  assertEquals(booted.images.exists(image.id), true);
});

Deno.test("the blob of a layer that a container needs goes when the layer is on the disk", async () => {
  await using rig = await openOnHost();
  const image = await assemble(rig, "one");
  const { digest, diffID } = image.layers[0];
  // Only what tells that a container needs it.
  const container = { id: "c", diffIDs: [diffID] } as ContainerRecord;
  await rig.core.state.commit([rig.core.state.table<ContainerRecord>("containers").put("c", container)]);
  const gate = gatedSync();
  rig.layers.sync = gate.sync;
  const removal = rig.images.remove(image.id, { force: true });
  await gate.asked;
  assertEquals((await blobsOf(rig.blobs)).includes(digest), true);
  gate.open();
  await removal;
  assertEquals([await blobsOf(rig.blobs), await rig.layers.list(), notesOf(rig)], [[], [diffID], []]);
});

Deno.test("an image whose layer nobody else needs goes without a sync", async () => {
  await using rig = await openOnHost();
  rig.layers.sync = () => new Promise(() => {});
  const image = await assemble(rig, "one");
  await rig.images.remove(image.id, { force: true });
  assertEquals([await blobsOf(rig.blobs), await rig.layers.list()], [[], []]);
  await rig.reopen("second");
  assertEquals(await rig.layers.list(), []);
});

Deno.test("a sync that fails is not forgotten", async () => {
  await using rig = await openOnHost();
  const image = await assemble(rig, "one");
  const { sync } = rig.layers;
  rig.layers.sync = () => Promise.reject(new Error("input/output error"));
  await rig.images.close();
  const note = `layer.sync ${image.layers[0].diffID}`;
  assertEquals(notesOf(rig), [note]);
  rig.layers.sync = sync;
  const again = await rig.reopen();
  assertEquals(notesOf(again), [note]);
  await again.images.close();
  assertEquals(notesOf(again), []);
});

Deno.test("every layer of an archive is noted, and so is one that is mended", async () => {
  await using rig = await openOnHost();
  const image = await assemble(rig, "one");
  const [{ diffID }] = image.layers;
  const saved = await rig.images.archives.save([image.id], { format: "docker-archive" });
  const archive = await new Response(saved).arrayBuffer();
  await rig.images.remove(image.id, { force: true });
  await using other = await openOnHost();
  await other.images.archives.load(new Blob([archive]).stream());
  assertEquals(notesOf(other), [`layer.sync ${diffID}`]);
  await other.images.close();
  const again = await other.reopen();
  assertEquals([await again.images.mend(diffID), notesOf(again)], [true, [`layer.sync ${diffID}`]]);
});

Deno.test("a host that does not know its boots has a layer on the disk before it is answered", async () => {
  await using rig = await openOnHost({ boot: "" });
  const gate = gatedSync();
  rig.layers.sync = gate.sync;
  const making = assemble(rig, "one");
  await gate.asked;
  assertEquals(rig.images.list(), []);
  gate.open();
  const image = await making;
  assertEquals([rig.images.list().map(({ id }) => id), notesOf(rig)], [[image.id], []]);
  // Nobody knows whether the machine was booted: what is there is taken as it is.
  await Deno.writeTextFile(fileOf(rig, image), "kept");
  await rig.reopen("");
  assertEquals(await Deno.readTextFile(fileOf(rig, image)), "kept");
});
