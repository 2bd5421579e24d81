/** Random lives of containers, driven by several clients at once: what the server shows is what the model says. */
import { assert, assertEquals } from "@std/assert";
import { seeded } from "../../fixtures/engine/fake_engine.ts";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";
import { traces } from "../../fixtures/traces.ts";
import { killAmid } from "./kills.ts";
import { IMAGES } from "./container_model.ts";
import { ModelClient } from "./model_client.ts";
import { isLongRun } from "../../long_run.ts";

const CLIENTS = 8;
const sequences = isLongRun ? 500 : 24;
const kills = isLongRun ? 100 : 4;

const NOTHING = { processes: [], mounts: [], namespaces: [], cgroups: [], interfaces: [] };

Deno.test(`${sequences} random lives from ${CLIENTS} clients at once go as the model says and leave nothing`, async () => {
  await using session = await Session.start();
  ok(await session.server.podman("pull", session.image));
  const clients = clientsOf(session, 1);
  let left = sequences;
  await Promise.all(clients.map(async (client) => {
    while (left-- > 0) await client.sequence();
  }));
  await leavesNothing(session, clients);
});

Deno.test(`${kills} SIGKILLs of the server in the middle of such lives lose nothing and leave nothing`, async () => {
  await using session = await Session.start();
  ok(await session.server.podman("pull", session.image));
  const clients = clientsOf(session, 2);
  const random = seeded(3);
  let done = false;
  const work = clients.map(async (client) => {
    while (!done) await client.sequence();
  });
  const ended = Promise.all(work);
  try {
    await killAmid(session.server, clients, ended, kills, random);
  } finally {
    done = true;
  }
  await ended;
  await leavesNothing(session, clients);
});

function clientsOf({ server, image }: Session, seed: number): ModelClient[] {
  return Array.from({ length: CLIENTS }, (_, i) => new ModelClient(server, image, `m${i}`, seeded(seed * 100 + i)));
}

async function leavesNothing({ server }: Session, clients: readonly ModelClient[]): Promise<void> {
  const ids = clients.flatMap((client) => client.ids);
  assert(ids.length >= CLIENTS * 2);
  // Images whose removal a dying server did not answer for.
  const images: { Id: string; Names?: string[] }[] = await (await server.request("GET", "/libpod/images/json")).json();
  const left = images.filter(({ Names }) => Names?.some((name) => name.startsWith(IMAGES)));
  for (const { Id } of left) await (await server.request("DELETE", `/libpod/images/${Id}?force=true`)).text();
  await until(async () => {
    assertEquals(await (await server.request("GET", "/libpod/containers/json?all=true")).json(), []);
    const images: unknown[] = await (await server.request("GET", "/libpod/images/json?all=true")).json();
    assertEquals(images.length, 1);
    assertEquals(traces(server.folder, ids), NOTHING);
  });
}
