/** Random lives of networks, connections and volumes, driven by several clients at once: the server and the kernel show what the model says. */
import { assertEquals } from "@std/assert";
import { seeded } from "../../fixtures/engine/fake_engine.ts";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";
import { killAmid } from "./kills.ts";
import { NetworkClient } from "./network_client.ts";
import { isLongRun } from "../../long_run.ts";

const CLIENTS = 8;
const sequences = isLongRun ? 200 : 8;
const kills = isLongRun ? 100 : 2;
/** The network in which every container stays. */
const HOME = "10.68.200.0/24";

Deno.test(`${sequences} random lives of networks and volumes from ${CLIENTS} clients, and ${kills} SIGKILLs amid more, go as the model says and leave nothing`, async () => {
  await using session = await Session.start();
  const { server, image } = session;
  ok(await server.podman("pull", image));
  ok(await server.podman("network", "create", "--disable-dns", "--subnet", HOME, "home"));
  // A run that failed, or was killed, may have left its own.
  const before = await listTraces();
  const random = seeded(5);
  const clients = Array.from({ length: CLIENTS }, (_, i) => new NetworkClient(server, image, i, seeded(500 + i)));
  await Promise.all(clients.map((client) => client.begin("home")));
  let left = sequences;
  await Promise.all(clients.map(async (client) => {
    while (left-- > 0) await client.sequence();
  }));

  let isDone = false;
  const work = Promise.all(clients.map(async (client) => {
    while (!isDone) await client.sequence();
  }));
  try {
    await killAmid(server, clients, work, kills, random);
  } finally {
    isDone = true;
  }
  await work;

  await Promise.all(clients.map((client) => client.end()));
  ok(await server.podman("network", "rm", "home"));
  for (const [kind, template] of [["network", "{{.Name}}"], ["volume", "{{.Name}}"], ["container", "{{.Names}}"]]) {
    const { stdout } = await server.podman(kind, "ls", "--format", template);
    assertEquals(stdout.trim(), kind === "network" ? "podman" : "", kind);
  }
  await until(async () => {
    assertEquals((await listTraces()).filter((line) => !before.includes(line)), []);
  });
});

/** The lines about subnets of the clients in what the kernel shows of rules and addresses. */
async function listTraces(): Promise<string[]> {
  const found: string[] = [];
  for (const [program, ...args] of [["iptables-save"], ["nft", "list", "ruleset"], ["ip", "addr"]]) {
    const { stdout } = await new Deno.Command(program, { args }).output();
    const lines = new TextDecoder().decode(stdout).split("\n").filter((line) => /\b10\.68\.\d+\./.test(line));
    found.push(...lines.map((line) => `${program}: ${line}`));
  }
  return found;
}
