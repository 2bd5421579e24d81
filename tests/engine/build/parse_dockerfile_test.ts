import { assertEquals, assertThrows } from "@std/assert";
import { parseDockerfile } from "../../../lib/engine/build/dockerfile/parse_dockerfile.ts";
import { readInstructions } from "../../../lib/engine/build/dockerfile/read_instructions.ts";
import { planStages, type StageSource } from "../../../lib/engine/build/plan_stages.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { BAD, type CorpusFile, GOOD } from "../../fixtures/build/corpus.ts";

Deno.test("planStages() plans the good Dockerfiles of the corpus", async (t) => {
  for (const file of GOOD) await t.step(file.name, () => assertEquals(describePlan(file), file.plan));
});

Deno.test("parseDockerfile() and planStages() refuse the bad ones, with the line and what would be right", async (t) => {
  for (const file of BAD) {
    await t.step(file.name, () => {
      const error = assertThrows(() => describePlan(file), EngineError);
      assertEquals(error.message.replace(/ \(Dockerfile:\d+\)$/, ""), file.error);
      assertEquals(error.code, "invalid");
    });
  }
});

Deno.test("parseDockerfile() names the file", () => {
  assertThrows(
    () => parseDockerfile("FROM a\nX y\n", "deploy/api.Dockerfile"),
    EngineError,
    "(deploy/api.Dockerfile:2)",
  );
});

Deno.test("parseDockerfile() keeps a heredoc's content as it is, and says whether variables go in", () => {
  const { stages } = parseDockerfile("FROM a\nCOPY <<A <<'B' /d/\none \\\n$x\nA\n$y\nB\n");
  const [copy] = stages[0].instructions;
  assertEquals(copy.is === "COPY" && [copy.inline, copy.sources, copy.destination], [
    [{ name: "A", content: "one \\\n$x\n", expands: true }, { name: "B", content: "$y\n", expands: false }],
    [],
    "/d/",
  ]);
});

Deno.test("readInstructions() joins continued lines as Docker does", () => {
  const texts = (source: string) => readInstructions(source).instructions.map(({ text }) => text);
  assertEquals(texts("RUN a \\\n  b\\\n c"), ["a   b c"]);
  assertEquals(texts("RUN a \\  \nb"), ["a b"]);
  assertEquals(texts("RUN a \\\\\nRUN b"), ["a \\\\", "b"]);
  assertEquals(texts("RUN a \\\n"), ["a"]);
});

Deno.test("readInstructions() takes a time that grows with the file", () => {
  const line = "RUN echo a \\\n  <<x \\\n";
  const source = `RUN true\n${line.repeat(20_000)}\nx\n`;
  const from = performance.now();
  assertThrows(() => readInstructions(source), EngineError, "unterminated heredoc");
  assertEquals(readInstructions(`RUN a\n${"RUN b \\\n c\n".repeat(40_000)}`).instructions.length, 40_001);
  assertEquals(performance.now() - from < 20_000, true);
});

function describePlan({ text, options }: CorpusFile): string[] {
  return planStages(parseDockerfile(text), options).stages.map(({ base, platform, instructions }) => {
    const steps = instructions.map(({ is, line }) => `${is}@${line}`).join(" ");
    return `${describeSource(base)}${platform === undefined ? "" : ` (${platform})`}: ${steps}`;
  });
}

function describeSource(source: StageSource): string {
  if ("stage" in source) return `stage ${source.stage}`;
  if ("image" in source) return `image ${source.image}`;
  return "context" in source ? `context ${source.context}` : "scratch";
}
