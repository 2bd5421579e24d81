import { assert, assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { EngineError } from "../../../lib/engine/errors.ts";
import { State } from "../../../lib/engine/store/state.ts";
import { SQLiteStore } from "../../../lib/platform/storage/sqlite_store.ts";
import { testStore } from "../../fixtures/platform/store_suite.ts";

/** A folder that goes when the test ends. */
async function temporary(): Promise<{ path: string; [Symbol.asyncDispose](): Promise<void> }> {
  const path = await Deno.makeTempDir({ prefix: "gantry-test-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

testStore({
  name: "SQLiteStore",
  open: async () => {
    const folder = await temporary();
    const path = `${folder.path}/gantry.db`;
    let store = await SQLiteStore.open(path);
    const first = store;
    return {
      store: first,
      reopen: async () => {
        await store.close();
        return store = await SQLiteStore.open(path);
      },
      [Symbol.asyncDispose]: async () => {
        await store.close();
        await folder[Symbol.asyncDispose]();
      },
    };
  },
});

async function codeOf(path: string): Promise<string> {
  return (await assertRejects(() => SQLiteStore.open(path), EngineError)).code;
}

Deno.test("SQLiteStore.commit() applies a batch whole or not at all", async () => {
  await using folder = await temporary();
  const store = await SQLiteStore.open(`${folder.path}/a.db`);
  // A key that is no text: the second change fails inside the transaction.
  const bad = { table: "t", key: Symbol() as unknown as string, value: "x" };
  await assertRejects(() => store.commit([{ table: "t", key: "1", value: "x" }, bad]));
  assertEquals(await store.load(), []);
  await store.commit([{ table: "t", key: "2", value: "x" }]);
  assertEquals((await store.load()).length, 1);
  await store.close();
});

Deno.test("SQLiteStore.open() refuses what is no database, is damaged, foreign or newer", async () => {
  await using folder = await temporary();
  const path = (name: string) => `${folder.path}/${name}`;
  await Deno.writeTextFile(path("text"), "this is not a database, whatever its name says; ".repeat(100));
  assertEquals(await codeOf(path("text")), "corrupt");

  const foreign = new DatabaseSync(path("foreign"));
  foreign.exec("CREATE TABLE records (a)");
  foreign.close();
  assertEquals(await codeOf(path("foreign")), "corrupt");

  const store = await SQLiteStore.open(path("damaged"));
  const rows = Array.from({ length: 3000 }, (_, i) => ({ table: "t", key: String(i), value: "v".repeat(200) }));
  await store.commit(rows);
  await store.close();
  const bytes = await Deno.readFile(path("damaged"));
  for (let at = 8192; at + 4096 < bytes.length; at += 4096) bytes.fill(0xff, at, at + 2000);
  await Deno.writeFile(path("damaged"), bytes);
  assertEquals(await codeOf(path("damaged")), "corrupt");

  await (await SQLiteStore.open(path("newer"))).close();
  const newer = new DatabaseSync(path("newer"));
  newer.exec("PRAGMA user_version = 99");
  newer.close();
  assertEquals(await codeOf(path("newer")), "unsupported");
});

Deno.test("SQLiteStore.open() refuses a file that is open already", async () => {
  await using folder = await temporary();
  const store = await SQLiteStore.open(`${folder.path}/a.db`);
  assertEquals(await codeOf(`${folder.path}/a.db`), "in_use");
  await store.close();
  await (await SQLiteStore.open(`${folder.path}/a.db`)).close();
});

Deno.test("SQLiteStore.commit() lasts through a kill of the process", async () => {
  await using folder = await temporary();
  const path = `${folder.path}/a.db`;
  const module = new URL("../../../lib/platform/storage/sqlite_store.ts", import.meta.url).href;
  const script = `
    const { SQLiteStore } = await import(${JSON.stringify(module)});
    const store = await SQLiteStore.open(${JSON.stringify(path)});
    for (let i = 0; i < 100000; i++) {
      await store.commit([{ table: "t", key: String(i), value: "v" }, { table: "u", key: String(i), value: "v" }]);
      Deno.stdout.writeSync(new TextEncoder().encode(i + "\\n"));
    }`;
  await Deno.writeTextFile(`${folder.path}/child.ts`, script);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-lock", "--no-config", "--no-check", `${folder.path}/child.ts`],
    stdout: "piped",
  }).spawn();
  let seen = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    seen += text;
    if (seen.length > 400) {
      child.kill("SIGKILL");
      break;
    }
  }
  await child.status;
  const answered = Number(seen.split("\n").at(-2));
  const store = await SQLiteStore.open(path);
  const rows = await store.load();
  const keys = new Set(rows.filter(({ table }) => table === "t").map(({ key }) => Number(key)));
  assert(answered > 20);
  for (let i = 0; i <= answered; i++) assert(keys.has(i), `Expected ${i}, which was answered, to last`);
  assertEquals(rows.length, keys.size * 2);
  await store.close();
});

Deno.test("SQLiteStore.commit() fails whole on a full disk, and goes on when there is room again", async () => {
  await using folder = await temporary();
  const mount = async (...args: string[]) => {
    const { success } = await new Deno.Command(args[0], { args: args.slice(1) }).output();
    assert(success, `Expected ${args.join(" ")} to succeed`);
  };
  await mount("mount", "-t", "tmpfs", "-o", "size=1m", "none", folder.path);
  try {
    const store = await SQLiteStore.open(`${folder.path}/a.db`);
    const state = await State.open(store);
    const table = state.table<string>("t");
    await state.commit([table.put("first", "fits")]);
    const large = "x".repeat(300_000);
    const results = [];
    for (let i = 0; i < 5; i++) {
      results.push(
        ...await Promise.allSettled([state.commit([table.put(`${i}`, large), table.put(`${i}b`, "small")])]),
      );
    }
    assertEquals(results.at(-1)?.status, "rejected");
    const kept = results.filter(({ status }) => status === "fulfilled").length;
    assertEquals(table.size, 1 + 2 * kept);
    await mount("mount", "-o", "remount,size=20m", folder.path);
    await state.commit([table.put("last", "fits again")]);
    await store.close();
    const again = await SQLiteStore.open(`${folder.path}/a.db`);
    const loaded = (await again.load()).filter((row) => row.table === "t");
    assertEquals(loaded.map(({ key }) => key).sort(), table.keys().sort());
    await again.close();
  } finally {
    await mount("umount", folder.path);
  }
});

Deno.test("SQLiteStore keeps room with which removals are written down on a full disk, and takes it back when there is some", async () => {
  await using folder = await temporary();
  const mount = async (...args: string[]) => {
    const { success } = await new Deno.Command(args[0], { args: args.slice(1) }).output();
    assert(success, `Expected ${args.join(" ")} to succeed`);
  };
  const path = `${folder.path}/a.db`;
  const reserved = async () => (await Deno.stat(`${path}-reserve`)).size;
  await mount("mount", "-t", "tmpfs", "-o", "size=16m", "none", folder.path);
  await Deno.writeFile(`${path}-reserve`, new Uint8Array(8 << 20).fill(1));
  const store = await SQLiteStore.open(path);
  try {
    const state = await State.open(store);
    const table = state.table<string>("t");
    const keys = Array.from({ length: 1500 }, (_, index) => `k${index}`);
    await state.commit(keys.map((key) => table.put(key, "x".repeat(2000))));
    await assertRejects(() => Deno.writeFile(`${folder.path}/filler`, new Uint8Array(16 << 20)));
    for (const key of keys) await state.commit([table.drop(key)]);
    // The log is used again from its beginning long before the reserve is spent.
    const left = await reserved();
    assert(left < 8 << 20 && left > 0, `Expected a part of the reserve to be used: ${left}`);
    // Writes without end get no further than the reserve.
    await assertRejects(
      async () => {
        for (let index = 0;; index++) await state.commit([table.put(`more${index}`, "x".repeat(100_000))]);
      },
      Error,
      "no space left on device",
    );
    assertEquals(await reserved(), 0);
    await mount("mount", "-o", "remount,size=200m", folder.path);
    for (let round = 0; await reserved() < 8 << 20; round++) {
      await state.commit([table.put("last", String(round))]);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  } finally {
    await store.close();
    await mount("umount", folder.path);
  }
});
