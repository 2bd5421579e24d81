import { assertEquals, assertRejects } from "@std/assert";
import { type FakeEngine, openFake, spec } from "../../../fixtures/engine/fake_engine.ts";
import { untilTrue } from "../../../fixtures/until_true.ts";

const PENDING = "pending";

/** What a wait has come to so far. */
async function now(wait: Promise<number>): Promise<number | string> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
  return await Promise.race([wait, Promise.resolve(PENDING)]);
}

async function started({ containers }: FakeEngine, options: Parameters<typeof spec>[0] = {}): Promise<string> {
  const { record: { id } } = await containers.create(spec(options));
  await containers.start(id);
  return id;
}

Deno.test("Containers.wait() answers at once for a state that is there, and with no exit code", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const { record: { id } } = await containers.create(spec());
  assertEquals(await containers.wait(id, ["created"]), -1);
  assertEquals(await containers.wait(id, ["configured"]), -1);
  assertEquals(await containers.wait(id), 0);
  assertEquals(await containers.wait(id, ["not-running"]), 0);
  await containers.init(id);
  assertEquals(await containers.wait(id, ["initialized"]), -1);
  await containers.start(id);
  assertEquals(await containers.wait(id, ["running", "exited"]), -1);
  await containers.pause(id);
  assertEquals(await containers.wait(id, ["stopped", "paused"]), -1);
});

Deno.test("Containers.wait() waits for states on the way", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const { record: { id } } = await containers.create(spec({ command: ["stubborn"] }));
  const waits = {
    running: containers.wait(id, ["running"]),
    stopping: containers.wait(id, ["stopping"]),
    next: containers.wait(id, ["next-exit"]),
    removed: containers.wait(id, ["removed"]),
  };
  assertEquals(await now(waits.running), PENDING);
  await containers.start(id);
  assertEquals(await waits.running, -1);
  assertEquals(await now(waits.stopping), PENDING);
  await containers.stop(id, { timeout: 1 });
  assertEquals([await waits.stopping, await waits.next], [-1, 137]);
  assertEquals(await now(waits.removed), PENDING);
  await containers.remove(id);
  assertEquals(await waits.removed, 137);
});

Deno.test("Containers.wait() for the next exit passes over the last one", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const id = await started(engine, { command: ["exit", "3"] });
  assertEquals(await containers.wait(id), 3);
  const next = containers.wait(id, ["next-exit"]);
  assertEquals(await now(next), PENDING);
  await containers.start(id);
  assertEquals(await next, 3);
});

Deno.test("Containers.wait() knows the exit code of what removed itself, by ID and for a while", async () => {
  await using engine = await openFake();
  const { containers, kernel } = engine;
  const id = await started(engine, { name: "brief", command: ["exit", "9"], remove: true });
  await containers.settled();
  assertEquals(containers.exists(id), false);
  assertEquals(await containers.wait(id), 9);
  await assertRejects(() => containers.wait("brief"), Error, "no such container");
  await assertRejects(() => containers.wait(id, ["running"]), Error, "no such container");
  await assertRejects(() => containers.wait(id, ["next-exit"]), Error, "no such container");
  for (let i = 0; i < 5 * 60_000; i++) kernel.now();
  await assertRejects(() => containers.wait(id), Error, "no such container");
});

Deno.test("Containers.wait() for a state ends when the container is removed", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const { record: { id } } = await containers.create(spec());
  const running = containers.wait(id, ["running"]);
  const removing = containers.wait(id, ["removing"]);
  const failed = assertRejects(() => running, Error, "no such container");
  await containers.remove(id);
  await failed;
  assertEquals(await removing, -1);
});

Deno.test("Containers.wait() gives up when its signal aborts", async () => {
  await using engine = await openFake();
  const id = await started(engine);
  const giveUp = new AbortController();
  const wait = engine.containers.wait(id, [], { signal: giveUp.signal });
  giveUp.abort(new Error("The client went away"));
  await assertRejects(() => wait, Error, "The client went away");
});

Deno.test("Containers.wait() refuses health conditions where there is no health check", async () => {
  await using engine = await openFake();
  const id = await started(engine);
  await assertRejects(() => engine.containers.wait(id, ["healthy"]), Error, "has no healthcheck");
});

Deno.test("Containers.wait() for one that does not run takes a container that waits for its restart as running", async () => {
  for (const end of ["exit", "failure", "kill"] as const) {
    await using engine = await openFake();
    const { containers, host } = engine;
    const id = await started(engine, { command: ["exit", "7"], restartPolicy: { name: "always" } });
    const awaits = () => containers.awaitsRestart(containers.resolve(id));
    await untilTrue(awaits);
    const wait = containers.wait(id, ["not-running"]);
    // In the native tree an end is one, whatever comes after it.
    assertEquals(await now(containers.wait(id, ["exited"])), 7, end);
    assertEquals(await now(wait), PENDING, end);
    host.hook = (operation, _subject, when) => {
      if (end === "failure" && operation === "processes.create" && when === "before") throw new Error("no process");
    };
    if (end === "kill") await containers.kill(id, { restartingRuns: true });
    assertEquals(await wait, 7, end);
    if (end !== "exit") assertEquals([awaits(), containers.resolve(id).state.status], [false, "exited"], end);
  }
});

Deno.test("a container that its user initializes within the wait for its restart is not on its way up by it", async () => {
  // The restart is far away.
  const sleep = (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  await using engine = await openFake({ sleep });
  const { containers } = engine;
  const id = await started(engine, { command: ["exit", "7"], restartPolicy: { name: "always" } });
  const awaits = () => containers.awaitsRestart(containers.resolve(id));
  await untilTrue(awaits);
  await containers.init(id);
  assertEquals([awaits(), containers.resolve(id).state.status], [false, "initialized"]);
  assertEquals(await now(containers.wait(id, ["not-running"])), 0);
});
