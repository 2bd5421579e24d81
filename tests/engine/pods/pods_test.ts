import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { podRemovalError } from "../../../lib/engine/pods/pod_report.ts";
import type { PodRequest } from "../../../lib/engine/pods/pod_request.ts";
import { assertConsistent } from "../../fixtures/engine/fake_check.ts";
import { openFake } from "../../fixtures/engine/fake_engine.ts";
import { INFRA, makeMember, makePod, statesOf } from "../../fixtures/engine/shop_pod.ts";

Deno.test("Pods.create() makes a pod with its infra container, and starts nothing", async () => {
  await using engine = await openFake();
  const id = await makePod(engine, { ...INFRA, labels: { tier: "front" } });
  const pod = engine.pods.resolve("shop");
  assertEquals([pod.id, engine.pods.status(pod), statesOf(engine)], [id, "Created", "infra created"]);
  const infra = engine.pods.infraOf(pod);
  assertEquals(
    [infra?.spec.pod, infra?.spec.infra, infra?.imageID, infra?.process.args.join(" "), infra?.hostname],
    [id, true, "", "/catatonit -P", "shop"],
  );
  assertEquals(infra?.spec.labels, { tier: "front" });
  assertEquals(engine.pods.resolve(id.slice(0, 10)).name, "shop");
  const { record: other } = await engine.pods.create({});
  assertMatch(other.name, /^[a-z]+_[a-z]+/, "a name of the engine's choice");
  await assertConsistent(engine);
});

Deno.test("Pods.create() refuses a taken name, a bad one and an unknown image, and leaves nothing", async () => {
  await using engine = await openFake();
  await makePod(engine);
  const rows: [PodRequest, EngineError["code"], string][] = [
    [{ name: "shop" }, "name_in_use", 'adding pod to state: name "shop" is in use: pod already exists'],
    [{ name: "a b" }, "invalid", "names must match"],
    [{ infra: { image: "absent" } }, "no_such_image", "absent: image not known"],
    [{ serviceContainer: "absent" }, "no_such_container", "no such container"],
    [{ labels: { big: "x".repeat(2 << 20) } }, "limit", "labels"],
    [{ infra: false, createCommand: ["x".repeat(32 << 20)] }, "limit", "all options together"],
  ];
  for (const [request, code, message] of rows) {
    const error = await assertRejects(() => engine.pods.create(request), EngineError, message);
    assertEquals(error.code, code);
  }
  assertEquals(engine.pods.list().length, 1);
  await assertConsistent(engine);
});

Deno.test("a pod without an infra container shares nothing, and needs no host's namespaces", async () => {
  await using engine = await openFake();
  await makePod(engine, { infra: false });
  await assertRejects(() => engine.pods.start("shop"), EngineError, "no containers in pod");
  const id = await makeMember(engine, "web");
  assertEquals(engine.containers.resolve(id).spec.namespaces.network.mode, "bridge");
  await engine.pods.start("shop");
  assertEquals(statesOf(engine), "web running");
  await engine.pods.remove("shop", { force: true });
  assertEquals([engine.pods.list().length, engine.containers.list({ all: true }).length], [0, 0]);
  await assertConsistent(engine);
});

Deno.test("a container of a pod starts the infra container, and stands in its namespaces", async () => {
  await using engine = await openFake();
  const id = await makePod(engine, INFRA);
  const web = await makeMember(engine, "web");
  const { spec, hostname } = engine.containers.resolve(web);
  const { infraID, cgroupPath } = engine.pods.resolve("shop");
  const infra = { mode: "container", value: infraID };
  assertEquals([spec.pod, spec.cgroupParent, hostname], [id, cgroupPath, "shop"]);
  assertEquals([spec.namespaces.network, spec.namespaces.ipc, spec.namespaces.uts], [infra, infra, infra]);
  await engine.containers.start("web");
  assertEquals(statesOf(engine), "infra running, web running");
  const absent = await assertRejects(() => makeMember(engine, "other", { pod: "absent" }), EngineError);
  assertEquals(absent.message, "retrieving pod absent: no pod with name or ID absent found: no such pod");
  assertEquals(engine.containers.list({ all: true, filters: { pod: ["shop"] } }).length, 2);
  assertEquals(engine.containers.list({ all: true, filters: { pod: ["absent"] } }).length, 0);
});

Deno.test("a container of a pod that is initialised or attached to starts the infra container first", async () => {
  for (const prepare of ["init", "attach"] as const) {
    await using engine = await openFake();
    await makePod(engine, INFRA);
    await makeMember(engine, "web");
    const attached = prepare === "init"
      ? await engine.containers.init("web")
      : await engine.containers.attach("web", { stdin: false, stdout: true, stderr: true });
    assertEquals(statesOf(engine), "infra running, web initialized", prepare);
    if (attached) attached.close();
  }
});

Deno.test("a container has the devices and mounts of its pod once, however often they are asked for", async () => {
  const device = { source: "/dev/fuse", destination: "/dev/fuse", access: "rwm" };
  await using engine = await openFake({ defaults: { devices: ["/dev/fuse"], volumes: ["/srv:/srv"] } });
  await makePod(engine, { ...INFRA, container: { devices: [{ ...device, access: "r" }] } });
  const web = await makeMember(engine, "web", { devices: [device] });
  const { spec, mounts } = engine.containers.resolve(web);
  assertEquals(spec.devices, [device]);
  assertEquals(mounts.map(({ destination }) => destination), ["/srv"]);
});

Deno.test("Pods.start() runs init containers first, each time or once", async () => {
  await using engine = await openFake();
  await makePod(engine, INFRA);
  const always = await makeMember(engine, "always", { initContainer: "always", command: ["exit", "0"] });
  await makeMember(engine, "once", { initContainer: "once", command: ["exit", "0"] });
  await makeMember(engine, "web");
  assertEquals((await engine.pods.start("shop")).failures.size, 0);
  assertEquals(statesOf(engine), "infra running, always exited, web running");
  assertEquals(engine.pods.status(engine.pods.resolve("shop")), "Running", "init containers do not count");
  const first = engine.containers.resolve(always).state.finishedAt;
  await engine.pods.stop("shop");
  await engine.pods.start("shop");
  assert(engine.containers.resolve(always).state.finishedAt > first, "it ran again");
  const late = await assertRejects(() => makeMember(engine, "late", { initContainer: "once" }), EngineError);
  assertEquals(late.message, "cannot add init-ctr to a running pod");
});

Deno.test("Pods.start() ends with an init container that fails", async () => {
  await using engine = await openFake();
  await makePod(engine, INFRA);
  const id = await makeMember(engine, "prepare", { initContainer: "once", command: ["exit", "3"] });
  await makeMember(engine, "web");
  await assertRejects(() => engine.pods.start("shop"), EngineError, `init container ${id} exited with code 3`);
  assertEquals(statesOf(engine), "infra running, prepare exited, web created");
});

Deno.test("Pods.start() reports containers that fail, and starts the others", async () => {
  await using engine = await openFake();
  await makePod(engine, INFRA);
  const bad = await makeMember(engine, "bad", { command: ["missing"] });
  await makeMember(engine, "web");
  const { failures } = await engine.pods.start("shop");
  assertEquals([...failures.keys()], [bad]);
  assertEquals(statesOf(engine), "infra running, bad created, web running");
  const actions = (await engine.events()).filter(({ type }) => type === "pod").map(({ action }) => action);
  assertEquals(actions, ["create"], "a start that failed in part is no start");
});

Deno.test("a pod that stops with its last container lets its infra container go", async () => {
  await using engine = await openFake();
  await makePod(engine, { ...INFRA, exitPolicy: "stop" });
  for (const name of ["web", "db"]) await makeMember(engine, name);
  await engine.pods.start("shop");
  await engine.containers.stop("web");
  await engine.containers.settled();
  assertEquals(statesOf(engine), "infra running, web exited, db running");
  await engine.containers.kill("db");
  await engine.containers.settled();
  assertEquals(statesOf(engine), "infra exited, web exited, db exited");
});

Deno.test("a pod goes on where its policy says so, and while a container is about to be restarted", async () => {
  await using engine = await openFake();
  await makePod(engine, INFRA);
  await makeMember(engine, "web");
  await engine.pods.start("shop");
  await engine.containers.kill("web");
  await engine.containers.settled();
  assertEquals(statesOf(engine), "infra running, web exited");
  await engine.pods.remove("shop", { force: true });
  await makePod(engine, { ...INFRA, exitPolicy: "stop", restartPolicy: { name: "on-failure", retries: 2 } });
  const id = await makeMember(engine, "web", { command: ["exit", "1"] });
  await engine.containers.start(id);
  await engine.containers.settled();
  assertEquals(engine.containers.resolve(id).state.restartCount, 2, "the pod's policy is the container's");
  assertEquals(statesOf(engine), "infra exited, web exited");
});

Deno.test("Pods.recover() follows an exit policy that a crash has kept from its turn", async () => {
  await using engine = await openFake();
  await makePod(engine, { ...INFRA, exitPolicy: "stop" });
  const web = await makeMember(engine, "web");
  await engine.pods.start("shop");
  await engine.core.events.flush();
  await engine.host.close();
  engine.kernel.end(web, 0);
  await using next = await openFake({ kernel: engine.kernel, store: engine.store, seed: 2 });
  await next.containers.settled();
  assertEquals(statesOf(next), "infra exited, web exited");
});

Deno.test("Pods.remove() keeps a pod whose container runs, and says which", async () => {
  await using engine = await openFake();
  const id = await makePod(engine, INFRA);
  const web = await makeMember(engine, "web");
  await makeMember(engine, "idle");
  await engine.containers.start("web");
  const { pod, failures, removed } = await engine.pods.remove("shop");
  assertEquals([removed.length, failures.has(web), failures.has(pod.infraID)], [1, true, true]);
  const error = podRemovalError(pod, failures);
  assertEquals([error.code, error.sentinel], ["state", "removing pod containers"]);
  assertMatch(
    error.message,
    new RegExp(`^not all containers could be removed from pod ${id}: removing pod containers\\. `),
  );
  assertMatch(error.message, new RegExp(`cannot remove container ${web} as it is running`));
  assertEquals(statesOf(engine), "infra running, web running");
  await engine.containers.remove("web", { force: true });
  const last = await engine.pods.remove("shop");
  assertEquals([last.failures.size, last.removed], [0, [pod.infraID]], "the pause program is nobody's work");
});

Deno.test("Containers.remove() refuses the infra container, and takes the whole pod where that is asked for", async () => {
  await using engine = await openFake();
  const id = await makePod(engine, INFRA);
  const web = await makeMember(engine, "web");
  await engine.pods.start("shop");
  const { infraID } = engine.pods.resolve("shop");
  const refused = await assertRejects(() => engine.containers.remove("infra", { force: true }), EngineError);
  assertEquals(
    refused.message,
    `container ${infraID} is the infra container of pod ${id} and cannot be removed without removing the pod`,
  );
  const reports = await engine.containers.remove("infra", { force: true, depend: true });
  assertEquals(reports.map((report) => report.id), [web, infraID]);
  assertEquals(engine.pods.exists("shop"), false);
  const gone = (await engine.events()).filter(({ type, action }) => type === "pod" && action === "remove");
  assertEquals(gone.map((event) => event.id), [id]);
  await assertConsistent(engine);
});

Deno.test("a service container runs as long as any of its pods, and goes with the last", async () => {
  await using engine = await openFake();
  const { record: service } = await engine.containers.create({ image: "tiny", name: "service" });
  for (const name of ["shop", "bank"]) await engine.pods.create({ name, serviceContainer: "service" });
  const status = () => engine.containers.resolve(service.id).state.status;
  await engine.pods.start("shop");
  await engine.pods.start("bank");
  assertEquals(status(), "running");
  await engine.pods.stop("shop");
  assertEquals(status(), "running", "the other pod needs it");
  await engine.pods.stop("bank");
  await engine.containers.settled();
  assertEquals(status(), "exited");
  const refused = await assertRejects(() => engine.containers.remove("service"), EngineError);
  assertMatch(refused.message, /is the service container of pod\(s\) \w+,\w+ and cannot be removed/);
  await engine.pods.remove("shop");
  assert(engine.containers.exists("service"));
  await engine.pods.remove("bank");
  assertEquals(engine.containers.exists("service"), false);
});

Deno.test("Pods.top() and Pods.stats() tell of the containers that run", async () => {
  await using engine = await openFake();
  await makePod(engine, INFRA);
  for (const name of ["web", "idle"]) await makeMember(engine, name);
  await engine.containers.start("web");
  const { rows } = await engine.pods.top("shop");
  assertEquals(rows.length, 2);
  const [{ pod, containers }] = await engine.pods.stats();
  assertEquals([pod.name, containers.map(({ record }) => record.name)], ["shop", ["infra", "web"]]);
  await assertRejects(() => engine.pods.stats(["absent"]), EngineError, "no pod with name or ID absent found");
  await engine.pods.stop("shop");
  assertEquals(await engine.pods.top("shop"), { titles: [], rows: [] });
});

Deno.test("Pods.list() filters", async () => {
  await using engine = await openFake();
  await engine.networks.create({ name: "lan" });
  const id = await makePod(engine, { ...INFRA, labels: { tier: "front" }, container: { networks: { lan: {} } } });
  const web = await makeMember(engine, "web");
  await engine.pods.create({ name: "bank", infra: false });
  await engine.pods.start("shop");
  const rows: [Record<string, string[]>, string][] = [
    [{}, "shop bank"],
    [{ id: [id.slice(0, 8)] }, "shop"],
    [{ name: ["^sh"] }, "shop"],
    [{ label: ["tier=front"] }, "shop"],
    [{ "label!": ["tier"] }, "bank"],
    [{ status: ["running"] }, "shop"],
    [{ status: ["created", "exited"] }, "bank"],
    [{ "ctr-names": ["web"] }, "shop"],
    [{ "ctr-ids": [web.slice(0, 12)] }, "shop"],
    [{ "ctr-number": ["2"] }, "shop"],
    [{ "ctr-number": ["0", "7"] }, "bank"],
    [{ "ctr-status": ["running"] }, "shop"],
    [{ "ctr-status": ["stopped"] }, ""],
    [{ network: ["lan", "absent"] }, "shop"],
    [{ until: ["0"] }, ""],
    [{ name: ["shop"], status: ["exited"] }, ""],
  ];
  for (const [filters, names] of rows) {
    assertEquals(engine.pods.list(filters).map(({ name }) => name).join(" "), names, JSON.stringify(filters));
  }
  const refused: [Record<string, string[]>, string][] = [
    [{ colour: ["red"] }, "colour is an invalid filter"],
    [{ status: ["happy"] }, "happy is not a valid pod status"],
    [{ "ctr-status": ["happy"] }, "happy is not a valid status"],
    [{ "ctr-number": ["two"] }, '"two" is no number of containers'],
    [{ until: ["never"] }, 'failed to parse value as time or duration: "never"'],
  ];
  for (const [filters, message] of refused) {
    assertThrows(() => engine.pods.list(filters), EngineError, message);
  }
});
