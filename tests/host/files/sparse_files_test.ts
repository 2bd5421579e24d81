/** A file of terabytes that takes no room: nobody who copies a container's files fills the disk with it. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

/** The file that the store fills for a full disk, some seconds after the server's start: what is measured here has no part in it. */
const RESERVE = "gantry.db-reserve";

/** Bytes that a tree takes on the disk. */
async function used(folder: string): Promise<number> {
  const { success, stdout, stderr } = await new Deno.Command("du", {
    args: ["-s", "-B1", `--exclude=${RESERVE}`, folder],
  }).output();
  const text = new TextDecoder().decode(stdout);
  // On some file systems folders take nothing.
  assert(success && /^[0-9]+\t/.test(text), `du of "${folder}": ${text}${new TextDecoder().decode(stderr)}`);
  return Number(text.split("\t")[0]);
}

const MiB = 1024 * 1024;

Deno.test("sparse files of a container: a commit is refused or keeps their holes, a volume keeps them", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", image);
  const root = `${server.folder}/root`;
  const sparse = (path: string, size: string) => `dd if=/dev/zero of=${path} bs=1 count=0 seek=${size}`;

  await t.step("a commit of more than there is room for is refused at once, and leaves nothing", async () => {
    await podman("run", "--name", "huge", "--network=none", image, "sh", "-c", sparse("/huge", "4398046511104"));
    const before = await used(root);
    const refused = await server.podman("commit", "huge", "filled");
    assert(refused.code !== 0, refused.stdout);
    assertStringIncludes(refused.stderr, "no space left on device");
    assertEquals((await server.request("POST", "/commit?container=huge&repo=filled")).status, 500);
    assertEquals((await server.podman("image", "exists", "filled")).code, 1);
    const rise = await used(root) - before;
    assert(rise < MiB, `nothing of it is left, but for ${rise} bytes`);
    assertEquals([...Deno.readDirSync(`${root}/layers/partial`)], []);
    await podman("rm", "huge");
  });

  await t.step("a commit's blob has the holes", async () => {
    await podman("run", "--name", "some", "--network=none", image, "sh", "-c", sparse("/some", "268435456"));
    const before = await used(`${root}/blobs`);
    await podman("commit", "-q", "some", "kept");
    const rise = await used(`${root}/blobs`) - before;
    assert(rise < 8 * MiB, `the blobs grew by ${rise} bytes`);
    const size = await podman("run", "--rm", "--network=none", "kept", "stat", "-c", "%s", "/some");
    assertEquals(size, "268435456\n");
  });

  await t.step("a volume is filled with holes where the image has zeros", async () => {
    const before = await used(`${root}/volumes`);
    await podman(
      "run",
      "--name",
      "make",
      "--network=none",
      image,
      "sh",
      "-c",
      `mkdir /data; ${sparse("/data/some", "268435456")}`,
    );
    await podman("commit", "-q", "make", "withdata");
    await podman("run", "--name", "filled", "--network=none", "-v=/data", "withdata", "stat", "-c", "%s", "/data/some");
    assertEquals(await podman("logs", "filled"), "268435456\n");
    const rise = await used(`${root}/volumes`) - before;
    assert(rise < 8 * MiB, `the volumes grew by ${rise} bytes`);
  });
});
