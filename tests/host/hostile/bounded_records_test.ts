/** What a container makes the server write, and what the next start of the server has to read, is bounded. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { ok } from "../../fixtures/run.ts";
import { Server } from "../../fixtures/server.ts";
import { STREAM_ROOM } from "../../fixtures/memory.ts";
import { Session, until } from "../../fixtures/session.ts";
import { isLongRun } from "../../long_run.ts";

const MB = 1 << 20;
/** How much of old events the root holds that an earlier server has left. */
const OLD = (isLongRun ? 400 : 60) * MB;
const LABEL = 3 * MB;

const EVENTS = "/v5.0.0/libpod/events?stream=false&since=0";

/** The most memory that a process had so far, in MB. */
function peakOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`))![1]) / 1024;
}

/** The bytes that a process has written so far, to files and sockets. */
function writtenBy(pid: number): number {
  return Number(/^wchar: (\d+)/m.exec(Deno.readTextFileSync(`/proc/${pid}/io`))![1]);
}

/** The bytes of the database's files. */
function storeSize(folder: string): number {
  const files = [...Deno.readDirSync(`${folder}/root`)]
    .filter(({ name }) => name.startsWith("gantry.db") && !name.endsWith("-reserve"));
  return files.reduce((sum, { name }) => sum + Deno.statSync(`${folder}/root/${name}`).size, 0);
}

/** What a server needs that has nothing to load, in MB. */
async function idlePeak(): Promise<number> {
  await using server = await Server.start();
  for (const path of ["/_ping", EVENTS]) assertEquals((await server.request("GET", path)).status, 200);
  return peakOf(server.pid);
}

Deno.test("a large label and the fastest health check: each check writes little, and a new server starts small", async (t) => {
  const idle = await idlePeak();
  await using session = await Session.start();
  const { server, image } = session;
  ok(await server.podman("pull", "-q", image));
  const create = (name: string, size: number) =>
    server.request("POST", "/v5.0.0/libpod/containers/create", {
      body: {
        name,
        image,
        command: ["sleep", "1000"],
        netns: { nsmode: "none" },
        labels: { small: "kept", large: "x".repeat(size) },
        healthconfig: { Test: ["CMD", "true"], Interval: 1, Retries: 3 },
      },
    });
  const checks = async (query: Record<string, string>) => {
    const filters = JSON.stringify({ container: ["box"], event: ["health_status"] });
    const path = `/v5.0.0/libpod/events?${new URLSearchParams({ ...query, filters })}`;
    const text = await (await server.request("GET", path)).text();
    return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  };

  await t.step("a label of 3 MB is refused with what is too large", async () => {
    const refused = await create("large", LABEL);
    const { message } = await refused.json();
    assertEquals(refused.status, 400);
    assertMatch(message, /labels.*at most \d+ bytes/);
  });

  await t.step("the largest label that is taken costs a check next to nothing", async () => {
    const made = await create("box", 500_000);
    assertEquals(made.status, 201, await made.text());
    assertEquals((await server.request("POST", "/v5.0.0/libpod/containers/box/start")).status, 204);
    // The room for a full disk is written once.
    await until(async () => assertEquals((await Deno.stat(`${server.folder}/root/gantry.db-reserve`)).size, 8 * MB));
    const written = writtenBy(server.pid);
    const told: Awaited<ReturnType<typeof checks>> = [];
    await until(async () => {
      told.push(...await checks({ stream: "true", until: `${(Date.now() + 1000) / 1000}` }));
      assert(told.length >= 12, `${told.length} checks`);
    });
    const total = writtenBy(server.pid) - written;
    assert(total / told.length < 64 * 1024, `${told.length} checks have written ${total} bytes`);
    const { ID, Attributes } = told.at(-1).Actor;
    assertMatch(ID, /^[0-9a-f]{64}$/);
    assertEquals([Attributes.name, Attributes.image, Attributes.small], ["box", image, "kept"]);
    assert(JSON.stringify(told.at(-1)).length < 64 * 1024);
  });

  await t.step("a check runs in the container's cgroup", async () => {
    const test = ["CMD-SHELL", "sleep 1000"];
    const body = {
      name: "probed",
      image,
      command: ["sleep", "2000"],
      netns: { nsmode: "none" },
      healthconfig: { Test: test, Interval: 1, Timeout: 600e9, Retries: 3 },
    };
    assertEquals((await server.request("POST", "/v5.0.0/libpod/containers/create", { body })).status, 201);
    assertEquals((await server.request("POST", "/v5.0.0/libpod/containers/probed/start")).status, 204);
    const pid = Number(ok(await server.podman("inspect", "--format", "{{.State.Pid}}", "probed")));
    const groups = (id: number) => {
      const lines = Deno.readTextFileSync(`/proc/${id}/cgroup`).trim().split("\n");
      // Where the first version has the controllers, the second's hierarchy limits nothing.
      return lines.length > 1 ? lines.filter((line) => !line.startsWith("0::")) : lines;
    };
    const namespace = (id: number) => Deno.readLinkSync(`/proc/${id}/ns/pid`);
    await until(() => {
      const probes = [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((id) => {
        try {
          return id > 0 && id !== pid && namespace(id) === namespace(pid) &&
            Deno.readTextFileSync(`/proc/${id}/cmdline`).includes("1000");
        } catch {
          return false;
        }
      });
      assert(probes.length > 0);
      for (const id of probes) assertEquals(groups(id), groups(pid));
      return Promise.resolve();
    });
  });

  await t.step("the next server reads none of it at its start", async () => {
    await server.crash();
    assert(peakOf(server.pid) < idle + STREAM_ROOM, `${peakOf(server.pid)} MB; ${idle} MB when idle`);
    const [first] = await checks({ stream: "false", since: "0" });
    assertEquals([first.HealthStatus, first.Actor.Attributes.small], ["healthy", "kept"]);
  });
});

Deno.test("a root full of large events opens within the room of a stream, and is trimmed behind the start", async () => {
  const idle = await idlePeak();
  const folder = await Deno.makeTempDir({ prefix: "gantry-host-" });
  await Deno.mkdir(`${folder}/root`, { mode: 0o711 });
  oldStore(`${folder}/root/gantry.db`);
  assert(storeSize(folder) > OLD);
  await using server = await Server.start({ folder });
  assertEquals((await server.request("GET", "/_ping")).status, 200);
  const list = await (await server.request("GET", EVENTS)).text();
  const last = JSON.parse(list.trim().split("\n").at(-1)!);
  assertEquals([last.Actor.Attributes.name, last.Action], ["newest", "start"]);
  await until(() => {
    assert(storeSize(folder) < 40 * MB, `${storeSize(folder)} bytes are left`);
    return Promise.resolve();
  });
  assert(peakOf(server.pid) < idle + STREAM_ROOM, `${peakOf(server.pid)} MB; ${idle} MB when idle`);
  await server.crash();
  assertEquals((await server.request("GET", "/_ping")).status, 200);
  assert(storeSize(folder) < 40 * MB);
});

/** A database as servers made it before events were bounded. */
function oldStore(path: string): void {
  const db = new DatabaseSync(path);
  db.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE records (
      tab TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (tab, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE streams (
      stream TEXT NOT NULL, seq INTEGER NOT NULL, time REAL NOT NULL, value TEXT NOT NULL, PRIMARY KEY (stream, seq)
    ) STRICT, WITHOUT ROWID;
    PRAGMA application_id = ${0x474e5459};
    PRAGMA user_version = 1;
  `);
  const insert = db.prepare("INSERT INTO streams (stream, seq, time, value) VALUES ('events', ?, ?, ?)");
  const now = Date.now() - 3_600_000;
  const event = (name: string, action: string, time: number, label: string) =>
    JSON.stringify({
      type: "container",
      action,
      id: "a".repeat(64),
      name,
      image: "box",
      time,
      attributes: { large: label, image: "box", name },
    });
  const label = "x".repeat(LABEL);
  const count = Math.ceil(OLD / LABEL) + 1;
  for (let seq = 1; seq <= count; seq++) insert.run(seq, now + seq, event("old", "health_status", now + seq, label));
  insert.run(count + 1, now + count + 1, event("newest", "start", now + count + 1, "small"));
  db.close();
}
