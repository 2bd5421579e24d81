import { assert, assertEquals, assertGreater, assertRejects } from "@std/assert";
import type { ContainerSpec } from "../../../lib/engine/records/container_record.ts";
import type { Containers } from "../../../lib/engine/containers/containers.ts";
import { MemoryStore } from "../../../lib/platform/storage/memory_store.ts";
import { assertConsistent } from "../../fixtures/engine/fake_check.ts";
import { Dying } from "../../fixtures/engine/dying_engine.ts";
import { type FakeEngine, openFake, spec } from "../../fixtures/engine/fake_engine.ts";
import { FakeKernel } from "../../fixtures/engine/fake_kernel.ts";
import { untilTrue } from "../../fixtures/until_true.ts";

/** Things clients do, each a whole story. The engine may die at any point of them. */
const STORIES: Record<string, (containers: Containers) => Promise<unknown>> = {
  "a run from create to removal": async (containers) => {
    const { record: { id } } = await containers.create(
      spec({ mounts: [volume("data", "/data"), volume("", "/cache")] }),
    );
    await containers.start(id);
    await containers.stop(id);
    await containers.remove(id, { volumes: true });
  },
  "one that is removed at its end": async (containers) => {
    const { record: { id } } = await containers.create(
      spec({ remove: true, command: ["exit", "3"], ports: [port(8080)] }),
    );
    await containers.attach(id, { stdin: false, stdout: true, stderr: true });
    const gone = containers.wait(id, ["removed"]);
    await containers.start(id);
    await gone;
  },
  "pause, unpause, kill and start again": async (containers) => {
    const { record: { id } } = await containers.create(spec({ name: "again", ports: [port(8081)] }));
    await containers.start(id);
    await containers.pause(id);
    await containers.unpause(id);
    await containers.kill(id);
    await containers.start(id);
    await containers.restart(id);
    await containers.rename(id, "other");
    await containers.remove(id, { force: true });
  },
  "restarts by policy, as often as asked": async (containers) => {
    const restartPolicy = { name: "on-failure", retries: 2 } as const;
    const { record: { id } } = await containers.create(spec({ command: ["exit", "5"], restartPolicy }));
    await containers.start(id);
    await containers.settled();
    assertEquals(containers.resolve(id).state.restartCount, 2);
    await containers.remove(id);
  },
  "an unhealthy container that is started anew": async (containers) => {
    const check = { test: ["CMD", "exit", "1"], interval: 1000, retries: 1 };
    const { record: { id } } = await containers.create(spec({ health: { check, onFailure: "restart" } }));
    await containers.start(id);
    await untilTrue(() => containers.resolve(id).state.restartCount > 0);
    await containers.remove(id, { force: true, timeout: 0 });
  },
  "a start that fails": async (containers) => {
    const { record: { id } } = await containers.create(spec({ command: ["missing"], mounts: [volume("", "/cache")] }));
    await assertRejects(() => containers.start(id));
    await containers.remove(id, { volumes: true });
  },
};

function volume(source: string, destination: string): ContainerSpec["mounts"][number] {
  return { type: "volume", source, destination, options: [] };
}

function port(hostPort: number): ContainerSpec["ports"][number] {
  return { hostIP: "", hostPort, containerPort: 80, protocol: "tcp", range: 1 };
}

/** Runs a story until the engine dies, or to its end; true when it came to its end. */
function tell(dying: Dying, story: (containers: Containers) => Promise<unknown>): Promise<boolean> {
  return dying.outlived((async () => {
    const engine = await dying.open();
    await story(engine.containers);
    await engine.containers.close();
    await engine.host.close();
  })());
}

for (const [name, story] of Object.entries(STORIES)) {
  Deno.test(`recoverContainers() sets right ${name}, cut short anywhere`, {
    sanitizeOps: false,
    sanitizeResources: false,
  }, async () => {
    let limit = 0;
    for (;; limit++) {
      const dying = new Dying(limit);
      const ended = await tell(dying, story);
      await using engine = await openFake({ kernel: dying.kernel, store: dying.store });
      // Ends seen at recovery are cleaned up behind it.
      await engine.containers.settled();
      try {
        await assertConsistent(engine);
        assertEquals(engine.complaints.filter((line) => line.startsWith("error")), []);
        await assertUsable(engine);
      } catch (error) {
        throw new Error(`Died at step ${limit}: ${error instanceof Error ? error.message : error}`, { cause: error });
      }
      if (ended) break;
    }
    assertGreater(limit, 10);
  });
}

Deno.test(
  "recoverContainers() can itself be cut short anywhere",
  { sanitizeOps: false, sanitizeResources: false },
  async () => {
    for (const story of Object.values(STORIES)) {
      let ended = false;
      for (let limit = 0; !ended; limit += 3) {
        let recovered = false;
        for (let second = 0; !recovered; second++) {
          const first = new Dying(limit);
          ended = await tell(first, story);
          const dying = new Dying(second, first);
          recovered = await tell(dying, () => Promise.resolve());
          await using engine = await openFake({ kernel: dying.kernel, store: dying.store });
          await engine.containers.settled();
          await assertConsistent(engine);
          await assertUsable(engine);
        }
      }
    }
  },
);

/** Every container left can be started, or is running, and all of them can be removed, leaving nothing. */
async function assertUsable(engine: FakeEngine): Promise<void> {
  const { containers, kernel } = engine;
  for (const { id, process } of containers.list({ all: true })) {
    const { status } = containers.resolve(id).state;
    if (status !== "running" && status !== "paused" && process.args[0] !== "missing") await containers.start(id);
  }
  for (const { id } of containers.list({ all: true })) {
    await containers.remove(id, { force: true, volumes: true, ignore: true });
  }
  await containers.settled();
  const { layers, processes, mounts, namespaces, connected } = kernel;
  assertEquals([layers.size, processes.size, mounts.size, namespaces.size, connected.size], [0, 0, 0, 0, 0]);
  assertEquals([...kernel.volumes.keys()].filter((name) => name !== "data"), []);
}

async function crashed(run: (engine: FakeEngine) => Promise<void>, meanwhile: (kernel: FakeKernel) => void = () => {}) {
  const kernel = new FakeKernel();
  const store = new MemoryStore();
  const first = await openFake({ kernel, store });
  await run(first);
  await first.core.events.flush();
  await first.host.close();
  meanwhile(kernel);
  return await openFake({ kernel, store, seed: 2 });
}

Deno.test("recoverContainers() lets what runs go on, and sees its end", async () => {
  let id = "";
  await using engine = await crashed(async ({ containers }) => {
    ({ record: { id } } = await containers.create(spec({ name: "steady" })));
    await containers.start(id);
  });
  const { containers, kernel } = engine;
  assertEquals(containers.resolve("steady").state.status, "running");
  const wait = containers.wait("steady");
  kernel.end(id, 5, true);
  assertEquals(await wait, 5);
  assertEquals(containers.resolve(id).state.oomKilled, true);
  await containers.close();
  await assertConsistent(engine);
});

Deno.test("recoverContainers() gives what ended meanwhile its exit code, events and removal", async () => {
  const ids: string[] = [];
  await using engine = await crashed(async ({ containers }) => {
    for (const remove of [false, true]) {
      const { record } = await containers.create(spec({ remove }));
      await containers.start(record.id);
      ids.push(record.id);
    }
  }, (kernel) => ids.forEach((id, i) => kernel.end(id, 7 + i)));
  const { containers } = engine;
  assertEquals(containers.resolve(ids[0]).state.exitCode, 7);
  assertEquals(containers.exists(ids[1]), false);
  assertEquals(await containers.wait(ids[1]), 8);
  const actions = (await engine.events()).filter(({ id }) => id === ids[1]).map(({ action }) => action);
  assertEquals(actions, ["create", "init", "start", "died", "cleanup", "remove"]);
  await containers.close();
  await assertConsistent(engine);
});

Deno.test("recoverContainers() knows containers whose host was rebooted", async () => {
  const ids: string[] = [];
  await using engine = await crashed(async ({ containers }) => {
    for (const name of ["started", "prepared", "frozen"]) {
      const { record } = await containers.create(spec({ name }));
      ids.push(record.id);
      await containers.init(record.id);
      if (name !== "prepared") await containers.start(record.id);
      if (name === "frozen") await containers.pause(record.id);
    }
  }, (kernel) => kernel.reboot());
  const states = ids.map((id) => engine.containers.resolve(id).state);
  assertEquals(states.map(({ status }) => status), ["exited", "created", "exited"]);
  assertEquals(states.map(({ exitCode }) => exitCode), [-1, 0, -1]);
  assert(states[0].error.includes("lost"));
  await engine.containers.close();
  await assertConsistent(engine);
});

Deno.test("recoverContainers() clears away what belongs to nobody", async () => {
  const stranger = "f".repeat(64);
  await using engine = await crashed(async () => {}, (kernel) => {
    kernel.layers.set(stranger, []);
    kernel.mounts.add(stranger);
    kernel.namespaces.add(stranger);
    kernel.logs.set(`/logs/${stranger}`, new Uint8Array(3));
  });
  await assertConsistent(engine);
  assertEquals(engine.kernel.logs.size, 0);
});

Deno.test("recoverContainers() keeps addresses and ports of what runs from being given out again", async () => {
  await using engine = await crashed(async ({ containers }) => {
    await containers.create(spec({ name: "first", ports: [port(9000)] }));
    await containers.start("first");
  });
  const { containers } = engine;
  const { record } = await containers.create(spec({ name: "second" }));
  await containers.start(record.id);
  const addressOf = (name: string) => containers.resolve(name).networks.podman.staticIPs[0];
  assert(addressOf("first") !== addressOf("second"));
  await containers.create(spec({ name: "third", ports: [port(9000)] }));
  const error = await assertRejects(() => containers.start("third"), Error, "address already in use");
  assertEquals(containers.resolve("third").state.error, error.message);
  await containers.close();
  await assertConsistent(engine);
});
