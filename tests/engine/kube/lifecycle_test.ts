import { assertEquals, assertThrows } from "@std/assert";
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
