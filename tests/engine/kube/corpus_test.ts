import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";
import { type Case, HOSTILE, ORDINARY } from "./corpus.ts";

function textOf({ yaml }: Case): string {
  return yaml.replaceAll("IMAGE", `"${TINY_NAME}"`);
}

Deno.test("Kube.play() makes what ordinary documents ask for, and Kube.down() takes all of it away", async (t) => {
  for (const one of ORDINARY) {
    await t.step(one.name, async () => {
      await using test = await openTestEngine();
      const { kube, pods, volumes, containers } = test.engine;
      const report = await kube.play(textOf(one));
      const found = pods.list().map((pod) => [pod.name, pods.membersOf(pod).slice(1).map(({ name }) => name)]);
      assertEquals(Object.fromEntries(found), one.pods);
      const notes = report.pods.flatMap(({ notes }) => notes);
      assertEquals(
        notes.map((note) => note.replace(/^document \d+, (?:Pod|Deployment|Job) "[a-z]": /, "")),
        one.notes ?? [],
      );
      assertEquals(volumes.list().map(({ name }) => name), one.volumes ?? []);
      await kube.down(textOf(one), { force: true });
      assertEquals([pods.list().length, volumes.list().length, containers.list({ all: true }).length], [0, 0, 0]);
    });
  }
});

Deno.test("Kube.play() refuses hostile documents by name of the fault, and leaves nothing", async (t) => {
  for (const one of HOSTILE) {
    await t.step(one.name, async () => {
      await using test = await openTestEngine();
      const { kube, pods, containers, secrets } = test.engine;
      const error = await assertRejects(() => kube.play(textOf(one)), EngineError);
      assertStringIncludes(error.message, one.error ?? "");
      assertEquals(error.code, one.code ?? "invalid");
      assertEquals([pods.list().length, containers.list({ all: true }).length, secrets.list().length], [0, 0, 0]);
    });
  }
});
