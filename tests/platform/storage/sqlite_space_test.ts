import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { SQLiteStore } from "../../../lib/platform/storage/sqlite_store.ts";

const MB = 1 << 20;

async function inFolder(work: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    await work(`${folder}/gantry.db`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The bytes of the database, and of its log. */
function sizesOf(path: string): [number, number] {
  return [Deno.statSync(path).size, Deno.statSync(`${path}-wal`).size];
}

const entries = (count: number, size: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({ time: from + i, value: `${from + i}`.padEnd(size, ".") }));

Deno.test("SQLiteStore.append() with retention uses the same room again and again", async () => {
  await inFolder(async (path) => {
    const store = await SQLiteStore.open(path);
    let most = 0;
    for (let i = 0; i < 100; i++) {
      await store.append("s", entries(10, 100_000, i * 10), { bytes: 2 * MB });
      const [file, log] = sizesOf(path);
      most = Math.max(most, file + log);
    }
    // A hundred megabytes went through it.
    assert(most < 40 * MB, `${most} bytes`);
    assertEquals((await Array.fromAsync(store.read("s"))).length, 20);
    await store.close();
  });
});

Deno.test("SQLiteStore.trim() gives room back to the file system, and large logs are cut", async () => {
  await inFolder(async (path) => {
    const store = await SQLiteStore.open(path);
    await store.append("s", entries(60, MB));
    await store.commit([{ table: "t", key: "k", value: "stays" }]);
    assert(sizesOf(path)[0] + sizesOf(path)[1] > 60 * MB);
    while (await store.trim("s", { bytes: MB })) {
      // Others have their turn in between.
    }
    await store.commit([{ table: "t", key: "k", value: "stays" }]);
    const [file, log] = sizesOf(path);
    assert(file < 24 * MB, `${file} bytes in the file`);
    assert(log <= 9 * MB, `${log} bytes in the log`);
    assertEquals((await store.load()).length, 1);
    await store.close();
    const again = await SQLiteStore.open(path);
    assertEquals((await Array.fromAsync(again.read("s"))).map(({ seq }) => seq), [60]);
    await again.close();
  });
});

Deno.test("SQLiteStore.trim() makes a file of an earlier version small once little of it is in use", async () => {
  await inFolder(async (path) => {
    const store = await SQLiteStore.open(path);
    await store.commit([{ table: "t", key: "k", value: "stays" }]);
    await store.append("s", entries(90, MB));
    await store.close();
    const db = new DatabaseSync(path);
    db.exec("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM");
    assertEquals(db.prepare("PRAGMA auto_vacuum").get()?.auto_vacuum, 0);
    db.close();
    const old = await SQLiteStore.open(path);
    assert(sizesOf(path)[0] > 90 * MB);
    let pieces = 0;
    while (await old.trim("s", { bytes: 3 * MB })) pieces++;
    assert(pieces > 5, `${pieces} pieces`);
    assert(sizesOf(path)[0] < 10 * MB, `${sizesOf(path)[0]} bytes`);
    assertEquals(await old.load(), [{ table: "t", key: "k", value: "stays" }]);
    assertEquals((await Array.fromAsync(old.read("s"))).map(({ seq }) => seq), [88, 89, 90]);
    await old.close();
  });
});
