import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { Fields } from "../../../lib/engine/kube/read/fields.ts";
import { readLifecycle } from "../../../lib/engine/kube/read/read_lifecycle.ts";
import { openTestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

const PORTS = [{ name: "web", containerPort: 8080 }];
const read = (lifecycle: unknown) => readLifecycle(new Fields({ lifecycle }, "document 1"), PORTS);

Deno.test("readLifecycle() reads hooks that run, ask or sleep, and the stop signal", () => {
  const http = { path: "/bye", port: "web", httpHeaders: [{ name: "A", value: "b'c" }] };
  assertEquals(read({ postStart: { exec: { command: ["a", "b c"] } }, preStop: { httpGet: http } }).hooks, {
    postStart: { kind: "command", command: ["a", "b c"] },
    preStop: {
      kind: "command",
      command: ["/bin/sh", "-c", "curl -f -H 'A: b'\\''c' http://localhost:8080/bye || exit 1"],
    },
  });
  assertEquals(read({ preStop: { sleep: { seconds: 5 } }, stopSignal: "SIGUSR1" }), {
    hooks: { preStop: { kind: "sleep", seconds: 5 } },
    stopSignal: 10,
  });
  assertEquals(readLifecycle(new Fields({}, "document 1"), PORTS), {});
});

Deno.test("readLifecycle() refuses hooks that cannot be, by path", () => {
  const rows: [lifecycle: unknown, message: string][] = [
    [{ preStop: {} }, "document 1: lifecycle.preStop must have one of exec, httpGet and sleep"],
    [{ preStop: { exec: { command: ["a"] }, sleep: { seconds: 1 } } }, "lifecycle.preStop must have one of"],
    [{ postStart: { exec: { command: [] } } }, "lifecycle.postStart.exec.command is missing"],
    [{ postStart: { exec: { command: "ls" } } }, "lifecycle.postStart.exec.command must be a list of texts"],
    [{ postStart: { sleep: { seconds: -1 } } }, "lifecycle.postStart.sleep.seconds must be a whole number"],
    [{ postStart: { sleep: { minutes: 1 } } }, "lifecycle.postStart.sleep.seconds is missing"],
    [{ preStop: { httpGet: { port: "none" } } }, 'is "none", which no port of the container is called'],
    [{ stopSignal: "SIGNONE" }, 'lifecycle.stopSignal "SIGNONE" is no signal'],
  ];
  for (const [lifecycle, message] of rows) assertThrows(() => read(lifecycle), EngineError, message);
});

Deno.test("hooks that are played are generated again", async () => {
  await using test = await openTestEngine();
  const lifecycle = "{postStart: {exec: {command: [exit, '0']}}, preStop: {sleep: {seconds: 1}}, stopSignal: SIGQUIT}";
  await test.engine.kube.play(
    `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: "${TINY_NAME}", lifecycle: ${lifecycle}}]}}`,
  );
  const text = await test.engine.kube.generate(["p"]);
  await test.engine.pods.remove("p", { force: true, timeout: 0 });
  await test.engine.kube.play(text);
  assertEquals(test.engine.containers.resolve("p-c").spec.hooks, {
    postStart: { kind: "command", command: ["exit", "0"] },
    preStop: { kind: "sleep", seconds: 1 },
  });
});

Deno.test("probes by gRPC, and readiness beside liveness, are generated again", async () => {
  await using test = await openTestEngine();
  const probes = "livenessProbe: {grpc: {port: 9}}, readinessProbe: {grpc: {port: 9, service: shop}}";
  await test.engine.kube.play(
    `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: "${TINY_NAME}", ${probes}}]}}`,
  );
  const text = await test.engine.kube.generate(["p"]);
  await test.engine.pods.remove("p", { force: true, timeout: 0 });
  await test.engine.kube.play(text);
  const { health } = test.engine.containers.resolve("p-c");
  assertEquals([health?.check?.test, health?.readiness?.test], [["GRPC", "9"], ["GRPC", "9", "shop"]]);
});

Deno.test("a deployment's next pod is replaced when the one before is ready, and stays where that fails", async () => {
  await using test = await openTestEngine();
  const { kube, containers } = test.engine;
  const text =
    `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: 2, progressDeadlineSeconds: 1,
    template: {spec: {containers: [{name: c, image: "${TINY_NAME}", readinessProbe: {grpc: {port: 9}, periodSeconds: 1}}]}}}}`;
  await kube.play(text);
  const ids = () => ["d-pod-c", "d-pod-1-c"].map((name) => containers.resolve(name).id);
  const before = ids();
  const { code, message } = await assertRejects(() => kube.play(text, { replace: true }), EngineError);
  assertEquals(code, "timeout");
  assertStringIncludes(message, "pod d-pod is not ready, and the pods after it are as they were: ");
  const [first, second] = ids();
  assert(first !== before[0]);
  assertEquals(second, before[1]);
  test.kernel.serving.add("9 ");
  await kube.play(text, { replace: true });
  assert(ids().every((id) => id !== first && id !== second));
});
