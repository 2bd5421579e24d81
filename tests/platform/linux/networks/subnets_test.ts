import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { choosePlace } from "../../../../lib/engine/networks/choose_place.ts";
import { parseSubnet } from "../../../../lib/engine/text/ip.ts";
import { anyPlace } from "../../../fixtures/engine/any_place.ts";
import { reservedNetwork, Subnets } from "../../../../lib/platform/linux/networks/subnets.ts";

/** The bridges that are offered to be taken down. */
async function swept(subnets: Subnets, done: boolean): Promise<string[]> {
  const names: string[] = [];
  await subnets.reserve([], anyPlace, (note) => {
    names.push(note.interface);
    return Promise.resolve(done);
  });
  return names;
}

Deno.test("Subnets.reserve() keeps the note of a root that is gone until its bridge was taken down", async () => {
  const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const [here, gone] = await Promise.all([1, 2].map(() => Deno.makeTempDir({ prefix: "gantry-test-" })));
  try {
    const left = await new Subnets(gone, shared).reserve([], anyPlace);
    await Deno.remove(gone);
    // As when the root goes between the look for abandoned bridges and the choice: the note is all that tells of the bridge.
    const mine = new Subnets(here, shared);
    const chosen = await mine.reserve([], anyPlace);
    assertNotEquals(chosen.interface, left.interface);
    assertEquals(await swept(mine, false), [left.interface]);
    assertEquals(await swept(mine, true), [left.interface]);
    assertEquals(await swept(mine, true), []);
  } finally {
    for (const folder of [shared, here]) await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Subnets.isMade() is false for a bridge that no container was ever on, and true for one that an earlier version noted", async () => {
  const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const subnets = new Subnets(root, shared);
    const place = await subnets.reserve([], anyPlace);
    assertEquals(await subnets.isMade(place.interface), false);
    assert(await subnets.renew(place));
    assertEquals(await subnets.isMade(place.interface), true);
    // A later choice of subnets on the same bridge does not unmake it.
    await subnets.reserve([], () => place);
    assertEquals(await subnets.isMade(place.interface), true);
    await Deno.writeTextFile(`${shared}/older`, JSON.stringify({ interface: "older", root, subnet: "10.99.0.0/24" }));
    assertEquals(await subnets.isMade("older"), true);
  } finally {
    for (const folder of [shared, root]) await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Subnets.releaseUnrecorded() gives back what a killed server chose: not what is recorded, made, of this process, or another's", async () => {
  const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const [root, other] = await Promise.all([1, 2].map(() => Deno.makeTempDir({ prefix: "gantry-test-" })));
  try {
    const killed = new Subnets(root, shared);
    const choose = (bridge: string, subnet: string) => () => ({ interface: bridge, subnets: [{ subnet }] });
    await killed.reserve([], choose("kept", "10.99.1.0/24"));
    await killed.reserve([], choose("left", "10.99.2.0/24"));
    const made = await killed.reserve([], choose("made", "10.99.3.0/24"));
    await killed.renew(made);
    await new Subnets(other, shared).reserve([], choose("theirs", "10.99.4.0/24"));
    const next = new Subnets(root, shared);
    const recorded = [reservedNetwork({ interface: "kept", root, subnet: "10.99.1.0/24" })];
    await next.releaseUnrecorded(recorded);
    assertEquals([...Deno.readDirSync(shared)].map(({ name }) => name).filter((name) => !name.startsWith(".")).sort(), [
      "kept",
      "made",
      "theirs",
    ]);
    await next.reserve(
      [...recorded, reservedNetwork({ interface: "made", root, subnet: "10.99.3.0/24" })],
      choose("fresh", "10.99.5.0/24"),
    );
    await next.releaseUnrecorded(recorded);
    assertEquals(next.isMade("fresh"), false, "its note is still there");
  } finally {
    for (const folder of [shared, root, other]) await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Subnets.reserve() drops its own choices that were never recorded", async () => {
  const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const forgotten = await new Subnets(root, shared).reserve([], anyPlace);
    // A later process of the same server, whose records do not hold it.
    const next = await new Subnets(root, shared).reserve([], anyPlace);
    assertEquals(next, forgotten);
  } finally {
    for (const folder of [shared, root]) await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Subnets.reserve() makes the folder anew where somebody has removed it, and chooses once whatever fails", async () => {
  const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const [root, other] = await Promise.all([1, 2].map(() => Deno.makeTempDir({ prefix: "gantry-test-" })));
  try {
    using subnets = new Subnets(root, shared);
    const theirs = await new Subnets(other, shared).reserve([], anyPlace);
    await subnets.reserve([], anyPlace);
    await Deno.remove(shared, { recursive: true });
    // A place that was noted there is nobody's any more.
    assertEquals(await subnets.reserve([], anyPlace), theirs);
    assertEquals(subnets.isMade(theirs.interface), false);
    let choices = 0;
    const fail = () => {
      choices++;
      Deno.removeSync(shared, { recursive: true });
      throw new Error("no choice");
    };
    await assertRejects(() => subnets.reserve([], fail), Error, "no choice");
    assertEquals(choices, 1);
  } finally {
    for (const folder of [root, other]) await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Subnets.reserve() gives servers that choose at the same moment subnets of their own", async () => {
  const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const roots = await Promise.all(Array.from({ length: 6 }, () => Deno.makeTempDir({ prefix: "gantry-test-" })));
  try {
    const chosen = await Promise.all(roots.map((root) => new Subnets(root, shared).reserve([], anyPlace)));
    assertEquals(new Set(chosen.map(({ subnets }) => subnets[0].subnet)).size, roots.length);
    assertEquals(new Set(chosen.map((choice) => choice.interface)).size, roots.length);
  } finally {
    for (const folder of [shared, ...roots]) await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Subnets.reserve() of two servers at once takes down what a third left, once", async () => {
  const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const [one, two, gone] = await Promise.all([1, 2, 3].map(() => Deno.makeTempDir({ prefix: "gantry-test-" })));
  try {
    await new Subnets(gone, shared).reserve([], anyPlace);
    await Deno.remove(gone);
    let sweeps = 0;
    // The second server is slow: the first has swept and chosen before it is done.
    const choose = async (root: string, milliseconds: number) => {
      const subnets = new Subnets(root, shared);
      return await subnets.reserve([], anyPlace, async () => {
        sweeps++;
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
        return true;
      });
    };
    const chosen = await Promise.all([choose(one, 20), choose(two, 300)]);
    assertEquals(sweeps, 1);
    assertNotEquals(chosen[0].interface, chosen[1].interface);
    assertNotEquals(chosen[0].subnets, chosen[1].subnets);
  } finally {
    for (const folder of [shared, one, two]) await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Subnets.renew() refuses what another server has, its name or a part of its subnet", async () => {
  const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const [one, two] = await Promise.all([1, 2].map(() => Deno.makeTempDir({ prefix: "gantry-test-" })));
  try {
    const mine = new Subnets(one, shared);
    assertEquals(await mine.renew({ interface: "gantry900", subnets: [{ subnet: "10.1.0.0/16" }] }), true);
    assertEquals(await mine.renew({ interface: "gantry900", subnets: [{ subnet: "10.1.0.0/16" }] }), true);
    const theirs = new Subnets(two, shared);
    assertEquals(await theirs.renew({ interface: "gantry900", subnets: [{ subnet: "10.2.0.0/16" }] }), false);
    assertEquals(await theirs.renew({ interface: "gantry901", subnets: [{ subnet: "10.1.4.0/22" }] }), false);
    assertEquals(await theirs.renew({ interface: "gantry901", subnets: [{ subnet: "10.2.0.0/16" }] }), true);
    await theirs.release("gantry900");
    assertEquals(await theirs.renew({ interface: "gantry900", subnets: [{ subnet: "10.3.0.0/16" }] }), false);
    await mine.release("gantry900");
    assertEquals(await theirs.renew({ interface: "gantry900", subnets: [{ subnet: "10.3.0.0/16" }] }), true);
  } finally {
    for (const folder of [shared, one, two]) await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Subnets.reserve() tells a choice what other servers have, so that nobody is given it again", async () => {
  const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const [one, two] = await Promise.all([1, 2].map(() => Deno.makeTempDir({ prefix: "gantry-test-" })));
  try {
    const subnets = [{ subnet: "10.66.200.0/24" }, { subnet: "fd00:66:200::/64" }];
    await new Subnets(one, shared).reserve([], () => ({ interface: "gantry-own", subnets }));
    const again = { interface: "", subnets, versions: [] };
    const error = await assertRejects(
      () => new Subnets(two, shared).reserve([], (taken) => choosePlace(again, taken, () => new Uint8Array(7))),
      EngineError,
    );
    assertEquals(error.message, "subnet 10.66.200.0/24 is already used on the host or by another config");
    await new Subnets(two, shared).reserve([], (taken) => {
      assertEquals([taken.bridges.has("gantry-own"), taken.subnets.overlaps(parseSubnet("fd00:66:200::/64"))], [
        true,
        true,
      ]);
      return anyPlace(taken);
    });
  } finally {
    for (const folder of [shared, one, two]) await Deno.remove(folder, { recursive: true });
  }
});

/** The first name of a bridge that no interface of the host has. */
function firstFreeBridge(): string {
  const taken = new Set([...Deno.readDirSync("/sys/class/net")].map(({ name }) => name));
  for (let i = 0;; i++) if (!taken.has(`gantry${i}`)) return `gantry${i}`;
}

Deno.test("Subnets.reserve() passes over files that are no notes", async () => {
  const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const files = [
      "null",
      "5",
      "[]",
      "{}",
      '{"interface":"a","root":"/gone"}',
      '{"interface":"a","root":"/gone","subnet":7}',
    ];
    const more = ['{"interface":"a","root":"/gone","subnet":"","subnets":5}', '"text"', "", '{"interface"'];
    for (const [i, text] of [...files, ...more].entries()) await Deno.writeTextFile(`${shared}/other${i}`, text);
    using subnets = new Subnets(root, shared);
    // Bridges of other servers on this machine come and go.
    const before = firstFreeBridge();
    const place = await subnets.reserve([], anyPlace);
    assert([before, firstFreeBridge()].includes(place.interface), place.interface);
    assertEquals(subnets.isMade(place.interface), false);
  } finally {
    for (const folder of [shared, root]) await Deno.remove(folder, { recursive: true });
  }
});
