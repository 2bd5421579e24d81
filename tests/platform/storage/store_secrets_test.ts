/** What becomes of secrets in the files of a SQLite store. */
import { assert, assertEquals } from "@std/assert";
import { SQLiteStore } from "../../../lib/platform/storage/sqlite_store.ts";

/** Which of the store's files hold the text. */
async function holders(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    // Latin letters are one byte each in the file, as they are here.
    if (new TextDecoder("latin1").decode(await Deno.readFile(`${folder}/${name}`)).includes(text)) found.push(name);
  }
  return found.sort();
}

/** A text nobody else has, of this many letters and more. */
function secret(name: string, length: number): string {
  return `secret-${name}-`.repeat(Math.ceil(length / (name.length + 8)));
}

const SIZES = [1, 300, 900, 1100, 4000, 5000, 60_000, 500_000];

Deno.test("SQLiteStore.commit() leaves nothing of a secret that is deleted or replaced, while rows around it come and go", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const store = await SQLiteStore.open(`${folder}/a.db`);
    const kept = secret("kept", 700);
    await store.commit([{ table: "secrets", key: "m", value: `"${kept}"`, isSecret: true }]);
    for (const [round, size] of SIZES.entries()) {
      const values = Array.from({ length: 6 }, (_, i) => secret(`${round}.${i}`, size));
      for (const [i, value] of values.entries()) {
        // Neighbours make the tree move what it has.
        const rows = Array.from({ length: 40 }, (_, n) => `${round}-${i}-${n}`);
        await store.commit(rows.map((key) => ({ table: "secrets", key, value: "x".repeat(200 + 37 * i) })));
        await store.commit([{ table: "secrets", key: `${round}-${i}-20s`, value: `"${value}"`, isSecret: true }]);
        await store.commit(rows.map((key) => ({ table: "secrets", key: `${key}+`, value: "y".repeat(300) })));
      }
      assert((await holders(folder, values[0].slice(0, 12))).length > 0, "the text is looked for where it is");
      for (const [i] of values.entries()) {
        const value = i % 2 === 0 ? null : `"other"`;
        await store.commit([{ table: "secrets", key: `${round}-${i}-20s`, value, isSecret: true }]);
      }
      for (const [i, value] of values.entries()) {
        assertEquals(await holders(folder, value.slice(0, 12)), [], `${round}.${i}`);
      }
    }
    assertEquals(JSON.parse((await store.load()).find(({ key }) => key === "m")?.value ?? ""), kept);
    await store.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("SQLiteStore.open() empties the log that a killed process left", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
  const copy = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const value = secret("logged", 2000);
    const store = await SQLiteStore.open(`${folder}/a.db`);
    await store.commit([{ table: "t", key: "1", value }]);
    await store.commit([{ table: "t", key: "1", value: null }]);
    // As a kill leaves them.
    for (const name of ["a.db", "a.db-wal"]) await Deno.copyFile(`${folder}/${name}`, `${copy}/${name}`);
    assertEquals(await holders(copy, value.slice(0, 14)), ["a.db-wal"]);
    const again = await SQLiteStore.open(`${copy}/a.db`);
    assertEquals(await holders(copy, value.slice(0, 14)), []);
    await again.close();
    await store.close();
  } finally {
    for (const path of [folder, copy]) await Deno.remove(path, { recursive: true });
  }
});

Deno.test("SQLiteStore.commit() leaves no copy of a small secret where the tree grew and shrank", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    const store = await SQLiteStore.open(`${folder}/a.db`);
    let state = 7;
    const below = (limit: number) => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) % limit;
    const live = new Map<string, string>();
    for (let i = 0; i < 3000; i++) {
      const key = String(below(400)).padStart(4, "0");
      const value = live.has(key) ? null : `"secret${i}q${"z".repeat(below(900))}"`;
      await store.commit([{ table: "s", key, value, isSecret: true }]);
      if (value === null) live.delete(key);
      else live.set(key, String(i));
      if (value !== null || i % 50 > 5) continue;
      const files = await Promise.all(["a.db", "a.db-wal"].map((name) => Deno.readFile(`${folder}/${name}`)));
      const text = files.map((bytes) => new TextDecoder("latin1").decode(bytes)).join("");
      const found = new Set([...text.matchAll(/secret(\d+)q/g)].map(([, number]) => number));
      assertEquals([...found].sort(), [...live.values()].sort());
    }
    await store.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
