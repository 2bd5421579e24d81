import { assertEquals, assertMatch } from "@std/assert";
import { dependencyLevels, walkPod } from "../../../lib/engine/pods/walk_pod.ts";
import { type FakeEngine, openFake } from "../../fixtures/engine/fake_engine.ts";

/** A pod whose container `b` joins `a`, and `c` nobody but the infra container. */
async function makePod(engine: FakeEngine) {
  const { record } = await engine.pods.create({ infra: { name: "infra" }, shared: ["none"] });
  for (const name of ["a", "b", "c"]) {
    const pid = name === "b" ? { mode: "container" as const, value: "a" } : undefined;
    await engine.containers.create({ image: "tiny", name, pod: record.id, namespaces: { pid } });
  }
  return engine.pods.membersOf(record);
}

Deno.test("dependencyLevels() puts the infra container first, and each container after those it joins", async () => {
  await using engine = await openFake();
  const members = await makePod(engine);
  const names = dependencyLevels(members.reverse()).map((level) => level.map(({ name }) => name).sort().join());
  assertEquals(names, ["infra", "a,c", "b"]);
});

Deno.test("walkPod() goes on past a failure, but not to those that wait for it", async () => {
  await using engine = await openFake();
  const members = await makePod(engine);
  const walk = async (direction: "start" | "stop", failing: string) => {
    const visited: string[] = [];
    const failures = await walkPod(members, direction, ({ name }) => {
      visited.push(name);
      return name === failing ? Promise.reject(new Error("no luck")) : Promise.resolve();
    });
    const texts = members.flatMap(({ id, name }) => failures.has(id) ? [`${name}: ${failures.get(id)?.message}`] : []);
    return { visited: visited.join(" "), texts };
  };
  const up = await walk("start", "a");
  assertEquals(up.visited, "infra a c");
  assertEquals(up.texts[0], "a: no luck");
  assertMatch(up.texts[1], /^b: a dependency of container \w+ failed to start: container state improper$/);
  const down = await walk("stop", "b");
  assertEquals(down.visited, "b c");
  assertEquals(down.texts.map((text) => text.split(":")[0]), ["infra", "a", "b"]);
  assertMatch(down.texts[0], /a container that depends on container \w+ could not be stopped/);
});
