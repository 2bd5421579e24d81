/**
 * Limits of volumes and containers on file systems with project quotas, which only the kernel of the virtual machine of
 * `deno task test:vm` has.
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { ok, run, runOk } from "../fixtures/run.ts";
import { Session } from "../fixtures/session.ts";

/** Kibibytes of a limit of 10 MB: files have blocks of four. */
const VOLUME_BLOCKS = 9764;
const WRITE = "dd if=/dev/zero of=$FILE bs=1M count=20 2>&1; wc -c < $FILE";

for (const kind of ["ext4", "xfs"]) {
  Deno.test(`on ${kind} with project quotas a volume and a container hold what their limits say, and no more`, async () => {
    await using place = await limitedDisk(kind);
    await using session = await Session.start({ folder: `${place.folder}/engine` });
    const { server, image } = session;
    const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
    await podman("pull", "-q", image);
    const box = ["run", "--rm", "--network=none"];

    await podman("volume", "create", "--opt", "o=size=10m", "data");
    assertEquals((await podman("volume", "inspect", "--format", "{{.Options.SIZE}}", "data")).trim(), "10m");
    const inVolume = [...box, "-v", "data:/data", "-e", "FILE=/data/file"];
    const [blocks] = (await podman(...inVolume, image, "sh", "-c", "df -k /data | tail -n 1 | awk '{ print $2 }'"))
      .split("\n");
    assertEquals(Number(blocks), VOLUME_BLOCKS);
    const overfill = async () => {
      const text = await podman(...inVolume, image, "sh", "-c", WRITE);
      assertMatch(text, /No space left on device|[Qq]uota exceeded/);
      const size = Number(text.trim().split("\n").at(-1));
      assert(size > 8_000_000 && size <= 10_000_000, `${size} bytes are written of the 10 MB`);
    };
    await overfill();

    // The limit stays over a crash, and comes back where the folder was copied without its project.
    await server.crash();
    await overfill();
    await server.stop();
    const volumes = `${server.folder}/root/volumes`;
    await runOk(["sh", "-c", `cp -a ${volumes} ${volumes}.new && rm -rf ${volumes} && mv ${volumes}.new ${volumes}`]);
    await server.launch();
    await overfill();

    // The limit holds for the engine's own writes as well.
    await runOk(["sh", "-c", `cd ${server.folder} && dd if=/dev/urandom of=big bs=1M count=20 && tar -cf big.tar big`]);
    const imported = await server.podman("volume", "import", "data", `${server.folder}/big.tar`);
    assert(imported.code !== 0, "an archive that is too large is refused");
    const used = (await runOk(["du", "-sk", `${volumes}/data`])).split("\t")[0];
    assert(Number(used) <= VOLUME_BLOCKS, `${used} KiB are in the volume`);

    await podman("volume", "rm", "data");
    await podman("volume", "create", "--opt", "o=inodes=5", "few");
    const files = await podman(
      ...box,
      "-v",
      "few:/few",
      image,
      "sh",
      "-c",
      "touch /few/1 /few/2 /few/3 /few/4 /few/5; ls /few",
    );
    const count = files.trim().split("\n").length;
    assert(count > 0 && count < 5, `${count} files of the 5, of which the folder takes its own`);

    // Podman's client takes the option for one of its own storage.
    const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
    const written = await docker(...box, "--storage-opt=size=8m", "-e", "FILE=/file", image, "sh", "-c", WRITE);
    assertMatch(written, /No space left on device|[Qq]uota exceeded/);
    assert(Number(written.trim().split("\n").at(-1)) <= 8 * 1024 * 1024, written);
    const free = await docker(...box, "-e", "FILE=/file", image, "sh", "-c", WRITE);
    assertEquals(free.trim().split("\n").at(-1), String(20 * 1024 * 1024));
  });
}

Deno.test("without quotas in force a limit is refused by name", async () => {
  await using session = await Session.start();
  const { server, image } = session;
  ok(await server.podman("pull", "-q", image), "pull");
  const volume = await server.podman("volume", "create", "--opt", "o=size=10m", "data");
  assertMatch(volume.stderr, /volume options size and inodes are not supported: .*quota/);
  const box = await server.docker("create", "--storage-opt=size=8m", image, "true");
  assertMatch(box.stderr, /StorageOpt.* is not supported here: .*quota/);
});

/** Mounts a new file system with project quotas, until it is disposed. */
async function limitedDisk(kind: string): Promise<AsyncDisposable & { folder: string }> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-quota-" });
  const [disk, place] = [`${folder}/disk`, `${folder}/mounted`];
  await Deno.mkdir(place);
  await runOk(["truncate", "--size=400M", disk]);
  await runOk(kind === "ext4" ? ["mkfs.ext4", "-q", "-O", "quota,project", disk] : ["mkfs.xfs", "-q", disk]);
  await runOk(["mount", "-o", "loop,prjquota", disk, place]);
  await Deno.mkdir(`${place}/engine`);
  return {
    folder: place,
    async [Symbol.asyncDispose]() {
      await run(["umount", "--lazy", place]);
      await Deno.remove(folder, { recursive: true });
    },
  };
}
