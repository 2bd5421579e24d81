/** User namespaces of containers on an ordinary user's server: whose the files are, inside and outside. */
import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { freePort } from "../fixtures/images/registry.ts";
import { ordinaryUser, userDeno } from "../fixtures/ordinary_user.ts";
import { ok, runOk } from "../fixtures/run.ts";
import { Session, until } from "../fixtures/session.ts";

Deno.test("--userns of an ordinary user's containers: keep-id, nomap, auto and maps of one's own", async (t) => {
  await using user = await ordinaryUser();
  const { folder, uid } = user;
  {
    await using session = await Session.start({ folder, through: userDeno(user) });
    const { server, image } = session;
    const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
    const run = (...args: string[]) => podman("run", "--rm", "--network=none", ...args);
    const mapOf = (text: string) => text.trim().split("\n").map((line) => line.trim().split(/\s+/).map(Number));
    const copies = async () =>
      (await runOk(["find", `${folder}/root/layers/owned`, "-maxdepth", "2", "-mindepth", "2"])).split("\n").length - 1;
    await podman("pull", "-q", image);
    await Deno.mkdir(`${folder}/shared`);
    await Deno.chown(`${folder}/shared`, uid, uid);

    await t.step("keep-id: the user has its own number, and root of the container is somebody else", async () => {
      const script = "id -u; id -g; stat -c %u:%g /bin /shared; touch /shared/mine; cat /proc/self/uid_map";
      const out = await run("--userns=keep-id", "-v", `${folder}/shared:/shared`, image, "sh", "-c", script);
      const [own, group, bin, shared, ...map] = out.split("\n");
      assertEquals([own, group, bin, shared], [`${uid}`, `${uid}`, "0:0", `${uid}:${uid}`]);
      assertEquals(mapOf(map.join("\n"))[1], [uid, 0, 1]);
      assertEquals((await Deno.stat(`${folder}/shared/mine`)).uid, uid);
      assertEquals((await run("--userns=keep-id:uid=7,gid=8", image, "id")).includes("uid=7"), true);
      assertEquals((await run("--userns=keep-id", "--user=0", image, "id", "-u")).trim(), "0");
    });

    await t.step("folders that a layer replaces or empties are so, and commits have the image's numbers", async () => {
      const look = "ls /layers /opaque";
      const seen = "/layers:\nkept\n\n/opaque:\nupper\n";
      assertEquals(await run("--userns=keep-id", image, "sh", "-c", look), seen);
      const change = `${look}; chown 5:6 /opaque/upper; rm /layers/kept; touch /made`;
      const made = await podman(
        "run",
        "--name=changed",
        "--network=none",
        "--userns=keep-id",
        "--user=0",
        image,
        "sh",
        "-c",
        change,
      );
      assertEquals(made, seen);
      const before = await copies();
      assert(before > 0);
      await podman("commit", "-q", "changed", "localhost/changed");
      const stat = ["sh", "-c", "stat -c %u:%g /opaque/upper /made; ls /layers"];
      assertEquals(await run("localhost/changed", ...stat), "5:6\n0:0\n");
      assertEquals(await run("--userns=keep-id", "localhost/changed", ...stat), "5:6\n0:0\n");
      // The layers below are copied once, as long as one container has these numbers.
      assertEquals(await copies(), before + 1);
      await podman("start", "changed");
      await podman("wait", "changed");
      assertEquals(await podman("cp", "changed:/made", "-").then((tar) => tar.includes("made")), true);
    });

    await t.step("the root of a container without the user's ID needs a way to its files", async () => {
      const closed = await server.podman("run", "--rm", "--network=none", "--userns=nomap", image, "true");
      assertStringIncludes(closed.stderr, `"${folder}" keeps the container's users out`);
      await Deno.chmod(folder, 0o711);
      const map = mapOf(await run("--userns=nomap", image, "cat", "/proc/self/uid_map"));
      assertEquals(map.length, 1);
      assertEquals(map[0]!.slice(0, 2), [0, 1]);
    });

    await t.step("auto: each container has IDs that no other has", async () => {
      const maps: number[][] = [];
      for (const name of ["a", "b"]) {
        const args = [
          "run",
          "--name",
          name,
          "--network=none",
          "--userns=auto:size=1000",
          image,
          "cat",
          "/proc/self/uid_map",
        ];
        maps.push(mapOf(await podman(...args))[0]!);
      }
      assertEquals(maps, [[0, 1, 1000], [0, 1001, 1000]]);
      assertMatch(await run("--userns=auto", image, "stat", "-c", "%u", "/bin"), /^0$/m);
      const many = await server.podman("run", "--network=none", "--userns=auto:size=99999999", image, "true");
      assertStringIncludes(many.stderr, "not enough unused IDs");
      await podman("rm", "a", "b");
    });

    await t.step("maps of one's own are of the user's IDs", async () => {
      const map = await run("--uidmap=0:5:100", "--gidmap=0:0:100", image, "sh", "-c", "cat /proc/self/uid_map; id -u");
      assertMatch(map, /^\s*0\s+5\s+100\n0$/m);
      const wide = await server.podman("run", "--network=none", "--uidmap=0:1:99999999", image, "true");
      assertStringIncludes(wide.stderr, "is out of range: the server's user has the IDs 0 (its own) to");
      const bare = await server.podman("run", "--network=none", "--userns=private", image, "true");
      assertNotEquals(bare.code, 0);
      assertEquals((await run("--userns=host", image, "id", "-u")).trim(), "0");
    });

    await t.step("networks, ports, volumes and exec work in a namespace of its own", async () => {
      const port = await freePort();
      const web = "mkdir /tmp/www; echo page > /tmp/www/index.html; exec httpd -f -p 8080 -h /tmp/www";
      await podman("network", "create", "net");
      const options = ["--name=web", "--network=net", "-p", `127.0.0.1:${port}:8080`, "-v", "data:/data"];
      await podman("run", "-d", "--userns=keep-id", "--user=0", ...options, image, "sh", "-c", web);
      assertEquals(await until(() => runOk(["curl", "-sf", `http://127.0.0.1:${port}/`])), "page\n");
      assertEquals(await podman("exec", "web", "sh", "-c", "echo x > /data/x; stat -c %u /data/x"), "0\n");
      assertEquals(await podman("exec", "--user=5", "web", "id", "-u"), "5\n");
      const joined = await podman(
        "run",
        "--rm",
        "--userns=container:web",
        "--network=container:web",
        image,
        "wget",
        "-qO-",
        "http://127.0.0.1:8080/",
      );
      assertEquals(joined, "page\n");
      assertStringIncludes(await podman("top", "web", "user", "huser"), "root");
    });

    await t.step("copies go with the containers that need them", async () => {
      await podman("rm", "-f", "-t", "0", "-a");
      assertEquals(await runOk(["ls", `${folder}/root/layers/owned`]), "");
    });
  }
});
