import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { EngineError } from "../../lib/engine/errors.ts";
import { SECRET_LIMIT } from "../../lib/engine/ports/secret_port.ts";
import { MemoryStore } from "../../lib/platform/storage/memory_store.ts";
import { openFake, spec } from "../fixtures/engine/fake_engine.ts";
import { FakeKernel } from "../fixtures/engine/fake_kernel.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

async function refused(work: Promise<unknown>): Promise<string> {
  const error = await assertRejects(() => work, EngineError) as EngineError;
  return `${error.code}: ${error.message}`;
}

Deno.test("Secrets keeps a value under a name, and tells of all but the value", async () => {
  const store = new MemoryStore();
  const kernel = new FakeKernel();
  const first = await openFake({ store, kernel });
  const id = await first.secrets.create("token", bytes("hush\0\xff"), { labels: { a: "b" } });
  assertEquals(id.length, 25);
  await first[Symbol.asyncDispose]();
  await using fake = await openFake({ store, kernel });
  const { secrets } = fake;
  for (const name of ["token", id, id.slice(0, 6)]) assertEquals(await secrets.value(name), bytes("hush\0\xff"));
  const [{ created, updated, ...rest }] = secrets.list();
  assertEquals(rest, { id, name: "token", driver: "file", labels: { a: "b" } });
  assertEquals(created, updated);
  assertEquals(secrets.list({ name: ["^tok"] }).length, 1);
  assertEquals(secrets.list({ name: ["other"] }), []);
  assertEquals(await secrets.remove("token"), id);
  assert(!secrets.exists(id));
  const text = 'no secret with name or id "token": no such secret';
  assertEquals((assertThrows(() => secrets.resolve("token")) as Error).message, text);
  const events = await fake.events();
  assertEquals(events.map(({ type, action, id }) => [type, action, id]), [["secret", "create", id], [
    "secret",
    "remove",
    id,
  ]]);
});

Deno.test("Secrets.create() refuses what is no secret, and replaces or ignores one of the same name only when asked", async () => {
  await using fake = await openFake();
  const { secrets } = fake;
  const id = await secrets.create("one", bytes("1"));
  assertEquals(await refused(secrets.create("one", bytes("2"))), "name_in_use: one: secret name in use");
  assertEquals(await secrets.create("one", bytes("2"), { ignore: true }), id);
  const next = await secrets.create("one", bytes("2"), { replace: true });
  assertEquals([next === id, secrets.exists(id), await secrets.value("one")], [false, false, bytes("2")]);
  const rows: [name: string, value: Uint8Array, options: Parameters<typeof secrets.create>[2], text: RegExp][] = [
    ["", bytes("1"), {}, /^invalid: secret name "" can not include/],
    ["a/b", bytes("1"), {}, /invalid secret name$/],
    ["x".repeat(254), bytes("1"), {}, /invalid secret name$/],
    ["two", bytes(""), {}, /larger than 0 and less than 512000 bytes$/],
    ["two", new Uint8Array(SECRET_LIMIT), {}, /larger than 0 and less than 512000 bytes$/],
    ["two", bytes("1"), { replace: true, ignore: true }, /cannot be used together$/],
    ["two", bytes("1"), { driver: "vault" }, /^invalid: secret driver "vault": invalid driver$/],
  ];
  for (const [name, value, options, text] of rows) {
    const work = async () => await secrets.create(name, value, options);
    assert(text.test(await refused(work())), String(text));
  }
  assertEquals(secrets.list().length, 1);
});

Deno.test("a container keeps what it mounts of a secret, looks its variables up anew, and shows neither", async () => {
  await using fake = await openFake();
  const { secrets, containers, kernel } = fake;
  await secrets.create("file", bytes("old"));
  await secrets.create("env", bytes("first"));
  const wish = { source: "file", uid: 1, gid: 2, mode: 0o440 };
  const { record: { id } } = await containers.create(spec({
    secrets: [wish, { ...wish, target: "deep/er" }, { ...wish, target: "/etc/key" }],
    secretEnv: { TOKEN: "env" },
  }));
  await secrets.create("file", bytes("new"), { replace: true });
  await secrets.create("env", bytes("second"), { replace: true });
  await containers.start(id);
  const given = kernel.secrets.get(id);
  const rest = { uid: 1, gid: 2, mode: 0o440, data: bytes("old") };
  assertEquals(
    given?.files,
    ["/run/secrets/file", "/run/secrets/deep/er", "/etc/key"].map((path) => ({ path, ...rest })),
  );
  assertEquals(given?.env, { TOKEN: "second" });
  const record = JSON.stringify(containers.resolve(id));
  assert(!record.includes("second") && !record.includes(btoa("old")));
  await containers.remove(id, { force: true, timeout: 0 });
  assertEquals(fake.core.state.table("container_secrets").size, 0);
});

Deno.test("create() refuses secrets that are not there, and two at one place", async () => {
  await using fake = await openFake();
  const wish = { source: "none", uid: 0, gid: 0, mode: 0o444 };
  const text = 'no_such_secret: no secret with name or id "none": no such secret';
  assertEquals(await refused(fake.containers.create(spec({ secrets: [wish] }))), text);
  assertEquals(await refused(fake.containers.create(spec({ secretEnv: { A: "none" } }))), text);
  await fake.secrets.create("none", bytes("1"));
  const twice = "invalid: /run/secrets/none: duplicate mount destination";
  assertEquals(await refused(fake.containers.create(spec({ secrets: [wish, wish] }))), twice);
  const up = await refused(fake.containers.create(spec({ secrets: [{ ...wish, target: "../secrets" }] })));
  assertEquals(up, 'invalid: invalid secret target "../secrets"');
});

Deno.test("Secrets.update() changes labels under the same ID, and only what the caller has seen last", async () => {
  await using fake = await openFake();
  const { secrets } = fake;
  const id = await secrets.create("one", bytes("1"), { labels: { a: "b" } });
  const next = await secrets.update("one", { labels: { c: "d" }, version: 1 });
  assertEquals([next.id, next.labels, next.version], [id, { c: "d" }, 2]);
  assertEquals(await secrets.value(id), bytes("1"));
  assertEquals(
    await refused(secrets.update("one", { labels: {}, version: 1 })),
    "state: secret one: update out of sequence",
  );
  assertEquals((await secrets.update("one", { version: 2 })).labels, { c: "d" });
  assert(
    (await refused(secrets.update("one", { labels: { a: "x".repeat(600_000) } }))).startsWith("limit: Update secret"),
  );
});

Deno.test("Secrets keeps a driver's value on the host and nowhere else, and takes it away with the secret", async () => {
  const store = new MemoryStore();
  await using fake = await openFake({ store });
  const { secrets, kernel } = fake;
  const options = { driver: "shell", driverOptions: { lookup: "l", store: "s", delete: "d", list: "l" } };
  const id = await secrets.create("one", bytes("hush-4711"), options);
  assertEquals([...kernel.vault.keys()], [id]);
  const stored = JSON.stringify(await store.load());
  assert(!stored.includes("hush-4711") && !stored.includes(btoa("hush-4711")), "the store has no value");
  assertEquals([secrets.resolve("one").driver, await secrets.value("one")], ["shell", bytes("hush-4711")]);
  const next = await secrets.create("one", bytes("2"), { ...options, replace: true });
  assertEquals([[...kernel.vault.keys()], await secrets.value("one")], [[next], bytes("2")]);
  await secrets.create("one", bytes("3"), { replace: true });
  assertEquals([kernel.vault.size, await secrets.value("one")], [0, bytes("3")]);
  const gone = await secrets.create("two", bytes("4"), options);
  kernel.vault.delete(gone);
  assertEquals(await refused(secrets.value("two")), `no_such_secret: ${gone}: no such secret`);
  assertEquals(await refused(secrets.remove("two")), `no_such_secret: deleting secret two: ${gone}: no such secret`);
});
