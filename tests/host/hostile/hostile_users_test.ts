/** Images and containers whose passwd and group files lie about who digits are. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { busyboxImage, pushImage } from "../../fixtures/images/image_builder.ts";
import { ok } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

const PASSWD = "root:x:0:0:root:/root:/bin/sh\n1000:x:0:0:root in disguise:/root:/bin/sh\n";
const GROUP = "root:x:0:\n1000:x:0:\n";

Deno.test("digits are IDs, whatever names an image has for them", async (t) => {
  await using session = await Session.shared();
  const { server, registry } = session;
  const image = `${registry.host}/hostile/users:latest`;
  const entries = [
    { type: "file" as const, path: "etc/passwd", content: PASSWD },
    { type: "file" as const, path: "etc/group", content: GROUP },
  ];
  await pushImage(
    registry.url,
    "hostile/users:latest",
    busyboxImage({ layers: [{ gzip: true, entries }], config: { User: "1000:1000", Cmd: ["sleep", "600"] } }),
  );
  ok(await server.podman("pull", "-q", "--tls-verify=false", image));
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" ")).trim();
  const ids = ["sh", "-c", "echo $(id -u) $(id -g) $(id -G)"];
  const run = ["run", "--rm", "--network=none"];
  await t.step("of the image's own user", async () => {
    assertEquals(await podman(...run, image, ...ids), "1000 1000 1000");
  });
  await t.step("of a create request", async () => {
    assertEquals(await podman(...run, "-u", "1000", image, ...ids), "1000 0 0");
    assertEquals(await podman(...run, "-u", "1000:1000", image, ...ids), "1000 1000 1000");
    assertEquals(await podman(...run, "-u", "2:2", "--group-add", "1000", image, ...ids), "2 2 2 1000");
    assertEquals(ok(await server.docker(...run, "-u", "1000:1000", image, ...ids)).trim(), "1000 1000 1000");
  });
  await podman("run", "-d", "--name", "box", "--network=none", image);
  await t.step("of an exec session", async () => {
    assertEquals(await podman("exec", "box", ...ids), "1000 1000 1000");
    assertEquals(await podman("exec", "-u", "1000", "box", ...ids), "1000 0 0");
    assertEquals(await podman("exec", "-u", "3:1000", "box", ...ids), "3 1000 1000");
    assertEquals(ok(await server.docker("exec", "-u", "1000", "box", ...ids)).trim(), "1000 0 0");
  });
  await t.step("of a health check", async () => {
    const check = ["--health-cmd", "test $(id -u) = 1000", "--health-interval", "disable"];
    await podman("run", "-d", "--name", "checked", "--network=none", ...check, image);
    await podman("healthcheck", "run", "checked");
    await podman("rm", "-f", "-t", "0", "checked");
  });
  await t.step("of a folder that is given to the container's user", async () => {
    const folder = await Deno.makeTempDir({ prefix: "gantry-users-" });
    await podman(...run, "-v", `${folder}:/m:U`, image, "true");
    const { uid, gid } = await Deno.stat(folder);
    assertEquals([uid, gid], [1000, 1000]);
    await Deno.remove(folder);
  });
  await t.step("of a file that is copied in and out", async () => {
    const folder = await Deno.makeTempDir({ prefix: "gantry-users-" });
    await Deno.writeTextFile(`${folder}/file`, "mine");
    await podman("cp", `${folder}/file`, "box:/tmp/file");
    assertEquals(await podman("exec", "-u", "0", "box", "stat", "-c", "%u %g", "/tmp/file"), "1000 1000");
    await Deno.remove(folder, { recursive: true });
  });
  await t.step("out of range they are nobody's", async () => {
    for (const user of ["2147483648", "99999999999", "-1"]) {
      const refused = await server.podman("exec", "-u", user, "box", "true");
      assertStringIncludes(refused.stderr, "uids and gids must be in range 0-2147483647");
    }
  });
  await t.step("a passwd file that a container lets grow is refused, and others are served", async () => {
    await podman("run", "-d", "--name", "large", "-u", "0:0", "--network=none", image);
    await podman("exec", "large", "truncate", "-s", "450M", "/etc/passwd");
    const refused = await server.podman("exec", "-u", "1000", "large", "true");
    assertStringIncludes(refused.stderr, `"/etc/passwd" of the container's tree has more than 4194304 bytes`);
    assertEquals((await server.request("GET", "/_ping")).status, 200);
  });
  await podman("rm", "-f", "-t", "0", "box", "large");
});
