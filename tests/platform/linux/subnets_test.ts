import { assertEquals, assertNotEquals } from "@std/assert";
import { Subnets } from "../../../lib/platform/linux/subnets.ts";

Deno.test("Subnets.propose() keeps the note of a root that is gone until its bridge was taken down", async () => {
  const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const [here, gone] = await Promise.all([1, 2].map(() => Deno.makeTempDir({ prefix: "gantry-test-" })));
  try {
    const left = await new Subnets(gone, shared).propose([]);
    await Deno.remove(gone);
    // As when the root goes between the look for abandoned bridges and the choice: the note is all that tells of the bridge.
    const mine = new Subnets(here, shared);
    const chosen = await mine.propose([]);
    assertNotEquals(chosen.interface, left.interface);
    const notes = await mine.abandoned();
    assertEquals(notes.map((note) => note.interface), [left.interface]);
    await mine.forget(notes[0]);
    assertEquals(await mine.abandoned(), []);
  } finally {
    for (const folder of [shared, here]) await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Subnets.propose() drops its own choices that were never recorded", async () => {
  const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const forgotten = await new Subnets(root, shared).propose([]);
    // A later process of the same server, whose records do not hold it.
    const next = await new Subnets(root, shared).propose([]);
    assertEquals(next, forgotten);
  } finally {
    for (const folder of [shared, root]) await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Subnets.propose() gives servers that choose at the same moment subnets of their own", async () => {
  const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const roots = await Promise.all(Array.from({ length: 6 }, () => Deno.makeTempDir({ prefix: "gantry-test-" })));
  try {
    const chosen = await Promise.all(roots.map((root) => new Subnets(root, shared).propose([])));
    assertEquals(new Set(chosen.map(({ subnet }) => subnet)).size, roots.length);
    assertEquals(new Set(chosen.map((choice) => choice.interface)).size, roots.length);
  } finally {
    for (const folder of [shared, ...roots]) await Deno.remove(folder, { recursive: true });
  }
});
