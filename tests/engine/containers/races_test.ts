import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import type { Containers } from "../../../lib/engine/containers/containers.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { assertConsistent } from "../../fixtures/engine/fake_check.ts";
import { Dying } from "../../fixtures/engine/dying_engine.ts";
import { openFake, seeded, spec } from "../../fixtures/engine/fake_engine.ts";

const NAMES = ["red", "green", "blue"];
const CODES = ["state", "unchanged", "no_such_container", "name_in_use", "port_in_use", "command_not_found", "in_use"];

type Action = (containers: Containers, name: string, random: () => number) => Promise<unknown>;

const ACTIONS: readonly Action[] = [
  (containers, name, random) =>
    containers.create(spec({
      name,
      command: [["serve"], ["exit", "4"], ["stubborn"], ["missing"]][Math.floor(random() * 4)].join(" ").split(" "),
      remove: random() < 0.3,
      ports: random() < 0.3 ? [{ hostIP: "", hostPort: 7000, containerPort: 80, protocol: "tcp", range: 1 }] : [],
      mounts: random() < 0.3 ? [{ type: "volume", source: "", destination: "/data", options: [] }] : [],
      restartPolicy: undefined,
    })),
  (containers, name) => containers.start(name),
  (containers, name) => containers.start(name),
  (containers, name) => containers.init(name),
  (containers, name) => containers.stop(name, { timeout: 2 }),
  (containers, name) => containers.kill(name, { signal: "TERM" }),
  (containers, name) => containers.kill(name),
  (containers, name) => containers.restart(name, { timeout: 1 }),
  (containers, name) => containers.pause(name),
  (containers, name) => containers.unpause(name),
  (containers, name) => containers.rename(name, `${name}2`),
  (containers, name) => containers.rename(`${name}2`, name),
  (containers, name, random) => containers.remove(name, { force: random() < 0.7, volumes: true, timeout: 1 }),
  async (containers, name) => {
    const attachment = await containers.attach(name, { stdin: true, stdout: true, stderr: true });
    attachment.close();
  },
];

/** Every container's events must be a walk through these: what may follow what. */
const FOLLOWS: Record<string, readonly string[]> = {
  "": ["create"],
  create: ["init", "remove"],
  init: ["start", "died", "stop", "remove"],
  start: ["pause", "died", "stop"],
  pause: ["unpause", "died", "stop"],
  unpause: ["pause", "died", "stop"],
  stop: ["died"],
  died: ["cleanup"],
  cleanup: ["init", "remove"],
  remove: [],
};

async function client(containers: Containers, seed: number, steps: number, codes = CODES): Promise<void> {
  const random = seeded(seed);
  for (let i = 0; i < steps; i++) {
    const action = ACTIONS[Math.floor(random() * ACTIONS.length)];
    try {
      await action(containers, NAMES[Math.floor(random() * NAMES.length)], random);
    } catch (error) {
      assertInstanceOf(error, EngineError, String(error));
      assert(codes.includes(error.code), `${error.code}: ${error.message}`);
    }
  }
}

/** More for a long run: `GANTRY_RACE_SEEDS=1000`. */
const SEEDS = Number(Deno.env.get("GANTRY_RACE_SEEDS") ?? 40);

for (let seed = 1; seed <= SEEDS; seed++) {
  Deno.test(`Containers stay whole under eight clients at once, seed ${seed}`, async () => {
    const random = seeded(seed);
    // Every step of the host takes a while that is different each time.
    const hook = async () => {
      for (let turns = Math.floor(random() * 12); turns > 0; turns--) await Promise.resolve();
      if (random() < 0.02) await new Promise((resolve) => setTimeout(resolve, 0));
    };
    await using engine = await openFake({ hook, seed });
    const { containers } = engine;
    await Promise.all(Array.from({ length: 8 }, (_, i) => client(containers, seed * 100 + i, 25)));
    await containers.settled();
    await assertConsistent(engine);
    const names = containers.list({ all: true }).map(({ name }) => name);
    assertEquals(new Set(names).size, names.length, "names are each one's own");
    for (const { id } of containers.list({ all: true })) await containers.remove(id, { force: true, volumes: true });
    await containers.settled();
    await assertConsistent(engine);
    assertEquals([...engine.kernel.volumes.keys()], []);
    const last = new Map<string, string>();
    for (const { id, type, action, notFor } of await engine.events()) {
      // Docker's order is that of the same events for another API.
      if (type !== "container" || notFor === "podman" || ["attach", "kill", "restart", "rename"].includes(action)) {
        continue;
      }
      const before = last.get(id) ?? "";
      assert(FOLLOWS[before]?.includes(action), `"${action}" follows "${before}"`);
      last.set(id, action);
    }
    assertEquals(engine.complaints.filter((line) => line.startsWith("error")), []);
  });
}

for (let seed = 1; seed <= SEEDS; seed++) {
  const leaky = { sanitizeOps: false, sanitizeResources: false };
  Deno.test(`Containers survive a crash under load, seed ${seed}`, leaky, async () => {
    const dying = new Dying(Math.floor(seeded(seed)() * 1500));
    await dying.outlived((async () => {
      const { containers } = await dying.open();
      await Promise.all(Array.from({ length: 6 }, (_, i) => client(containers, seed * 100 + i, 25)));
      await containers.close();
    })());
    dying.kernel.listeners.clear();
    await using engine = await openFake({ kernel: dying.kernel, store: dying.store, seed: seed + 1 });
    await engine.containers.settled();
    await assertConsistent(engine);
    assertEquals(engine.complaints.filter((line) => line.startsWith("error")), []);
  });

  Deno.test(`Containers stay whole on a host that fails now and then, seed ${seed}`, async () => {
    const random = seeded(seed);
    const hook = () => {
      if (random() < 0.05) throw new EngineError("internal", "the host has a bad day");
    };
    const first = await openFake({ hook, seed });
    const actions = client(first.containers, seed, 200, ["internal", "timeout", ...CODES]);
    await actions;
    await first.containers.close();
    await first.host.close();
    await using engine = await openFake({ kernel: first.kernel, store: first.store, seed: seed + 1 });
    await engine.containers.settled();
    await assertConsistent(engine);
  });
}
