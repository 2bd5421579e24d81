import { assertEquals, assertThrows } from "@std/assert";
import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import { containerPredicate, type FilterSources } from "../../../lib/engine/containers/filters.ts";
import { openFake, spec } from "../../fixtures/engine/fake_engine.ts";

const HOUR = 3_600_000;
/** The ID of the pod that one of the containers is in. */
const POD = "5".repeat(64);

/** Three containers that differ in everything filters look at. */
async function records(): Promise<Record<"a" | "b" | "c", ContainerRecord>> {
  await using engine = await openFake();
  const { containers } = engine;
  const make = async (name: string, options: Parameters<typeof spec>[0]) => {
    const { record } = await containers.create(spec({ name, ...options }));
    return record;
  };
  const mounts = [
    { type: "volume" as const, source: "data", destination: "/data", options: [] },
    { type: "bind" as const, source: "/srv", destination: "/mnt", options: [] },
  ];
  const port = { hostIP: "", hostPort: 8080, containerPort: 80, protocol: "tcp" as const, range: 3 };
  const a = await make("web-1", { labels: { tier: "front", "org.team": "red" }, mounts, ports: [port] });
  const own = { mode: "private" as const };
  const network = { mode: "container" as const, value: a.id };
  const b = await make("db", {
    labels: { tier: "back" },
    command: ["postgres"],
    namespaces: { network, pid: own, ipc: own, uts: own, cgroup: own },
    restartPolicy: { name: "always" },
  });
  const c = await make("job", {
    exposed: ["9000-9010/udp", "5432"],
    namespaces: { network: { mode: "none" }, pid: own, ipc: own, uts: own, cgroup: own },
  });
  const ended = { ...c.state, status: "exited" as const, exitCode: 3 };
  return {
    a: { ...a, created: 1 * HOUR, imageName: "quay.io/us/web:latest" },
    b: { ...b, spec: { ...b.spec, pod: POD }, created: 2 * HOUR, imageName: "docker.io/library/postgres:15" },
    c: { ...c, created: 3 * HOUR, imageID: "beef".repeat(16), state: ended },
  };
}

/** Filter, values, and who is left: of a, b and c. */
const ROWS: readonly [string, string[], string][] = [
  ["name", ["^web"], "a"],
  ["name", ["/db"], "b"],
  ["name", ["web", "job"], "ac"],
  ["name", ["("], ""],
  ["label", ["tier"], "ab"],
  ["label", ["tier=back"], "b"],
  ["label", ["tier", "org.*=red"], "a"],
  ["label", ["*team"], "a"],
  ["label!", ["tier=back"], "ac"],
  ["label!", ["tier", "vendor=them"], "c"],
  ["status", ["created"], "ab"],
  ["status", ["exited", "created"], "abc"],
  ["status", ["stopped"], "c"],
  ["exited", ["3"], "c"],
  ["exited", ["0"], ""],
  ["ancestor", ["web"], "a"],
  ["ancestor", ["^quay.io/us/web$"], "a"],
  ["ancestor", ["postgres:15"], "b"],
  ["ancestor", ["^docker.io/library/postgres$"], ""],
  ["ancestor", ["beefbeef"], "c"],
  ["before", ["c"], "ab"],
  ["since", ["a"], "bc"],
  ["since", ["c", "b"], "c"],
  ["until", ["5400"], "a"],
  ["until", ["90m"], "ab"],
  ["network", ["podman"], "a"],
  ["network", ["nothing"], ""],
  ["network", ["none"], "c"],
  ["network", ["host", "podman"], "a"],
  ["network", ["container:a"], "b"],
  ["volume", ["data"], "a"],
  ["volume", ["/data"], "a"],
  ["volume", ["/srv:/mnt"], "a"],
  ["volume", ["/srv"], ""],
  ["publish", ["80"], "a"],
  ["publish", ["82/tcp"], "a"],
  ["publish", ["8082"], "a"],
  ["publish", ["83", "8083"], ""],
  ["publish", ["1-65535/udp", "5432"], ""],
  ["publish", ["9000/udp", "70-80"], "a"],
  ["expose", ["80"], "a"],
  ["expose", ["5432"], "c"],
  ["expose", ["9005/udp", "81"], "ac"],
  ["expose", ["9005"], ""],
  ["restart-policy", ["always"], "b"],
  ["restart-policy", ["none", "always"], "abc"],
  ["should-start-on-boot", ["true"], "b"],
  ["command", ["^post"], "b"],
  ["pod", ["any"], ""],
  ["pod", ["any", "shop"], "b"],
  ["health", ["healthy"], ""],
];

Deno.test("containerPredicate() keeps what each filter says", async () => {
  const all = await records();
  const sources: FilterSources = {
    status: ({ state }) => state.status,
    health: () => "none",
    // A test's own letters stand for the containers.
    container: (name) => all[name as "a"],
    network: (name) => name === "podman" ? name : undefined,
    pod: (name) => name === "shop" ? POD : undefined,
    now: 4 * HOUR,
  };
  for (const [name, values, expected] of ROWS) {
    const fits = containerPredicate({ [name]: values }, sources);
    const left = Object.entries(all).filter(([, record]) => fits(record)).map(([letter]) => letter).join("");
    assertEquals(left, expected, `${name}=${values}`);
  }
  const ids = { id: [all.a.id.slice(0, 8), `${all.b.id.slice(0, 8)}.*$`] };
  assertEquals(Object.values(all).filter(containerPredicate(ids, sources)).length, 2);
  const both = containerPredicate({ label: ["tier"], name: ["db"] }, sources);
  assertEquals(Object.values(all).filter(both), [all.b]);
});

Deno.test("containerPredicate() refuses what it does not know", () => {
  const sources: FilterSources = {
    status: ({ state }) => state.status,
    container: () => fail(),
    network: () => undefined,
    pod: () => undefined,
    health: () => "none",
    now: 0,
  };
  const rows: readonly [Record<string, string[]>, string][] = [
    [{ colour: ["red"] }, "colour is an invalid filter"],
    [{ constructor: ["x"] }, "constructor is an invalid filter"],
    [{ status: ["dancing"] }, "unknown container state: dancing: invalid argument"],
    [{ exited: ["soon"] }, 'exited code out of range "soon"'],
    [{ until: ["1", "2"] }, "specify exactly one timestamp for until"],
    [{ until: ["whenever"] }, 'failed to parse value as time or duration: "whenever"'],
    [{ publish: ["80:80"] }, 'invalid port "80:80" in filter publish: expected 80, 80/udp or 8000-8010/tcp'],
    [{ expose: ["0"] }, 'invalid port "0" in filter expose'],
    [{ "restart-policy": ["maybe"] }, "maybe invalid restart policy"],
    [{ "should-start-on-boot": ["perhaps"] }, "invalid boolean"],
  ];
  for (const [filters, text] of rows) assertThrows(() => containerPredicate(filters, sources), Error, text);
});

Deno.test("Containers.list() is not halted by a pattern that goes back and forth", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const name = "a".repeat(60) + "_";
  await containers.create(spec({ name }));
  for (const filter of ["name", "ancestor", "command", "id"]) {
    assertEquals(containers.list({ all: true, filters: { [filter]: ["(a+)+$", "(.*)*=", "^(a|a?)+z"] } }), []);
  }
  assertEquals(containers.list({ all: true, filters: { name: ["^(a+)+_$"] } }).map((record) => record.name), [name]);
});

Deno.test("Containers.list() shows what runs, or all, or the last, newest first", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  for (const name of ["one", "two", "three"]) await containers.create(spec({ name }));
  await containers.start("two");
  const names = (options?: Parameters<typeof containers.list>[0]) => containers.list(options).map(({ name }) => name);
  assertEquals(names(), ["two"]);
  assertEquals(names({ all: true }), ["three", "two", "one"]);
  assertEquals(names({ last: 2 }), ["three", "two"]);
  assertEquals(names({ filters: { status: ["created"] } }), ["three", "one"]);
  assertEquals(names({ filters: { name: ["o"] } }), ["two"]);
});

Deno.test("Containers.list() finds one by its whole name or ID as a look at all does, after renames, removals and a restart", async () => {
  const { store, kernel } = await (async () => {
    await using engine = await openFake();
    const { containers } = engine;
    for (const name of ["one", "two", "three", "a.b", "one-1"]) await containers.create(spec({ name }));
    compareLists(engine.containers);
    await containers.rename("one", "first");
    await containers.rename("two", "one");
    await containers.remove("three", {});
    compareLists(engine.containers);
    return engine;
  })();
  await using engine = await openFake({ store, kernel });
  assertEquals(compareLists(engine.containers), ["a.b", "first", "one", "one-1"]);
});

/** Compares lists by exact names and IDs with what patterns find that only a look at all can answer; returns the names found. */
function compareLists(containers: Awaited<ReturnType<typeof openFake>>["containers"]): string[] {
  const list = (filters: Record<string, string[]>) =>
    containers.list({ all: true, filters }).map(({ id, name }) => `${id} ${name}`);
  const found = new Set<string>();
  for (const name of ["one", "two", "three", "first", "a\\.b", "a.b", "one-1", "nobody", ""]) {
    const all = list({ name: [`^(?:${name})$`] });
    assertEquals(list({ name: [`^${name}$`] }), all, name);
    assertEquals(list({ name: [`^/${name}$`], status: ["created"] }), all, name);
    assertEquals(list({ name: [`^${name}$`], status: ["running"] }), []);
    for (const line of all) {
      const [id, its] = line.split(" ");
      found.add(its);
      assertEquals(list({ id: [id] }), [line]);
      assertEquals(list({ id: [id.toUpperCase()] }), [line]);
      assertEquals(list({ id: [id], name: ["^nobody$"] }), []);
      assertEquals(list({ id: [id], name: ["nobody"] }), []);
    }
  }
  assertEquals(list({ id: ["f".repeat(64)] }), []);
  return [...found].sort();
}

function fail(): never {
  throw new Error("Not to be asked");
}
