/** Files into and out of containers by the real clients, and what changed in them. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ok, run } from "../fixtures/run.ts";
import { buildTar } from "../fixtures/tar_builder.ts";
import { Session } from "./session.ts";
import { traces } from "./traces.ts";

const long = Deno.env.get("GANTRY_TEST_LONG") === "1";

/** A session with a running container `up`, a stopped one `down`, and a folder of files to copy. */
async function start() {
  const session = await Session.start();
  const { server, image } = session;
  ok(await server.podman("pull", image));
  const options = (volume: string) => ["--network=none", "-v", `${volume}:/volume`, "--tmpfs", "/scratch"];
  ok(await server.podman("run", "-d", "--name", "up", ...options("one"), image, "sleep", "1000"));
  ok(await server.podman("create", "--name", "down", ...options("two"), image, "sleep", "1000"));
  const files = `${server.folder}/files`;
  await Deno.mkdir(`${files}/tree/sub`, { recursive: true });
  await Deno.writeTextFile(`${files}/plain`, "plain");
  await Deno.writeTextFile(`${files}/tree/a`, "a");
  await Deno.writeTextFile(`${files}/tree/sub/b`, "b");
  await Deno.symlink("a", `${files}/tree/link`);
  return { session, server, image, files };
}

const CLIENTS = { podman: "podman", docker: "docker" } as const;

Deno.test("podman cp and docker cp carry files and folders both ways, running or not", async (t) => {
  const { session, server, image, files } = await start();
  await using _session = session;
  const exec = async (...command: string[]) => ok(await server.podman("exec", "up", ...command));
  for (const client of Object.values(CLIENTS)) {
    const cp = async (...args: string[]) => ok(await server[client]("cp", ...args), `${client} cp ${args.join(" ")}`);
    for (const name of ["up", "down"]) {
      await t.step(`${client}, ${name}`, async () => {
        const out = `${server.folder}/out-${client}-${name}`;
        const at = (path: string) => `${name}:/${client}${path}`;
        await cp(`${files}/tree/.`, at(""));
        await cp(`${files}/plain`, at("/"));
        await cp(`${files}/plain`, at("/renamed"));
        await cp(`${files}/plain`, at("/a"));
        await cp(`${files}/tree`, at("/sub"));
        await cp(`${files}/tree`, `${name}:/volume/${client}`);
        await cp(at(""), out);
        const found = await run(["sh", "-c", "cd $1 && find . | sort && cat a renamed link sub/tree/a", "sh", out]);
        assertEquals(
          found.stdout,
          "./a\n./link\n./plain\n./renamed\n./sub\n./sub/b\n./sub/tree\n./sub/tree/a\n./sub/tree/link\n./sub/tree/sub\n./sub/tree/sub/b\n."
            .replace(/^(.*)\n\.$/s, ".\n$1\n") + "plainplainplaina",
        );
        await cp(`${name}:/volume/${client}/sub/b`, `${out}-b`);
        assertEquals(await Deno.readTextFile(`${out}-b`), "b");
        await cp(at("/sub/."), `${out}-sub`);
        assertEquals(await Deno.readTextFile(`${out}-sub/b`), "b");
        if (client === "podman") {
          const missing = await server.podman("cp", `${files}/plain`, `${name}:/not/there/x`);
          assert(missing.code !== 0);
          assertStringIncludes(missing.stderr, "no such file or directory");
        }
        assert((await server[client]("cp", `${name}:/not/there`, out)).code !== 0);
        const onto = await server[client]("cp", `${files}/tree`, at("/plain"));
        assert(onto.code !== 0, "a folder never replaces a file");
      });
    }
  }
  await t.step("docker cp -L follows a link, without it the link is what is copied", async () => {
    for (const name of ["up", "down"]) {
      ok(await server.docker("cp", "-L", `${name}:/docker/link`, `${server.folder}/followed-${name}`));
      assertEquals(await Deno.readTextFile(`${server.folder}/followed-${name}`), "plain");
    }
  });
  await t.step("a mount that is read-only stays as it is", async () => {
    const options = ["--name", "closed", "--network=none", "-v", `${files}:/files:ro`];
    ok(await server.podman("create", ...options, image, "sleep", "1000"));
    for (const why of ["is mounted read-only", "read-only file system"]) {
      const refused = await server.docker("cp", `${files}/plain`, "closed:/files/new");
      assert(refused.code !== 0);
      assertStringIncludes(refused.stderr, why);
      await server.podman("start", "closed");
    }
  });
  await t.step("a running container's tmpfs and volumes are seen", async () => {
    ok(await server.podman("cp", `${files}/plain`, "up:/scratch/x"));
    assertEquals(await exec("cat", "/scratch/x"), "plain");
    assertEquals(await exec("cat", "/volume/docker/sub/b"), "b");
  });
  await t.step("- is a tar archive", async () => {
    const tar = buildTar([{ type: "file", path: "piped", content: "piped", uid: 12, gid: 13 }]);
    const options = { stdin: tar };
    ok(await server.podmanAt(server.addresses[0], ["cp", "-a=false", "-", "up:/tmp"], options));
    assertEquals(await exec("stat", "-c", "%u:%g", "/tmp/piped"), "12:13\n");
    ok(await run(["docker", "-H", server.addresses[0], "cp", "-", "down:/tmp"], options));
    const listing = await run(["sh", "-c", "docker -H $0 cp down:/tmp - | tar t", server.addresses[0]]);
    assertEquals(listing.stdout, "tmp/\ntmp/piped\n");
  });
  await t.step("nothing stays mounted for a container that does not run", async () => {
    const id = (await server.podman("inspect", "--format", "{{.Id}}", "down")).stdout.trim();
    const mounts = (await Deno.readTextFile("/proc/self/mountinfo")).split("\n").filter((line) => line.includes(id));
    assertEquals(mounts, []);
  });
});

Deno.test("files keep their owners in a container with users of its own", async () => {
  const { session, server, image, files } = await start();
  await using _session = session;
  await Deno.chmod(server.folder, 0o711);
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const maps = ["--network=none", "--uidmap", "0:100000:65536", "-v", "/volume"];
  await podman("create", "--name", "later", ...maps, image, "sleep", "1000");
  await podman("run", "-d", "--name", "now", ...maps, image, "sleep", "1000");
  const tar = buildTar([{ type: "file", path: "piped", content: "piped", uid: 12, gid: 13 }]);
  for (const name of ["later", "now"]) {
    await podman("cp", `${files}/plain`, `${name}:/etc/plain`);
    await podman("cp", `${files}/plain`, `${name}:/volume/plain`);
    const piped = ["cp", "-a=false", "-", `${name}:/tmp`];
    ok(await server.podmanAt(server.addresses[0], piped, { stdin: tar }));
  }
  await podman("start", "later");
  const show = ["stat", "-c", "%u:%g %n", "/etc", "/etc/plain", "/tmp/piped"];
  const shown = "0:0 /etc\n0:0 /etc/plain\n12:13 /tmp/piped\n";
  for (const name of ["later", "now"]) {
    assertEquals(await podman("exec", name, ...show), shown);
    assertEquals(await podman("exec", name, "stat", "-c", "%u", "/volume/plain"), "0\n");
    await podman("commit", "-q", name, `of-${name}`);
    assertEquals(await podman("run", "--rm", "--network=none", `of-${name}`, ...show), shown);
  }
  await podman("export", "-o", `${server.folder}/mapped.tar`, "now");
  const listing = await run(["tar", "--numeric-owner", "-tvf", `${server.folder}/mapped.tar`]);
  assert(/12\/13\s+5 .* tmp\/piped\n/.test(listing.stdout), listing.stdout);
});

Deno.test("a folder of the host as a root has files to copy, and no image to be compared with or made", async () => {
  const { session, server, files } = await start();
  await using _session = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("export", "-o", `${server.folder}/root.tar`, "up");
  const root = `${server.folder}/rootfs`;
  await Deno.mkdir(root);
  ok(await run(["tar", "-xf", `${server.folder}/root.tar`, "-C", root]));
  await podman("create", "--name", "exploded", "--network=none", "--rootfs", root, "sleep", "1000");
  for (const name of ["stopped", "running"]) {
    await podman("cp", `${files}/plain`, `exploded:/${name}`);
    assertEquals(await Deno.readTextFile(`${root}/${name}`), "plain");
    await podman("cp", `exploded:/${name}`, `${server.folder}/${name}`);
    await podman("export", "-o", `${server.folder}/${name}.tar`, "exploded");
    await podman("start", "exploded").catch(() => {});
  }
  const refused = await server.podman("commit", "exploded");
  assertStringIncludes(refused.stderr, "cannot commit a container that uses an exploded rootfs");
  assert((await server.podman("diff", "exploded")).code !== 0);
});

Deno.test("podman diff and docker diff tell what changed", async () => {
  const { session, server, image } = await start();
  await using _session = session;
  const script = "rm /layers/kept; echo new > /etc/new; mkdir -p /made/deep; echo x >> /opaque/upper";
  ok(await server.podman("run", "--name", "changed", "--network=none", image, "sh", "-c", script));
  const expected = [
    "C /etc",
    "A /etc/new",
    "C /layers",
    "D /layers/kept",
    "A /made",
    "A /made/deep",
    "C /opaque/upper",
  ];
  for (const client of Object.values(CLIENTS)) {
    const lines = ok(await server[client]("diff", "changed")).trim().split("\n");
    // Podman's client sorts what the mount points add.
    assertEquals(lines.filter((line) => expected.includes(line)).sort(), expected.toSorted());
    assert(!lines.some((line) => /\/(?:proc|sys|dev|etc\/hosts|run)$/.test(line)), lines.join());
  }
  const image1 =
    await (await server.request("GET", `/v4.0.0/libpod/containers/${encodeURIComponent(image)}/changes?diffType=image`))
      .json();
  assert(image1.some(({ Path, Kind }: { Path: string; Kind: number }) => Path === "/layers/gone" && Kind === 2));
  for (const command of [["image", "diff"], ["diff"]]) {
    assertStringIncludes(ok(await server.podman(...command, image)), "D /layers/gone\n");
  }
  const parent = (name: string) => `/v4.0.0/libpod/containers/changed/changes?parent=${encodeURIComponent(name)}`;
  const between: { Path: string; Kind: number }[] = await (await server.request("GET", parent("up"))).json();
  assert(between.some(({ Path, Kind }) => Path === "/layers/kept" && Kind === 2));
  assert((await server.request("GET", parent(image))).ok);
  assertStringIncludes((await (await server.request("GET", parent("nobody"))).json()).message, "nobody not found");
  const unknown = await server.request("GET", "/v4.0.0/libpod/containers/changed/changes?diffType=no");
  assertEquals([unknown.status, (await unknown.json()).message], [400, 'invalid diffType value "no"']);
});

Deno.test("podman export and docker export give the whole tree", async () => {
  const { session, server, files } = await start();
  await using _session = session;
  ok(await server.podman("exec", "up", "sh", "-c", "echo mine > /mine; chown 7:8 /mine"));
  ok(await server.podman("cp", `${files}/plain`, "down:/plain"));
  ok(await server.podman("export", "-o", `${server.folder}/up.tar`, "up"));
  ok(await server.docker("export", "-o", `${server.folder}/down.tar`, "down"));
  const list = async (name: string) =>
    (await run(["tar", "--numeric-owner", "-tvf", `${server.folder}/${name}.tar`])).stdout;
  const up = await list("up");
  assert(/7\/8\s+5 .* mine\n/.test(up), up);
  assertStringIncludes(up, "bin/busybox");
  assert(!up.includes("proc/1"), "nothing of what is mounted inside");
  assertStringIncludes(await list("down"), " plain\n");
});

Deno.test("mounts of trees are counted, outlast the engine, and go with the container", async () => {
  const { session, server } = await start();
  await using _session = session;
  const call = (method: string, path: string) => server.request(method, `/v4.0.0/libpod/containers/${path}`);
  const id = (await server.podman("inspect", "--format", "{{.Id}}", "down")).stdout.trim();
  const first = (await (await call("POST", "down/mount")).text()).trim();
  assertEquals((await (await call("POST", "down/mount")).text()).trim(), first);
  await Deno.writeTextFile(`${first}/outside`, "x");
  await server.crash();
  assertEquals((await (await call("GET", "showmounted")).json())[id], first);
  assertEquals((await call("POST", "down/unmount")).status, 204);
  ok(await server.podman("cp", "down:/outside", `${server.folder}/copy`));
  assertEquals(await Deno.readTextFile(`${first}/outside`), "x");
  assertEquals((await call("POST", "down/unmount")).status, 204);
  assertEquals([...Deno.readDirSync(first)], []);
  assertEquals((await (await call("GET", "showmounted")).json())[id], undefined);
  const running = await call("POST", "up/unmount");
  assertEquals(running.status, 500);
  assertStringIncludes((await running.json()).message, "as it is running or paused");
  // What runs is mounted, and a user's mount of it outlasts its end.
  const path = (await (await call("POST", "up/mount")).text()).trim();
  ok(await server.podman("stop", "-t", "0", "up"));
  assert((await Deno.stat(`${path}/bin`)).isDirectory);
  ok(await server.podman("rm", "up"));
  await call("POST", "down/mount");
  ok(await server.podman("rm", "-f", "down"));
  assertEquals(traces(server.folder, [id]).mounts, []);
});

Deno.test("a container that flips a link while files are copied leads nobody out of it", async () => {
  const { session, server, image } = await start();
  await using _session = session;
  const outside = `${server.folder}/outside`;
  await Deno.mkdir(outside);
  await Deno.writeTextFile(`${outside}/secret`, "secret");
  const flip = `mkdir -p /real; echo inner > /real/secret; while true; do
    ln -sfn ${outside} /way; ln -sfn /proc/1/root${outside} /way; rm /way; mkdir /way; echo inner > /way/secret; rm -r /way; done`;
  ok(await server.podman("run", "-d", "--name", "flips", "--pid=host", "--network=none", image, "sh", "-c", flip));
  // ASCII throughout.
  const pack = (path: string) => new TextDecoder().decode(buildTar([{ type: "file", path, content: "in" }]));
  const put = (path: string) => ({ raw: pack(path), headers: { "content-type": "application/x-tar" } });
  const base = "/v4.0.0/libpod/containers/flips/archive?path=";
  let read = 0;
  for (let round = 0; round < (long ? 1000 : 60); round++) {
    const [got] = await Promise.all([
      server.request("GET", `${base}/way/secret`),
      server.request("PUT", `${base}/way`, put("secret")),
      server.request("PUT", `${base}/`, put("way/secret")),
      server.request("GET", `${base}/way`).then((reply) => reply.text()).catch(() => ""),
    ]);
    const text = await got.text();
    if (got.status === 200) read++;
    assert(text.slice(512, 518) !== "secret", "the secret was read");
    assertEquals([...Deno.readDirSync(outside)].map(({ name }) => name), ["secret"]);
    assertEquals(await Deno.readTextFile(`${outside}/secret`), "secret");
  }
  assert(read >= 0);
});

Deno.test("SIGKILL of the server in the middle of a copy leaves nothing mounted", async () => {
  const { session, server } = await start();
  await using _session = session;
  const id = (await server.podman("inspect", "--format", "{{.Id}}", "down")).stdout.trim();
  const fill = `dd if=/dev/zero bs=1M count=200 2>/dev/null | (cd ${server.folder} && cat > big)`;
  await run(["sh", "-c", fill]);
  const copy = server.podman("cp", `${server.folder}/big`, "down:/big");
  await new Promise((resolve) => setTimeout(resolve, 150));
  await server.crash();
  await copy;
  assertEquals(traces(server.folder, [id]).mounts.filter((mount) => mount.includes(id)), []);
  ok(await server.podman("cp", `${server.folder}/big`, "down:/big"));
});

Deno.test("archives that are none are refused as the client's mistake", async () => {
  const { session, server } = await start();
  await using _session = session;
  const text = (tar: Uint8Array) => new TextDecoder().decode(tar);
  const bad = {
    "no tar": "x".repeat(2048),
    "half of one": text(buildTar([{ type: "file", path: "x", content: "y".repeat(5000) }])).slice(0, 2000),
    "a huge header": text(buildTar([{ type: "flag", path: "x", flag: "x", content: "y".repeat(2 ** 21) }])).slice(
      0,
      1024,
    ),
    "a link to nowhere": text(buildTar([{ type: "hardlink", path: "x", target: "not/there" }])),
  };
  for (const tree of ["/v4.0.0/libpod", "/v1.41"]) {
    for (const name of ["up", "down"]) {
      for (const [what, raw] of Object.entries(bad)) {
        const path = `${tree}/containers/${name}/archive?path=/tmp`;
        const reply = await server.request("PUT", path, { raw, headers: { "content-type": "application/x-tar" } });
        const { message, response } = await reply.json();
        assertEquals([reply.status, response], [400, 400], `${what}: ${message}`);
      }
      const path = `${tree}/containers/${name}/archive`;
      assertEquals((await server.request("GET", path)).status, 400);
      assertEquals((await server.request("GET", `${path}?path=/no/such`)).status, 404);
      assertEquals((await server.request("HEAD", `${path}?path=/etc/*`)).status, 404);
      const rename = await server.request("PUT", `${path}?path=/tmp&rename=[1]`, { raw: "" });
      assertEquals(rename.status, 400);
    }
    assertEquals((await server.request("PUT", `${tree}/containers/nobody/archive?path=/`, { raw: "" })).status, 404);
  }
});

Deno.test({
  name: "a gigabyte is copied both ways in memory that does not grow with it",
  ignore: !long,
  fn: async () => {
    const { session, server } = await start();
    await using _session = session;
    const peak = () => Number(/VmHWM:\s+(\d+)/.exec(Deno.readTextFileSync(`/proc/${server.pid}/status`))![1]) / 1024;
    const big = `${server.folder}/big`;
    ok(await run(["dd", "if=/dev/urandom", `of=${big}`, "bs=1M", "count=1024"]));
    const both = async (name: string) => {
      ok(await server.podman("cp", big, `${name}:/big`));
      ok(await server.docker("cp", `${name}:/big`, `${big}-${name}`));
      ok(await run(["cmp", big, `${big}-${name}`]));
    };
    // What the collector lets lie about at a gigabyte per second is reached soon, and is the same for any size.
    for (const name of ["down", "up", "up"]) await both(name);
    const first = peak();
    for (let round = 0; round < 3; round++) await both("up");
    assert(peak() - first < 100, `memory rose from ${first} to ${peak()} MiB`);
  },
});
