import { assert, assertEquals } from "@std/assert";
import { assertConsistent } from "../../fixtures/engine/fake_check.ts";
import { type FakeEngine, openFake } from "../../fixtures/engine/fake_engine.ts";
import { INFRA, makeMember, makePod } from "../../fixtures/engine/shop_pod.ts";

/** The state of each pod of the table below, by the states of its containers `web` and `db`. */
const SITUATIONS: Record<string, (engine: FakeEngine) => Promise<unknown>> = {
  Created: () => Promise.resolve(),
  Running: ({ pods }) => pods.start("shop"),
  Degraded: async ({ pods, containers }) => {
    await pods.start("shop");
    await containers.stop("web");
  },
  Paused: async ({ pods }) => {
    await pods.start("shop");
    await pods.pause("shop");
  },
  Exited: async ({ pods }) => {
    await pods.start("shop");
    await pods.stop("shop");
  },
  Stopped: async ({ pods, containers }) => {
    await pods.start("shop");
    await pods.stop("shop");
    await containers.remove("web");
    await containers.create({ image: "tiny", name: "web", pod: "shop" });
  },
};

/** The result of each operation on a pod in each state: its state then, `!CODE` for an error, `-` where it is gone. */
const TABLE: Record<string, Record<string, string>> = {
  start: {
    Created: "Running",
    Running: "!unchanged",
    Degraded: "Running",
    Paused: "Paused 3",
    Exited: "Running",
    Stopped: "Running",
  },
  stop: {
    Created: "!unchanged",
    Running: "Exited",
    Degraded: "Exited",
    Paused: "!unchanged",
    Exited: "!unchanged",
    Stopped: "!unchanged",
  },
  restart: {
    Created: "Running",
    Running: "Running",
    Degraded: "Running",
    Paused: "Paused",
    Exited: "Running",
    Stopped: "Running",
  },
  kill: {
    Created: "!state",
    Running: "Exited",
    Degraded: "Exited",
    Paused: "!state",
    Exited: "!state",
    Stopped: "!state",
  },
  pause: {
    Created: "Created",
    Running: "Paused",
    Degraded: "Stopped",
    Paused: "Paused",
    Exited: "Exited",
    Stopped: "Stopped",
  },
  unpause: {
    Created: "Created",
    Running: "Running",
    Degraded: "Degraded",
    Paused: "Running",
    Exited: "Exited",
    Stopped: "Stopped",
  },
  remove: {
    Created: "-",
    Running: "Running 3",
    Degraded: "Running 2",
    Paused: "Paused 3",
    Exited: "-",
    Stopped: "-",
  },
  "remove by force": { Created: "-", Running: "-", Degraded: "-", Paused: "-", Exited: "-", Stopped: "-" },
  prune: {
    Created: "Created",
    Running: "Running",
    Degraded: "Degraded",
    Paused: "Paused",
    Exited: "-",
    Stopped: "-",
  },
};

async function operate({ pods }: FakeEngine, operation: string): Promise<number> {
  if (operation === "prune") return (await pods.prune()).filter(({ error }) => error).length;
  if (operation === "remove by force") return (await pods.remove("shop", { force: true })).failures.size;
  const work = { start: pods.start, stop: pods.stop, restart: pods.restart, kill: pods.kill, pause: pods.pause };
  const others = { unpause: pods.unpause, remove: pods.remove };
  const all: Record<string, (name: string) => Promise<{ failures: Map<string, Error> }>> = { ...work, ...others };
  return (await all[operation].call(pods, "shop")).failures.size;
}

Deno.test("every operation on a pod in every state", async () => {
  for (const [operation, row] of Object.entries(TABLE)) {
    for (const [situation, bring] of Object.entries(SITUATIONS)) {
      await using engine = await openFake();
      await makePod(engine, INFRA);
      for (const name of ["web", "db"]) await makeMember(engine, name);
      await bring(engine);
      assertEquals(engine.pods.status(engine.pods.resolve("shop")), situation, "the table's own ground");
      const failed = await operate(engine, operation).catch((error) => `!${error.code}`);
      await engine.containers.settled();
      const state = engine.pods.exists("shop") ? engine.pods.status(engine.pods.resolve("shop")) : "-";
      const outcome = typeof failed === "string" ? failed : failed > 0 ? `${state} ${failed}` : state;
      assertEquals(outcome, row[situation], `${operation} of a pod that is ${situation}`);
      await assertConsistent(engine);
    }
  }
});

Deno.test("events tell of pods, and of the pod of a container", async () => {
  await using engine = await openFake();
  const id = await makePod(engine, INFRA);
  await makeMember(engine, "web");
  for (const operation of ["start", "pause", "unpause", "stop", "restart", "kill", "remove"]) {
    await operate(engine, operation);
  }
  const events = await engine.events();
  const pods = events.filter(({ type }) => type === "pod");
  assertEquals(
    pods.map(({ action }) => action).join(" "),
    "create start pause unpause stop stop start kill remove",
  );
  assert(pods.every((event) => event.id === id && event.name === "shop"));
  const containers = events.filter(({ type }) => type === "container");
  assert(containers.length > 10 && containers.every(({ attributes }) => attributes.podId === id));
});
