/** Lifecycle hooks of containers, over a kernel in memory. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { type FakeEngine, type FakeOptions, openFake } from "../../../fixtures/engine/fake_engine.ts";
import { assertConsistent } from "../../../fixtures/engine/fake_check.ts";
import { started } from "../../../fixtures/engine/started.ts";
import { until } from "../../../fixtures/session.ts";

const command = (...words: string[]) => ({ kind: "command" as const, command: words });

/** An engine, and the hooks' programs and signals in their order. */
async function openTraced(options: FakeOptions = {}): Promise<{ engine: FakeEngine; trace: string[] }> {
  const trace: string[] = [];
  const engine = await openFake({
    ...options,
    hook: (operation, _subject, when) => {
      if (when === "after" && (operation === "execs.start" || operation === "processes.kill")) trace.push(operation);
    },
  });
  return { engine, trace };
}

const statusOf = ({ containers }: FakeEngine, id: string) => containers.resolve(id).state.status;

Deno.test("a postStart hook runs behind each start, and one that passes changes nothing", async () => {
  const { engine, trace } = await openTraced();
  await using _engine = engine;
  const id = await started(engine, { hooks: { postStart: command("exit", "0") } });
  await until(() => Promise.resolve(assertEquals(trace, ["execs.start"])));
  await engine.containers.restart(id);
  await until(() => Promise.resolve(assertEquals(trace, ["execs.start", "processes.kill", "execs.start"])));
  assertEquals([statusOf(engine, id), engine.complaints], ["running", []]);
  await until(() => Promise.resolve(assertEquals(engine.kernel.execs.size, 0, "no session stays")));
});

Deno.test("a container whose postStart hook fails is killed, and its restart policy holds", async () => {
  const { engine } = await openTraced();
  await using _engine = engine;
  for (const hook of [command("exit", "3"), command("missing")]) {
    const id = await started(engine, { hooks: { postStart: hook } });
    await until(() => Promise.resolve(assertEquals(statusOf(engine, id), "exited")));
    assertEquals(engine.containers.resolve(id).state.exitCode, 137);
    assertMatch(engine.complaints.splice(0).join("\n"), /The postStart hook of container .* failed, so it is killed/);
  }
  const again = await started(engine, {
    hooks: { postStart: command("exit", "3") },
    restartPolicy: { name: "on-failure", retries: 2 },
  });
  await until(() => Promise.resolve(assertEquals(engine.containers.resolve(again).state.restartCount, 2)));
  await until(() => Promise.resolve(assertEquals(statusOf(engine, again), "exited")));
  await assertConsistent(engine);
});

Deno.test("a preStop hook runs before the signal of a stop, once, and never before a kill", async () => {
  const { engine, trace } = await openTraced();
  await using _engine = engine;
  const id = await started(engine, { hooks: { preStop: command("exit", "0") } });
  await engine.containers.stop(id);
  assertEquals(trace, ["execs.start", "processes.kill"]);
  assertEquals([statusOf(engine, id), engine.complaints], ["exited", []]);
  await engine.containers.start(id);
  await engine.containers.kill(id);
  assertEquals(trace.slice(2), ["processes.kill"]);
  await engine.containers.start(id);
  await engine.containers.stop(id, { timeout: 0 });
  assertEquals(trace.slice(3), ["processes.kill"], "a stop without time has none for a hook");
});

Deno.test("two stops at once run a preStop hook once, and a container that ends meanwhile ends the wait", async () => {
  const { engine, trace } = await openTraced();
  await using _engine = engine;
  const id = await started(engine, { hooks: { preStop: command("serve") } });
  const first = engine.containers.stop(id, { timeout: 100_000 });
  await until(() => Promise.resolve(assertEquals(trace, ["execs.start"])));
  await engine.containers.stop(id, { timeout: 100_000 }).catch(() => {});
  await first;
  assertEquals(trace.filter((name) => name === "execs.start").length, 1);
  assertEquals(statusOf(engine, id), "exited");
  await until(() => Promise.resolve(assertEquals(engine.kernel.execs.size, 0)));
});

Deno.test("a preStop hook that fails, or takes too long, is logged, and the stop goes on", async () => {
  const { engine } = await openTraced();
  await using _engine = engine;
  const rows: [string[], RegExp][] = [
    [["exit", "4"], /preStop hook of container .* failed: it could not be run, or said no/],
    [["missing"], /preStop hook .*not found in \$PATH/],
    [["serve"], /preStop hook .* it took too long/],
  ];
  for (const [words, text] of rows) {
    const id = await started(engine, { hooks: { preStop: command(...words) } });
    await engine.containers.stop(id, { timeout: 30 });
    assertEquals(statusOf(engine, id), "exited");
    assertMatch(engine.complaints.splice(0).join("\n"), text);
  }
  await assertConsistent(engine);
});

Deno.test("a hook that sleeps takes its time of the stop's, and no more", async () => {
  const { engine, trace } = await openTraced();
  await using _engine = engine;
  const id = await started(engine, { hooks: { preStop: { kind: "sleep", seconds: 50 } } });
  const begun = performance.now();
  await engine.containers.stop(id, { timeout: 2000 });
  // The clock of the tests runs a second in a millisecond.
  assert(performance.now() - begun >= 49, "it waits");
  assertEquals([trace, statusOf(engine, id)], [["processes.kill"], "exited"]);
  const other = await started(engine, { hooks: { preStop: { kind: "sleep", seconds: 2 ** 31 - 1 } } });
  await engine.containers.stop(other, { timeout: 5 });
  assertEquals(statusOf(engine, other), "exited");
});
