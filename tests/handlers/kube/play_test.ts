/** Playing Kubernetes documents over HTTP, on an engine with a fake kernel. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openTestEngine, type TestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

/** A reply as tests look at it. */
// deno-lint-ignore no-explicit-any -- the fields of a foreign JSON text
type Reply = { status: number; body: any };

async function send(
  test: TestEngine,
  method: string,
  path: string,
  body?: string,
  type = "application/yaml",
): Promise<Reply> {
  const reply = await test.send(method, `/libpod${path}`, body, { "content-type": type });
  const text = await reply.text();
  return { status: reply.status, body: reply.headers.get("content-type")?.includes("json") ? JSON.parse(text) : text };
}

const WEB = `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  containers:
  - {name: main, image: "${TINY_NAME}", ports: [{containerPort: 80, hostPort: 8080}]}
  - {name: side, image: "${TINY_NAME}", command: [side], args: ["-v"]}
`;

Deno.test("PlayKube makes and starts a pod, refuses it a second time, replaces it, and takes it down", async () => {
  await using test = await openTestEngine();
  const first = await send(test, "POST", "/play/kube", WEB);
  assertEquals(first.status, 200, JSON.stringify(first.body));
  const [pod] = first.body.Pods;
  assertMatch(pod.ID, /^[0-9a-f]{64}$/);
  assertEquals([pod.Containers.length, pod.ContainerErrors, pod.InitContainers, pod.Logs], [2, null, null, null]);
  const { pods } = test.engine;
  const members = () => pods.membersOf(pods.resolve("web")).map(({ name, state }) => `${name} ${state.status}`);
  assertEquals(members().slice(1), ["web-main running", "web-side running"]);
  const again = await send(test, "POST", "/kube/play", WEB);
  assertEquals(again.status, 500);
  assertStringIncludes(again.body.message, 'playing YAML file: adding pod to state: name "web" is in use');
  assertEquals(members().slice(1), ["web-main running", "web-side running"], "what there was is left alone");
  const replaced = await send(test, "POST", "/kube/play?replace=true&start=false", WEB);
  assertEquals(replaced.status, 200, JSON.stringify(replaced.body));
  assert(replaced.body.Pods[0].ID !== pod.ID);
  assertEquals(members().slice(1), ["web-main created", "web-side created"]);
  const down = await send(test, "DELETE", "/play/kube", WEB);
  assertEquals(down.status, 200);
  assertEquals(
    [down.body.StopReport[0].Id, down.body.RmReport[0].Id, down.body.RmReport[0].Err],
    [replaced.body.Pods[0].ID, replaced.body.Pods[0].ID, null],
  );
  assertEquals([pods.list().length, test.engine.containers.list({ all: true }).length], [0, 0]);
  const nothing = await send(test, "DELETE", "/play/kube", WEB);
  assertEquals([nothing.status, nothing.body.RmReport], [200, []]);
});

const FULL = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {MODE: fast, "app.conf": "a=1\\n"}
---
apiVersion: v1
kind: Secret
metadata: {name: keys}
stringData: {token: s3cret}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, labels: {tier: db}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: fast}
---
apiVersion: v1
kind: Service
metadata: {name: front}
spec: {type: NodePort, selector: {app: shop}, ports: [{port: 80, targetPort: http, nodePort: 30080}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      nodeSelector: {disk: ssd}
      terminationGracePeriodSeconds: 3
      hostAliases: [{ip: 10.1.2.3, hostnames: [db, cache]}]
      dnsConfig: {nameservers: [9.9.9.9], searches: [example.com], options: [{name: ndots, value: "2"}]}
      securityContext: {runAsUser: 1000, fsGroup: 2000, supplementalGroups: [3000], sysctls: [{name: net.core.somaxconn, value: "99"}]}
      initContainers:
      - {name: prepare, image: "${TINY_NAME}", command: [exit, "0"]}
      containers:
      - name: main
        image: "${TINY_NAME}"
        imagePullPolicy: IfNotPresent
        command: [run, "$(MODE)"]
        args: ["--pod=$(POD)", "$(NOPE)"]
        workingDir: /srv
        tty: true
        envFrom: [{configMapRef: {name: settings}, prefix: ""}]
        env:
        - {name: TOKEN, valueFrom: {secretKeyRef: {name: keys, key: token}}}
        - {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
        - {name: CPUS, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 1m}}}
        - {name: BOTH, value: "$(MODE)-$(POD)"}
        ports: [{name: http, containerPort: 8080}]
        resources: {limits: {cpu: 1500m, memory: 64Mi}, requests: {memory: 32Mi}}
        securityContext: {readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: {add: [NET_ADMIN], drop: [KILL]}}
        livenessProbe: {httpGet: {path: /health, port: http}, periodSeconds: 5, failureThreshold: 2}
        volumeMounts:
        - {name: conf, mountPath: /etc/app, readOnly: true}
        - {name: keys, mountPath: /keys}
        - {name: data, mountPath: /data}
        - {name: scratch, mountPath: /scratch}
        - {name: fast, mountPath: /fast}
      volumes:
      - {name: conf, configMap: {name: settings, items: [{key: app.conf, path: sub/app.conf}]}}
      - {name: keys, secret: {secretName: keys}}
      - {name: data, persistentVolumeClaim: {claimName: data}}
      - {name: scratch, emptyDir: {}}
      - {name: fast, emptyDir: {medium: Memory, sizeLimit: 16Mi}}
`;

Deno.test("PlayKube makes what a deployment asks for, and names what nobody honours", async () => {
  await using test = await openTestEngine();
  const { status, body } = await send(test, "POST", "/play/kube", FULL);
  assertEquals(status, 200, JSON.stringify(body));
  const { pods, containers, volumes, secrets } = test.engine;
  assertEquals(body.Pods.length, 2);
  assertEquals(body.Volumes, [{ Name: "data" }]);
  assertEquals(secrets.resolve("keys").id, body.Secrets[0].CreateReport.ID);
  assertEquals(pods.list().map(({ name }) => name), ["shop-pod", "shop-pod-1"]);
  assertEquals(body.Pods[0].Logs, [
    'document 5, Deployment "shop": spec.template.spec.nodeSelector: it is not honoured\n',
    'document 3, PersistentVolumeClaim "data": spec.storageClassName: it is not honoured\n',
  ]);
  const pod = pods.resolve("shop-pod");
  const infra = pods.infraOf(pod);
  assertEquals([pod.exitPolicy, pod.restartPolicy, pod.labels], ["stop", { name: "always" }, { app: "shop" }]);
  assertEquals(infra?.ports.map(({ hostPort, containerPort }) => [hostPort, containerPort]), [[30080, 8080]]);
  assertEquals(infra?.spec.hosts, ["db:10.1.2.3", "cache:10.1.2.3"]);
  assertEquals([infra?.spec.dnsServers, infra?.spec.dnsSearch, infra?.spec.dnsOptions], [["9.9.9.9"], ["example.com"], [
    "ndots:2",
  ]]);
  assertEquals(infra?.networks["podman-default-kube-network"].aliases.slice(0, 2), ["main", "front"]);
  assert(!containers.exists("shop-pod-prepare"), "an init container that runs once has gone");
  const main = containers.resolve("shop-pod-main");
  assertEquals(main.process.args, ["run", "fast", "--pod=shop-pod", "$(NOPE)"]);
  const variables = ["MODE=fast", "TOKEN=s3cret", "POD=shop-pod", "CPUS=1500", "BOTH=fast-shop-pod", "FROM_IMAGE=yes"];
  for (const variable of variables) assert(main.process.env.includes(variable), variable);
  assertEquals([main.process.workdir, main.process.user, main.process.terminal], ["/srv", "1000", true]);
  assertEquals([main.spec.groups, main.stopTimeout, main.spec.readOnly], [["3000", "2000"], 3, true]);
  assertEquals([main.spec.capAdd, main.spec.capDrop, main.spec.noNewPrivileges], [["NET_ADMIN"], ["KILL"], true]);
  assertEquals(main.spec.resources.memory, { limit: 64 << 20, reservation: 32 << 20 });
  assertEquals(main.spec.resources.cpu, { quota: 150000, period: 100000 });
  assertEquals(main.health?.check?.test, ["CMD-SHELL", "curl -f http://localhost:8080/health || exit 1"]);
  assertEquals([main.health?.check?.interval, main.health?.check?.retries, main.health?.onFailure], [
    5000,
    2,
    "restart",
  ]);
  const mounts = main.mounts.map(({ type, source, destination }) => `${type} ${source} ${destination}`);
  assertEquals(mounts.sort(), [
    "tmpfs tmpfs /fast",
    "volume data /data",
    "volume keys /keys",
    "volume shop-pod-conf /etc/app",
    "volume shop-pod-scratch /scratch",
  ]);
  assertEquals(volumes.resolve("data").labels, { tier: "db" });
  const down = await send(test, "DELETE", "/play/kube?force=true", FULL);
  assertEquals(down.status, 200, JSON.stringify(down.body));
  assertEquals(down.body.VolumeRmReport.map(({ Id, Err }: Record<string, unknown>) => [Id, Err]), [
    ["data", null],
    ["shop-pod-conf", null],
    ["keys", null],
    ["shop-pod-1-conf", null],
  ]);
  assertEquals([pods.list().length, volumes.list().length, secrets.list().length], [0, 0, 0]);
});
