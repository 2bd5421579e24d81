/** Stages side by side. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { StepEvent } from "../../../lib/engine/build/build_options.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { BuildRig } from "../../fixtures/build/build_rig.ts";
import { untilTrue } from "../../fixtures/until_true.ts";

/** Two stages that wait for each other, by files in a cache that both mount. */
const MEETING = "FROM IMAGE AS a\nRUN --mount=type=cache,id=ID,target=/m touch /m/a; " +
  "for i in $(seq 600); do test -e /m/b && break; sleep 0.1; done; ls /m > /seen; echo from a\n" +
  "FROM IMAGE AS b\nRUN --mount=type=cache,id=ID,target=/m touch /m/b; " +
  "for i in $(seq 600); do test -e /m/a && break; sleep 0.1; done; ls /m > /seen; echo from b\n" +
  "FROM scratch\nCOPY --from=a /seen /a\nCOPY --from=b /seen /b\n";

function placeOf({ number, total, position, count }: StepEvent["stage"]): string {
  return `${position}/${count} ${number}/${total}`;
}

Deno.test("builds: stages that do not need each other are built side by side", async (t) => {
  await using rig = await BuildRig.start();
  await t.step("two wait for each other, and both end", async () => {
    const { events, image } = await rig.build(MEETING.replaceAll("ID", "one"));
    const steps = events.flatMap((event) => event.kind === "step" ? [event.number] : []);
    assertEquals(steps.toSorted((a, b) => a - b), [1, 2, 3, 4, 5, 6, 7]);
    const output = events.flatMap((event) => event.kind === "output" ? [`${event.step} ${event.text}`] : []);
    assertEquals(output.sort(), ["2 from a\n", "4 from b\n"]);
    assertEquals(image.layers.length, 2);
  });
  await t.step("they tell of themselves in order where that is asked for", async () => {
    const { events } = await rig.build(MEETING.replaceAll("ID", "two"), { inOrder: true });
    const steps = events.flatMap((event) => event.kind === "step" ? [event.number] : []);
    assertEquals(steps, [1, 2, 3, 4, 5, 6, 7]);
    assertEquals(events.map((event) => event.kind === "output" ? event.text : "").join(""), "from a\nfrom b\n");
  });
  await t.step("one that fails ends the others, whose containers go", async () => {
    const text = "FROM IMAGE AS a\nRUN sleep 1000\nFROM IMAGE AS b\nRUN echo out; exit 3\n" +
      "FROM scratch\nCOPY --from=a /x /\nCOPY --from=b /x /\n";
    for (const inOrder of [true, false]) {
      const error = await assertRejects(() => rig.build(text, { inOrder }), EngineError);
      assertStringIncludes(error.message, "returned a non-zero code: 3");
      assertEquals(rig.engine.containers.list({ all: true }), []);
    }
  });
  await t.step("a caller that leaves ends all of them", async () => {
    const text = "FROM IMAGE AS a\nRUN sleep 1000\nFROM IMAGE AS b\nRUN sleep 1000\n" +
      "FROM scratch\nCOPY --from=a /x /\nCOPY --from=b /x /\n";
    const left = new AbortController();
    const build = rig.build(text, { signal: left.signal });
    const ended = assertRejects(() => build, EngineError, "cancelled");
    await untilTrue(() => rig.engine.containers.list().length >= 2);
    left.abort();
    await ended;
    assertEquals(rig.engine.containers.list({ all: true }), []);
  });
  await t.step("steps are numbered in their stage, too, of all that the file has up to the one asked for", async () => {
    const text =
      "FROM scratch AS unused\nFROM IMAGE AS a\nRUN echo 1 > /x\nFROM scratch AS b\nCOPY --from=a /x /\nFROM b\n";
    const { events } = await rig.build(text, { target: "b", labels: { by: "caller" } });
    const places = events.flatMap((event) => event.kind === "step" ? [placeOf(event.stage)] : []);
    assertEquals(places.sort(), ["2/3 1/2", "2/3 2/2", "3/3 1/3", "3/3 2/3", "3/3 3/3"]);
    const numbers = events.flatMap((event) => event.kind === "step" ? [`${event.number}/${event.total}`] : []);
    assertEquals(numbers.sort(), ["1/5", "2/5", "3/5", "4/5", "5/5"]);
  });
  await t.step("a stage that only a variable names is refused with the reason", async () => {
    const text = "FROM IMAGE AS a\nRUN touch /x\nFROM IMAGE\nARG S=a\nCOPY --from=$S /x /\n";
    await assertRejects(() => rig.build(text), EngineError, "is named by a variable");
  });
  await t.step("one job builds them one after the other", async () => {
    const text = "FROM IMAGE AS a\nRUN echo 1\nFROM IMAGE AS b\nRUN echo 2\nFROM scratch\nCOPY --from=a /bin/sh /a\n" +
      "COPY --from=b /bin/sh /b\n";
    const { events } = await rig.build(text, { jobs: 1 });
    const numbers = events.flatMap(({ step = 0 }) => step);
    assert(numbers.slice(0, -1).every((number, at) => at === 0 || numbers[at - 1] <= number), String(numbers));
  });
});
