/** A disk that a container has filled is emptied again through the API, also by a server that starts on it. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ok, run } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

Deno.test("a full disk is emptied through the API, by the server that runs and by one that starts", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-host-" });
  const disk = `${folder}/disk`;
  ok(await run(["truncate", "-s", "160M", disk]));
  // Nothing is set aside for root, which containers are too.
  ok(await run(["mkfs.ext4", "-q", "-F", "-m", "0", disk]));
  await Deno.mkdir(`${folder}/root`);
  ok(await run(["mount", "-o", "loop", disk, `${folder}/root`]));
  // The session unmounts what is mounted there, and removes the folder.
  await using session = await Session.start({ folder });
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const free = async () => Number((await run(["stat", "-f", "-c", "%a", `${folder}/root`])).stdout);
  await podman("pull", image);
  await until(async () => {
    // The room for bad times is taken while there is some.
    await podman("volume", "rm", (await podman("volume", "create")).trim());
    assertEquals((await Deno.stat(`${folder}/root/gantry.db-reserve`)).size, 8 << 20);
  });
  const before = await free();
  for (const name of ["first", "second"]) {
    await podman("run", "-d", "--name", name, "--network=none", image, "sleep", "1000");
    const filled = await server.podman("exec", name, "sh", "-c", "cat /dev/zero > /hog; cat /dev/zero > /rest");
    assertStringIncludes(filled.stderr, "No space left");
    assert(await free() < 256, `Expected a full disk: ${await free()}`);
    const refused = await server.podman("build", "-q", "-t", "more", "-f-", ".");
    assert(refused.code !== 0);
    if (name === "second") await server.crash();
    await podman("rm", "-f", "-t", "0", name);
    assert(await free() > before / 2, "what the container wrote is free");
  }
  await podman("rmi", image);
  assertEquals(await podman("images", "-q"), "");
});
