import { assert, assertEquals, assertRejects } from "@std/assert";
import { restartDelay } from "../../../../lib/engine/containers/life/restart_policy.ts";
import { openFake, spec } from "../../../fixtures/engine/fake_engine.ts";
import { FakeKernel } from "../../../fixtures/engine/fake_kernel.ts";
import { MemoryStore } from "../../../../lib/platform/storage/memory_store.ts";
import { untilTrue } from "../../../fixtures/until_true.ts";

Deno.test("a container that fails is restarted on-failure, no more often than asked", async () => {
  await using fake = await openFake();
  const { containers, kernel } = fake;
  const policy = { name: "on-failure", retries: 3 } as const;
  const { record: { id } } = await containers.create(spec({ command: ["exit", "7"], restartPolicy: policy }));
  await containers.start(id);
  await untilTrue(() => containers.resolve(id).state.restartCount >= 3);
  await containers.settled();
  const { state } = containers.resolve(id);
  assertEquals([state.status, state.exitCode, state.restartCount], ["exited", 7, 3]);
  assertEquals([...kernel.processes], []);
  const actions = (await fake.events()).filter(({ notFor }) => notFor !== "podman").map(({ action }) => action);
  assertEquals(actions.filter((action) => action === "restart").length, 3);
  assertEquals(actions.slice(0, 8), ["create", "init", "start", "died", "cleanup", "restart", "init", "start"]);
});

Deno.test("a restart counts with the life it begins, or with why there is none", async () => {
  await using fake = await openFake();
  const { containers, host, kernel } = fake;
  const policy = { name: "on-failure", retries: 3 } as const;
  const { record: { id } } = await containers.create(spec({ command: ["exit", "7"], restartPolicy: policy }));
  const seen: string[] = [];
  host.hook = (operation, _subject, when) => {
    if (operation !== "processes.create" || when !== "before") return;
    const { status, restartCount } = containers.resolve(id).state;
    seen.push(`${status} ${restartCount}`);
    if (seen.length === 3) throw new Error("no process");
  };
  await containers.start(id);
  await untilTrue(() => containers.resolve(id).state.restartCount >= 2);
  await containers.settled();
  assertEquals(seen, ["created 0", "exited 0", "exited 1"]);
  const { status, restartCount, error } = containers.resolve(id).state;
  assertEquals([status, restartCount, error], ["exited", 2, "no process"]);
  assertEquals([...kernel.processes], []);
});

Deno.test("a container that ends well is restarted always, and not on-failure", async () => {
  await using fake = await openFake();
  const { containers, kernel } = fake;
  const make = async (name: "always" | "on-failure" | "no" | "unless-stopped") => {
    const { record: { id } } = await containers.create(spec({ restartPolicy: { name } }));
    await containers.start(id);
    kernel.end(id, 0);
    await containers.wait(id);
    await containers.settled();
    return containers.resolve(id).state;
  };
  assertEquals((await make("always")).restartCount, 1);
  assertEquals((await make("unless-stopped")).status, "running");
  assertEquals((await make("on-failure")).status, "exited");
  assertEquals((await make("no")).status, "exited");
});

Deno.test("a container that a user stopped or killed stays so, whatever its policy", async () => {
  await using fake = await openFake();
  const { containers } = fake;
  const { record: { id } } = await containers.create(spec({ restartPolicy: { name: "always" } }));
  await containers.start(id);
  await containers.stop(id, { timeout: 0 });
  await containers.settled();
  assertEquals(containers.resolve(id).state.status, "exited");
  await containers.start(id);
  await containers.kill(id);
  await containers.settled();
  assertEquals(containers.resolve(id).state.status, "exited");
  assertEquals(containers.resolve(id).state.restartCount, 0);
});

Deno.test("restartDelay() doubles with each restart that did not hold, up to a minute, and begins anew after one that did", async () => {
  await using fake = await openFake();
  const { record } = await fake.containers.create(spec());
  const after = (restartDelay?: number, ran = 0) => {
    return { ...record, state: { ...record.state, startedAt: 1000, finishedAt: 1000 + ran, restartDelay } };
  };
  let delay = restartDelay(after());
  const delays = [delay];
  while (delay < 60_000) delays.push(delay = restartDelay(after(delay)));
  assertEquals(delays, [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 60_000]);
  assertEquals(restartDelay(after(60_000)), 60_000);
  assertEquals(restartDelay(after(60_000, 10_000)), 100);
});

Deno.test("recoverContainers() restarts what ended without an engine, and what was to be restarted when it died", async () => {
  const kernel = new FakeKernel();
  const store = new MemoryStore();
  const first = await openFake({ kernel, store });
  const make = async (policy: "always" | "on-failure" | "no") => {
    const { record: { id } } = await first.containers.create(spec({ restartPolicy: { name: policy } }));
    await first.containers.start(id);
    return id;
  };
  const [always, failing, well, none, stopped] = await Promise.all(
    (["always", "on-failure", "on-failure", "no", "always"] as const).map(make),
  );
  await first.containers.stop(stopped, { timeout: 0 });
  await first[Symbol.asyncDispose]();
  kernel.end(always, 0);
  kernel.end(failing, 3);
  kernel.end(well, 0);
  kernel.end(none, 1);
  await using next = await openFake({ kernel, store, seed: 2 });
  await next.containers.settled();
  const statuses = [always, failing, well, none, stopped].map((id) => next.containers.resolve(id).state.status);
  assertEquals(statuses, ["running", "running", "exited", "exited", "exited"]);
  assertEquals(next.containers.resolve(always).state.restartCount, 1);
});

Deno.test("a restart that the engine's end cut short is made up for by its next run", async () => {
  const kernel = new FakeKernel();
  const store = new MemoryStore();
  const first = await openFake({ kernel, store });
  const { record: { id } } = await first.containers.create(spec({ restartPolicy: { name: "always" } }));
  await first.containers.start(id);
  kernel.end(id, 0);
  await first.containers.wait(id);
  // Closing cuts the wait before the restart short.
  await first[Symbol.asyncDispose]();
  assertEquals(first.containers.resolve(id).state.status, "exited");
  await using next = await openFake({ kernel, store, seed: 2 });
  await next.containers.settled();
  assertEquals(next.containers.resolve(id).state.status, "running");
});

Deno.test("after a boot always starts all, unless-stopped all but the stopped, and the others nothing that was down", async () => {
  const kernel = new FakeKernel();
  const store = new MemoryStore();
  const first = await openFake({ kernel, store });
  const make = async (name: "always" | "unless-stopped" | "on-failure", how: "created" | "stopped" | "running") => {
    const { record: { id } } = await first.containers.create(spec({ restartPolicy: { name } }));
    if (how !== "created") await first.containers.start(id);
    if (how === "stopped") await first.containers.stop(id, { timeout: 0 });
    return id;
  };
  const ids: string[] = [];
  for (const policy of ["always", "unless-stopped", "on-failure"] as const) {
    for (const how of ["created", "stopped", "running"] as const) ids.push(await make(policy, how));
  }
  await first[Symbol.asyncDispose]();
  kernel.reboot();
  await using next = await openFake({ kernel, store, seed: 2 });
  await next.containers.settled();
  const statuses = ids.map((id) => next.containers.resolve(id).state.status);
  assertEquals(statuses, [
    ...["running", "running", "running"],
    ...["running", "exited", "running"],
    // One whose end nobody saw has failed.
    ...["created", "exited", "running"],
  ]);
  assertEquals(next.complaints, []);
});

Deno.test("a stop for the host's end is no stop of a user's: the next boot starts the container", async () => {
  const kernel = new FakeKernel();
  const store = new MemoryStore();
  const first = await openFake({ kernel, store });
  const ids: string[] = [];
  for (const name of ["always", "unless-stopped", "on-failure", "no"] as const) {
    const { record: { id } } = await first.containers.create(spec({ restartPolicy: { name } }));
    await first.containers.start(id);
    await first.containers.stop(id, { timeout: 0, forShutdown: true });
    ids.push(id);
  }
  await first.containers.settled();
  const statuses = ({ containers }: typeof first) => ids.map((id) => containers.resolve(id).state.status);
  assertEquals(statuses(first), ["exited", "exited", "exited", "exited"], "none is started before the end");
  await first[Symbol.asyncDispose]();
  kernel.reboot();
  await using next = await openFake({ kernel, store, seed: 2 });
  await next.containers.settled();
  assertEquals(statuses(next), ["running", "running", "exited", "exited"]);
  await next.containers.stop(ids[1], { timeout: 0 });
  assertEquals(next.containers.resolve(ids[1]).state.stoppedForShutdown, undefined, "a start forgets it");
});

Deno.test("a restart by policy starts what the container depends on first", async () => {
  const kernel = new FakeKernel();
  const store = new MemoryStore();
  const first = await openFake({ kernel, store });
  const base = await first.containers.create(spec({ name: "base", restartPolicy: { name: "always" } }));
  const own = { mode: "private" } as const;
  const namespaces = {
    network: { mode: "container", value: "base" } as const,
    pid: own,
    ipc: own,
    uts: own,
    cgroup: own,
  };
  const joined = await first.containers.create(spec({ namespaces, restartPolicy: { name: "always" } }));
  await first.containers.start(joined.record.id);
  await first[Symbol.asyncDispose]();
  kernel.reboot();
  await using next = await openFake({ kernel, store, seed: 2 });
  await next.containers.settled();
  for (const { record } of [base, joined]) assertEquals(next.containers.resolve(record.id).state.status, "running");
});

Deno.test("create() refuses to remove a container at its end and to restart it, too", async () => {
  await using fake = await openFake();
  const text = 'the --rm option conflicts with --restart, when the restartPolicy is not "" and "no"';
  const wish = spec({ remove: true, restartPolicy: { name: "always" } });
  await assertRejects(() => fake.containers.create(wish), Error, text);
  assert(await fake.containers.create({ ...wish, restartPolicy: { name: "no" } }));
});
