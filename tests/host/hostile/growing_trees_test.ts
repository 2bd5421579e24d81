/** Containers that make their trees deep, and roots with anything in them: the server removes both, answers and comes up. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ok, run, runOk } from "../../fixtures/run.ts";
import { Server } from "../../fixtures/server.ts";
import { Session, until } from "../../fixtures/session.ts";

/** Deeper than the stack of a recursive removal reaches. What is there is moved to the end of 500 new folders, again and again. */
const DEEP = [
  "p=n; i=0; while [ $i -lt 500 ]; do p=$p/d; i=$((i+1)); done; mkdir d",
  "j=0; while [ $j -lt 22 ]; do mkdir -p $p && mv d $p/ && mv n/d . && rmdir n || exit 3; j=$((j+1)); done",
].join("; ");

/** A deep tree on this machine, made by a program, as a container would have left it. */
async function makeDeep(folder: string, depth: number): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  await runOk(["perl", "-e", "for (1..$ARGV[0]) { mkdir 'd' or die $!; chdir 'd' or die $! }", String(depth)], {
    cwd: folder,
  });
}

const namesIn = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name);

Deno.test("a container with 11,000 nested folders is removed, started again with changes of its own, and nothing is left", async (t) => {
  await using session = await Session.start();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", image);
  const pid = server.pid;

  await t.step("in its own tree", async () => {
    const id = (await podman("run", "-d", "--network=none", image, "sh", "-c", DEEP)).trim();
    assertEquals(await podman("wait", id), "0\n");
    const size = JSON.parse(await podman("inspect", "--size", id))[0].SizeRw;
    assert(size >= 0, `${size}`);
    await podman("rm", id);
    assertEquals(namesIn(`${server.folder}/root/containers`), []);
    assertEquals(namesIn(`${server.folder}/root/layers/partial`), []);
  });

  await t.step("in what it changes of a folder of the host, which begins anew with the next start", async () => {
    const source = `${server.folder}/shown`;
    await Deno.mkdir(source);
    const once = `[ -e /first ] || { touch /first; cd /data; ${DEEP}; }`;
    await podman("create", "--name", "again", "--network=none", `-v=${source}:/data:O`, image, "sh", "-c", once);
    for (let life = 0; life < 2; life++) {
      await podman("start", "again");
      assertEquals(await podman("wait", "again"), "0\n");
    }
    await podman("rm", "again");
    assertEquals(namesIn(`${server.folder}/root/containers`), []);
  });

  await t.step("in a volume of its own", async () => {
    await podman("create", "--name", "own", "--network=none", "-v=/data", image, "true");
    const [volume] = namesIn(`${server.folder}/root/volumes`);
    await makeDeep(`${server.folder}/root/volumes/${volume}/_data`, 11_000);
    await podman("rm", "-v", "own");
    assertEquals(namesIn(`${server.folder}/root/volumes`), []);
  });
  assertEquals(await podman("ps", "-aq"), "");
  assertEquals(server.pid, pid, "it is the same process all along");
});

Deno.test("what a container marked as immutable, or mounted into its volume, goes with it", async (t) => {
  await using session = await Session.start();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", image);
  const { folder } = server;

  await t.step("immutable and append-only files and folders", async () => {
    const id = (await podman("run", "-d", "--network=none", "-v=/data", image, "sleep", "900")).trim();
    const [volume] = namesIn(`${folder}/root/volumes`);
    // As with CAP_LINUX_IMMUTABLE; this image has no program for it.
    const upper = `${folder}/root/containers/${id}/upper`;
    const data = `${folder}/root/volumes/${volume}/_data`;
    for (const place of [upper, data]) {
      await runOk([
        "sh",
        "-c",
        "mkdir -p a/b && echo x > a/b/c && echo y > a/d && chattr +i a/b/c a/b && chattr +a a/d a",
      ], {
        cwd: place,
      });
    }
    await podman("rm", "-f", "-v", "-t", "0", id);
    assertEquals(namesIn(`${folder}/root/layers/partial`), []);
    assertEquals(namesIn(`${folder}/root/volumes`), []);
  });

  await t.step("a mount of this very device in a shared volume: what it shows stays", async () => {
    await podman("create", "--name", "shares", "--network=none", "-v=/data", image, "true");
    const [volume] = namesIn(`${folder}/root/volumes`);
    const data = `${folder}/root/volumes/${volume}/_data`;
    const precious = `${folder}/precious`;
    await Deno.mkdir(precious);
    await Deno.writeTextFile(`${precious}/file`, "here");
    await Deno.mkdir(`${data}/x`);
    // What a privileged container leaves there with `mount`, seen by this machine as the volume is shared.
    await runOk(["mount", "--bind", precious, `${data}/x`]);
    await podman("rm", "-v", "shares");
    assertEquals(namesIn(`${folder}/root/volumes`), []);
    assertEquals(await Deno.readTextFile(`${precious}/file`), "here");
  });
});

Deno.test("the server comes up whatever lies in its root, answers before it is swept, and sweeps", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-host-" });
  const first = await Server.start({ folder });
  await first.stop();
  const [root, runroot] = [`${folder}/root`, `${folder}/run`];
  const deep = [`${root}/layers/partial/deep`, `${root}/volumes/.removed-deep`, `${root}/imports/deep`];
  for (const place of deep) await makeDeep(place, 500);
  await makeDeep(`${root}/containers/${"a".repeat(64)}/upper`, 12_000);
  const fixed: string[] = [];
  const skipped = new Set([
    "blobs",
    "gantry.db",
    "gantry.db-wal",
    "gantry.db-shm",
    "gantry.db-reserve",
    "root",
    "nursery",
  ]);
  const places = [root, runroot, `${root}/blobs/sha256`, `${root}/blobs/staged`, `${root}/layers/links`];
  for (const base of [root, runroot]) {
    for (const { name, isDirectory } of Deno.readDirSync(base)) {
      if (isDirectory && !skipped.has(name)) places.push(`${base}/${name}`);
    }
  }
  for (const place of places) {
    await Deno.writeTextFile(`${place}/a file\nof no use \x1b[31m`, "x");
    await Deno.writeTextFile(`${place}/${"b".repeat(64)}`, "a file where a folder should be");
    await Deno.mkdir(`${place}/ö${"x".repeat(200)}`);
    await Deno.mkdir(`${place}/mapped-1/0/inner`, { recursive: true });
    await Deno.mkdir(`${place}/${"c".repeat(64)}/hosts`, { recursive: true });
    await Deno.symlink("/nowhere", `${place}/${"d".repeat(64)}`);
    await runOk(["mkfifo", `${place}/${"e".repeat(64)}`]);
    // A file of terabytes, and pipes, where a text of the server's is looked for.
    await Deno.mkdir(`${place}/${"f".repeat(64)}`);
    await runOk(["truncate", "-s", "3T", `${place}/${"f".repeat(64)}/facts.json`]);
    await Deno.mkdir(`${place}/${"9".repeat(64)}`);
    for (const name of ["facts.json", "pid", "log"]) await runOk(["mkfifo", `${place}/${"9".repeat(64)}/${name}`]);
    const immutable = `${place}/immutable`;
    await Deno.writeTextFile(immutable, "");
    if ((await run(["chattr", "+i", immutable])).code === 0) fixed.push(immutable);
  }
  const mounted = `${root}/layers/partial/mounted`;
  await Deno.mkdir(mounted);
  await runOk(["mount", "-t", "tmpfs", "tmpfs", mounted]);
  const imports = namesIn(`${root}/imports`).length;
  assert(imports > 0);
  try {
    await using server = await Server.start({ folder });
    assertEquals(await (await server.request("GET", "/_ping")).text(), "OK");
    assertEquals(ok(await server.podman("ps", "-aq")), "");
    await until(() => {
      for (const place of ["layers/partial", "imports"]) assertEquals(namesIn(`${root}/${place}`), [], place);
      assert(!namesIn(`${root}/volumes`).includes(".removed-deep"));
      assert(!namesIn(`${root}/containers`).includes("a".repeat(64)));
      return Promise.resolve();
    }, 120_000);
    assertEquals(await (await server.request("GET", "/_ping")).text(), "OK");
    assertStringIncludes(ok(await server.podman("info")), "overlay");
    await server.stop();
  } finally {
    await run(["umount", "-l", mounted]);
    for (const file of fixed) await run(["chattr", "-i", file]);
    await run(["rm", "-rf", folder], { timeout: 300_000 });
  }
});
