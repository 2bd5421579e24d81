/** Parts of a whole run of the tests, side by side. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { inOrder, type Part, runParts } from "../../scripts/test/lanes.ts";

Deno.test("runParts() runs each part once, as many at a time as there are lanes, and those of a group one by one", async () => {
  for (const lanes of [1, 2, 3, 9]) {
    const running = new Set<string>();
    const begun: string[] = [];
    let most = 0;
    const part = (step: string, group?: string): Part => ({
      step,
      what: "a part of a test of the lanes",
      ...group !== undefined && { group },
      async run() {
        assert(
          ![...running].some((other) => group !== undefined && other[0] === step[0]),
          `${step} beside ${[...running]}`,
        );
        running.add(step);
        begun.push(step);
        most = Math.max(most, running.size);
        for (let turn = 0; turn < 20; turn++) await Promise.resolve();
        running.delete(step);
        return { passed: 2, failed: 0 };
      },
    });
    const parts = [
      part("a1", "a"),
      part("a2", "a"),
      part("a3", "a"),
      part("b1", "b"),
      part("b2", "b"),
      part("c"),
      part("d"),
    ];
    assertEquals(await runParts(parts, lanes), { passed: 14, failed: 0 });
    assertEquals(begun.toSorted(), parts.map(({ step }) => step));
    assertEquals(most, Math.min(lanes, 4));
  }
});

Deno.test("inOrder() puts parts in the order of a list, and refuses one that the list does not name", () => {
  const part = (step: string, name?: string): Part => ({
    step,
    ...name !== undefined && { name },
    what: "a part of a test of the lanes",
    run: () => Promise.resolve({ passed: 0, failed: 0 }),
  });
  const parts = [part("host", "build"), part("doc"), part("host", "images")];
  const ordered = inOrder(parts, ["doc", "static", "host images", "host build"]);
  assertEquals(ordered.map(({ step, name }) => [step, name]), [["doc", undefined], ["host", "images"], [
    "host",
    "build",
  ]]);
  assertThrows(() => inOrder(parts, ["doc", "host build"]), Error, '"host images" is not listed');
});
