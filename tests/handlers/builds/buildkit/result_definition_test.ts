import { assertEquals, assertThrows } from "@std/assert";
import { readFrontendOptions } from "../../../../handlers/builds/buildkit/frontend_options.ts";
import { defineResult, readResult } from "../../../../handlers/builds/buildkit/result_definition.ts";
import { Definition, DefinitionStep } from "../../../../handlers/builds/buildkit/messages.ts";
import { GRPCError } from "../../../../lib/engine/ports/build_port.ts";

Deno.test("a result's definition says of what image it is, and no other definition is taken for one", async () => {
  const image = "ab".repeat(32);
  const sent = Definition.decode(Definition.encode(await defineResult(image)));
  assertEquals(readResult(sent), image);
  const { digest, index } = DefinitionStep.decode(sent.def[1]).inputs[0];
  assertEquals([Object.keys(sent.metadata), index], [[digest], 0], "clients look for facts of each step");
  const foreign = (identifier: string) => [DefinitionStep.encode({ source: { identifier } }), sent.def[1]];
  const rows = [[], [sent.def[0]], [...sent.def, sent.def[1]], [sent.def[1], sent.def[0]]];
  const identifiers = [
    "docker-image://a",
    `gantry-image://${image}/../..`,
    "gantry-image://",
    `x-gantry-image://${image}`,
  ];
  for (const def of [...rows, ...identifiers.map(foreign)]) {
    assertThrows(() => readResult({ def, metadata: {} }), GRPCError, "LLB");
  }
  const { contexts } = readFrontendOptions({ "context:base": "input:base", "input-metadata:base": "{}" }, {
    base: image,
  });
  assertEquals(contexts, { base: { kind: "image", name: image } });
});
