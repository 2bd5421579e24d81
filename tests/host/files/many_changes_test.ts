/** A container can make more changes than a server has room for: a list of them is written as they are found. */
import { assert, assertEquals } from "@std/assert";
import http from "node:http";
import { STREAM_ROOM, streamMemory } from "../../fixtures/memory.ts";
import { ok, runOk } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";
import { isLongRun } from "../../long_run.ts";

/** One in a folder each thousand: as a container makes them with `ln`. */
const LINKS = isLongRun ? 1_500_000 : 100_000;
/** Bytes of each name: the list is twenty megabytes of text and more, so that a server that holds it all takes more than a stream may. */
const NAME = 240;
const MAKE = `
  my $made = 0;
  for (my $folder = 0; $made < $ARGV[0]; $folder++) {
    mkdir "d$folder" or die $!;
    symlink 'nowhere', "d$folder/" . sprintf("%0$ARGV[1]d", $_) or die $! for 1 .. 999;
    $made += 1000;
  }
`;

Deno.test(`a list of ${LINKS} changes costs no more than a stream may`, async () => {
  await using session = await Session.start();
  const { server, image } = session;
  ok(await server.podman("pull", image));
  const id = ok(await server.podman("create", "--network=none", image, "true")).trim();
  const upper = `${server.folder}/root/containers/${id}/upper`;
  await runOk(["perl", "-e", MAKE, String(LINKS), String(NAME)], { cwd: upper, timeout: 300_000 });
  /** Counts what comes, and keeps nothing of it. */
  const changes = () =>
    new Promise<number>((resolve, reject) => {
      const path = `/libpod/containers/${id}/changes`;
      http.get({ socketPath: server.socket, path, agent: false }, (incoming) => {
        let count = 0;
        incoming.on("data", (chunk: Uint8Array) => {
          for (const byte of chunk) if (byte === 123) count++;
        });
        incoming.on("error", reject);
        incoming.on("end", () => incoming.statusCode === 200 ? resolve(count) : reject(new Error("no list")));
      }).on("error", reject);
    });
  const rise = await streamMemory(server.pid, async () => assertEquals(await changes(), LINKS));
  assert(rise < STREAM_ROOM, `the server grew by ${rise} MB`);
  ok(await server.podman("rm", id));
  assertEquals([...Deno.readDirSync(`${server.folder}/root/layers/partial`)], []);
});
