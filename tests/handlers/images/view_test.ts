import { assertEquals } from "@std/assert";
import { imageHistory } from "../../../handlers/images/view.ts";
import { IMAGE } from "../../fixtures/engine/fake_engine.ts";
import { relationsOf } from "../../fixtures/images/relations.ts";

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
  const steps = imageHistory(image, relationsOf([image]), (diffID) => diffID === "one" ? 1024 : undefined);
  assertEquals(steps.map(({ CreatedBy, Size }) => [CreatedBy, Size]), [["two", 17], ["env", 0], ["one", 1024]]);
});

Deno.test("imageHistory() names the images that steps made", () => {
  const step = (created_by: string, empty_layer = false) => ({ created_by, empty_layer });
  const image = (id: string, diffIDs: string[], history: ReturnType<typeof step>[], names: string[] = []) => ({
    ...IMAGE,
    id,
    names,
    config: { ...IMAGE.config, rootfs: { type: "layers" as const, diff_ids: diffIDs }, history },
  });
  const [one, env, two] = [step("one"), step("env", true), step("two")];
  const images = [
    image("base", ["a"], [one], ["localhost/base:latest"]),
    image("other", ["a"], [one, step("label", true)]),
    image("child", ["a", "b"], [one, env, two]),
  ];
  const steps = imageHistory(images[2], relationsOf(images), () => 1);
  assertEquals(steps.map(({ Id, Tags }) => [Id, Tags]), [
    ["child", []],
    ["<missing>", []],
    ["base", ["localhost/base:latest"]],
  ]);
});

Deno.test("imageHistory() looks at each step of a long history a few times only", () => {
  let looks = 0;
  const step = {
    get empty_layer() {
      looks++;
      return true;
    },
  };
  const history = Array<typeof step>(16_384).fill(step);
  const image = { ...IMAGE, config: { ...IMAGE.config, rootfs: { type: "layers" as const, diff_ids: [] }, history } };
  assertEquals(imageHistory(image, relationsOf([image]), () => 1).length, history.length);
  assertEquals(looks, 2 * history.length);
});
