import { assertEquals } from "@std/assert";
import type { ContainerRecord, ContainerSpec } from "../../../../lib/engine/records/container_record.ts";
import { type FakeEngine, IMAGE, openFake, spec } from "../../../fixtures/engine/fake_engine.ts";

const EXECUTION = { Cmd: ["serve"], ExposedPorts: { "53/udp": {} }, Env: ["PATH=/bin"] };
const WITH_PORT = { ...IMAGE, config: { ...IMAGE.config, config: EXECUTION } };

/** Starts a container and returns its record as its process was made of it. */
async function started(engine: FakeEngine, options: Partial<ContainerSpec>): Promise<ContainerRecord> {
  const { record: { id } } = await engine.containers.create(spec(options));
  const { processes } = engine.host;
  const create = processes.create;
  let made: ContainerRecord | undefined;
  processes.create = (process) => {
    made = process.record;
    return create.call(processes, process);
  };
  try {
    await engine.containers.start(id);
  } finally {
    processes.create = create;
  }
  return made!;
}

/** The variables of a record that are not those of each container. */
function linked({ process }: ContainerRecord): string[] {
  return process.env.filter((entry) => /^(DB|MY)_/.test(entry));
}

Deno.test("Containers.start() gives a container of the default network Docker's variables of those it is linked to", async () => {
  await using engine = await openFake({ image: WITH_PORT });
  const exposed = ["5434/tcp", "5432", "5433/tcp", "9000/tcp"];
  const db = await started(engine, { name: "db", exposed, env: { SECRET: "a=b", HOME: "/x" }, hostname: "dbhost" });
  const { address } = engine.containers.resolve(db.id).state.network!.interfaces.podman.addresses[0];
  const web = await started(engine, { name: "web", links: ["db:my-db"], env: { MY_DB_PORT_53_UDP_PROTO: "mine" } });
  const port = (number: number, protocol = "tcp") => {
    const key = `MY_DB_PORT_${number}_${protocol.toUpperCase()}`;
    const url = `${protocol}://${address}:${number}`;
    return [`${key}=${url}`, `${key}_ADDR=${address}`, `${key}_PORT=${number}`, `${key}_PROTO=${protocol}`];
  };
  assertEquals(
    linked(web).sort(),
    [
      "MY_DB_PORT_53_UDP_PROTO=mine",
      ...port(53, "udp").slice(0, 3),
      ...[5432, 5433, 5434, 9000].flatMap((number) => port(number)),
      `MY_DB_PORT=tcp://${address}:5432`,
      `MY_DB_PORT_5432_TCP_START=tcp://${address}:5432`,
      "MY_DB_PORT_5432_TCP_PORT_START=5432",
      `MY_DB_PORT_5432_TCP_END=tcp://${address}:5434`,
      "MY_DB_PORT_5432_TCP_PORT_END=5434",
      "MY_DB_NAME=/web/my-db",
      "MY_DB_ENV_SECRET=a=b",
    ].sort(),
  );
  assertEquals(web.spec.hosts, [`my-db:${address}`, `dbhost:${address}`, `db:${address}`]);
  const kept = engine.containers.resolve(web.id);
  assertEquals([linked(kept), kept.spec.hosts], [["MY_DB_PORT_53_UDP_PROTO=mine"], []], "no record keeps what ends");
});

Deno.test("Containers.start() gives no variables of links outside the default network, nor of containers that are gone", async () => {
  await using engine = await openFake();
  await engine.networks.create({ name: "own" });
  await started(engine, { name: "db", networks: { own: {}, podman: {} } });
  assertEquals(linked(await started(engine, { links: ["db:db"], networks: { own: {} } })), []);
  const both = await started(engine, { links: ["db:db", "nobody:db"], networks: { own: {}, podman: {} } });
  assertEquals(linked(both).includes("DB_ENV_FROM_IMAGE=yes"), true);
  await engine.containers.remove("db", { force: true });
  assertEquals(linked(await started(engine, { links: ["db:db"] })), []);
});

Deno.test("startExec() gives programs the variables of links, too, after the container's own", async () => {
  await using engine = await openFake();
  await started(engine, { name: "db" });
  const { id } = await started(engine, { name: "web", links: ["db:db"], env: { DB_NAME: "mine" } });
  const session = await engine.containers.execs.create(id, {
    command: ["serve"],
    env: ["OWN=1"],
    terminal: false,
    privileged: false,
    attachStdin: false,
    attachStdout: true,
    attachStderr: true,
  });
  await engine.containers.execs.start(session, { detach: true });
  const { env } = engine.kernel.execs.get(session)!.options.process;
  assertEquals(env, ["DB_ENV_FROM_IMAGE=yes", "OWN=1"]);
});

Deno.test("Containers.start() gives a linked container's hostname no further names or address in /etc/hosts", async () => {
  for (const hostname of ["db;bank.example", "bank.example:192.0.2.1", "0123456789ab"]) {
    await using engine = await openFake({ image: WITH_PORT });
    const db = await started(engine, { name: "db", hostname });
    const { address } = engine.containers.resolve(db.id).state.network!.interfaces.podman.addresses[0];
    const web = await started(engine, { name: "web", links: ["db:my-db"] });
    const names = ["my-db", db.id.slice(0, 12), "db"];
    assertEquals(web.spec.hosts, names.map((name) => `${name}:${address}`), hostname);
  }
});

Deno.test("Containers.start() makes no variables of what an image calls a port and is none", async () => {
  const texts = ["80/TCP", "080", "80/tcp\0x", "80/tcp=x", "0/tcp", "65536", "1e3", "-1", "/udp", "81/", "82-83/tcp"];
  const ExposedPorts = Object.fromEntries(texts.map((text) => [text, {}]));
  const image = { ...IMAGE, config: { ...IMAGE.config, config: { ...EXECUTION, ExposedPorts } } };
  await using engine = await openFake({ image });
  await started(engine, { name: "db" });
  const web = await started(engine, { name: "web", links: ["db:db"] });
  const names = ["DB_NAME", "DB_PORT", ...["", "_ADDR", "_PORT", "_PROTO"].map((end) => `DB_PORT_80_TCP${end}`)];
  assertEquals(linked(web).map((entry) => entry.split("=")[0]).sort(), names.sort());
});
