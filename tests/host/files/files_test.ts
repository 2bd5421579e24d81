/** Files into and out of containers by the real clients. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ok, run } from "../../fixtures/run.ts";
import { buildTar } from "../../fixtures/images/tar_builder.ts";
import { CLIENTS, startWithFiles } from "../../fixtures/files_session.ts";

Deno.test("podman cp and docker cp carry files and folders both ways, running or not", async (t) => {
  const { session, server, image, files } = await startWithFiles();
  await using _session = session;
  const exec = async (...command: string[]) => ok(await server.podman("exec", "up", ...command));
  for (const client of CLIENTS) {
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
        const missing = await server[client]("cp", `${files}/plain`, `${name}:/not/there/x`);
        assert(missing.code !== 0);
        const why = { docker: "Could not find the file /not/there in container", podman: "no such file or directory" };
        assertStringIncludes(missing.stderr, why[client]);
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
      ok(await server.docker("cp", `${name}:/docker/link`, `${server.folder}/link-${name}`));
      const target = await Deno.readLink(`${files}/tree/link`);
      assertEquals(await Deno.readLink(`${server.folder}/link-${name}`), target);
      // With a slash at its end it is the folder to which it leads.
      await Deno.symlink("tree", `${files}/to-tree-${name}`);
      ok(await server.docker("cp", `${files}/to-tree-${name}`, `${name}:/docker/`));
      ok(await server.docker("cp", `${files}/tree`, `${name}:/docker/`));
      for (const [end, place] of [["/.", "contents"], ["/", "folder"]]) {
        const out = `${server.folder}/${place}-${name}`;
        ok(await server.docker("cp", `${name}:/docker/to-tree-${name}${end}`, out));
        assert((await Deno.lstat(out)).isDirectory, end);
        assertEquals(await Deno.readTextFile(`${out}/a`), "a");
      }
      // A link to nothing, and a file that is written through it.
      await Deno.symlink("nowhere", `${files}/dangling-${name}`);
      ok(await server.docker("cp", `${files}/dangling-${name}`, `${name}:/docker/`));
      ok(await server.docker("cp", `${name}:/docker/dangling-${name}`, `${server.folder}/`));
      assertEquals(await Deno.readLink(`${server.folder}/dangling-${name}`), "nowhere");
      ok(await server.docker("cp", `${files}/plain`, `${name}:/docker/dangling-${name}`));
      ok(await server.docker("cp", `${name}:/docker/nowhere`, `${server.folder}/through-${name}`));
      assertEquals(await Deno.readTextFile(`${server.folder}/through-${name}`), "plain");
    }
  });
  await t.step("docker cp of a mounted file is the file, though it is a link on the host", async () => {
    await Deno.symlink("plain", `${files}/current`);
    const options = ["--name", "linked", "--network=none", "-v", `${files}/current:/linked`];
    ok(await server.podman("create", ...options, image, "sleep", "1000"));
    for (const state of ["down", "up"]) {
      ok(await server.docker("cp", "linked:/linked", `${server.folder}/linked-${state}`));
      assertEquals(await Deno.readTextFile(`${server.folder}/linked-${state}`), "plain");
      await server.podman("start", "linked");
    }
    ok(await server.podman("rm", "-f", "-t", "0", "linked"));
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
  await t.step("a tree that is read-only stays as it is, and its volumes are written to", async () => {
    const options = ["--name", "sealed", "--network=none", "--read-only", "-v", "sealed:/volume"];
    ok(await server.podman("create", ...options, image, "sleep", "1000"));
    for (const why of ["container rootfs is marked read-only", "read-only file system"]) {
      for (const client of CLIENTS) {
        for (const place of ["/new", "/etc/new", "/volume/../new"]) {
          const refused = await server[client]("cp", `${files}/plain`, `sealed:${place}`);
          assert(refused.code !== 0, `${client} ${place}`);
          // Podman's client keeps the reason to itself.
          if (client === "docker") assertStringIncludes(refused.stderr.toLowerCase(), why);
        }
        ok(await server[client]("cp", `${files}/plain`, `sealed:/volume/${client}`));
        ok(await server[client]("cp", "sealed:/etc/passwd", `${server.folder}/read`));
      }
      assert(!ok(await server.podman("diff", "sealed")).includes("/new"));
      ok(await server.podman("start", "sealed"));
    }
  });
  await t.step("a running container's tmpfs and volumes are seen", async () => {
    ok(await server.podman("cp", `${files}/plain`, "up:/scratch/x"));
    assertEquals(await exec("cat", "/scratch/x"), "plain");
    assertEquals(await exec("cat", "/volume/docker/sub/b"), "b");
  });
  await t.step(
    "links tell where they lead, as the container sees it, and one that goes round leads nowhere",
    async () => {
      const links =
        "mkdir -p /volume/in/deep && ln -s /volume/in /to-volume && ln -s ../../..//volume/in/deep /home/up && " +
        "ln -s round /about && ln -s about /round && ln -s / /top && ln -s nowhere /home/dangling";
      await exec("sh", "-c", links);
      const look = async (path: string) => {
        const { status, headers } = await server.request("HEAD", `/v1.41/containers/up/archive?path=${path}`);
        const facts = headers.get("x-docker-container-path-stat");
        return facts === null ? String(status) : `${JSON.parse(atob(facts)).linkTarget}`;
      };
      const paths = ["/to-volume", "/to-volume/deep", "/home/up", "/top", "/home/dangling", "/about/x", "/volume/none"];
      const targets = ["/volume/in", "/to-volume/deep", "/volume/in/deep", "/", "/home/nowhere", "404", "404"];
      // One process looks at all of them, and at what is not there.
      assertEquals(await Promise.all([...paths, ...paths].map(look)), [...targets, ...targets]);
      for (const [at, path] of paths.entries()) assertEquals(await look(path), targets[at], path);
    },
  );
  await t.step("- is a tar archive", async () => {
    const tar = buildTar([{ type: "file", path: "piped", content: "piped", uid: 12, gid: 13 }]);
    const options = { stdin: tar };
    ok(await server.podmanAt(server.addresses[0], ["cp", "-a=false", "-", "up:/tmp"], options));
    assertEquals(await exec("stat", "-c", "%u:%g", "/tmp/piped"), "12:13\n");
    ok(await run(["docker", "-H", server.addresses[0], "cp", "-", "down:/tmp"], options));
    const listing = await run(["sh", "-c", "docker -H $0 cp down:/tmp - | tar t", server.addresses[0]]);
    assertEquals(listing.stdout, "tmp/\ntmp/piped\n");
  });
  await t.step("Docker's tree makes no folder for an archive, whatever stands in the way", async () => {
    const raw = buildTar([{ type: "file", path: "laid", content: "laid" }]);
    for (const name of ["up", "down"]) {
      const put = async (path: string, tree = "") => {
        const response = await server.request("PUT", `${tree}/containers/${name}/archive?path=${path}`, { raw });
        return { status: response.status, text: await response.text() };
      };
      for (const path of ["/not/there", "/etc/passwd/below", "/*"]) {
        const { status, text } = await put(path);
        assertEquals(
          [status, text.includes(`Could not find the file ${path} in container ${name}`)],
          [404, true],
          text,
        );
      }
      assertEquals((await server.request("HEAD", `/containers/${name}/archive?path=/not`)).status, 404);
      const onFile = await put("/etc/passwd");
      assertEquals([onFile.status, onFile.text.includes("exists but is not a directory")], [400, true], onFile.text);
      assertEquals((await put("/tmp")).status, 200);
      // Podman's makes what is missing.
      assertEquals((await put("/made/here", "/libpod")).status, 200);
      assertEquals((await server.request("HEAD", `/containers/${name}/archive?path=/made/here/laid`)).status, 200);
    }
  });
  await t.step("nothing stays mounted for a container that does not run", async () => {
    const id = (await server.podman("inspect", "--format", "{{.Id}}", "down")).stdout.trim();
    const mounts = (await Deno.readTextFile("/proc/self/mountinfo")).split("\n").filter((line) => line.includes(id));
    assertEquals(mounts, []);
  });
});

Deno.test("files keep their owners in a container with users of its own", async () => {
  const { session, server, image, files } = await startWithFiles();
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
  const { session, server, files } = await startWithFiles();
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
