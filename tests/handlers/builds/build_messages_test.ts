import { assertEquals } from "@std/assert";
import type { BuildProgress, StepEvent } from "../../../lib/engine/build/build_options.ts";
import { buildMessages } from "../../../handlers/builds/build_messages.ts";

Deno.test("buildMessages() names a tagged image as Docker does, with its tag once", async () => {
  async function* build(): AsyncIterableIterator<{ kind: "done"; id: string; names: string[] }, undefined> {
    const names = ["docker.io/library/mine:latest", "docker.io/team/app:2", "localhost:5000/team/app:2"];
    yield await Promise.resolve({ kind: "done", id: "ab".repeat(32), names });
  }
  const told = await Array.fromAsync(await buildMessages(build(), { style: "docker" }));
  assertEquals(told.slice(-3), [
    { stream: "Successfully tagged mine:latest\n" },
    { stream: "Successfully tagged team/app:2\n" },
    { stream: "Successfully tagged localhost:5000/team/app:2\n" },
  ]);
});

Deno.test("buildMessages() numbers steps within their stage for Podman, and through the build for Docker", async () => {
  const step = (number: number, position: number, own: number, more: Partial<StepEvent> = {}): StepEvent => {
    return {
      kind: "step",
      number,
      total: 5,
      text: "RUN x",
      stage: { number: own, total: 3, position, count: 2 },
      ...more,
    };
  };
  const alone = { number: 2, total: 3, position: 1, count: 1 };
  const steps = [
    step(2, 1, 2),
    step(4, 2, 1),
    step(4, 2, 1, { platform: "linux/arm64" }),
    step(2, 1, 2, { stage: alone }),
  ];
  async function* build(): AsyncIterableIterator<BuildProgress, undefined> {
    yield* steps;
    await Promise.resolve();
  }
  const told = async (style: "docker" | "podman") =>
    (await Array.fromAsync(await buildMessages(build(), { style }))).map(({ stream }) => stream);
  assertEquals(await told("podman"), [
    "[1/2] STEP 2/3: RUN x\n",
    "[2/2] STEP 1/3: RUN x\n",
    "[linux/arm64] [2/2] STEP 1/3: RUN x\n",
    "STEP 2/3: RUN x\n",
  ]);
  assertEquals(await told("docker"), [
    "Step 2/5 : RUN x\n",
    "Step 4/5 : RUN x\n",
    "Step 4/5 : [linux/arm64] RUN x\n",
    "Step 2/5 : RUN x\n",
  ]);
});
