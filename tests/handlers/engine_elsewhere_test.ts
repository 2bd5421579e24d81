import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { engineElsewhere } from "../../handlers/engine_elsewhere.ts";
import { engineHandler, type EngineHandlerOptions, operations } from "../../handlers/engine_handler.ts";
import { Engine } from "../../lib/engine/engine.ts";
import { EngineError } from "../../lib/engine/errors.ts";

Deno.test("engineElsewhere() is served by engineHandler() and closed; its other members say how it is called", async () => {
  const seen: EngineHandlerOptions[] = [];
  let closings = 0;
  const open = () =>
    Promise.resolve(engineElsewhere({
      makeHandler(options) {
        seen.push(options);
        return () => Promise.resolve(new Response("from elsewhere"));
      },
      close: () => Promise.resolve(void closings++),
      refuse: (member) => new EngineError("unsupported", `Use "${member}": it is far`),
    }));
  {
    // A promise of it is kept, though promises ask for `then`.
    await using engine = await open();
    assert(engine instanceof Engine);
    const onRequest = () => {};
    const serve = engineHandler(engine, { onRequest });
    assertEquals(await (await serve(new Request("http://localhost/"))).text(), "from elsewhere");
    assertEquals(seen, [{ auth: null, onRequest }]);
    assertThrows(() => engine.images, EngineError, 'Use "images": it is far');
    await assertRejects(async () => await engine.info(), EngineError, '"info"');
    assertThrows(() => operations(engine), EngineError, "it is far");
    await engine.close();
  }
  assertEquals(closings, 2);
});
