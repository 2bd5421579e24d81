/** User namespaces whose IDs the engine chooses, on a host that has IDs to give. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

/** Shows the server files of the test's own as the host's; nobody else sees them. */
const SHOW = 'mount --bind "$1" /etc/subuid && mount --bind "$1" /etc/subgid && shift && exec "$@"';

Deno.test("--userns=auto gives each container IDs that no other has, as long as there are some", async (t) => {
  const file = await Deno.makeTempFile({ prefix: "gantry-subids-" });
  await Deno.writeTextFile(file, "somebody:100000:65536\ncontainers:200000:65536\ncontainers:500000:1024\n");
  await using session = await Session.start({ through: ["unshare", "--mount", "sh", "-c", SHOW, "sh", file] });
  const { server, image } = session;
  // The runtime passes the server's folder as one of the container's users.
  await Deno.chmod(server.folder, 0o711);
  ok(await server.podman("pull", "-q", image));
  const run = (name: string, userns: string, ...command: string[]) =>
    server.podman("run", "--name", name, "--network=none", "--userns", userns, image, ...command);
  const mapOf = (text: string) => text.trim().split(/\s+/).map(Number);

  await t.step("ranges do not overlap, and files are seen with their owners", async () => {
    const first = mapOf(ok(await run("one", "auto:size=1000", "sh", "-c", "cat /proc/self/uid_map")));
    assertEquals(first, [0, 200000, 1000]);
    const script =
      "cat /proc/self/gid_map; stat -c %u:%g /bin; touch /made; stat -c %u /made; ls -ln /proc/self/fd >&-";
    const [map, owner, made] = ok(await run("two", "auto:size=2000", "sh", "-c", script)).trim().split("\n");
    assertEquals([mapOf(map), owner, made], [[0, 201000, 2000], "0:0", "0"]);
  });

  await t.step("what is left is what others have not taken, until one of them goes", async () => {
    const size = 65536 + 1024 - 3000 + 1;
    const full = await run("three", `auto:size=${size}`, "true");
    assertEquals(full.code, 125);
    assertStringIncludes(full.stderr, "not enough unused ID");
    assertEquals(mapOf(ok(await run("four", "auto:size=1024", "cat", "/proc/self/uid_map")))[2], 1024);
    ok(await server.podman("rm", "one", "two", "four"));
    const [inside, outside, count] = mapOf(ok(await run("three", `auto:size=${size}`, "cat", "/proc/self/uid_map")));
    assertEquals([inside, count], [0, size]);
    assert(outside >= 200000 && outside + size <= 265536, String(outside));
  });
  await Deno.remove(file);
});
