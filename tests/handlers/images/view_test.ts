import { assertEquals } from "@std/assert";
import { imageHistory } from "../../../handlers/images/view.ts";
import { IMAGE } from "../../fixtures/engine/fake_engine.ts";

Deno.test("imageHistory() tells the size of layers as they are unpacked, newest first", () => {
  const layer = (diffID: string, size: number) => ({ digest: `sha256:${diffID}`, size, mediaType: "", diffID });
  const image = {
    ...IMAGE,
    layers: [layer("one", 31), layer("two", 17)],
    config: {
      ...IMAGE.config,
      history: [{ created_by: "one" }, { created_by: "env", empty_layer: true }, { created_by: "two" }],
    },
  };
  const steps = imageHistory(image, (diffID) => diffID === "one" ? 1024 : undefined);
  assertEquals(steps.map(({ CreatedBy, Size }) => [CreatedBy, Size]), [["two", 17], ["env", 0], ["one", 1024]]);
});
