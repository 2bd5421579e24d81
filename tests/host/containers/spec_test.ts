/** What create requests ask for, seen from inside real containers. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ok, run as exec } from "../../fixtures/run.ts";
import { securityModules } from "../../../lib/platform/linux/security_modules.ts";
import { Session, until } from "../../fixtures/session.ts";

/** A session, and a folder with the file `sub/file` for mounts. */
async function openSpecs() {
  const session = await Session.shared();
  const { server, image } = session;
  const folder = await Deno.makeTempDir({ prefix: "gantry-spec-" });
  await Deno.mkdir(`${folder}/sub`);
  await Deno.writeTextFile(`${folder}/sub/file`, "mine");
  const giveToOwner = async () => void ok(await exec(["chown", "-R", `--reference=${folder}`, folder]));
  await giveToOwner();
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", "--tls-verify=false", image);
  return {
    server,
    image,
    folder,
    /** Gives the folder's owner all that is in it: an ordinary user, where one runs the server. */
    giveToOwner,
    podman,
    run: (options: string[], script: string) =>
      podman("run", "--rm", "--network=none", ...options, image, "sh", "-c", script),
    async owner(path: string) {
      const { uid, gid } = await Deno.stat(`${folder}/${path}`);
      return [uid, gid];
    },
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

Deno.test("podman run honours mounts", async (t) => {
  await using specs = await openSpecs();
  const { server, image, folder, giveToOwner, podman, run, owner } = specs;

  await t.step("an overlay keeps its changes from the folder, and begins anew", async () => {
    const script = "cat /m/sub/file; echo new > /m/sub/file; rm -r /m/sub && ls -A /m";
    assertEquals(await run(["-v", `${folder}:/m:O`], script), "mine");
    assertEquals(await Deno.readTextFile(`${folder}/sub/file`), "mine");
  });

  await t.step("U gives a folder to the container's user, and no folder the host lives by", async () => {
    await Deno.symlink("/etc/hostname", `${folder}/link`);
    const before = await Deno.stat("/etc/hostname");
    await run(["-v", `${folder}:/m:U`, "-u", "1234:1235"], "echo > /m/sub/other");
    assertEquals(await owner("sub/file"), [1234, 1235]);
    assertEquals((await Deno.stat("/etc/hostname")).uid, before.uid);
    const refused = await server.podman("run", "--rm", "-v", "/etc:/m:U", "-u", "5", image, "true");
    assertStringIncludes(refused.stderr, 'chowning host path "/etc" is not allowed');
  });

  await t.step("an image is mounted read-only, or with changes of the container's own", async () => {
    const at = `type=image,source=${image},destination=/i`;
    assertEquals(await run(["--mount", at], "cat /i/layers/kept; touch /i/x 2>/dev/null || echo ' ro'"), "kept ro\n");
    assertEquals(await run(["--mount", `${at},rw=true`], "touch /i/x && ls /i/x"), "/i/x\n");
    await podman("create", "--name", "holder", "--mount", at, image);
    await podman("rm", "holder");
  });

  await t.step("--volumes-from brings folders and volumes, read-only when asked", async () => {
    await podman("create", "--name", "donor", "-v", `${folder}:/b`, "-v", "named:/n", image);
    const seen = await run(["--volumes-from", "donor:ro"], "cat /b/sub/file; touch /n/x 2>/dev/null || echo ' ro'");
    assertEquals(seen, "mine ro\n");
    await podman("rm", "donor");
  });

  await t.step("a folder of the host takes the place of an image, its changes apart when asked", async () => {
    const id = (await podman("create", image)).trim();
    await podman("export", "-o", `${folder}/tree.tar`, id);
    await Deno.mkdir(`${folder}/tree`);
    ok(await exec(["tar", "-x", "-C", `${folder}/tree`, "-f", `${folder}/tree.tar`]));
    await giveToOwner();
    await podman("rm", id);
    const rooted = async (path: string, script: string) => {
      return await podman("run", "--rm", "--network=none", "--rootfs", path, "sh", "-c", script);
    };
    assertEquals(await rooted(`${folder}/tree`, "echo > /plain; cat /layers/kept"), "kept");
    assertEquals(await rooted(`${folder}/tree:O`, "echo > /over; ls -d /plain /over"), "/over\n/plain\n");
    assertEquals([...Deno.readDirSync(`${folder}/tree`)].map(({ name }) => name).includes("over"), false);
  });

  await t.step("a part of a volume or an image is mounted in place of the whole, and none outside of it", async () => {
    await run(["-v", "whole:/v"], "mkdir -p /v/part/deep; echo in > /v/part/deep/file; ln -s /etc /v/out");
    const create = async (body: Record<string, unknown>) => {
      const wish = {
        image,
        command: ["sh", "-c", "cat /m/file 2>/dev/null || ls /m"],
        netns: { nsmode: "none" },
        ...body,
      };
      const made = await server.request("POST", "/v5.0.0/libpod/containers/create", { body: wish });
      const { Id } = await made.json();
      await podman("start", Id);
      await podman("wait", Id);
      const output = await podman("logs", Id);
      await podman("rm", Id);
      return output;
    };
    const volume = (SubPath: string) => ({ volumes: [{ Name: "whole", Dest: "/m", SubPath }] });
    assertEquals(await create(volume("part/deep")), "in\n");
    assertEquals(await create({ image_volumes: [{ Source: image, Destination: "/m", subPath: "/layers" }] }), "kept\n");
    const outside = await create(volume("out")).catch((error) => String(error));
    assertStringIncludes(outside, "no such file or directory");
    await podman("rm", "-af");
  });
  assertEquals(await podman("ps", "-aq"), "");
});

Deno.test("podman run honours users, namespaces and their neighbours", async (t) => {
  await using specs = await openSpecs();
  const { server, image, folder, podman, run, owner } = specs;

  await t.step("containers share their means of communication, when they may", async () => {
    await podman("run", "-d", "--name", "speaker", "--network=none", image, "sleep", "60");
    await run(["--ipc=container:speaker"], "echo hello > /dev/shm/word");
    assertEquals(await podman("exec", "speaker", "cat", "/dev/shm/word"), "hello\n");
    await podman("run", "-d", "--name", "loner", "--ipc=private", "--network=none", image, "sleep", "60");
    const refused = await server.podman("create", "--ipc=container:loner", image);
    assertStringIncludes(refused.stderr, "is not allowed: non-shareable IPC");
    await podman("rm", "-f", "-t", "0", "speaker", "loner");
  });

  await t.step("a container that joins a network is in its hosts for as long as it runs", async () => {
    const join = ["--network", "container:roof", "--name", "guest", "--stop-timeout", "0"];
    await podman("run", "-d", "--name", "roof", "--hostname", "roofs", image, "sleep", "60");
    const before = await podman("exec", "roof", "cat", "/etc/hosts");
    const guest = (await podman("run", "-d", ...join, image, "sleep", "60")).trim();
    const line = `127.0.0.1\t${guest.slice(0, 12)} guest\n`;
    for (const name of ["roof", "guest"]) {
      assertEquals(await podman("exec", name, "cat", "/etc/hosts"), before + line);
    }
    await podman("restart", "guest");
    assertEquals(await podman("exec", "roof", "cat", "/etc/hosts"), before + line);
    await podman("rm", "-f", "guest");
    assertEquals(await podman("exec", "roof", "cat", "/etc/hosts"), before);
    await podman("run", "-d", ...join, "--no-hosts", image, "sleep", "60");
    assertEquals(await podman("exec", "roof", "cat", "/etc/hosts"), before);
    await podman("rm", "-f", "-t", "0", "guest", "roof");
    const own = `${folder}/hosts`;
    await Deno.writeTextFile(own, "10.1.1.1 mine\n");
    await podman("run", "-d", "--name", "roof", "-v", `${own}:/etc/hosts`, image, "sleep", "60");
    await podman("run", "-d", ...join, image, "sleep", "60");
    assertEquals(await Deno.readTextFile(own), "10.1.1.1 mine\n");
    await podman("rm", "-f", "-t", "0", "guest", "roof");
    await Deno.remove(own);
  });

  await t.step("a user namespace shows the image's files and volumes as its users'", async () => {
    const closed = await server.podman("run", "--rm", "--uidmap", "0:100000:65536", image, "true");
    assertStringIncludes(closed.stderr, `"${server.folder}" keeps the container's users out`);
    await Deno.chmod(server.folder, 0o711);
    const maps = ["--uidmap", "0:100000:65536"];
    await Deno.writeTextFile(`${folder}/secret`, "hidden");
    await podman("secret", "create", "hidden", `${folder}/secret`);
    const secret = ["--secret", "hidden,uid=7,mode=0400"];
    assertEquals(await run([...maps, ...secret, "-u", "7"], "cat /run/secrets/hidden"), "hidden");
    await podman("secret", "rm", "hidden");
    const script =
      "cat /proc/self/uid_map; ls -ldn /etc /v | cut -c 14-26; touch /etc/mine && ls -n /etc/mine | cut -c 14-26";
    const lines = (await run([...maps, "-v", "/v"], script)).replaceAll(/ +/g, " ").split("\n").map((line) =>
      line.trim()
    ).slice(0, -1);
    assertEquals(lines, ["0 100000 65536", "1 0 0", "2 0 0", "1 0 0"]);
    await run([...maps, "-v", `${folder}:/m:U`, "-u", "5:6"], "true");
    assertEquals(await owner("sub/file"), [100005, 100006]);
    const overlay = await run([...maps, "-v", `${folder}:/m:O`], "echo > /m/new && rm -r /m/sub; ls /m");
    assertEquals(overlay, "new\nsecret\n");
    await podman("run", "-d", "--name", "mapped", ...maps, "--network=none", image, "sleep", "60");
    assertMatch(await run(["--userns=container:mapped"], "cat /proc/self/uid_map"), / 100000 +65536\n$/);
    assertMatch(await podman("exec", "mapped", "id"), /^uid=0\(root\)/);
    await podman("rm", "-f", "-t", "0", "mapped");
    assertEquals(await run(["--userns=keep-id"], "id -u"), "0\n");
  });

  await t.step(
    "passwd entries, host users, personality, proc options, chroots and time zones are as asked",
    async () => {
      assertEquals(
        await run(["--passwd-entry", "u:*:$UID:$GID::$HOME:/x", "-u", "77"], "tail -1 /etc/passwd"),
        "u:*:77:0::/:/x\n",
      );
      assertMatch(await run(["--hostuser", "daemon"], "tail -1 /etc/passwd"), /^daemon:\*:1:1:/);
      assertMatch(await run(["--security-opt", "proc-opts=hidepid=2"], "grep ' /proc proc ' /proc/mounts"), /hidepid=/);
      assertEquals(await run(["--chrootdirs", "/var/jail"], "ls /var/jail/etc"), "hostname\nhosts\nresolv.conf\n");
      assertEquals(await run(["--env-merge", "PATH=/x:${PATH}"], "echo $PATH | cut -c 1-4"), "/x:/\n");
    },
  );
  assertEquals(await podman("ps", "-aq"), "");
});

Deno.test("podman run honours runtimes, removal and systemd, and refuses features that are missing", async (t) => {
  await using specs = await openSpecs();
  const { server, image, folder, podman } = specs;

  await t.step("a container has the runtime it names, for its whole life", async () => {
    for (const name of ["crun", "runc"]) {
      const made = await server.request("POST", "/v5.0.0/libpod/containers/create", {
        body: { image, command: ["sleep", "60"], oci_runtime: name, netns: { nsmode: "none" } },
      });
      const { Id } = await made.json();
      await podman("start", Id);
      assertEquals(await podman("inspect", "--format", "{{.OCIRuntime}}", Id), `${name}\n`);
      assertEquals(await podman("exec", Id, "echo", "hello"), "hello\n");
      await podman("rm", "-f", "-t", "0", Id);
    }
    const mounts = [{ type: "bind", source: folder, destination: "/m", options: ["idmap=uids=0-1-1"] }];
    const silent = await server.request("POST", "/v5.0.0/libpod/containers/create", {
      body: { image, oci_runtime: "runc", mounts },
    });
    assertStringIncludes((await silent.json()).message, 'option "idmap=uids=0-1-1": runc does not know it');
    const odd = await server.request("POST", "/v5.0.0/libpod/containers/create", {
      body: { image, oci_runtime: "odd" },
    });
    assertStringIncludes((await odd.json()).message, 'runtime "odd" is not installed here');
  });

  await t.step("either runtime pauses a container, and lets it go on", async () => {
    for (const oci_runtime of ["crun", "runc"]) {
      const made = await server.request("POST", "/v5.0.0/libpod/containers/create", {
        body: { image, command: ["sleep", "60"], oci_runtime, netns: { nsmode: "none" } },
      });
      const { Id } = await made.json();
      await podman("start", Id);
      await podman("pause", Id);
      await podman("unpause", Id);
      assertEquals(await podman("exec", Id, "echo", "hello"), "hello\n");
      await podman("rm", "-f", "-t", "0", Id);
    }
  });

  await t.step("the files that --rm throws away do not wait for the disk, start after start", async () => {
    await podman("run", "-d", "--rm", "--name", "passing", "--network=none", image, "sleep", "60");
    const root = ["exec", "passing", "sh", "-c", "grep ' / overlay' /proc/mounts; echo > /written; sync"];
    assertMatch(await podman(...root), /volatile/);
    await podman("restart", "-t", "0", "passing");
    assertMatch(await podman(...root), /volatile/);
    await podman("rm", "-f", "-t", "0", "passing");
  });

  await t.step("--rmi takes the image along, under the name it was used by", async () => {
    await podman("tag", image, "localhost/other:once");
    await podman("run", "--rm", "--rmi", "--network=none", "localhost/other:once", "true");
    await until(async () => assertEquals((await server.podman("image", "exists", "localhost/other:once")).code, 1));
    await podman("image", "exists", image);
  });

  await t.step("systemd finds its folders, its machine's ID and the signal that halts it", async () => {
    await podman("create", "--name", "booted", "--systemd=always", "--network=none", image, "env");
    const format = "{{.Config.StopSignal}} {{.Config.SystemdMode}}";
    // Clients of Podman 5 are told its name.
    const isOld = (await podman("version", "--format", "{{.Client.Version}}")).startsWith("4.");
    const inspected = await podman("inspect", "--format", format, "booted");
    assertEquals(inspected, `${isOld ? "37" : "SIGRTMIN+3"} true\n`);
    assertMatch(await podman("start", "-a", "booted"), /^container_uuid=[0-9a-f]{32}$/m);
    await podman("rm", "booted");
    await podman("create", "--name", "init", "--network=none", "--entrypoint", "/sbin/init", image);
    assertEquals(await podman("inspect", "--format", "{{.Config.SystemdMode}}", "init"), "true\n");
    await podman("rm", "init");
  });

  await t.step("features that the machine does not have are refused when the container is created", async () => {
    const modules = await securityModules();
    const rows: [options: string[], text: string][] = [
      [["--cap-add", "ODD"], 'unknown capability "ODD"'],
      [["--security-opt", "seccomp=/none.json"], "opening seccomp profile failed: open /none.json"],
      [["--hostuser", "nobody-here"], "unknown user nobody-here"],
      ...modules.apparmor
        ? []
        : [[["--security-opt", "apparmor=mine"], '"apparmor_profile": apparmor profile "mine"'] as [string[], string]],
      ...modules.selinux
        ? []
        : [[["--security-opt", "label=type:mine_t"], '"selinux_opts": "type:mine_t": SELinux'] as [string[], string]],
      [["--sdnotify=healthy"], "requires a healthcheck to be set"],
      [["--cap-add=NET_RAW", "--cap-drop=net_raw"], 'capability "CAP_NET_RAW" cannot be dropped and added'],
      [["--init", "--pid=host"], "cannot add init binary as PID 1"],
      [["--pid=ns:/none"], "cannot find specified pid namespace path"],
      [["--tz", "Nowhere/None"], "finding timezone"],
      [["--init", "--init-path", "/none"], "container-init binary not found on the host"],
    ];
    for (const [options, text] of rows) {
      const { code, stderr } = await server.podman("create", ...options, image);
      assertEquals(code, 125, stderr);
      assertStringIncludes(stderr, text);
    }
  });
  assertEquals(await podman("ps", "-aq"), "");
});
