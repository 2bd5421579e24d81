/** The file that containers of one network share is theirs to write: its size must not be the server's. */
import { assert, assertEquals } from "@std/assert";
import { memoryOf, STREAM_ROOM } from "../../fixtures/memory.ts";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

/** More than a text of either runtime can hold: to read it whole failed, after 2 GB and seconds without an answer. */
const GROWN = 600 * 1024 * 1024;

Deno.test("an /etc/hosts of 600 MB costs the server nothing, and what shared it leaves no secret behind", async () => {
  await using session = await Session.start();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", image);
  await podman("run", "-d", "--name", "grows", image, "sleep", "900");
  const join = ["-d", "--network=container:grows", "--env=WORD=sesame", image];
  const before = (await podman("run", "--name", "before", ...join, "sleep", "900")).trim();
  await podman(
    "exec",
    "grows",
    "dd",
    "if=/dev/zero",
    "of=/etc/hosts",
    "bs=1",
    "count=1",
    `seek=${GROWN}`,
    "conv=notrunc",
  );

  const rise = await memoryOf(server.pid, async () => {
    const after = (await podman("run", "--name", "after", ...join, "true")).trim();
    await podman("wait", "after");
    await podman("stop", "-t", "0", "before");
    for (const id of [before, after]) {
      await until(() => {
        assertEquals([...Deno.readDirSync(`${server.folder}/run/bundles`)].filter(({ name }) => name === id), []);
        return Promise.resolve();
      });
    }
  });
  assert(rise < STREAM_ROOM, `the server grew by ${rise} MB`);
  // Names come and go as ever in a file of a usual size.
  await podman("exec", "grows", "sh", "-c", "echo '127.0.0.1 localhost' > /etc/hosts");
  await podman("run", "--name", "named", "--network=container:grows", image, "grep", "-c", "named", "/etc/hosts");
  assertEquals(await podman("logs", "named"), "1\n");
  await until(async () => {
    assertEquals(await podman("exec", "grows", "cat", "/etc/hosts"), "127.0.0.1 localhost\n");
  });
});
