import { assertEquals, assertRejects } from "@std/assert";
import type { ContainerSpec, PortMapping } from "../../../../lib/engine/records/container_record.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { assertConsistent } from "../../../fixtures/engine/fake_check.ts";
import { IMAGE, openFake, spec } from "../../../fixtures/engine/fake_engine.ts";

const own = { mode: "private" as const };

function namespaces(more: Partial<ContainerSpec["namespaces"]>): ContainerSpec["namespaces"] {
  return { network: { mode: "bridge" }, pid: own, ipc: { mode: "shareable" }, uts: own, cgroup: own, ...more };
}

Deno.test("createContainer() takes the first free port of a range, and says when there is none", async () => {
  await using engine = await openFake();
  const wish: PortMapping = {
    hostIP: "",
    hostPort: 8000,
    lastHostPort: 8001,
    containerPort: 80,
    protocol: "tcp",
    range: 1,
  };
  const published = async () => {
    const { record } = await engine.containers.create(spec({ ports: [wish] }));
    return record.ports.map(({ hostPort, lastHostPort }) => [hostPort, lastHostPort]);
  };
  assertEquals(await published(), [[8000, undefined]]);
  assertEquals(await published(), [[8001, undefined]]);
  const error = await assertRejects(published, EngineError, "all ports of the range 8000-8001 are in use");
  assertEquals((error as EngineError).code, "port_in_use");
});

Deno.test("containers that are made at once get ports of their own of one range", async () => {
  await using engine = await openFake();
  const range = { hostIP: "", lastHostPort: 8003, containerPort: 80, protocol: "tcp" as const, range: 1 };
  const publish = async (wish: PortMapping) => {
    const { record } = await engine.containers.create(spec({ ports: [wish] }));
    return record.ports.map(({ hostPort }) => hostPort);
  };
  const fixed = { ...range, lastHostPort: undefined, hostPort: 8001 };
  const chosen = await Promise.all([fixed, ...Array(3).fill({ ...range, hostPort: 8000 })].map(publish));
  assertEquals(chosen.flat().sort(), [8000, 8001, 8002, 8003]);
  // A container that is not made gives its port back.
  await assertRejects(() => engine.containers.create(spec({ name: "no/name", ports: [{ ...fixed, hostPort: 9000 }] })));
  assertEquals(await publish({ ...range, hostPort: 9000, lastHostPort: 9000 }), [9000]);
});

Deno.test("createContainer() merges into the image's environment, then adds the engine's", async () => {
  const config = { Cmd: ["sh"], Env: ["PATH=/bin", "A=image"] };
  await using engine = await openFake({ image: { ...IMAGE, config: { ...IMAGE.config, config } } });
  const { record } = await engine.containers.create(spec({
    envMerge: ["PATH=/x:${PATH}", "B=$A-${NONE:-d}"],
    unsetEnv: ["A"],
    envHost: true,
    env: { C: "mine" },
  }));
  const { container: _, HOSTNAME: __, ...env } = Object.fromEntries(record.process.env.map((line) => line.split("=")));
  assertEquals(env, { PATH: "/x:/bin", B: "image-d", HOST_ONLY: "yes", C: "mine" });
  const wrong = engine.containers.create(spec({ envMerge: ["NOEQUALS"] }));
  await assertRejects(() => wrong, EngineError, "missing `=` for --env-merge substitution NOEQUALS");
});

Deno.test("createContainer() takes other containers' mounts below its own, and above the image's", async () => {
  const config = { Cmd: ["sh"], Volumes: { "/v": {}, "/w": {} } };
  await using engine = await openFake({ image: { ...IMAGE, config: { ...IMAGE.config, config } } });
  const bind = { type: "bind" as const, source: "/s", destination: "/b", options: [] };
  const donor = (await engine.containers.create(spec({ name: "donor", mounts: [bind] }))).record;
  const mounts = [{ ...bind, source: "/mine" }];
  const { record } = await engine.containers.create(spec({ mounts, volumesFrom: ["donor:ro"], imageVolumes: "tmpfs" }));
  const volume = donor.mounts.find(({ destination }) => destination === "/v")!.source;
  const seen = record.mounts.map((mount) => {
    const { type, source, destination, options } = mount;
    return [type, destination, source, "anonymous" in mount && mount.anonymous, options.includes("ro")];
  });
  assertEquals(seen.find(([, place]) => place === "/b"), ["bind", "/b", "/mine", false, false]);
  assertEquals(seen.find(([, place]) => place === "/v"), ["volume", "/v", volume, false, true]);
  const ignored = (await engine.containers.create(spec({ imageVolumes: "ignore" }))).record;
  assertEquals(ignored.mounts, []);
  const scratch = (await engine.containers.create(spec({ imageVolumes: "tmpfs" }))).record;
  assertEquals(scratch.mounts.map(({ type }) => type), ["tmpfs", "tmpfs"]);
});

Deno.test("a container keeps the images that are mounted in it, and the containers it requires", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const { record: first } = await containers.create(spec({ name: "first" }));
  const mounts = [{ type: "image" as const, source: "tiny", destination: "/i", options: ["ro"] }];
  const { record } = await containers.create(
    spec({ command: ["sh"], rootfs: { path: "/tree", overlay: true }, requires: ["first"], mounts }),
  );
  assertEquals([record.imageID, record.diffIDs, record.spec.requires], ["", [], [first.id]]);
  const [mounted] = record.mounts;
  assertEquals(mounted.type === "image" && mounted.image.id, IMAGE.id);
  assertEquals(containers.usingImage(IMAGE.id).map(({ id }) => id).sort(), [first.id, record.id].sort());
  await assertRejects(() => containers.remove("first"), EngineError);
  await containers.start(record.id);
  assertEquals(containers.resolve("first").state.status, "running");
  await assertRejects(() => containers.create(spec({ requires: ["nobody"] })), EngineError, "no container with name");
  await assertConsistent(engine);
});

Deno.test("createContainer() gives each container users of its own, and shares them by name", async () => {
  await using engine = await openFake();
  const { containers } = engine;
  const auto = { auto: { size: 1000, uids: [], gids: [] } };
  const wish = { namespaces: namespaces({ user: own }), userMaps: auto };
  const hosts = [];
  for (const name of ["a", "b"]) {
    hosts.push((await containers.create(spec({ ...wish, name }))).record.idMaps?.uids[0].host);
  }
  assertEquals(hosts, [100_000, 101_000]);
  const user = { mode: "container" as const, value: "b" };
  const { record } = await containers.create(spec({ namespaces: namespaces({ user }) }));
  assertEquals(record.idMaps?.uids[0].host, 101_000);
  await containers.start(record.id);
  assertEquals(containers.resolve("b").state.status, "running");
  await assertConsistent(engine);
});

Deno.test("createContainer() joins means of communication of those who share them only", async () => {
  await using engine = await openFake();
  const joining = (value: string) => spec({ namespaces: namespaces({ ipc: { mode: "container", value } }) });
  await engine.containers.create(spec({ name: "open", namespaces: namespaces({}) }));
  await engine.containers.create(spec({ name: "closed", namespaces: namespaces({ ipc: own }) }));
  await engine.containers.create(joining("open"));
  await assertRejects(() => engine.containers.create(joining("closed")), EngineError, "non-shareable IPC");
});
