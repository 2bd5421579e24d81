import { assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { mergeLimits } from "../../../lib/engine/records/limits.ts";
import { openFake, spec } from "../../fixtures/engine/fake_engine.ts";

Deno.test("Containers.update() sets limits at once where there is a process, and keeps them for the next start", async () => {
  await using fake = await openFake();
  const { containers, kernel } = fake;
  const { record } = await containers.create(spec({ resources: { memory: { limit: 100 }, cpu: { shares: 5 } } }));
  await containers.update(record.id, { limits: { memory: { limit: 200 } } });
  assertEquals(kernel.limits.size, 0, "nothing runs that could be limited");
  await containers.start(record.id);
  assertEquals(kernel.processes.get(record.id)?.record.spec.resources.memory, { limit: 200 });
  await containers.update(record.id, { limits: { memory: { reservation: 50 }, pids: { limit: 7 } } });
  const limits = { memory: { limit: 200, reservation: 50 }, cpu: { shares: 5 }, pids: { limit: 7 } };
  assertEquals(kernel.limits.get(record.id), limits);
  assertEquals(containers.resolve(record.id).spec.resources, limits);
  assertEquals((await fake.events()).filter(({ action }) => action === "update").length, 2);
});

Deno.test("Containers.update() changes nothing where the runtime refuses or the limits contradict each other", async () => {
  let isBroken = false;
  await using fake = await openFake({
    hook: (operation) => {
      if (isBroken && operation === "resources.update") throw new EngineError("internal", "crun: no");
    },
  });
  const { containers } = fake;
  const { record } = await containers.create(spec());
  await containers.start(record.id);
  const before = containers.resolve(record.id);
  isBroken = true;
  await assertRejects(() => containers.update(record.id, { limits: { pids: { limit: 7 } } }), EngineError, "crun: no");
  await assertRejects(
    () => containers.update(record.id, { limits: { memory: { limit: 2, swap: 1 } } }),
    EngineError,
    "minimum memoryswap limit should be larger than memory limit",
  );
  await assertRejects(() => containers.update("nope", {}), EngineError, "no such container");
  const { record: passing } = await containers.create(spec({ remove: true }));
  const always = { restartPolicy: { name: "always" } } as const;
  await assertRejects(() => containers.update(passing.id, always), EngineError, "because AutoRemove is enabled");
  assertEquals(containers.resolve(record.id), before);
});

Deno.test("Containers.update() changes the restart policy, the environment and the limits of processes", async () => {
  await using fake = await openFake();
  const { containers } = fake;
  const { record } = await containers.create(spec({ env: { KEEP: "1", DROP: "1" } }));
  const rlimits = [{ type: "RLIMIT_NOFILE", soft: 1n, hard: 2n ** 64n - 1n }];
  await containers.update(record.id, {
    restartPolicy: { name: "on-failure", retries: 3 },
    env: ["KEEP=2", "NEW=a=b"],
    unsetEnv: ["DROP"],
    rlimits,
  });
  const { spec: changed, process } = containers.resolve(record.id);
  assertEquals(changed.restartPolicy, { name: "on-failure", retries: 3 });
  assertEquals(changed.rlimits, rlimits);
  assertEquals(process.env.filter((entry) => /^(KEEP|DROP|NEW)=/.test(entry)), ["KEEP=2", "NEW=a=b"]);
});

Deno.test("mergeLimits() replaces fields, and lists as a whole", () => {
  const old = { memory: { limit: 1, swap: 2 }, hugepageLimits: [{ pageSize: "2MB", limit: 1 }] };
  assertEquals(mergeLimits(old, { memory: { limit: 3, swap: null }, hugepageLimits: [], cpu: null }), {
    memory: { limit: 3, swap: 2 },
    hugepageLimits: [],
  });
});
