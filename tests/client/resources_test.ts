/** Volumes, networks, secrets, pods and events by the client, in both trees, before an engine that pretends. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { ClientError, type ClientEvent, connectHandler, openEngine } from "../../lib/client/mod.ts";
import { openPretendEngine } from "../../lib/platform/entries/pretend_engine.ts";
import { engineHandler } from "../../handlers/engine_handler.ts";
import { checkPods, checkResources, TREES } from "../fixtures/client/resources.ts";

const untilEnd = ({ signal }: { signal: AbortSignal }) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

for (const tree of TREES) {
  const open = async () => {
    const pretence = await openPretendEngine({ images: { tool: untilEnd } });
    const engine = await openEngine(connectHandler(engineHandler(pretence), () => pretence.close()), { tree });
    assertEquals(engine.tree, tree);
    return engine;
  };

  Deno.test(`the client makes, finds and removes volumes, networks, secrets and pods in the tree of ${tree}`, async () => {
    await using engine = await open();
    await using box = await engine.start({ image: "tool", name: "box" });
    await checkResources(engine, box);
    await checkPods(engine, { image: "tool", isReal: false });
  });

  Deno.test(`EngineClient.events() in the tree of ${tree} tells the past, follows, and ends by a signal`, async () => {
    await using engine = await open();
    const since = new Date(Date.now() - 1000);
    await using _volume = await engine.volumes.create({ name: "past" });
    const past: ClientEvent[] = [];
    // Events have a finer time than dates: one of this very millisecond is to count.
    const range = { since, until: new Date(Date.now() + 1), filters: { type: ["volume"] } };
    for await (const event of engine.events(range)) past.push(event);
    assertEquals(past.map(({ type, action, id }) => [type, action, id]), [["volume", "create", "past"]]);
    assert(
      past[0].time >= since && past[0].time.getTime() <= Date.now() + 1,
      `${past[0].time.toISOString()} is of now`,
    );

    for await (const { name, action } of engine.events({ since, filters: { type: ["volume"] } })) {
      assertEquals([name ?? "past", action], ["past", "create"]);
      break;
    }
    const leave = new AbortController();
    const followed = engine.events({ since, signal: leave.signal });
    assertEquals((await followed.next()).done, false);
    leave.abort(new Error("enough"));
    await assertRejects(
      async () => {
        while (!(await followed.next()).done);
      },
      Error,
      "enough",
    );
    const unknown = engine.events({ until: new Date(), filters: { nonsense: ["x"] } });
    const error = await assertRejects(() => unknown.next(), ClientError, "Read events: ");
    assertEquals(error.code, "invalid");
  });
}
