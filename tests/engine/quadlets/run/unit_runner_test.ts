import { assert, assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { MemoryStore } from "../../../../lib/platform/storage/memory_store.ts";
import { openTestEngine, type TestEngine, TINY_NAME } from "../../../fixtures/handlers/test_engine.ts";
import { untilTrue } from "../../../fixtures/until_true.ts";

const IMAGE = `Image=${TINY_NAME}\n`;

async function install(test: TestEngine, files: Readonly<Record<string, string>>, reload = false): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await test.engine.quadlets.install([{ name, content: new TextEncoder().encode(text) }], { reload });
  }
}

async function states(test: TestEngine): Promise<Record<string, string>> {
  const entries = await test.engine.quadlets.list();
  return Object.fromEntries(entries.map(({ unitName, status }) => [unitName, status]));
}

/** Waits until the state of a unit is as wanted; the test's own time limit ends it otherwise. */
async function untilState(test: TestEngine, unit: string, wanted: string): Promise<void> {
  await untilTrue(async () => (await states(test))[unit] === wanted);
}

function idOf({ engine }: TestEngine, name: string): string {
  return engine.containers.resolve(name).id;
}

Deno.test("start() brings up what a unit needs, in order, and stop() ends it with what needs it", async () => {
  await using test = await openTestEngine();
  await install(test, {
    "front.network": "[Network]\n",
    "data.volume": "[Volume]\n",
    "db.container": `[Container]\n${IMAGE}Network=front.network\nVolume=data.volume:/data\n`,
    "web.container": `[Unit]\nRequires=db.container\nAfter=db.container\n[Container]\n${IMAGE}Network=front.network\n`,
  });
  await test.engine.quadlets.start("web.container");
  assertEquals(await states(test), {
    "data-volume.service": "active/exited",
    "db.service": "active/running",
    "front-network.service": "active/exited",
    "web.service": "active/running",
  });
  const { containers, networks, volumes } = test.engine;
  const [web, db] = ["systemd-web", "systemd-db"].map((name) => containers.resolve(name));
  assert(db.state.startedAt <= web.state.startedAt);
  assertEquals(web.spec.labels.PODMAN_SYSTEMD_UNIT, "web.service");
  assert(networks.exists("systemd-front") && volumes.exists("systemd-data"));
  await test.engine.quadlets.stop("db.service");
  assertEquals((await states(test))["web.service"], "inactive/dead", "it requires the other one");
  assert(!containers.exists("systemd-web") && !containers.exists("systemd-db"));
  assert(volumes.exists("systemd-data"), "data stays");
});

Deno.test("a unit that fails is started again by its rule, until it was too often", async () => {
  await using test = await openTestEngine();
  await install(test, {
    "web.container": `[Unit]\nStartLimitBurst=3\n[Container]\n${IMAGE}[Service]\nRestart=on-failure\nRestartSec=1ms\n`,
    "once.container": `[Container]\n${IMAGE}`,
    "good.container": `[Container]\n${IMAGE}[Service]\nRestart=on-failure\nSuccessExitStatus=7\n`,
  });
  await test.engine.quadlets.start("web.service");
  for (let round = 0; round < 2; round++) {
    const id = idOf(test, "systemd-web");
    test.kernel.end(id, 1);
    while (!test.engine.containers.exists("systemd-web") || idOf(test, "systemd-web") === id) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await untilState(test, "web.service", "active/running");
  }
  test.kernel.end(idOf(test, "systemd-web"), 1);
  await untilState(test, "web.service", "failed/failed");
  await test.engine.quadlets.start("once.service");
  test.kernel.end(idOf(test, "systemd-once"), 3);
  await untilState(test, "once.service", "failed/failed");
  assert(!test.engine.containers.exists("systemd-once"));
  await test.engine.quadlets.start("good.service");
  test.kernel.end(idOf(test, "systemd-good"), 7);
  await untilState(test, "good.service", "inactive/dead");
  await test.engine.quadlets.stop("web.service");
  assertEquals((await states(test))["web.service"], "inactive/dead", "a stop clears the failure");
});

Deno.test("a oneshot is done when its command is, and fails with it", async () => {
  await using test = await openTestEngine();
  const text = `[Container]\n${IMAGE}[Service]\nType=oneshot\n`;
  await install(test, {
    "job.container": `${text}RemainAfterExit=yes\n`,
    "bad.container": text,
    "after.container": `[Unit]\nRequires=bad.container\nAfter=bad.container\n[Container]\n${IMAGE}`,
  });
  const run = test.engine.quadlets.start("job.container");
  await untilTrue(() => test.engine.containers.list().length > 0);
  assertEquals((await states(test))["job.service"], "activating/start");
  test.kernel.end(idOf(test, "systemd-job"), 0);
  await run;
  assertEquals((await states(test))["job.service"], "active/exited");
  const failing = test.engine.quadlets.start("after.service");
  failing.catch(() => {});
  await untilTrue(() => test.engine.containers.list().length > 0);
  test.kernel.end(idOf(test, "systemd-bad"), 4);
  const { message } = await assertRejects(() => failing, EngineError);
  assertEquals(message, "Start after.service: it requires bad.service: the command exited with status 4");
  assertEquals((await states(test))["bad.service"], "failed/failed");
  assert(!test.engine.containers.exists("systemd-after"));
});

Deno.test("a pod starts with its containers and ends with them", async () => {
  await using test = await openTestEngine();
  await install(test, {
    "p.pod": "[Pod]\n",
    "a.container": `[Container]\n${IMAGE}Pod=p.pod\n`,
    "b.container": `[Container]\n${IMAGE}Pod=p.pod\nStartWithPod=false\n`,
  });
  await test.engine.quadlets.start("p.pod");
  assertEquals(await states(test), {
    "a.service": "active/running",
    "b.service": "inactive/dead",
    "p-pod.service": "active/running",
  });
  await test.engine.quadlets.stop("p.pod");
  assertEquals((await states(test))["a.service"], "inactive/dead");
  assertEquals(test.engine.pods.list(), []);
});

Deno.test("defect: a unit that runs is removed together with the quadlet that it refers to", async () => {
  await using test = await openTestEngine();
  await install(test, {
    "a.network": "[Network]\n",
    "web.container": `[Container]\n${IMAGE}Network=a.network\n`,
  });
  await test.engine.quadlets.start("web.service");
  const { removed, errors } = await test.engine.quadlets.removeAll({ force: true });
  assertEquals([removed, [...errors]], [["a.network", "web.container"], []]);
  assertEquals(test.engine.containers.list({ all: true }), []);
});

Deno.test("instances of a template run beside each other, and go with it", async () => {
  await using test = await openTestEngine();
  await install(test, { "web@.container": `[Container]\n${IMAGE}Exec=serve %i\n` });
  await test.engine.quadlets.start("web@blue.service");
  await test.engine.quadlets.start("web@red.container");
  assertEquals(test.engine.containers.list().map(({ name }) => name).sort(), ["systemd-web_blue", "systemd-web_red"]);
  const kept = await test.engine.quadlets.remove(["web@.container"]);
  assertEquals([...kept.errors.values()].map(({ message }) => message), [
    "quadlet web@.container is running and force is not set, refusing to remove: quadlet is running",
  ]);
  assertEquals((await test.engine.quadlets.remove(["web@.container"], { force: true })).removed, ["web@.container"]);
  assertEquals(test.engine.containers.list({ all: true }), []);
});

Deno.test("units that a target wants start when they are installed, and with the engine; a stopped one stays so", async () => {
  const store = new MemoryStore();
  const wanted = `[Container]\n${IMAGE}[Install]\nWantedBy=default.target\n`;
  const test = await openTestEngine({ store });
  await install(test, { "a.container": wanted, "b.container": wanted, "c.container": `[Container]\n${IMAGE}` }, true);
  await test.engine.quadlets.settled();
  assertEquals(Object.values(await states(test)), ["active/running", "active/running", "inactive/dead"]);
  await test.engine.quadlets.stop("a.service");
  const id = idOf(test, "systemd-b");
  await test.engine.close();
  await using next = await openTestEngine({ store, kernel: test.kernel, pulled: false });
  await next.engine.quadlets.settled();
  assertEquals(Object.values(await states(next)), ["inactive/dead", "active/running", "inactive/dead"]);
  assertEquals(idOf(next, "systemd-b"), id, "it ran on");
  next.kernel.end(id, 2);
  await untilState(next, "b.service", "failed/failed");
  await next.engine.close();
  next.kernel.reboot();
  await using last = await openTestEngine({ store, kernel: test.kernel, pulled: false });
  await last.engine.quadlets.settled();
  assertEquals(
    Object.values(await states(last)),
    ["active/running", "active/running", "inactive/dead"],
    "after a boot",
  );
});

Deno.test("the end of a container while no server runs is handled by the next one", async () => {
  const store = new MemoryStore();
  const test = await openTestEngine({ store });
  await install(test, { "a.container": `[Container]\n${IMAGE}[Service]\nRestart=always\nRestartSec=1ms\n` });
  await test.engine.quadlets.start("a.service");
  const id = idOf(test, "systemd-a");
  await test.engine.close();
  test.kernel.end(id, 0);
  await using next = await openTestEngine({ store, kernel: test.kernel, pulled: false });
  while (!next.engine.containers.exists("systemd-a") || idOf(next, "systemd-a") === id) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await untilState(next, "a.service", "active/running");
});

Deno.test("start() says what is wrong: no such unit, a circle, a service that is not there, no host, too late", async () => {
  await using test = await openTestEngine();
  await install(test, {
    "a.container": `[Unit]\nRequires=b.service\nAfter=b.service\n[Container]\n${IMAGE}`,
    "b.container": `[Unit]\nRequires=a.service\nAfter=a.service\n[Container]\n${IMAGE}`,
    "c.container": `[Unit]\nRequires=none.service\n[Container]\n${IMAGE}`,
    "d.container": "[Container]\nImage=localhost:5000/none:1\nPull=never\n",
    "e.container":
      `[Container]\n${IMAGE}Notify=healthy\nHealthCmd=true\nHealthInterval=disable\n[Service]\nTimeoutStartSec=20ms\n`,
    "f.container": `[Container]\n${IMAGE}Pod=none.pod\n`,
  });
  const rows: [name: string, code: string, text: string][] = [
    ["none.container", "no_such_quadlet", "no such quadlet: none.container: no such quadlet"],
    ["a.container", "invalid", "Order units: each of these waits for the next one: a.service, b.service, a.service"],
    ["c.container", "invalid", "Start c.service: c.service requires none.service, which is not there"],
    ["e.container", "timeout", "it was not ready within 0.02 s"],
    ["f.container", "invalid", "f.container:3: Pod: there is no quadlet none.pod"],
  ];
  for (const [name, code, text] of rows) {
    const error = await assertRejects(() => test.engine.quadlets.start(name), EngineError);
    assertEquals([error.code, error.message], [code, text]);
  }
  const absent = await assertRejects(() => test.engine.quadlets.start("d.container"), EngineError);
  assertEquals(absent.code, "no_such_image");
  await using edge = await openTestEngine({ host: false, pulled: false });
  await install(edge, { "a.container": `[Container]\n${IMAGE}` });
  const { code } = await assertRejects(() => edge.engine.quadlets.start("a.container"), EngineError);
  assertEquals(code, "unsupported");
});

Deno.test("a container with Notify=yes is ready when it says so, and fails where it ends before", async () => {
  await using test = await openTestEngine();
  await install(test, { "web.container": `[Container]\n${IMAGE}Notify=yes\n` });
  const start = test.engine.quadlets.start("web.service");
  await untilTrue(() => test.kernel.told.has("systemd-web"));
  const say = test.kernel.told.get("systemd-web")!;
  say("STATUS=reading");
  say("RELOADING=1\nNOTREADY=1");
  await untilState(test, "web.service", "activating/start");
  const { spec, mounts } = test.engine.containers.resolve("systemd-web");
  assertEquals(spec.env.NOTIFY_SOCKET, "/run/notify/notify.sock");
  assert(mounts.some(({ destination }) => destination === "/run/notify"));
  say("STATUS=up\nREADY=1");
  await start;
  assertEquals((await states(test))["web.service"], "active/running");
  assert(!test.kernel.told.has("systemd-web"), "nobody listens any more");
  await test.engine.quadlets.stop("web.service");
  const failing = test.engine.quadlets.start("web.service");
  failing.catch(() => {});
  await untilTrue(() => test.engine.containers.list().length > 0);
  test.kernel.end(idOf(test, "systemd-web"), 5);
  const { message } = await assertRejects(() => failing, EngineError);
  assertEquals(message, "the container exited with status 5 before it said that it is ready");
});

Deno.test("units run under the host's manager where it has one", async () => {
  const calls: string[] = [];
  const units = {
    reload: () => Promise.resolve(void calls.push("reload")),
    start: (unit: string) => Promise.resolve(void calls.push(`start ${unit}`)),
    stop: (unit: string) => Promise.resolve(void calls.push(`stop ${unit}`)),
    restart: (unit: string) => Promise.resolve(void calls.push(`restart ${unit}`)),
    states: (names: readonly string[]) => Promise.resolve(new Map(names.map((name) => [name, "active/running"]))),
  };
  await using test = await openTestEngine({ units });
  await install(test, { "a.container": `[Container]\n${IMAGE}[Install]\nWantedBy=default.target\n` }, true);
  await test.engine.quadlets.start("a.container");
  await test.engine.quadlets.stop("a.service");
  await test.engine.quadlets.restart("a.service");
  assertEquals(await states(test), { "a.service": "active/running" });
  assertEquals((await test.engine.quadlets.remove(["a.container"])).removed, []);
  assertEquals((await test.engine.quadlets.remove(["a.container"], { force: true })).removed, ["a.container"]);
  assertEquals(calls, ["reload", "start a.service", "stop a.service", "restart a.service", "stop a.service", "reload"]);
  assertEquals(test.engine.containers.list({ all: true }), []);
});
