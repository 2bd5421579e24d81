import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { ExecConfig } from "../../../lib/engine/containers/exec/session.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { type FakeEngine, openFake, spec } from "../../fixtures/engine/fake_engine.ts";
import { heapGrowth } from "../../fixtures/heap_growth.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function config(command: string[], rest: Partial<ExecConfig> = {}): ExecConfig {
  const streams = { attachStdin: true, attachStdout: true, attachStderr: true };
  return { command, env: [], terminal: false, privileged: false, ...streams, ...rest };
}

async function running({ containers }: FakeEngine): Promise<string> {
  const { record: { id } } = await containers.create(spec());
  await containers.start(id);
  return id;
}

Deno.test("ContainerExecs.start() attaches, and the output ends when the end is on record", async () => {
  await using engine = await openFake();
  const { containers: { execs }, kernel } = engine;
  const container = await running(engine);
  const id = await execs.create(container, config(["serve"]));
  assertEquals([execs.inspect(id).status, execs.of(container).length], ["created", 1]);
  const attachment = await execs.start(id, { detach: false, size: { height: 1, width: 2 } });
  assert(execs.inspect(id).pid > 0);
  const writer = attachment!.input.getWriter();
  await writer.write(encoder.encode("any \x10\x11 byte"));
  await writer.close();
  const exec = kernel.execs.get(id)!;
  assertEquals([exec.input.map((bytes) => decoder.decode(bytes)), exec.isInputClosed], [["any \x10\x11 byte"], true]);
  assertEquals(exec.options.size, { height: 1, width: 2 });
  exec.output!.enqueue({ stream: "stderr", data: encoder.encode("err") });
  kernel.endExec(id, 3);
  const frames = await Array.fromAsync(attachment!.output);
  const { status, exitCode, pid } = execs.inspect(id);
  assertEquals([frames.length, frames[0].stream, status, exitCode, pid], [1, "stderr", "exited", 3, 0]);
  await engine.containers.settled();
  assertEquals([...kernel.execs.keys()], [], "the host keeps nothing of it");
  const events = (await engine.events()).filter(({ action }) => action.startsWith("exec"));
  assertEquals(events.map(({ action, exitCode, attributes }) => [action, exitCode, attributes.execID]), [
    ["exec", undefined, id],
    ["exec_died", 3, id],
  ]);
});

Deno.test("ContainerExecs.start() detaches at the keys, and the process goes on", async () => {
  await using engine = await openFake();
  const { containers: { execs }, kernel } = engine;
  const id = await execs.create(await running(engine), config(["serve"], { terminal: true, detachKeys: "ctrl-x,q" }));
  const attachment = await execs.start(id, { detach: false });
  const writer = attachment!.input.getWriter();
  await writer.write(encoder.encode("a\x18q"));
  assertEquals(await Array.fromAsync(attachment!.output), []);
  assertEquals(kernel.execs.get(id)!.input.map((bytes) => decoder.decode(bytes)), ["a"]);
  assertEquals(execs.inspect(id).status, "running");
  assertEquals(kernel.execs.get(id)!.options.process.env, ["TERM=xterm"]);
});

Deno.test("ContainerExecs.create() refuses detach keys that nobody can press", async () => {
  await using engine = await openFake();
  const { execs } = engine.containers;
  const id = await running(engine);
  await assertRejects(
    () => execs.create(id, config(["serve"], { terminal: true, detachKeys: "bogus" })),
    Error,
    'unable to parse detach keys "bogus": unknown key "bogus"',
  );
});

Deno.test("ContainerExecs.start() keeps nothing of the output that went through (each frame left a waiting promise)", async () => {
  await using engine = await openFake();
  const { containers: { execs }, kernel } = engine;
  const id = await execs.create(await running(engine), config(["serve"]));
  const attachment = await execs.start(id, { detach: false });
  const reader = attachment!.output.getReader();
  const data = new Uint8Array(10);
  const grown = await heapGrowth(200_000, async () => {
    kernel.execs.get(id)!.output!.enqueue({ stream: "stdout", data });
    await reader.read();
  });
  assert(grown < 10 * 1024 * 1024, `the heap grew by ${grown} bytes`);
  const last = reader.read();
  attachment!.close();
  assertEquals((await last).done, true, "a read that waits ends with the attachment");
});

Deno.test("ContainerExecs.start() leaves no unhandled failure of an output that breaks after the close", async () => {
  await using engine = await openFake();
  const { containers: { execs }, kernel } = engine;
  const id = await execs.create(await running(engine), config(["serve"]));
  const attachment = await execs.start(id, { detach: false });
  const exec = kernel.execs.get(id)!;
  const live = exec.output!;
  // The host's output does not end with the close, but fails later.
  exec.output = undefined;
  attachment!.close();
  assertEquals(await Array.fromAsync(attachment!.output), []);
  live.error(new Error("broken"));
  await new Promise((resolve) => setTimeout(resolve));
});

Deno.test("ContainerExecs.start() gives a process that cannot be run the codes of a shell, and 125 where nothing was tried", async () => {
  await using engine = await openFake();
  const { execs } = engine.containers;
  const container = await running(engine);
  for (const [program, code] of [["missing", 127], ["locked", 126], ["broken", 125]] as const) {
    const id = await execs.create(container, config([program]));
    await assertRejects(() => execs.start(id, { detach: false }), EngineError, program);
    const { status, exitCode, isUnstarted } = execs.inspect(id);
    assertEquals([status, exitCode, isUnstarted], ["exited", code, true]);
  }
});

Deno.test("ContainerExecs refuses what does not fit the state of container or session", async () => {
  await using engine = await openFake();
  const { containers, kernel } = engine;
  const { execs } = containers;
  const { record: { id: container } } = await containers.create(spec());
  const improper = (work: () => Promise<unknown>, text: string) => assertRejects(work, EngineError, text);
  await improper(
    () => execs.create(container, config(["serve"])),
    "can only create exec sessions on running containers",
  );
  await containers.start(container);
  await improper(() => execs.create(container, config([])), "must provide a non-empty command");
  const id = await execs.create(container, config(["stubborn"]));
  await improper(() => execs.resize(id, { height: 1, width: 1 }), "as it is not running: exec session state improper");
  await containers.pause(container);
  await improper(() => execs.start(id, { detach: true }), `container ${container} is paused: container state improper`);
  await containers.unpause(container);
  assertEquals(await execs.start(id, { detach: true }), undefined);
  await execs.resize(id, { height: 5, width: 6 });
  assertEquals(kernel.execs.get(id)!.size, { height: 5, width: 6 });
  await improper(() => execs.start(id, { detach: true }), 'state is "running": exec session state improper');
  await improper(() => execs.remove(id), "is still running, cannot remove");
  await execs.remove(id, { force: true });
  assertThrows(() => execs.inspect(id), EngineError, `no exec session with ID ${id} found: no such exec session`);
});

Deno.test("ContainerExecs.start() starts a session once, whoever comes at once", async () => {
  await using engine = await openFake();
  const { execs } = engine.containers;
  const id = await execs.create(await running(engine), config(["serve"]));
  const results = await Promise.allSettled([1, 2, 3].map(() => execs.start(id, { detach: true })));
  assertEquals(results.filter(({ status }) => status === "fulfilled").length, 1);
  assertEquals(execs.inspect(id).status, "running");
});

Deno.test("an exec session whose end is told during the removal of its container goes with it, at each moment", async () => {
  for (let turns = 0; turns < 200; turns += 2) {
    await using engine = await openFake();
    const { containers, kernel } = engine;
    const container = await running(engine);
    const id = await containers.execs.create(container, config(["serve"]));
    await containers.execs.start(id, { detach: true });
    // The host is late with telling.
    const listeners = [...kernel.execListeners];
    kernel.execListeners.clear();
    const removal = containers.remove(container, { force: true, timeout: 0 });
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    for (const tell of listeners) tell(id, { code: 137, time: 1 });
    await removal;
    await containers.settled();
    assertThrows(() => containers.execs.inspect(id), EngineError, "no exec session with ID", `${turns} turns`);
  }
});

Deno.test("exec sessions end with their container, and go when it starts anew or is removed", async () => {
  await using engine = await openFake();
  const { containers, kernel } = engine;
  const { execs } = containers;
  const container = await running(engine);
  const id = await execs.create(container, config(["serve"]));
  const attachment = await execs.start(id, { detach: false });
  kernel.end(container, 0);
  assertEquals(await Array.fromAsync(attachment!.output), []);
  await containers.settled();
  assertEquals([execs.inspect(id).status, execs.inspect(id).exitCode], ["exited", 137]);
  await containers.start(container);
  assertEquals(execs.of(container), []);
  const last = await execs.create(container, config(["serve"]));
  await execs.start(last, { detach: true });
  await containers.remove(container, { force: true });
  await containers.settled();
  assertThrows(() => execs.inspect(last), EngineError);
  assertEquals([...kernel.execs.keys()], []);
});

Deno.test("an ended exec session is forgotten after five minutes", async () => {
  await using engine = await openFake();
  const { containers: { execs }, kernel } = engine;
  const container = await running(engine);
  const id = await execs.create(container, config(["exit", "0"]));
  await execs.start(id, { detach: true });
  await engine.containers.settled();
  assertEquals(execs.of(container).length, 1);
  // A look at the fake clock moves it by a millisecond.
  for (let i = 0; i < 5 * 60_000; i++) kernel.now();
  const next = await execs.create(container, config(["serve"]));
  assertEquals(execs.of(container).map((session) => session.id), [next]);
});

Deno.test("Containers.recover() finds exec sessions as they are", async () => {
  const first = await openFake();
  const { kernel, store } = first;
  const container = await running(first);
  const ids: Record<string, string> = {};
  for (const name of ["runs", "ends", "lost", "waits"]) {
    const { execs } = first.containers;
    ids[name] = await execs.create(container, config(["serve"]));
    if (name !== "waits") await execs.start(ids[name], { detach: true });
  }
  await first[Symbol.asyncDispose]();
  kernel.endExec(ids.ends, 5);
  kernel.execs.delete(ids.lost);
  kernel.execs.set("stray", { ...kernel.execs.get(ids.runs)!, input: [] });

  await using second = await openFake({ kernel, store });
  const { execs } = second.containers;
  const states = Object.entries(ids).map(([name, id]) => [name, execs.inspect(id).status, execs.inspect(id).exitCode]);
  assertEquals(states, [["runs", "running", 0], ["ends", "exited", 5], ["lost", "exited", -1], [
    "waits",
    "created",
    0,
  ]]);
  assertEquals([...kernel.execs.keys()], [ids.runs]);
  kernel.endExec(ids.runs, 6);
  await new Promise((resolve) => setTimeout(resolve));
  await second.containers.settled();
  assertEquals(execs.inspect(ids.runs).exitCode, 6);
});

Deno.test("ContainerExecs.resize() right behind a start waits for the terminal", async () => {
  const going = Promise.withResolvers<void>();
  const hook = (operation: string, _: string, when: string) =>
    operation === "execs.start" && when === "before" ? going.promise : undefined;
  await using engine = await openFake({ hook });
  const { containers: { execs }, kernel } = engine;
  const id = await execs.create(await running(engine), config(["serve"], { terminal: true }));
  const start = execs.start(id, { detach: false });
  const resize = execs.resize(id, { height: 33, width: 99 });
  going.resolve();
  await Promise.all([start, resize]);
  assertEquals(kernel.execs.get(id)?.size, { height: 33, width: 99 });
  const failing = await execs.create(engine.containers.list()[0].id, config(["missing"], { terminal: true }));
  const failed = execs.start(failing, { detach: false });
  await assertRejects(() => execs.resize(failing, { height: 1, width: 1 }), EngineError, "not running");
  await assertRejects(() => failed, EngineError);
});

Deno.test("sessions without a process are bounded in number and size, those that ended go first", async () => {
  await using engine = await openFake();
  const { containers: { execs } } = engine;
  const container = await running(engine);
  const make = (command: string[], env: string[] = []) => execs.create(container, config(command, { env }));
  const ended = await make(["exit", "0"]);
  await execs.start(ended, { detach: true });
  await engine.containers.settled();
  assertEquals(execs.inspect(ended).status, "exited");
  const live = await make(["serve"]);
  await execs.start(live, { detach: true });
  for (let i = 0; i < 1050; i++) await make(["serve"]);
  assert(execs.of(container).length <= 1001, `${execs.of(container).length} sessions`);
  assertEquals(execs.inspect(live).status, "running");
  assertThrows(() => execs.inspect(ended), EngineError, "no such exec session");
  for (let i = 0; i < 20; i++) await make(["serve"], ["A=" + "x".repeat(400_000)]);
  const size = execs.of(container).flatMap(({ config: { env } }) => env).join("").length;
  assert(size < 3 << 20, `${size} characters`);
  const error = await assertRejects(() => make(["serve"], ["A=" + "x".repeat(600_000)]), EngineError);
  assertEquals(error.code, "limit");
});
