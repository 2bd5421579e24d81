/** What runs in a container may have command lines of megabytes: a list of it costs the server next to nothing. */
import { assert, assertEquals } from "@std/assert";
import { STREAM_ROOM, streamMemory } from "../../fixtures/memory.ts";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

/** Each with a command line of 1.3 MB: 80 MB to read, and several times that as texts. */
const PROCESSES = 60;
const COMMAND = [
  "x=y; while [ ${#x} -lt 60000 ]; do x=$x$x; done; set --; i=0",
  'while [ $i -lt 20 ]; do set -- "$@" $x; i=$((i+1)); done',
  `i=0; while [ $i -lt ${PROCESSES} ]; do sh -c 'sleep 900; true' "$@" & i=$((i+1)); done; wait`,
].join("; ");

Deno.test("top of processes with command lines of megabytes stays within the memory a stream may cost", async () => {
  await using session = await Session.start();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", image);
  await podman("run", "-d", "--name", "box", "--network=none", image, "sh", "-c", COMMAND);
  const list = async (tree: string) => {
    const reply = await server.request("GET", `${tree}/containers/box/top`);
    assertEquals(reply.status, 200);
    return (await reply.json()) as { Titles: string[]; Processes: string[][] };
  };
  await until(async () => assertEquals((await list("/libpod")).Processes.length, 2 * PROCESSES + 1), 60_000);
  const rise = await streamMemory(server.pid, async () => {
    for (const tree of ["/libpod", ""]) {
      const { Titles, Processes } = await list(tree);
      assertEquals(Processes.length, 2 * PROCESSES + 1);
      const longest = Math.max(...Processes.map((row) => row[Titles.length - 1].length));
      assert(longest >= 128 && longest <= 4096, `${longest}`);
    }
  });
  assert(rise < STREAM_ROOM, `the server grew by ${rise} MB`);
});
