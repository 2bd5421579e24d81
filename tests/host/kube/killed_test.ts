/** A server that is killed while documents are played and taken down leaves whole pods, and nothing that a down does not take. */
import { assert, assertEquals } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";
import { traces } from "../../fixtures/traces.ts";
import { isLongRun } from "../../long_run.ts";

const kills = isLongRun ? 100 : 2;

function documents(name: string, image: string): string {
  const base =
    `image: ${image}, volumeMounts: [{name: v, mountPath: /v}, {name: e, mountPath: /e}, {name: s, mountPath: /s}]`;
  return `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}-map}
data: {k: v}
---
{apiVersion: v1, kind: Secret, metadata: {name: ${name}-keys}, stringData: {t: s}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: ${name}-claim}, spec: {}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: ${name}}
spec:
  completions: 2
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 0
      initContainers: [{name: first, ${base}, command: ["true"]}]
      containers:
      - {name: short, ${base}, command: [sleep, "0.3"], lifecycle: {postStart: {exec: {command: ["true"]}}}}
      - {name: other, ${base}, command: [sleep, "0.2"]}
      volumes:
      - {name: v, configMap: {name: ${name}-map}}
      - {name: s, secret: {secretName: ${name}-keys}}
      - {name: e, persistentVolumeClaim: {claimName: ${name}-claim}}
`;
}

Deno.test(`${kills} kills amid plays leave whole pods, and a down takes all that is left`, async () => {
  await using session = await Session.start();
  const { server, image } = session;
  ok(await server.podman("pull", "--tls-verify=false", image));
  const ids = new Set<string>();
  // deno-lint-ignore no-explicit-any -- the fields of a foreign JSON text
  const send = async (method: string, path: string, raw?: string): Promise<any> => {
    try {
      const text = await (await server.request(method, `/v5.0.0/libpod/${path}`, { raw })).text();
      return text === "" ? {} : JSON.parse(text);
    } catch {
      // Whatever a dying server answers, or does not.
      return {};
    }
  };
  const names = ["a", "b"];
  for (let kill = 0; kill < kills; kill++) {
    let goesOn = true;
    const load = names.map(async (name) => {
      const text = documents(name, image);
      while (goesOn) {
        const { Pods = [] } = await send("POST", "kube/play?replace=true", text);
        for (const { ID, Containers } of Pods ?? []) for (const id of [ID, ...Containers ?? []]) ids.add(id);
        await send("GET", `generate/kube?names=${name}-pod`);
        await send("DELETE", "kube/play?force=true", text);
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 2000));
    await server.stop("SIGKILL");
    goesOn = false;
    await Promise.all(load);
    await server.launch();
    const pods: { Id: string; InfraId: string }[] = await send("GET", "pods/json");
    const containers: { Id: string; Pod: string }[] = await send("GET", "containers/json?all=true");
    for (const { Id, InfraId } of pods) {
      ids.add(Id);
      assert(containers.some((one) => one.Id === InfraId), "a pod has its infra container");
    }
    for (const { Id, Pod } of containers) {
      ids.add(Id);
      assert(pods.some((pod) => pod.Id === Pod), "a container has its pod");
    }
    for (const name of names) await send("DELETE", "kube/play?force=true", documents(name, image));
    const left = await Promise.all(
      ["pods/json", "containers/json?all=true", "volumes/json", "secrets/json"].map((path) => send("GET", path)),
    );
    assertEquals(left, [[], [], [], []], `after kill ${kill + 1}`);
  }
  await until(() => {
    const none = { processes: [], mounts: [], namespaces: [], cgroups: [], interfaces: [] };
    assertEquals(traces(server.folder, [...ids]), none);
    return Promise.resolve();
  });
});
