import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { Turns } from "../../../lib/rest/codecs/turns.ts";

/** Goes on with a loop until it has to wait. */
function spendTime(loop: Turns): Promise<void> {
  // Bounds a failure only: rounds alone make a turn due long before.
  for (let round = 0; round < 1_000_000; round++) {
    const turn = loop.due();
    if (turn) return turn;
  }
  throw new Error("No turn was due");
}

Deno.test("defect: due() has all loops of a process wait for one turn", async () => {
  const loops = Array.from({ length: 10 }, () => new Turns());
  const { setTimeout } = globalThis;
  let timers = 0;
  globalThis.setTimeout = ((...args: Parameters<typeof setTimeout>) => {
    timers++;
    return setTimeout(...args);
  }) as typeof setTimeout;
  try {
    for (let count = 1; count <= 3; count++) {
      const turn = spendTime(loops[0]);
      for (const loop of loops) assertStrictEquals(loop.due(), turn);
      assertEquals(timers, count);
      await turn;
      for (const loop of loops) assertEquals(loop.due(), undefined);
    }
  } finally {
    globalThis.setTimeout = setTimeout;
  }
});

Deno.test("due() asks anew for a turn that never came: a test's clock had its timer", () => {
  const { setTimeout } = globalThis;
  const { now } = performance;
  let late = 0;
  globalThis.setTimeout = (() => 0) as unknown as typeof setTimeout;
  performance.now = () => now.call(performance) + late;
  try {
    const lost = spendTime(new Turns());
    globalThis.setTimeout = setTimeout;
    assertStrictEquals(new Turns().due(), lost);
    late = 5_000;
    assertEquals(new Turns().due(), undefined);
  } finally {
    globalThis.setTimeout = setTimeout;
    performance.now = now;
  }
});

Deno.test("due() makes loops of workerd wait for a turn each, since a timer there ends with its request", () => {
  const world = globalThis as { WebSocketPair?: unknown };
  world.WebSocketPair = class {};
  try {
    const [one, other] = [new Turns(), new Turns()];
    const turn = spendTime(one);
    assertEquals(other.due(), undefined);
    assert(spendTime(other) !== turn);
  } finally {
    delete world.WebSocketPair;
  }
});

Deno.test("due() asks for no wait where the event loop turns by itself", async () => {
  const loop = new Turns();
  for (let round = 0; round < 100; round++) {
    await new Promise((resolve) => setTimeout(resolve));
    assertEquals(loop.due(), undefined);
  }
});
