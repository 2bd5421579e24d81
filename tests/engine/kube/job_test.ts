/** The pods of jobs, one after the other, over a kernel in memory. */
import { assertEquals } from "@std/assert";
import { openTestEngine, type TestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";
import { until } from "../../fixtures/session.ts";
import { MemoryStore } from "../../../lib/platform/storage/memory_store.ts";

function job(spec: string, policy = "Never"): string {
  const template = `{spec: {restartPolicy: ${policy}, containers: [{name: c, image: "${TINY_NAME}"}]}}`;
  return `{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {${spec}, template: ${template}}}`;
}

/** The state of each pod's only container. */
function states({ engine: { containers } }: TestEngine): string[] {
  return containers.list({ all: true }).filter(({ name }) => /^j-pod(?:-\d+)?-c$/.test(name))
    .sort((a, b) => a.created - b.created).map(({ state }) => state.status);
}

const become = (test: TestEngine, ...wanted: string[]) =>
  until(() => Promise.resolve(assertEquals(states(test), wanted)));

function end(test: TestEngine, pod: string, code: number): void {
  test.kernel.end(test.engine.containers.resolve(`${pod}-c`).id, code);
}

Deno.test("a Job runs as many pods as may run together, and starts the next as each ends", async () => {
  await using test = await openTestEngine();
  const report = await test.engine.kube.play(job("completions: 4, parallelism: 2"));
  assertEquals(report.pods.flatMap(({ notes }) => notes), []);
  assertEquals(states(test), ["running", "running", "created", "created"]);
  end(test, "j-pod-1", 0);
  await become(test, "running", "exited", "running", "created");
  end(test, "j-pod", 1);
  await become(test, "exited", "exited", "running", "running");
  end(test, "j-pod-2", 0);
  end(test, "j-pod-3", 0);
  await become(test, "exited", "exited", "exited", "exited");
  await test.engine.kube.down(job("completions: 4"));
  assertEquals(test.engine.pods.list(), []);
});

Deno.test("backoffLimit bounds how often a container of a Job is started again, and a failure ends the Job", async () => {
  await using test = await openTestEngine();
  await test.engine.kube.play(job("completions: 2, backoffLimit: 1"));
  const restarts = () => test.engine.containers.resolve("j-pod-c").state;
  end(test, "j-pod", 3);
  await until(() => Promise.resolve(assertEquals([restarts().restartCount, restarts().status], [1, "running"])));
  end(test, "j-pod", 4);
  await until(() =>
    Promise.resolve(assertEquals(test.engine.pods.status(test.engine.pods.resolve("j-pod")), "Exited"))
  );
  await test.engine.pods.resumeJob("j");
  assertEquals([states(test), restarts().exitCode], [["exited", "created"], 4]);
});

Deno.test("backoffLimit 0 starts nothing again, and one that is not there leaves it to the restart policy", async () => {
  for (
    const [spec, policy, wanted] of [
      ["backoffLimit: 0", "OnFailure", { name: "no" }],
      ["backoffLimit: 6", "Never", { name: "on-failure", retries: 6 }],
      ["completions: 1", "OnFailure", { name: "on-failure" }],
      ["completions: 1", "Never", { name: "no" }],
    ] as const
  ) {
    await using test = await openTestEngine();
    await test.engine.kube.play(job(spec, policy));
    assertEquals(test.engine.containers.resolve("j-pod-c").spec.restartPolicy, wanted, spec);
  }
});

Deno.test("a pod of a Job that a user stops keeps those behind it waiting", async () => {
  await using test = await openTestEngine();
  await test.engine.kube.play(job("completions: 2"));
  await test.engine.pods.stop("j-pod");
  await test.engine.pods.resumeJob("j");
  assertEquals(states(test), ["exited", "created"]);
  await test.engine.pods.start("j-pod");
  end(test, "j-pod", 0);
  await become(test, "exited", "running");
});

Deno.test("a Job that is not to start waits, and one whose engine was away goes on", async () => {
  const store = new MemoryStore();
  await using test = await openTestEngine({ store });
  await test.engine.kube.play(job("completions: 2"), { start: false });
  await test.engine.pods.recover();
  assertEquals(states(test), ["created", "created"]);
  await test.engine.pods.start("j-pod");
  end(test, "j-pod", 0);
  await become(test, "exited", "running");
  await test.engine.pods.recover();
  assertEquals(states(test), ["exited", "running"]);
});

Deno.test("pods of an indexed Job know their place", async () => {
  await using test = await openTestEngine();
  await test.engine.kube.play(job("completions: 2, completionMode: Indexed"));
  const facts = ["j-pod-c", "j-pod-1-c"].map((name) => {
    const { spec } = test.engine.containers.resolve(name);
    return [spec.env.JOB_COMPLETION_INDEX, spec.annotations["batch.kubernetes.io/job-completion-index"]];
  });
  assertEquals(facts, [["0", "0"], ["1", "1"]]);
});
