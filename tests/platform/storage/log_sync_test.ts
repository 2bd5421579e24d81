import { assertEquals, assertRejects } from "@std/assert";
import { LogSync } from "../../../lib/platform/storage/log_sync.ts";

/** A file whose syncs take a time of the test's choice, by a clock that nothing else moves. */
class TestFile {
  time = 0;
  took = 0.1;
  isAlone = true;
  failure?: Error;
  /** Where each sync was made. */
  made = "";
  readonly sync = new LogSync({
    syncAside: () => Promise.resolve().then(() => this.#make("a")),
    syncHere: () => this.#make("h"),
  }, { isAlone: () => this.isAlone, now: () => this.time });

  #make(place: string): void {
    this.made += place;
    this.time += this.took;
    if (this.failure !== undefined) throw this.failure;
  }

  /** Commits, and takes so many milliseconds before and behind the sync. */
  run({ before = 0, behind = 0 } = {}): Promise<void> {
    return this.sync.around(() => Promise.resolve(void (this.time += before)), () => void (this.time += behind));
  }

  /** Commits one after the other, each so many milliseconds behind the one before, and tells where their syncs were made. */
  async commit(count: number, pause = 1): Promise<string> {
    this.made = "";
    for (let i = 0; i < count; i++) {
      this.time += pause;
      await this.run();
    }
    return this.made;
  }
}

const ASIDE = "a".repeat(16);

Deno.test("LogSync makes syncs of a lone caller on its own thread once the disk was quick for a while, but for some", async () => {
  const file = new TestFile();
  assertEquals(await file.commit(32), `${ASIDE}ahhhhhhhahhhhhhh`);
});

Deno.test("LogSync leaves its thread free as soon as the disk is slow, others are served, or a commit had to wait", async () => {
  const file = new TestFile();
  const becomeCalm = async () => assertEquals((await file.commit(40)).slice(-1), "h");
  const isAside = async () => assertEquals(await file.commit(16), ASIDE);
  await becomeCalm();
  file.took = 30;
  assertEquals(await file.commit(1), "a");
  assertEquals(await file.commit(1), "a");
  file.took = 0.1;
  await isAside();
  await becomeCalm();
  file.isAlone = false;
  await isAside();
  file.isAlone = true;
  await isAside();
  await becomeCalm();
  assertEquals(await file.commit(16, 0.1), ASIDE);
  await isAside();
  await becomeCalm();
  file.made = "";
  file.time += 1;
  file.isAlone = false;
  await Promise.all([file.run(), file.run()]);
  file.isAlone = true;
  assertEquals(file.made, "aa");
  await isAside();
});

Deno.test("LogSync takes the work before and behind a sync for no pause between commits", async () => {
  const file = new TestFile();
  await file.commit(40);
  file.made = "";
  for (let i = 0; i < 32; i++) await file.run({ before: 5, behind: 5 });
  assertEquals(file.made, "a".repeat(32));
});

Deno.test("LogSync syncs nothing for a commit that could not be written, and goes on", async () => {
  const file = new TestFile();
  const full = new Error("ENOSPC");
  assertEquals(await assertRejects(() => file.sync.around(() => Promise.reject(full), () => {})), full);
  assertEquals(file.made, "");
  assertEquals(await file.commit(1), "a");
});

Deno.test("LogSync of a caller of whom nothing is known never makes a sync on its own thread", async () => {
  let here = 0;
  let time = 0;
  const file = { syncAside: () => Promise.resolve(), syncHere: () => void here++ };
  const sync = new LogSync(file, { now: () => time += 10 });
  for (let i = 0; i < 100; i++) await sync.around(() => Promise.resolve(), () => {});
  assertEquals(here, 0);
});

for (const count of [5, 20]) {
  Deno.test(`LogSync lasts no more after a failure, here behind ${count} syncs`, async () => {
    const file = new TestFile();
    await file.commit(count);
    file.failure = new Error("EIO");
    const refused = "Commit: the log cannot be written to the disk";
    const error = await assertRejects(() => file.commit(1), Error, refused);
    assertEquals([file.made, error.cause], [count === 5 ? "a" : "h", file.failure]);
    file.failure = undefined;
    await assertRejects(() => file.commit(1), Error, refused);
    assertEquals(file.made, "");
  });
}
