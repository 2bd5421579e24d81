import { assertEquals, assertNotEquals } from "@std/assert";
import { choosePlace } from "../../../../lib/engine/networks/choose_place.ts";
import { HostPlaces } from "../../../../lib/platform/linux/networks/host_places.ts";
import { FolderNews } from "../../../../lib/platform/linux/networks/kernel_news.ts";
import { Notes } from "../../../../lib/platform/linux/networks/notes.ts";
import { Subnets } from "../../../../lib/platform/linux/networks/subnets.ts";
import { runOk } from "../../../fixtures/run.ts";

const ignore = Deno.build.os !== "linux" || Deno.uid() !== 0;
/** A pool that nobody but these tests has: the block for benchmarks (RFC 2544). */
const pools = [{ base: "198.19.240.0/20", size: 24 }];
const first = "198.19.240.0/24";
const second = "198.19.241.0/24";
const third = "198.19.242.0/24";

/** Reserves a place, gives it back, and returns its subnet. */
async function offered(subnets: Subnets): Promise<string> {
  const place = await subnets.reserve([], (taken) => {
    const wish = { subnets: [], versions: [4] as 4[], pools };
    return choosePlace(wish, taken, (length) => crypto.getRandomValues(new Uint8Array(length)));
  });
  await subnets.release(place.interface);
  return place.subnets[0].subnet;
}

Deno.test({
  name:
    "Subnets.reserve() avoids an address that was added to the host since the last choice, and takes it when it is gone",
  ignore,
  async fn() {
    const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
    const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
    using subnets = new Subnets(root, shared);
    const link = "gantry-stale";
    try {
      assertEquals([await offered(subnets), await offered(subnets)], [first, first]);
      await runOk(["ip", "link", "add", link, "type", "bridge"]);
      await runOk(["ip", "address", "add", "198.19.240.9/32", "dev", link]);
      assertEquals(await offered(subnets), second);
      await runOk(["ip", "address", "delete", "198.19.240.9/32", "dev", link]);
      assertEquals(await offered(subnets), first);
      await runOk(["ip", "link", "set", link, "up"]);
      await runOk(["ip", "route", "add", "198.19.240.128/25", "dev", link, "table", "7780"]);
      assertEquals(await offered(subnets), second);
      await runOk(["ip", "link", "delete", link]);
      assertEquals(await offered(subnets), first);
    } finally {
      await runOk(["ip", "link", "delete", link]).catch(() => {});
      for (const folder of [shared, root]) await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name:
    "Subnets.reserve() sees what another server and a hand have noted since the last choice, in a folder made anew too",
  ignore,
  async fn() {
    const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
    const [one, two] = await Promise.all([1, 2].map(() => Deno.makeTempDir({ prefix: "gantry-test-" })));
    using mine = new Subnets(one, shared);
    using theirs = new Subnets(two, shared);
    try {
      assertEquals([await offered(mine), await offered(theirs)], [first, first]);
      const note = { interface: "gantry-theirs", subnets: [{ subnet: first }] };
      assertEquals(await theirs.renew(note), true);
      assertEquals(await offered(mine), second);
      await theirs.release(note.interface);
      assertEquals(await offered(mine), first);
      // In place, and by a file that takes the name: neither asks for the lock.
      const text = JSON.stringify({ interface: "by-hand", root: "/", subnet: first, subnets: [first] });
      await Deno.writeTextFile(`${shared}/by-hand`, text);
      assertEquals(await offered(mine), second);
      await Deno.writeTextFile(`${shared}/.new`, text.replaceAll(first, second));
      await Deno.rename(`${shared}/.new`, `${shared}/by-hand`);
      assertEquals(await offered(mine), first);
      await Deno.writeTextFile(`${shared}/by-hand`, text);
      await Deno.remove(shared, { recursive: true });
      assertEquals(await offered(mine), first);
      await Deno.writeTextFile(`${shared}/by-hand`, text);
      assertEquals([await offered(mine), await offered(theirs)], [second, second]);
    } finally {
      for (const folder of [shared, one, two]) await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "Subnets.isMade() sees that another server has taken the note of a bridge over",
  ignore,
  async fn() {
    const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
    const [one, two] = await Promise.all([1, 2].map(() => Deno.makeTempDir({ prefix: "gantry-test-" })));
    using mine = new Subnets(one, shared);
    const place = { interface: "gantry-mine", subnets: [{ subnet: first }] };
    try {
      await mine.reserve([], () => place);
      assertEquals(mine.isMade(place.interface), false);
      const text = JSON.stringify({
        interface: place.interface,
        root: two,
        subnet: first,
        subnets: [first],
        made: false,
      });
      await Deno.writeTextFile(`${shared}/${place.interface}`, text);
      assertEquals(mine.isMade(place.interface), true, "the note of another root says nothing of a bridge of ours");
      await mine.release(place.interface);
      assertEquals(await Deno.readTextFile(`${shared}/${place.interface}`), text);
      await Deno.remove(`${shared}/${place.interface}`);
      assertEquals(mine.isMade(place.interface), true);
    } finally {
      for (const folder of [shared, one, two]) await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "Subnets.reserve() takes the name of a file with nothing in it, which a server that was killed has left",
  ignore,
  async fn() {
    const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
    const root = await Deno.makeTempDir({ prefix: "gantry-test-" });
    using subnets = new Subnets(root, shared);
    try {
      await Deno.writeTextFile(`${shared}/gantry-half`, "");
      const place = { interface: "gantry-half", subnets: [{ subnet: first }] };
      await subnets.reserve([], () => place);
      assertEquals(JSON.parse(await Deno.readTextFile(`${shared}/gantry-half`)).subnets, [first]);
      assertEquals([...Deno.readDirSync(shared)].map(({ name }) => name).sort(), [".choosing", "gantry-half"]);
    } finally {
      for (const folder of [shared, root]) await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "HostPlaces.read() knows Podman's networks as they are now, those that a file was written anew for too",
  ignore,
  async fn() {
    const parent = await Deno.makeTempDir({ prefix: "gantry-test-" });
    const podman = `${parent}/networks`;
    using places = new HostPlaces(podman);
    const has = async (subnet: string) => (await places.read()).subnets.has(subnet);
    const write = (name: string, subnet: string) =>
      Deno.writeTextFile(`${podman}/${name}`, JSON.stringify({ subnets: [{ subnet }] }));
    try {
      assertEquals(await has(first), false);
      await Deno.mkdir(podman);
      await write("a.json", first);
      assertEquals(await has(first), true);
      await write("a.json", second);
      assertEquals([await has(first), await has(second)], [false, true]);
      await write("b.txt", first);
      await Deno.rename(`${podman}/b.txt`, `${podman}/b.json`);
      assertEquals([await has(first), await has(second)], [true, true]);
      // No file, and so what it may hold is not known: nothing but it is missing.
      await Deno.symlink("/nowhere/c.json", `${podman}/c.json`);
      await write("d.json", third);
      assertEquals([await has(first), await has(third)], [true, true]);
      await Deno.remove(`${podman}/c.json`);
      const before = (await places.read()).subnets;
      await Deno.remove(podman, { recursive: true });
      assertEquals([await has(first), await has(second)], [false, false]);
      assertNotEquals(before, (await places.read()).subnets);
    } finally {
      await Deno.remove(parent, { recursive: true });
    }
  },
});

Deno.test({
  name: "HostPlaces.read() knows Podman's networks whose files are links, as they are now",
  ignore,
  async fn() {
    const parent = await Deno.makeTempDir({ prefix: "gantry-test-" });
    const podman = `${parent}/networks`;
    using places = new HostPlaces(podman);
    const has = async (subnet: string) => (await places.read()).subnets.has(subnet);
    const write = (name: string, subnet: string) =>
      Deno.writeTextFile(`${parent}/${name}`, JSON.stringify({ subnets: [{ subnet }] }));
    try {
      await Deno.mkdir(podman);
      for (const link of [Deno.link, Deno.symlink]) {
        assertEquals(await has(first), false);
        await write("elsewhere", first);
        await link(`${parent}/elsewhere`, `${podman}/a.json`);
        assertEquals(await has(first), true, link.name);
        await write("elsewhere", second);
        assertEquals([await has(first), await has(second)], [false, true], link.name);
        await Deno.remove(`${podman}/a.json`);
        assertEquals(await has(second), false, link.name);
      }
    } finally {
      await Deno.remove(parent, { recursive: true });
    }
  },
});

Deno.test({
  name:
    "Subnets.reserve() reads no note again that this server has written: its own changes are told apart by their number",
  ignore,
  async fn() {
    const shared = await Deno.makeTempDir({ prefix: "gantry-test-" });
    const note = `${shared}/gantry-own`;
    using news = new FolderNews();
    const notes = new Notes(shared, news);
    const own = { interface: "gantry-own", root: "/", subnet: first };
    // A look at a note that is known reads it again only where somebody else has changed it.
    const isKept = (reservation: unknown) => notes.get(own.interface) === reservation;
    try {
      notes.all();
      for (const subnet of [first, second]) {
        const changed = { ...own, subnet };
        notes.put(changed);
        assertEquals(isKept(changed), true, subnet);
      }
      notes.drop(own.interface);
      assertEquals(notes.get(own.interface), undefined);
      notes.put(own);
      await Deno.writeTextFile(note, JSON.stringify({ ...own, subnet: third }));
      assertEquals(notes.get(own.interface)?.subnet, third);
    } finally {
      await Deno.remove(shared, { recursive: true });
    }
  },
});
