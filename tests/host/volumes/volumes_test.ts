/** Volumes as users have them: made, listed, filled, carried elsewhere and removed, by podman, docker and the API. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ok, runOk } from "../../fixtures/run.ts";
import { Server } from "../../fixtures/server.ts";
import { Session } from "../../fixtures/session.ts";

const TAR = { "content-type": "application/x-tar" };

Deno.test("podman and docker make, list, inspect, prune and remove volumes", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  await podman("pull", image);

  await t.step("podman volume create, ls, inspect, exists, rm", async () => {
    assertEquals(await podman("volume", "create", "--label", "team=a", "--opt", "o=uid=1000,gid=1001", "one"), "one\n");
    const twice = await server.podman("volume", "create", "one");
    assertStringIncludes(twice.stderr, "volume already exists");
    assertEquals(await podman("volume", "ls", "-q", "--filter", "label=team"), "one\n");
    const [one] = JSON.parse(await podman("volume", "inspect", "one"));
    assertEquals([one.Labels, one.UID, one.GID], [{ team: "a" }, 1000, 1001]);
    const owner = await podman("run", "--rm", "--network=none", "-v=one:/data", image, "stat", "-c", "%u:%g", "/data");
    assertEquals(owner, "1000:1001\n");
    await podman("create", "--name", "user", "--network=none", "-v=one:/data", image, "true");
    const used = await server.podman("volume", "rm", "one");
    assertStringIncludes(used.stderr, "volume is being used");
    await podman("volume", "rm", "-f", "one");
    assertEquals((await server.podman("container", "exists", "user")).code, 1);
    assertEquals((await server.podman("volume", "exists", "one")).code, 1);
  });

  await t.step("docker volume create, ls, inspect, prune, rm; a container's own goes with it", async () => {
    assertEquals(await docker("volume", "create", "--label", "team=b", "two"), "two\n");
    assertEquals(await docker("volume", "create", "two"), "two\n");
    assertEquals(await docker("volume", "ls", "--format", "{{.Driver}} {{.Name}}"), "local two\n");
    const [two] = JSON.parse(await docker("volume", "inspect", "two"));
    assertEquals([two.Name, two.Scope, two.Labels], ["two", "local", { team: "b" }]);
    const made = (await docker("volume", "create")).trim();
    assertMatch(made, /^[0-9a-f]{64}$/);
    assertStringIncludes(await docker("volume", "prune", "-f"), made);
    assertEquals(await docker("volume", "ls", "-q"), "two\n");
    await docker("run", "--rm", "--network=none", "-v", "/own", "-v", "two:/kept", image, "touch", "/own/x", "/kept/y");
    assertEquals(await docker("volume", "ls", "-q"), "two\n", "the one without a name went with its container");
    assertStringIncludes(await docker("volume", "prune", "-f", "-a"), "two");
    assertEquals(await docker("volume", "ls", "-q"), "");
    const gone = await server.docker("volume", "rm", "two");
    assertStringIncludes(gone.stderr, "no such volume");
    await docker("volume", "rm", "-f", "two");
  });
});

Deno.test("a volume that the image has nothing for is given to the user of the container that has it first", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", "-q", image);
  const run = ["run", "--rm", "--network=none"];
  const owner = ["stat", "-c", "%u:%g"];
  assertEquals(await podman(...run, "-u=888:999", "-v=fresh:/fresh", image, ...owner, "/fresh"), "888:999\n");
  assertEquals(await podman(...run, "-u=777", "-v=fresh:/fresh", image, ...owner, "/fresh"), "888:999\n");
  assertEquals(await podman(...run, "-v=roots:/fresh", image, ...owner, "/fresh"), "0:0\n");
  assertEquals(await podman(...run, "-u=888", "-v=images:/etc", image, ...owner, "/etc"), "0:0\n");
  await podman("volume", "create", "--opt=o=uid=5,gid=6", "asked");
  assertEquals(await podman(...run, "-u=888", "-v=asked:/fresh", image, ...owner, "/fresh"), "5:6\n");
  await t.step("by the container's own IDs", async () => {
    await Deno.chmod(server.folder, 0o711);
    const mapped = [...run, "--uidmap=0:100000:5000", "-u=888:999", "-v=mapped:/fresh"];
    assertEquals(await podman(...mapped, image, ...owner, "/fresh"), "888:999\n");
  });
  ok(await server.docker(...run, "-u=888", "-v=written:/fresh", image, "touch", "/fresh/x"), "docker run");
  // A user that the image does not know fails as it does without a volume.
  const nobody = await server.podman(...run, "-u=nosuchuser", "-v=none:/fresh", image, "true");
  assertStringIncludes(nobody.stderr, "unable to find user nosuchuser");
});

Deno.test("a volume of an image begins with its files, and is the user's from then on", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", "-q", image);
  const create = ["volume", "create", "--driver=image"];
  await podman(...create, "--opt", `image=${image}`, "tools");
  const run = ["run", "--rm", "--network=none", "-v=tools:/tools", image, "sh", "-c"];
  assertEquals(await podman(...run, "/tools/bin/busybox echo runs; touch /tools/mine; test ! -e /mine"), "runs\n");
  await podman(...run, "test -e /tools/mine");
  const [shown] = JSON.parse(await podman("volume", "inspect", "tools"));
  assertEquals([shown.Driver, shown.Options], ["image", { image }]);
  assertEquals(await podman("volume", "ls", "-q", "--filter", "driver=image"), "tools\n");
  const left = (await Array.fromAsync(Deno.readDir(`${server.folder}/root/containers`))).length;
  assertEquals(left, 0, "no tree is left that nobody runs");
  const rows: [args: string[], text: string][] = [
    [[], "must provide an image name when creating a volume with the image driver: invalid argument"],
    [["--opt", "size=1g"], "invalid mount option size for driver 'image': invalid argument"],
    [["--opt", "image=localhost/none"], "localhost/none: image not known"],
  ];
  for (const [args, text] of rows) assertStringIncludes((await server.podman(...create, ...args)).stderr, text);
  const plugin = await server.podman("volume", "create", "--driver=nfs", "x");
  assertStringIncludes(
    plugin.stderr,
    "volume plugin nfs but it could not be retrieved: no volume plugin with name nfs",
  );
  await podman("volume", "rm", "tools");
});

Deno.test("a volume's device is mounted for its containers and its transfers, and for nobody else", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", image);
  const folder = `${server.folder}/root/volumes`;
  const mounted = async () => {
    const table = await Deno.readTextFile("/proc/self/mountinfo");
    return table.split("\n").filter((line) => line.includes(`${folder}/`)).length;
  };

  await t.step("tmpfs: with its options, shared by those who run, new for the next", async () => {
    await podman("volume", "create", "--opt", "type=tmpfs", "--opt", "device=tmpfs", "--opt", "o=size=2m,nodev", "t");
    const run = ["run", "-d", "--network=none", "-v=t:/data", image];
    await podman(...run.toSpliced(1, 0, "--name=first"), "sh", "-c", "echo here > /data/x; sleep 900");
    await podman(...run.toSpliced(1, 0, "--name=second"), "sleep", "900");
    assertEquals(await mounted(), 1);
    assertEquals(JSON.parse(await podman("volume", "inspect", "t"))[0].MountCount, 2);
    const table = await podman("exec", "second", "grep", " /data ", "/proc/mounts");
    assertMatch(table, /tmpfs \/data tmpfs rw,.*nodev,.*size=2048k/);
    assertEquals(await podman("exec", "second", "cat", "/data/x"), "here\n");
    await podman("stop", "-t", "0", "first");
    assertEquals(await podman("exec", "second", "cat", "/data/x"), "here\n", "the other keeps it");
    await server.stop("SIGKILL");
    await server.launch();
    assertEquals(await podman("exec", "second", "cat", "/data/x"), "here\n");
    assertEquals(
      JSON.parse(await podman("volume", "inspect", "t"))[0].MountCount,
      1,
      "also after the server was killed",
    );
    await podman("rm", "-f", "-t", "0", "first", "second");
    assertEquals(await mounted(), 0);
    await podman("volume", "rm", "t");
  });

  await t.step("a folder of the host: shown, exported, and left alone by the removal", async () => {
    const shown = `${server.folder}/shown`;
    await Deno.mkdir(shown);
    await Deno.writeTextFile(`${shown}/precious`, "here");
    await podman("volume", "create", "--opt", "type=none", "--opt", "o=bind", "--opt", `device=${shown}`, "bound");
    assertEquals(
      await podman("run", "--rm", "--network=none", "-v=bound:/data", image, "cat", "/data/precious"),
      "here",
    );
    const exported = await server.request("GET", "/libpod/volumes/bound/export");
    await Deno.writeFile(`${server.folder}/bound.tar`, new Uint8Array(await exported.arrayBuffer()));
    assertStringIncludes(await runOk(["tar", "-tf", `${server.folder}/bound.tar`]), "precious");
    assertEquals(await mounted(), 0);
    await podman("volume", "rm", "bound");
    assertEquals(await Deno.readTextFile(`${shown}/precious`), "here");
    const absent = await server.podman("volume", "create", "--opt", "type=bind", "--opt", "device=/no/such", "bad");
    assertStringIncludes(absent.stderr, "/no/such: no such file or directory");
  });

  await t.step("a device that cannot be mounted fails the start with the reason, and leaves nothing", async () => {
    await podman("volume", "create", "--opt", "type=nosuchfs", "--opt", "device=/dev/null", "broken");
    const failed = await server.podman("run", "--name=f", "--network=none", "-v=broken:/data", image, "true");
    assertStringIncludes(failed.stderr, "mounting volume broken");
    // The words of mount(8), older and newer.
    assertMatch(failed.stderr, /not a block device|Can't lookup blockdev/);
    await podman("rm", "f");
    await podman("volume", "rm", "broken");
    assertEquals(await mounted(), 0);
  });
});

Deno.test("a volume is carried from one to another as a tar: owners, modes, links and holes stay, and archives stay inside", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", image);
  const tar = `${server.folder}/a.tar`;

  await t.step("export and import", async () => {
    const script =
      "cd /data; mkdir d; echo x > d/f; chown 5:6 d/f; chmod 4751 d/f; ln d/f hard; ln -s /etc/passwd soft";
    await podman("run", "--rm", "--network=none", "-v=from:/data", image, "sh", "-c", script);
    const exported = await server.request("GET", "/libpod/volumes/from/export");
    assertEquals(exported.headers.get("content-type"), "application/x-tar");
    await Deno.writeFile(tar, new Uint8Array(await exported.arrayBuffer()));
    await podman("volume", "create", "to");
    const imported = await server.request("POST", "/libpod/volumes/to/import", {
      raw: await Deno.readFile(tar),
      headers: TAR,
    });
    assertEquals([imported.status, await imported.text()], [204, ""]);
    const look = "cd /data; stat -c '%n %u:%g %a %h' d/f hard; readlink soft";
    const seen = await podman("run", "--rm", "--network=none", "-v=to:/data", image, "sh", "-c", look);
    assertEquals(seen, "d/f 5:6 4751 2\nhard 5:6 4751 2\n/etc/passwd\n");
  });

  await t.step("a compressed archive, over what is there", async () => {
    await runOk(["sh", "-c", `mkdir -p more && echo new > more/new && tar -czf a.tgz -C more .`], {
      cwd: server.folder,
    });
    const body = await Deno.readFile(`${server.folder}/a.tgz`);
    assertEquals((await server.request("POST", "/libpod/volumes/to/import", { raw: body, headers: TAR })).status, 204);
    const seen = await podman("run", "--rm", "--network=none", "-v=to:/data", image, "ls", "/data");
    assertEquals(seen, "d\nhard\nnew\nsoft\n");
  });

  await t.step("what leads out of the volume is refused or stays inside", async () => {
    const precious = `${server.folder}/precious`;
    await Deno.writeTextFile(precious, "here");
    await podman("volume", "create", "bad");
    const out = `${server.folder}/out`;
    await Deno.mkdir(out);
    await Deno.symlink(server.folder, `${out}/way`);
    await runOk([
      "sh",
      "-c",
      `tar -cf bad.tar way && rm way && mkdir way && echo gone > way/precious && tar -rf bad.tar way/precious`,
    ], { cwd: out });
    const answer = await server.request("POST", "/libpod/volumes/bad/import", {
      raw: await Deno.readFile(`${out}/bad.tar`),
      headers: TAR,
    });
    await answer.body?.cancel();
    assertEquals(await Deno.readTextFile(precious), "here");
    const garbage = await server.request("POST", "/libpod/volumes/bad/import", {
      raw: new TextEncoder().encode("no tar at all".repeat(99)),
      headers: TAR,
    });
    assertEquals(garbage.status, 400);
    assertStringIncludes((await garbage.json()).message, "reading tar stream");
    assert(
      (await server.request("POST", "/libpod/volumes/none/import", { raw: new Uint8Array(1024), headers: TAR }))
        .status === 404,
    );
  });
});

Deno.test("a root that was copied elsewhere brings its volumes, containers and logs along", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", "-q", image);
  await podman("run", "--name=writer", "--network=none", "-v=kept:/d", image, "sh", "-c", "echo said; echo hi > /d/x");
  await server.stop();
  const folder = await Deno.makeTempDir({ prefix: "gantry-moved-" });
  await Deno.chmod(folder, 0o755);
  await runOk(["mv", `${server.folder}/root`, `${folder}/root`]);
  // The old place has another volume of the name, which must not be taken for the copy.
  await Deno.mkdir(`${server.folder}/root/volumes/kept/_data`, { recursive: true });
  try {
    await using moved = await Server.start({ folder });
    const ask = async (...args: string[]) => ok(await moved.podman(...args), args.join(" "));
    assertEquals(
      await ask("volume", "inspect", "kept", "--format", "{{.Mountpoint}}"),
      `${folder}/root/volumes/kept/_data\n`,
    );
    const tar = await moved.request("GET", "/libpod/volumes/kept/export");
    await Deno.writeFile(`${folder}/kept.tar`, tar.body!);
    assertEquals(await runOk(["tar", "-xOf", `${folder}/kept.tar`, "x"]), "hi\n");
    assertEquals(await ask("logs", "writer"), "said\n");
    await ask("start", "-a", "writer");
    assertEquals(await ask("logs", "writer"), "said\nsaid\n");
    await ask("rm", "-v", "writer");
  } finally {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
});
