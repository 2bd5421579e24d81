import { assertEquals } from "@std/assert";
import { createServer, type Server } from "node:http";
import { keepListening, type LookTimes } from "../../../lib/platform/http/keep_listening.ts";

const TIMES: LookTimes = { every: 20, turn: 5, turns: 10 };

Deno.test("keepListening() listens again where connections wait, and nobody takes them", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/deaf.sock`;
  const server = createServer((_message, out) => out.end("hello"));
  // Its queue takes connections, and nobody empties it: so a listener is that has given up.
  const deaf = Deno.listen({ transport: "unix", path });
  const told: unknown[] = [];
  const done = Promise.withResolvers<void>();
  const again = async () => {
    deaf.close();
    await Deno.remove(path).catch(() => {});
    await listenAt(server, path);
    done.resolve();
  };
  using _keeper = keepListening(server, { kind: "unix", path }, again, (error) => told.push(error), TIMES);
  await done.promise;
  await new Promise((resolve) => setTimeout(resolve, 5 * TIMES.every));
  // The new one is looked at too, and let alone.
  assertEquals(told.map(String), [
    "Error: Listen again: no connection was taken any more, for want of files it seems",
  ]);
  await closeServer(server);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("keepListening() lets a listener alone whose process had no processor for a while", async () => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/stalled.sock`;
  const server = createServer();
  await listenAt(server, path);
  const told: unknown[] = [];
  let begun = 0;
  const again = () => Promise.resolve(begun++);
  using _keeper = keepListening(server, { kind: "unix", path }, again, (error) => told.push(error), TIMES);
  for (let stall = 0; stall < 10; stall++) {
    await new Promise((resolve) => setTimeout(resolve, TIMES.every + stall));
    const end = performance.now() + 3 * TIMES.turn * TIMES.turns;
    while (performance.now() < end);
  }
  assertEquals([begun, told], [0, []]);
  await closeServer(server);
  await Deno.remove(folder, { recursive: true });
});

function listenAt(server: Server, path: string): Promise<void> {
  return new Promise((resolve) => server.listen({ path }, resolve));
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
