import { assertEquals } from "@std/assert";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";
import { FakeHost } from "../../fixtures/engine/fake_host.ts";
import { emptySpec } from "../../../lib/engine/records/empty_spec.ts";

Deno.test("System.diskUsage() of 500 containers asks the host once, and callers at the same time get the same", async () => {
  await using test = await openTestEngine();
  const { engine, kernel } = test;
  for (let i = 0; i < 500; i++) await engine.containers.create({ ...emptySpec(), image: TINY_NAME, name: `c${i}` });
  assertEquals(kernel.layers.size, 500);
  const [first, second] = await Promise.all([engine.system.diskUsage(), engine.system.diskUsage()]);
  assertEquals(first === second, true);
  assertEquals([first.containers.length, first.images[0].containers], [500, 500]);
  assertEquals(first.containers.every(({ writable, whole }) => writable === 42 && whole === 42 + first.layers), true);
  assertEquals((await engine.system.diskUsage(["volumes"])).containers, []);
  const none = new FakeHost(kernel);
  assertEquals(await none.layers.usages(["absent"]), [0]);
});
