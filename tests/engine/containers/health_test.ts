import { assert, assertEquals, assertRejects } from "@std/assert";
import { MemoryStore } from "../../../lib/platform/storage/memory_store.ts";
import { type FakeEngine, IMAGE, openFake, spec } from "../../fixtures/engine/fake_engine.ts";
import { FakeKernel } from "../../fixtures/engine/fake_kernel.ts";
import type { HealthWish } from "../../../lib/engine/records/health_plan.ts";

const CHECK = { test: ["CMD", "ask", "how are you"], interval: 1000, retries: 2 };

async function start(fake: FakeEngine, health: HealthWish, options: Parameters<typeof spec>[0] = {}): Promise<string> {
  const { record: { id } } = await fake.containers.create(spec({ health, ...options }));
  await fake.containers.start(id);
  return id;
}

async function becomes<T>(look: () => T, wanted: T): Promise<void> {
  for (let i = 0; i < 30_000 && look() !== wanted; i++) await new Promise((resolve) => setTimeout(resolve, 1));
  assertEquals(look(), wanted);
}

Deno.test("a container is starting until its first probe, healthy after it, and unhealthy after as many failures as asked", async () => {
  await using fake = await openFake();
  const { containers, kernel } = fake;
  const { record: { id } } = await containers.create(spec({ health: { check: CHECK } }));
  assertEquals(containers.health(id), undefined);
  await containers.start(id);
  assertEquals(containers.health(id)?.status, "starting");
  await containers.wait(id, ["healthy"]);
  assertEquals(containers.health(id)?.log[0].output, "how are you");
  kernel.answers = [1];
  await containers.wait(id, ["unhealthy"]);
  const { failingStreak, log } = containers.health(id)!;
  assertEquals([failingStreak, log.at(-1)?.exitCode], [2, 1]);
  assertEquals(containers.list({ filters: { health: ["unhealthy"] } }).map((record) => record.id), [id]);
  kernel.answers = [0];
  await containers.wait(id, ["healthy"]);
  assertEquals(containers.health(id)?.failingStreak, 0);
  const events = (await fake.events()).filter(({ action }) => action === "health_status");
  assertEquals(events[0].health, "healthy");
  assert(events.some(({ health }) => health === "unhealthy"));
});

Deno.test("probes are no exec sessions, and tell of nothing but health", async () => {
  await using fake = await openFake();
  const id = await start(fake, { check: CHECK });
  await fake.containers.wait(id, ["healthy"]);
  assertEquals(fake.containers.execs.of(id), []);
  assertEquals((await fake.events()).filter(({ action }) => action.startsWith("exec")), []);
  await fake.containers.stop(id, { timeout: 0 });
  assertEquals([...fake.kernel.execs], []);
});

Deno.test("a probe that takes too long is killed and fails", async () => {
  await using fake = await openFake();
  const id = await start(fake, { check: { test: ["CMD", "hangs"], timeout: 1000, interval: 1000, retries: 1 } });
  await fake.containers.wait(id, ["unhealthy"]);
  assertEquals(fake.containers.health(id)?.log[0].exitCode, -1);
  await assertRejects(() => fake.containers.checkHealth(id), Error, "healthcheck command exceeded timeout of 1s");
  await fake.containers.stop(id, { timeout: 0 });
  assertEquals([...fake.kernel.execs], []);
});

Deno.test("failures in the start period do not count", async () => {
  await using fake = await openFake();
  fake.kernel.answers = [1];
  const id = await start(fake, { check: { ...CHECK, retries: 1, startPeriod: 1e9 } });
  await becomes(() => (fake.containers.health(id)?.log.length ?? 0) >= 3, true);
  assertEquals(fake.containers.health(id)?.status, "starting");
  fake.kernel.answers = [0];
  await fake.containers.wait(id, ["healthy"]);
});

Deno.test("failures before the first interval is over do not count for a container of Docker's tree", async () => {
  for (const [defaults, expected] of [["docker", "starting"], [undefined, "unhealthy"]] as const) {
    await using fake = await openFake();
    fake.kernel.answers = [1];
    const check = { ...CHECK, interval: 1e9, retries: 1 };
    const id = await start(fake, { check }, defaults && { defaults });
    await becomes(() => fake.containers.health(id)?.log.length, 1);
    assertEquals(fake.containers.health(id)?.status, expected);
  }
  await using fake = await openFake();
  fake.kernel.answers = [1];
  const id = await start(fake, { check: { ...CHECK, retries: 1 } }, { defaults: "docker" });
  await fake.containers.wait(id, ["unhealthy"]);
  assertEquals(fake.containers.health(id)!.log.length >= 2, true);
});

Deno.test("a health check of a nanosecond leaves the machine time for other things", async () => {
  await using fake = await openFake();
  const { clock } = fake.core;
  const pauses: number[] = [];
  const { sleep } = clock;
  clock.sleep = (ms, signal) => (pauses.push(ms), sleep(ms, signal));
  const id = await start(fake, { check: { ...CHECK, interval: 1e-6 } });
  await becomes(() => (fake.containers.health(id)?.log.length ?? 0) >= 4, true);
  assert(pauses.filter((ms) => ms > 90 && ms <= 100).length >= 3, pauses.join());
});

Deno.test("the startup check comes first, as often as it has to pass, and restarts what it gives up", async () => {
  await using fake = await openFake();
  const { containers, kernel } = fake;
  const startup = { test: ["CMD", "ask", "up yet"], interval: 1000, successes: 2 };
  const check = { test: ["CMD", "ask", "well"], interval: 1000 };
  const id = await start(fake, { check, startup });
  await becomes(() => containers.health(id)?.log.length, 3);
  assertEquals(containers.health(id)?.log.map(({ output }) => output), ["up yet", "up yet", "well"]);
  await containers.stop(id, { timeout: 0 });
  kernel.answers = [1, 1, 0];
  const other = await start(fake, { check, startup: { ...startup, retries: 2, successes: 1 } });
  await becomes(() => containers.health(other)?.startup.passed, true);
  const events = (await fake.events()).filter((event) => event.id === other).map(({ action }) => action);
  assertEquals(events.filter((action) => action === "restart").length, 1);
});

for (const [onFailure, status, exitCode] of [["kill", "exited", 137], ["stop", "exited", 143]] as const) {
  Deno.test(`an unhealthy container whose on-failure action is ${onFailure} is ${status}`, async () => {
    await using fake = await openFake();
    fake.kernel.answers = [1];
    const id = await start(fake, { check: CHECK, onFailure });
    assertEquals(await fake.containers.wait(id), exitCode);
    await fake.containers.settled();
    assertEquals(fake.containers.resolve(id).state.status, status);
  });
}

Deno.test("an unhealthy container whose on-failure action is restart comes back, whatever its policy", async () => {
  await using fake = await openFake();
  fake.kernel.answers = [1, 1, 0];
  const id = await start(fake, { check: CHECK, onFailure: "restart" });
  await becomes(() => fake.containers.resolve(id).state.restartCount, 1);
  await fake.containers.wait(id, ["healthy"]);
  await fake.containers.stop(id, { timeout: 0 });
  await fake.containers.settled();
  assertEquals(fake.containers.resolve(id).state.status, "exited");
});

Deno.test("a stop ends the wait of a container that was to come back for its health", async () => {
  await using fake = await openFake();
  const { containers } = fake;
  fake.kernel.answers = [1];
  const id = await start(fake, { check: CHECK, onFailure: "restart" });
  // The waits grow, so that one is seen.
  await becomes(() => containers.awaitsRestart(containers.resolve(id)), true);
  const { restartCount } = containers.resolve(id).state;
  await assertRejects(() => containers.stop(id), Error, "container is stopped");
  assertEquals(containers.awaitsRestart(containers.resolve(id)), false);
  await containers.settled();
  const { state } = containers.resolve(id);
  assertEquals([state.status, state.restartCount], ["exited", restartCount]);
});

Deno.test("a paused container is not probed, and anew when it goes on", async () => {
  await using fake = await openFake();
  const { containers } = fake;
  const id = await start(fake, { check: CHECK });
  await containers.wait(id, ["healthy"]);
  await containers.pause(id);
  const count = containers.health(id)?.log.length;
  await new Promise((resolve) => setTimeout(resolve, 10));
  assertEquals(containers.health(id)?.log.length, count);
  await assertRejects(() => containers.checkHealth(id), Error, `container ${id} is not running`);
  await containers.unpause(id);
  assertEquals(containers.health(id)?.status, "reset");
  await containers.wait(id, ["healthy"]);
});

Deno.test("checkHealth() runs a check that is only run by hand, and says what it found", async () => {
  await using fake = await openFake();
  const { containers, kernel } = fake;
  const id = await start(fake, { check: { ...CHECK, interval: 0 } });
  assertEquals(containers.health(id)?.log, []);
  assertEquals(await containers.checkHealth(id), "healthy");
  kernel.answers = [7];
  assertEquals(await containers.checkHealth(id), "unhealthy");
  assertEquals(containers.health(id)?.status, "healthy");
  const none = await start(fake, { check: { test: ["NONE"] } });
  await assertRejects(() => containers.checkHealth(none), Error, `container ${none} has no defined healthcheck`);
});

Deno.test("the log keeps as many probes, and as much of each, as asked", async () => {
  await using fake = await openFake();
  const wish = { check: { ...CHECK, interval: 0 }, log: { count: 2, size: 3, destination: "/var/health" } };
  const id = await start(fake, wish);
  for (let i = 0; i < 4; i++) await fake.containers.checkHealth(id);
  assertEquals(fake.containers.health(id)?.log.map(({ output }) => output), ["how", "how"]);
  const told = JSON.parse(fake.kernel.texts.get(`/var/health/${id}-healthcheck.log`) ?? "");
  assertEquals([told.Status, told.Log.length, told.Log[1].Output], ["healthy", 2, "how"]);
  const absent = spec({ health: { ...wish, log: { destination: "/absent" } } });
  const text = "HealthCheck Log '/absent' destination error: stat /absent: no such file or directory";
  await assertRejects(() => fake.containers.create(absent), Error, text);
});

Deno.test("the image's check is taken, with changes over it; a test of one's own stands alone; NONE takes it away", async () => {
  const config = {
    ...IMAGE.config,
    config: { ...IMAGE.config.config, Healthcheck: { Test: ["CMD", "ask", "it"], Interval: 5e9, Retries: 7 } },
  };
  await using fake = await openFake({ image: { ...IMAGE, config } });
  const make = async (health?: HealthWish) => (await fake.containers.create(spec({ health }))).record.health?.check;
  const rest = { timeout: 30_000, startPeriod: 0, startInterval: 0 };
  const inherited = { test: ["CMD", "ask", "it"], interval: 5000, retries: 7, ...rest };
  assertEquals(await make(), inherited);
  assertEquals(await make({ check: { interval: 9000, retries: 0 } }), { ...inherited, interval: 9000 });
  assertEquals((await make({ check: { test: ["CMD", "own"] } }))?.interval, 0);
  const id = await start(fake, { check: { test: ["NONE"] } });
  assertEquals(fake.containers.health(id), undefined);
});

Deno.test("checks go on with the next engine, from what is on record", async () => {
  const kernel = new FakeKernel();
  const store = new MemoryStore();
  const first = await openFake({ kernel, store });
  const id = await start(first, { check: { ...CHECK, retries: 3 } });
  await first.containers.wait(id, ["healthy"]);
  kernel.answers = [1];
  await becomes(() => first.containers.health(id)?.failingStreak, 1);
  await first[Symbol.asyncDispose]();
  await using next = await openFake({ kernel, store, seed: 2 });
  assertEquals(next.containers.health(id)?.failingStreak, 1);
  await next.containers.wait(id, ["unhealthy"]);
  assertEquals(next.containers.health(id)?.failingStreak, 3);
});

Deno.test("setHealth() changes a running container's check, gives it one, and takes it away", async () => {
  await using fake = await openFake();
  const { containers } = fake;
  const id = await start(fake, {});
  await assertRejects(
    () => containers.setHealth(id, { check: { retries: 2 } }),
    Error,
    "healthcheck command is not set",
  );
  await containers.setHealth(id, { check: CHECK });
  await containers.wait(id, ["healthy"]);
  await containers.setHealth(id, { check: { retries: 9 } });
  assertEquals(containers.resolve(id).health?.check, {
    ...{ ...CHECK, retries: 9 },
    ...{ timeout: 30_000, startPeriod: 0, startInterval: 0 },
  });
  await containers.setHealth(id, { check: { test: ["NONE"] } });
  assertEquals(containers.health(id), undefined);
});

Deno.test("a log of probes is bounded, and the more is written of it the later the next probe is", async () => {
  await using fake = await openFake();
  const { clock } = fake.core;
  const pauses: number[] = [];
  const { sleep } = clock;
  clock.sleep = (ms, signal) => (pauses.push(ms), sleep(ms, signal));
  const check = { ...CHECK, test: ["CMD", "ask", "x".repeat(100_000)], interval: 1e-6 };
  const id = await start(fake, { check, log: { count: 0, size: 0 } });
  await becomes(() => (fake.containers.health(id)?.log.length ?? 0) >= 3, true);
  await becomes(() => pauses.length >= 8, true);
  const outputs = fake.containers.health(id)!.log.map(({ output }) => output.length);
  assertEquals([...new Set(outputs)], [64 * 1024]);
  assert(outputs.length <= 4, `${outputs.length} outputs are kept`);
  // Three outputs of 64 KiB, at 64 characters a millisecond.
  assert(pauses.at(-1)! > 2900, pauses.join());
});

Deno.test("a probe whose start is slow puts the next one off", async () => {
  await using fake = await openFake();
  const { clock } = fake.core;
  const pauses: number[] = [];
  const { sleep } = clock;
  clock.sleep = (ms, signal) => (pauses.push(ms), sleep(ms, signal));
  const { execs } = fake.host.processes;
  const { start: begin } = execs;
  let late = 0;
  const { now } = clock;
  clock.now = () => now() + late;
  execs.start = (options) => {
    late += 500;
    return begin.call(execs, options);
  };
  await start(fake, { check: { ...CHECK, interval: 1e-6, timeout: 1e6 } });
  await becomes(() => pauses.filter((ms) => ms >= 1900 && ms < 1e5).length >= 2, true);
});

Deno.test("a status that stays the same is told to who follows, and kept in the history only now and then", async () => {
  await using fake = await openFake();
  const { events } = fake.core;
  const end = new AbortController();
  const told: (string | undefined)[] = [];
  const following = (async () => {
    const list = events.list({ follow: true, signal: end.signal, filter: ({ action }) => action === "health_status" });
    for await (const { health } of list) told.push(health);
  })();
  const id = await start(fake, { check: { ...CHECK, interval: 100 } });
  await becomes(() => told.length >= 200, true);
  fake.kernel.answers = [1];
  await fake.containers.wait(id, ["unhealthy"]);
  end.abort();
  await following;
  await events.flush();
  const kept = [];
  for await (const { value } of fake.store.read("events")) {
    const { action, health } = JSON.parse(value);
    if (action === "health_status") kept.push(health);
  }
  assert(kept.length < told.length / 4, `${kept.length} of ${told.length} are kept`);
  assertEquals([kept[0], kept.at(-1)], ["healthy", "unhealthy"]);
});

Deno.test("readiness is asked after the check, shows, and does nothing to the container", async () => {
  await using fake = await openFake();
  const { containers, kernel } = fake;
  const readiness = { test: ["GRPC", "9090", "shop"], retries: 2 };
  const id = await start(fake, { check: CHECK, readiness, onFailure: "restart" });
  const { startedAt } = containers.resolve(id).state;
  await becomes(() => (containers.health(id)?.log.length ?? 0) >= 4, true);
  assertEquals([containers.health(id)?.status, containers.health(id)?.log[0].output], [
    "starting",
    "the answer is no gRPC",
  ]);
  kernel.serving.add("9090 shop");
  await containers.wait(id, ["healthy"]);
  kernel.serving.clear();
  await containers.wait(id, ["unhealthy"]);
  const last = containers.health(id)!.log.at(-1)!.end;
  await becomes(() => containers.health(id)!.log.at(-1)!.end > last, true);
  assertEquals(containers.resolve(id).state.startedAt, startedAt, "only the check itself starts it again");
  await containers.setHealth(id, { onFailure: "none" });
  assertEquals(containers.resolve(id).health?.readiness?.test, readiness.test, "an update of others leaves it");
});

Deno.test("a test by gRPC needs a port, and takes one service", async () => {
  await using fake = await openFake();
  const rows: [test: string[], message: string][] = [
    [["GRPC"], 'needs a port from 1 to 65535; it has ""'],
    [["GRPC", "0"], 'needs a port from 1 to 65535; it has "0"'],
    [["GRPC", "65536"], "needs a port from 1 to 65535"],
    [["GRPC", "80", "x".repeat(254)], "a service of at most 253 bytes"],
    [["GRPC", "80", "x", "y"], "takes a port, and the name of a service"],
  ];
  for (const [test, message] of rows) {
    await assertRejects(() => fake.containers.create(spec({ health: { check: { test } } })), Error, message);
  }
});
