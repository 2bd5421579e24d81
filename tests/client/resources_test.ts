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

  Deno.test(`EngineClient.containers() in the tree of ${tree} gives those of the list, without one that goes meanwhile`, async () => {
    const pretence = await openPretendEngine({ images: { tool: untilEnd } });
    const serve = engineHandler(pretence);
    let lost = "";
    const handler: typeof serve = async (request, platform) => {
      // Removed after the list, and before anybody has looked at it.
      if (lost !== "" && request.url.includes(`/${lost}/json`)) {
        await pretence.containers.remove(lost, { force: true });
      }
      return await serve(request, platform);
    };
    await using engine = await openEngine(connectHandler(handler, () => pretence.close()), { tree });
    const labels = { job: "many" };
    const names = Array.from({ length: 20 }, (_, index) => `box${index}`);
    for (const name of names) await engine.create({ image: "tool", name, labels });
    await engine.create({ image: "tool", name: "other" });
    const listed = (await engine.list({ all: true, labels })).map(({ id }) => id);
    lost = listed[3];
    const found = await engine.containers({ all: true, labels });
    assertEquals(found.map(({ id }) => id), listed.filter((id) => id !== lost));
    assertEquals(await engine.containers(), []);
    // Each is what `start` gives, and disposing one that was found changes nothing.
    await found[0].start();
    await found[0][Symbol.asyncDispose]();
    assertEquals((await engine.containers({ labels })).map(({ id }) => id), [found[0].id]);
    await found[0].stop();
    for (const container of found) await container.remove();
    assertEquals((await engine.containers({ all: true })).map(({ name }) => name), ["other"]);
    const signal = AbortSignal.abort(new Error("enough"));
    await assertRejects(() => engine.containers({ signal }), Error, "enough");
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
