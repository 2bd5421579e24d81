/** The server of an ordinary user: a session of Debian's podman, and what a container of the user does not reach. */
import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { freePort } from "../fixtures/images/registry.ts";
import { type OrdinaryUser, ordinaryUser, userDeno } from "../fixtures/ordinary_user.ts";
import { ok, run, runOk } from "../fixtures/run.ts";
import { Session, until } from "../fixtures/session.ts";

const CLI = new URL("../../lib/platform/entries/cli.ts", import.meta.url).pathname;
const SERVE = new URL("../../scripts/serve.ts", import.meta.url).pathname;

Deno.test("an ordinary user's server runs, keeps and removes containers", async (t) => {
  await using user = await ordinaryUser();
  const { folder } = user;
  {
    await using session = await Session.start({ folder, through: userDeno(user) });
    const { server, image } = session;
    const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
    await podman("pull", "-q", image);

    await t.step("info says that the server is rootless, in both trees", async () => {
      const info = JSON.parse(await podman("info", "--format", "json"));
      assertEquals([info.host.security.rootless, info.store.graphRoot], [true, `${folder}/root`]);
      assertEquals(info.host.cgroupControllers, []);
      const compat = await (await server.request("GET", "/v1.41/info")).json();
      assert(compat.SecurityOptions.includes("name=rootless"));
    });

    await t.step("root of a container is the user, and files that it writes are the user's", async () => {
      await Deno.mkdir(`${folder}/shared`);
      await Deno.chown(`${folder}/shared`, user.uid, user.uid);
      const script = "id -u; touch /shared/mine; chown 5:5 /shared/mine; head -n 1 /proc/self/uid_map";
      const out = await podman(
        "run",
        "--rm",
        "--network=none",
        "-v",
        `${folder}/shared:/shared`,
        image,
        "sh",
        "-c",
        script,
      );
      assertMatch(out, new RegExp(`^0\\n\\s+0\\s+${user.uid}\\s+1\\n$`));
      const { uid } = await Deno.stat(`${folder}/shared/mine`);
      assertNotEquals(uid, 0);
      assertNotEquals(uid, 5);
    });

    await t.step("a container reaches nothing that the user may not, privileged or not", async () => {
      await Deno.writeTextFile(`${folder}/secret`, "of root\n", { mode: 0o600 });
      const tries =
        "cat /secret; echo x > /secret; mknod /tmp/disk b 254 0; cat /etc2/shadow; mount -t tmpfs none /proc/1; echo tried";
      const all = ["--network=host", "--pid=host", "--privileged"];
      for (const extra of [["--network=none"], ["--network=none", "--privileged"], all.slice(0, 2), all]) {
        const mounts = ["-v", `${folder}/secret:/secret`, "-v", "/etc:/etc2"];
        const { stdout } = await server.podman(
          "run",
          "--rm",
          ...extra,
          ...mounts,
          image,
          "sh",
          "-c",
          tries,
        );
        assertEquals(stdout, "tried\n", extra.join(" "));
      }
      assertEquals(await Deno.readTextFile(`${folder}/secret`), "of root\n");
      const { uid, mode } = await Deno.stat(`${folder}/secret`);
      assertEquals([uid, (mode ?? 0) & 0o777], [0, 0o600]);
    });

    await t.step("exec, logs, top and commit work, and limits are told of as not kept", async () => {
      await podman("run", "-d", "--name", "box", "--network=none", image, "sh", "-c", "echo up; exec sleep 1000");
      await until(async () => assertEquals(await podman("logs", "box"), "up\n"));
      assertEquals(await podman("exec", "box", "sh", "-c", "echo hi > /made; cat /made"), "hi\n");
      assertStringIncludes(await podman("top", "box"), "sleep 1000");
      await podman("commit", "-q", "box", "localhost/made");
      assertEquals(await podman("run", "--rm", "--network=none", "localhost/made", "cat", "/made"), "hi\n");
      const limited = await server.podman("create", "--network=none", "-m", "64m", image);
      assertStringIncludes(limited.stderr, "Resource limits are");
    });

    await t.step("folders that a layer replaces or empties are so, in images and in commits", async () => {
      const look = ["run", "--rm", "--network=none", image, "sh", "-c", "ls /layers /opaque"];
      assertEquals(await podman(...look), "/layers:\nkept\n\n/opaque:\nupper\n");
      const script = "rm -r /layers /opaque/upper; mkdir /layers; touch /layers/new; ls /layers /opaque";
      const after = "/layers:\nnew\n\n/opaque:\n";
      assertEquals(await podman("run", "--name", "changed", "--network=none", image, "sh", "-c", script), after);
      await podman("commit", "-q", "changed", "localhost/changed");
      assertEquals(
        await podman("run", "--rm", "--network=none", "localhost/changed", "ls", "/layers", "/opaque"),
        after,
      );
    });

    await t.step("volumes and builds work", async () => {
      await podman("run", "--rm", "--network=none", "-v", "data:/data", image, "sh", "-c", "echo kept > /data/x");
      assertEquals(
        await podman("run", "--rm", "--network=none", "-v", "data:/data", image, "cat", "/data/x"),
        "kept\n",
      );
      const context = await Deno.makeTempDir({ prefix: "gantry-context-" });
      await Deno.writeTextFile(`${context}/Dockerfile`, `FROM ${image}\nRUN echo built > /built\nUSER 33\n`);
      await podman("build", "-q", "--tls-verify=false", "-t", "localhost/built", context);
      await Deno.remove(context, { recursive: true });
      assertEquals(await podman("run", "--rm", "--network=none", "localhost/built", "cat", "/built"), "built\n");
    });

    await t.step("containers of a network know each other's names, and a published port leads to one", async () => {
      const port = await freePort();
      const script = "mkdir /www; echo page > /www/index.html; exec httpd -f -p 80 -h /www";
      await podman("network", "create", "net");
      await podman(
        "run",
        "-d",
        "--name",
        "web",
        "--network=net",
        "-p",
        `127.0.0.1:${port}:80`,
        image,
        "sh",
        "-c",
        script,
      );
      const page = await until(() => runOk(["curl", "-sf", `http://127.0.0.1:${port}/`]));
      assertEquals(page, "page\n");
      assertEquals(await podman("run", "--rm", "--network=net", image, "wget", "-qO-", "http://web/"), "page\n");
      const taken = await server.podman("run", "-d", "-p", `127.0.0.1:${port}:80`, image, "true");
      assertStringIncludes(taken.stderr, "address already in use");
      const low = await server.podman("run", "-d", "-p", "127.0.0.1:81:80", image, "true");
      assertStringIncludes(low.stderr, "net.ipv4.ip_unprivileged_port_start");
    });

    await t.step("containers and their ports outlive the server, and the next one has them", async () => {
      assertEquals((await server.stop()).code, 0);
      await server.launch();
      assertEquals(await podman("exec", "box", "cat", "/made"), "hi\n");
      const ports = (await podman("port", "web")).trim();
      const [, address] = /-> (\S+)$/.exec(ports) ?? [];
      assertEquals(await runOk(["curl", "-sf", `http://${address}/`]), "page\n");
      await podman("rm", "-f", "-t", "0", "web");
      assertNotEquals((await run(["curl", "-sf", "-m", "5", `http://${address}/`])).code, 0);
    });
  }
  await t.step("nothing of the user runs when the last container and the server are gone", async () => {
    await until(async () => assertEquals(await processesOf(user), ""));
  });
});

Deno.test("a user without subordinate IDs gets a server without containers, which says why", async () => {
  await using user = await ordinaryUser();
  const { folder } = user;
  const empty = `${folder}/empty`;
  await Deno.writeTextFile(empty, "");
  // In a mount namespace of its own: the machine's file stays as it is.
  const hides = ["unshare", "--mount", "sh", "-c", `mount --bind ${empty} /etc/subuid && exec "$@"`, "sh"];
  const args = ["run", "-A", "--quiet", SERVE, "--no-setup", `--root=${folder}/root`, `--runroot=${folder}/run/gantry`];
  const child = new Deno.Command(hides[0], {
    args: [...hides.slice(1), ...userDeno(user), "deno", ...args],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  assertMatch((await reader.read()).value ?? "", /^gantry: ready on unix:/);
  await reader.cancel();
  child.kill("SIGTERM");
  await child.status;
  const lines = (await errors).split("\n").filter((line) => line.includes(" warn: "));
  assertEquals(lines.length, 1, lines.join("\n"));
  await Deno.remove(folder, { recursive: true });
  assertStringIncludes(lines[0]!, '/etc/subuid has no range for user "gantrytest": root can add one with "usermod');
});

/** The processes of the user that belong to this test: others may run beside it. */
async function processesOf({ uid, folder }: OrdinaryUser): Promise<string> {
  const { stdout } = await run(["pgrep", "--euid", String(uid), "--full", "--list-full", folder]);
  const keepers = await run(["pgrep", "--euid", String(uid), "--full", "^gantry-namespace"]);
  return stdout + keepers.stdout;
}

Deno.test("relative paths of an ordinary user's commands are those of the folder where they were given", async () => {
  await using user = await ordinaryUser();
  await Deno.writeTextFile(`${user.folder}/word`, "here\n");
  const inside = ["unshare", "sh", "-c", "pwd; cat word"];
  const out = await runOk([...userDeno(user), "deno", "run", "-A", "--quiet", CLI, ...inside]);
  await Deno.remove(user.folder, { recursive: true });
  assertEquals(out, `${user.folder}\nhere\n`);
});
