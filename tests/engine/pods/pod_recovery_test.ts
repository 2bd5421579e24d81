/** Pods whose engine dies at every step of their lives. */
import { assertEquals, assertGreater } from "@std/assert";
import { Dying } from "../../fixtures/engine/dying_engine.ts";
import { assertConsistent } from "../../fixtures/engine/fake_check.ts";
import { type FakeEngine, openFake } from "../../fixtures/engine/fake_engine.ts";

/** A whole life of a pod. The engine may die at any point of it. */
async function livePod({ pods, containers }: FakeEngine): Promise<void> {
  await pods.create({ name: "shop", exitPolicy: "stop" });
  await containers.create({ image: "tiny", name: "first", pod: "shop", initContainer: "once", command: ["exit", "0"] });
  await containers.create({ image: "tiny", name: "web", pod: "shop" });
  await pods.start("shop");
  await pods.pause("shop");
  await pods.unpause("shop");
  await pods.restart("shop");
  await containers.kill("web");
  await containers.settled();
  await pods.start("shop");
  await pods.stop("shop");
  await pods.remove("shop");
}

/** Every pod left can be started and removed, and nothing stays. */
async function assertUsable({ pods, containers, kernel }: FakeEngine): Promise<void> {
  for (const pod of pods.list()) {
    const members = pods.membersOf(pod);
    assertEquals(members.some(({ id }) => id === pod.infraID), true, "a pod has its infra container");
    await pods.unpause(pod.id);
    if (pods.status(pod) !== "Running") await pods.start(pod.id);
    await pods.remove(pod.id, { force: true });
  }
  await containers.settled();
  assertEquals([pods.list().length, containers.list({ all: true }).length], [0, 0], "no container outlives its pod");
  const { layers, processes, mounts, namespaces, connected } = kernel;
  assertEquals([layers.size, processes.size, mounts.size, namespaces.size, connected.size], [0, 0, 0, 0, 0]);
}

Deno.test("a pod's life cut short anywhere leaves a whole pod or none", {
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  let limit = 0;
  for (let ended = false; !ended; limit++) {
    const dying = new Dying(limit);
    ended = await dying.outlived((async () => {
      const engine = await dying.open();
      await livePod(engine);
      await engine.containers.close();
      await engine.host.close();
    })());
    await using engine = await openFake({ kernel: dying.kernel, store: dying.store });
    await engine.containers.settled();
    try {
      await assertConsistent(engine);
      assertEquals(engine.complaints.filter((line) => line.startsWith("error")), []);
      await assertUsable(engine);
    } catch (error) {
      throw new Error(`Died at step ${limit}: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  }
  assertGreater(limit, 50);
});
