/** Hooks, jobs and replaced deployments on a real host, and documents that a real server hands to a stand-in for a cluster. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { startCluster, TOKENS } from "../../fixtures/kube/cluster.ts";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

Deno.test("hooks and jobs run on a real host, and documents are applied to a cluster", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const write = async (name: string, text: string) => {
    const path = `${server.folder}/${name}`;
    await Deno.writeTextFile(path, text);
    return path;
  };
  await podman("pull", "-q", image);

  await t.step("postStart runs behind the start, and preStop before the signal", async () => {
    const text = `apiVersion: v1
kind: Pod
metadata: {name: hooked}
spec:
  terminationGracePeriodSeconds: 20
  containers:
  - name: c
    image: ${image}
    command: [sh, -c, "trap 'cat /hooks/stop; exit 0' TERM; until [ -e /hooks/start ]; do sleep 0.1; done; echo started; while :; do sleep 0.1; done"]
    lifecycle:
      postStart: {exec: {command: [touch, /hooks/start]}}
      preStop: {exec: {command: [sh, -c, "sleep 0.5; echo hook came first > /hooks/stop"]}}
    volumeMounts: [{name: hooks, mountPath: /hooks}]
  volumes: [{name: hooks, emptyDir: {}}]
`;
    const file = await write("hooked.yaml", text);
    await podman("kube", "play", file);
    await until(async () => assertEquals(await podman("logs", "hooked-c"), "started\n"));
    await podman("pod", "stop", "hooked");
    assertEquals(await podman("logs", "hooked-c"), "started\nhook came first\n");
    await podman("kube", "down", file);
  });
  await t.step("a container whose postStart hook fails is killed", async () => {
    const text = `apiVersion: v1
kind: Pod
metadata: {name: failing}
spec:
  restartPolicy: Never
  containers:
  - {name: c, image: ${image}, command: [sleep, "1000"], lifecycle: {postStart: {exec: {command: [sh, -c, "exit 3"]}}}}
`;
    const file = await write("failing.yaml", text);
    await podman("kube", "play", file);
    await until(async () =>
      assertEquals(
        (await podman("inspect", "-f", "{{.State.Status}} {{.State.ExitCode}}", "failing-c")).trim(),
        "exited 137",
      )
    );
    await podman("kube", "down", file);
  });
  await t.step("a job runs its pods one after the other, and each knows its index", async () => {
    const text = `apiVersion: batch/v1
kind: Job
metadata: {name: row}
spec:
  completions: 3
  completionMode: Indexed
  backoffLimit: 2
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: c
        image: ${image}
        command: [sh, -c, "mkdir /row/turn && sleep 0.2 && echo $JOB_COMPLETION_INDEX >> /row/order && rmdir /row/turn"]
        volumeMounts: [{name: row, mountPath: /row}]
      volumes: [{name: row, hostPath: {path: ${server.folder}/row, type: DirectoryOrCreate}}]
`;
    const file = await write("row.yaml", text);
    await podman("kube", "play", file);
    await until(async () => assertEquals(await Deno.readTextFile(`${server.folder}/row/order`), "0\n1\n2\n"));
    await until(async () => assertMatch(await podman("pod", "ps", "--format", "{{.Status}}"), /^(?:Exited\n){3}$/));
    await podman("kube", "down", file);
    assertEquals(await podman("ps", "-aq"), "");
  });
  await t.step("a deployment is replaced one pod after the other: another of its pods is always up", async () => {
    const text = (version: string) =>
      `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: c, image: ${image}, command: [sleep, "1000"], env: [{name: VERSION, value: "${version}"}]}]
`;
    /** Starts and ends of the deployment's containers. */
    const eventsSince = async (since: string) => {
      const wanted = ["--filter", "event=start", "--filter", "event=died", "--format", "{{.Status}} {{.Name}}"];
      const lines = await podman("events", "--stream=false", "--since", since, ...wanted);
      return lines.split("\n").filter((line) => / web-pod(?:-1)?-c$/.test(line));
    };
    await podman("kube", "play", await write("web.yaml", text("1")));
    const since = String(Math.floor(Date.now() / 1000) - 1);
    const started = await eventsSince(since);
    // Debian's client takes everything down itself, and plays then.
    const played = await server.request("POST", "/v5.0.0/libpod/kube/play?replace=true", { raw: text("2") });
    assertEquals(played.status, 200, await played.text());
    const seen = (await eventsSince(since)).slice(started.length);
    assertEquals(seen, ["died web-pod-c", "start web-pod-c", "died web-pod-1-c", "start web-pod-1-c"]);
    assertEquals((await podman("exec", "web-pod-1-c", "sh", "-c", "echo $VERSION")).trim(), "2");
    await podman("kube", "down", `${server.folder}/web.yaml`);
  });
  await t.step("documents of a pod that runs are applied to a cluster", async () => {
    await using cluster = await startCluster();
    await podman("pod", "create", "--name", "given", "-p", "8080");
    await podman("create", "--pod", "given", "--name", "given-c", image, "sleep", "1000");
    const text = await podman("kube", "generate", "-s", "given");
    const config = await write(
      "kubeconfig",
      `clusters: [{name: c, cluster: {server: "${cluster.server}", certificate-authority: ${cluster.folder}/ca.pem}}]\nusers: [{name: u, user: {token: ${TOKENS.admin}}}]\n`,
    );
    const path = `/v5.0.0/libpod/kube/apply?kubeconfig=${encodeURIComponent(config)}&namespace=shop`;
    const applied = await server.request("POST", path, { raw: text });
    assertEquals([applied.status, await applied.text()], [200, "Deployed!\n"]);
    assertEquals([...cluster.objects.keys()], [
      "/api/v1/namespaces/shop/services/given",
      "/api/v1/namespaces/shop/pods/given",
    ]);
    const refused = await server.request("POST", `${path}&caCertFile=/absent.pem`, { raw: text });
    assertEquals(refused.status, 500);
    assertStringIncludes((await refused.json()).message, 'file does not exist: "/absent.pem"');
    await podman("pod", "rm", "-f", "given");
  });
});
