/** Stores that earlier versions wrote; tests/fixtures/stores/README.md tells how they were made. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import { REQUEST_FIELDS } from "../../../lib/engine/records/stored_spec.ts";
import { decode } from "../../../lib/engine/store/json.ts";
import { STORE_VERSION } from "../../../lib/engine/store/upgrade.ts";
import { SQLiteStore } from "../../../lib/platform/storage/sqlite_store.ts";
import { openTestEngine, type TestEngine, type TestEngineOptions } from "../../fixtures/handlers/test_engine.ts";
import { writeOldStore } from "../../fixtures/stores/old_store.ts";

const OPTIONS: TestEngineOptions = { pulled: false, host: false };

/** A folder with the store of version 1, and what a test does with it. */
class OldStore implements AsyncDisposable {
  private constructor(readonly folder: string) {}

  static async make(): Promise<OldStore> {
    const old = new OldStore(await Deno.makeTempDir({ prefix: "gantry-store-" }));
    await writeOldStore(1, old.path);
    return old;
  }

  get path(): string {
    return `${this.folder}/gantry.db`;
  }

  async open(options: TestEngineOptions = OPTIONS): Promise<TestEngine> {
    const store = await SQLiteStore.open(this.path);
    try {
      return await openTestEngine({ ...options, store });
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** Runs statements on the file. */
  change(sql: string): void {
    const db = new DatabaseSync(this.path);
    db.exec(sql);
    db.close();
  }

  /** Every row, as text. */
  rows(): string[] {
    const db = new DatabaseSync(this.path);
    const rows = db.prepare("SELECT * FROM records ORDER BY tab, key").all().map((row) => JSON.stringify(row));
    db.close();
    return rows;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Deno.remove(this.folder, { recursive: true });
  }
}

async function json(test: TestEngine, path: string) {
  const response = await test.send("GET", path);
  const text = await response.text();
  assertEquals(response.status, 200, `${path}: ${text}`);
  return JSON.parse(text);
}

const NAMES = (
  "borrows bounded docker healthy imagevol joins logs mounted networked plain privileged process rooted secure silent " +
  "unlimited users"
).split(" ");

Deno.test("Engine.open() lists and inspects all that a server of version 1 left", async (t) => {
  await using old = await OldStore.make();
  await using test = await old.open();
  const list: { Id: string; Names: string[] }[] = await json(test, "/libpod/containers/json?all=true");

  await t.step("every container, in both trees", async () => {
    assertEquals(list.map(({ Names }) => Names[0]).sort(), NAMES);
    for (const { Id, Names } of list) {
      assertEquals((await json(test, `/libpod/containers/${Id}/json`)).Name, Names[0]);
      assertEquals((await json(test, `/v1.41/containers/${Id}/json`)).Name, `/${Names[0]}`);
    }
  });
  await t.step("containers with what they were asked for", async () => {
    const { Config, HostConfig, Mounts, State } = await json(test, "/libpod/containers/process/json");
    assertEquals([Config.User, Config.WorkingDir, Config.StopSignal, Config.StopTimeout], [
      "user:users",
      "/tmp",
      "SIGINT",
      3,
    ]);
    assertEquals(Config.Labels, { role: "web", 'with"quote': "and\nline" });
    assertEquals([HostConfig.RestartPolicy, Mounts, State.Status], [
      { Name: "on-failure", MaximumRetryCount: 3 },
      [],
      "created",
    ]);
    const unlimited = await json(test, "/libpod/containers/unlimited/json");
    assertEquals(unlimited.HostConfig.Ulimits, [
      { Name: "RLIMIT_NOFILE", Soft: 1024, Hard: 2048 },
      { Name: "RLIMIT_CORE", Soft: -1, Hard: -1 },
    ]);
    const bounded = await json(test, "/libpod/containers/bounded/json");
    assertEquals([bounded.HostConfig.Memory, bounded.HostConfig.RestartPolicy.Name], [32 << 20, "always"]);
    const docker = await json(test, "/v1.41/containers/docker/json");
    assertEquals([docker.Config.Env.includes("FROM=docker"), docker.HostConfig.NanoCpus], [true, 500_000_000]);
    const secure = await json(test, "/libpod/containers/secure/json");
    assertEquals(secure.Config.Secrets.map(({ Name }: { Name: string }) => Name), ["token"]);
    const healthy = await json(test, "/libpod/containers/healthy/json");
    assertEquals([healthy.State.Health.Status, healthy.Config.HealthcheckOnFailureAction], ["healthy", "kill"]);
  });
  await t.step("mounts of every kind", async () => {
    const { Mounts } = await json(test, "/libpod/containers/mounted/json");
    const seen = Mounts.map(({ Type, Destination }: { Type: string; Destination: string }) => `${Type} ${Destination}`);
    assertEquals(seen, [
      "bind /bound/",
      "volume /data",
      "volume /anonymous",
      "bind /overlaid",
      "image /image",
      "bind /globbed/one.conf",
      "bind /globbed/two.conf",
    ]);
    const borrowed = await json(test, "/libpod/containers/borrows/json");
    assert(borrowed.Mounts.every(({ RW }: { RW: boolean }) => !RW));
  });
  await t.step("images, lists, artifacts, volumes, networks, secrets, sessions and events", async () => {
    const images: { Id: string; Names: string[] }[] = await json(test, "/libpod/images/json");
    assertEquals(images.length, 4);
    for (const { Id, Names: [name] } of images) {
      const { RepoTags } = await json(test, `/libpod/images/${Id}/json`);
      assert(name === "localhost/list:1" || RepoTags.includes(name), `${name}: ${RepoTags}`);
    }
    assertEquals((await json(test, "/libpod/manifests/localhost/list:1/json")).manifests.length, 1);
    assertEquals((await json(test, "/libpod/artifacts/json"))[0].Name, "localhost/artifact:1");
    assertEquals((await json(test, "/libpod/secrets/token/json?showsecret=true")).SecretData, "an old secret");
    assertEquals(test.engine.volumes.list().length, 5);
    assertEquals(test.engine.networks.list().map(({ name }) => name), ["podman"]);
    const { ExecIDs } = await json(test, "/libpod/containers/networked/json");
    const codes = await Promise.all(ExecIDs.map(async (id: string) => (await json(test, `/libpod/exec/${id}/json`))));
    assertEquals(codes.map(({ ExitCode }) => ExitCode).sort(), [0, 3]);
    const events = await (await test.send("GET", "/libpod/events?stream=false&since=0")).text();
    assertEquals(events.trim().split("\n").length, 53);
  });
});

Deno.test("Engine.open() rewrites the records of an earlier version once, and the next server finds them so", async () => {
  await using old = await OldStore.make();
  await (await old.open()).engine.close();
  const upgraded = old.rows();
  for (const row of upgraded) {
    const { tab, value } = JSON.parse(row);
    if (tab !== "containers") continue;
    const { spec } = decode<ContainerRecord>(value);
    assertEquals(REQUEST_FIELDS.filter((field) => field in spec), []);
  }
  assert(upgraded.some((row) => row === JSON.stringify({ tab: "store", key: "version", value: '{"version":2}' })));
  await using again = await old.open();
  assertEquals(again.engine.containers.list({ all: true }).length, NAMES.length);
  await again.engine.close();
  assertEquals(old.rows(), upgraded);
});

Deno.test("a container of an earlier version is renamed and removed as any other", async () => {
  await using old = await OldStore.make();
  await using test = await old.open({ pulled: false });
  const { containers } = test.engine;
  await containers.settled();
  const { id } = containers.resolve("mounted");
  assertEquals((await test.send("POST", `/libpod/containers/${id}/rename?name=renamed`)).status, 204);
  assertEquals(containers.resolve("renamed").id, id);
  assertEquals((await test.send("DELETE", `/libpod/containers/${id}?v=true`)).status, 200);
  assertEquals(test.engine.volumes.list().some(({ name }) => name === "data"), true);
});

Deno.test("Engine.open() refuses records of a later version, and leaves the store as it was", async () => {
  await using old = await OldStore.make();
  const later = STORE_VERSION + 1;
  old.change(`INSERT INTO records VALUES ('store', 'version', '{"version":${later}}')`);
  const before = old.rows();
  const error = await assertRejects(() => old.open(), EngineError);
  assertEquals(error.code, "unsupported");
  assertStringIncludes(
    error.message,
    `Open "${old.path}": its records are of version ${later}, this Gantry knows up to`,
  );
  assertStringIncludes(error.message, "use the Gantry that wrote them, or a later one");
  assertEquals(old.rows(), before);
});

Deno.test("Engine.open() names a record that is cut, and leaves the store as it was", async () => {
  for (const table of ["containers", "images", "secret_values"]) {
    await using old = await OldStore.make();
    old.change(`UPDATE records SET value = substr(trim(value), 1, 20) WHERE tab = '${table}'`);
    const error = await assertRejects(() => old.open(), EngineError);
    assertEquals(error.code, "corrupt");
    assertStringIncludes(error.message, `Open "${old.path}": the row "`);
    assertStringIncludes(
      error.message,
      `" of "${table}" does not parse: restore a copy of the store, or delete that row`,
    );
  }
  await using old = await OldStore.make();
  old.change("UPDATE records SET value = '[]' WHERE tab = 'containers'");
  const before = old.rows();
  await assertRejects(() => old.open(), EngineError, 'of "containers" is no record');
  assertEquals(old.rows(), before);
  old.change(`INSERT INTO records VALUES ('store', 'version', '{"version":"two"}')`);
  await assertRejects(() => old.open(), EngineError, "its version is no number");
});

Deno.test("Engine.open() tells of records that it does not know, and keeps them", async () => {
  await using old = await OldStore.make();
  old.change(`INSERT INTO records VALUES ('pigeons', 'one', '{"name":"one"}')`);
  const lines: string[] = [];
  await (await old.open({ ...OPTIONS, log: (level, line) => lines.push(`${level}: ${line}`) })).engine.close();
  assertEquals(lines, [`warn: The store's records of "pigeons" are unknown here: they are kept`]);
  assert(old.rows().some((row) => row.includes("pigeons")));
});

Deno.test("SQLiteStore.open() marks a file of version 1, so that servers which know no versions refuse it", async () => {
  await using old = await OldStore.make();
  await (await SQLiteStore.open(old.path)).close();
  const db = new DatabaseSync(old.path);
  assertEquals(db.prepare("PRAGMA user_version").get()?.user_version, 2);
  db.close();
});
