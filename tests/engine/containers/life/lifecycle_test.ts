import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import type { ContainerStatus } from "../../../../lib/engine/records/container_record.ts";
import type { Containers } from "../../../../lib/engine/containers/containers.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { type FakeEngine, openFake, spec } from "../../../fixtures/engine/fake_engine.ts";

type Operation = "init" | "start" | "stop" | "kill" | "restart" | "pause" | "unpause" | "resize" | "attach" | "remove";

const run: Record<Operation, (containers: Containers, id: string) => Promise<unknown>> = {
  init: (containers, id) => containers.init(id),
  start: (containers, id) => containers.start(id),
  stop: (containers, id) => containers.stop(id),
  kill: (containers, id) => containers.kill(id),
  restart: (containers, id) => containers.restart(id),
  pause: (containers, id) => containers.pause(id),
  unpause: (containers, id) => containers.unpause(id),
  resize: (containers, id) => containers.resize(id, { height: 24, width: 80 }),
  attach: (containers, id) => containers.attach(id, { stdin: true, stdout: true, stderr: true }),
  remove: (containers, id) => containers.remove(id),
};

/** What an operation answers in a state: the state after it, or the error's code. */
type Answer = ContainerStatus | "gone" | `error:${string}`;

// Podman's answers: `unchanged` is 304 on the wire, `state` 409 or 500.
const TABLE: Record<Exclude<ContainerStatus, "removing">, Record<Operation, Answer>> = {
  created: {
    init: "initialized",
    start: "running",
    stop: "created",
    kill: "error:state",
    restart: "running",
    pause: "error:state",
    unpause: "error:state",
    resize: "error:state",
    attach: "initialized",
    remove: "gone",
  },
  initialized: {
    init: "error:unchanged",
    start: "running",
    stop: "exited",
    kill: "error:state",
    restart: "running",
    pause: "error:state",
    unpause: "error:state",
    resize: "initialized",
    attach: "initialized",
    remove: "gone",
  },
  running: {
    init: "error:unchanged",
    start: "error:unchanged",
    stop: "exited",
    kill: "exited",
    restart: "running",
    pause: "paused",
    unpause: "error:state",
    resize: "running",
    attach: "running",
    remove: "error:state",
  },
  paused: {
    init: "error:unchanged",
    start: "error:state",
    stop: "error:state",
    kill: "exited",
    restart: "error:state",
    pause: "error:state",
    unpause: "running",
    resize: "error:state",
    attach: "error:state",
    remove: "error:state",
  },
  stopping: {
    init: "error:unchanged",
    start: "error:state",
    stop: "exited",
    kill: "exited",
    restart: "error:state",
    pause: "error:state",
    unpause: "error:state",
    resize: "error:state",
    attach: "error:state",
    remove: "error:state",
  },
  exited: {
    init: "initialized",
    start: "running",
    stop: "error:unchanged",
    kill: "error:state",
    restart: "running",
    pause: "error:state",
    unpause: "error:state",
    resize: "error:state",
    attach: "initialized",
    remove: "gone",
  },
};

/** Brings a new container into a state. Who stops it, if anybody, is still at it. */
async function enter(
  { containers }: FakeEngine,
  status: keyof typeof TABLE,
): Promise<{ id: string; stop?: Promise<void> }> {
  const { record: { id } } = await containers.create(spec({ command: [status === "stopping" ? "stubborn" : "serve"] }));
  if (status === "created") return { id };
  if (status === "initialized") await containers.init(id);
  else await containers.start(id);
  if (status === "paused") await containers.pause(id);
  if (status === "exited") await containers.stop(id);
  if (status !== "stopping") return { id };
  const stop = containers.stop(id, { timeout: 30 });
  while (containers.resolve(id).state.status !== "stopping") await Promise.resolve();
  return { id, stop };
}

async function answer(containers: Containers, id: string, operation: Operation): Promise<Answer> {
  try {
    await run[operation](containers, id);
  } catch (error) {
    assertInstanceOf(error, EngineError, `${operation}: ${error}`);
    return `error:${error.code}`;
  }
  return containers.exists(id) ? containers.resolve(id).state.status : "gone";
}

for (const [status, row] of Object.entries(TABLE)) {
  for (const [operation, expected] of Object.entries(row)) {
    Deno.test(`Containers.${operation}() of a container that is ${status} gives ${expected}`, async () => {
      await using engine = await openFake();
      // The keys are the table's own.
      const { id, stop } = await enter(engine, status as keyof typeof TABLE);
      assertEquals(await answer(engine.containers, id, operation as Operation), expected);
      await stop;
      await engine.containers.remove(id, { force: true, ignore: true });
      await engine.containers.close();
      const { kernel } = engine;
      assertEquals([kernel.processes.size, kernel.layers.size, kernel.mounts.size, kernel.namespaces.size], [
        0,
        0,
        0,
        0,
      ]);
      assertEquals([kernel.connected.size, kernel.logs.size, engine.core.intents.open().length], [0, 0, 0]);
      assertEquals(engine.complaints.filter((line) => !line.includes("it is killed")), []);
    });
  }
}

Deno.test("Containers.start() is on record from before the process may write, so that logs since then have all of it", async () => {
  let asked = 0;
  const hook = (operation: string, _: string, when: string) => {
    if (operation === "processes.start" && when === "before") asked = engine.core.clock.now();
  };
  const engine = await openFake({ hook });
  const { record: { id } } = await engine.containers.create(spec());
  await engine.containers.start(id);
  assert(asked > 0 && engine.containers.resolve(id).state.startedAt <= asked);
  await engine[Symbol.asyncDispose]();
});

Deno.test("Containers.kill() ends a container that somebody would freeze before it has died", async () => {
  await using engine = await openFake({ sleep: () => new Promise(() => {}) });
  const { containers, kernel } = engine;
  const { record: { id } } = await containers.create(spec({ command: ["throttled"] }));
  await containers.start(id);
  const killed = containers.kill(id);
  await assertRejects(() => containers.pause(id), EngineError, `"exited" is not running, can't pause`);
  const commit = () => containers.files.commit(id, { format: "oci", pause: true });
  await assertRejects(commit, EngineError, `container ${id} has ended`);
  kernel.end(id, 137);
  await killed;
  assertEquals(containers.resolve(id).state.status, "exited");
  await containers.start(id);
  await containers.pause(id);
  assertEquals(containers.resolve(id).state.status, "paused");
  kernel.end(id, 137);
});
