/** Debian's podman plays Kubernetes documents on a real host, takes them down, and plays again what it has generated. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

function shop(image: string, folder: string): string {
  return `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: fast, page.html: "hello from the map\\n"}
---
apiVersion: v1
kind: Secret
metadata: {name: keys}
stringData: {token: s3cret}
---
apiVersion: v1
kind: Pod
metadata: {name: shop, labels: {app: shop}}
spec:
  terminationGracePeriodSeconds: 0
  restartPolicy: Never
  securityContext: {fsGroup: 2000}
  initContainers:
  - name: prepare
    image: ${image}
    command: [sh, -c, "echo prepared > /shared/state"]
    volumeMounts: [{name: shared, mountPath: /shared}]
  containers:
  - name: main
    image: ${image}
    command: [sh, -c, "echo $(MODE) $(WHO); cat /pages/page.html /keys/token /shared/state; echo; exec sleep 1000"]
    env:
    - {name: MODE, valueFrom: {configMapKeyRef: {name: settings, key: mode}}}
    - {name: WHO, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    resources: {limits: {memory: 64Mi, cpu: 500m}}
    securityContext: {runAsUser: 1000, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
    startupProbe: {exec: {command: [test, -e, /shared/state]}, periodSeconds: 1}
    volumeMounts:
    - {name: pages, mountPath: /pages, readOnly: true}
    - {name: keys, mountPath: /keys}
    - {name: shared, mountPath: /shared}
    - {name: fast, mountPath: /fast}
    - {name: made, mountPath: /made}
  - name: side
    image: ${image}
    command: [sh, -c, "until [ -e /fast/x ]; do sleep 0.1; done; echo seen; exec sleep 1000"]
    volumeMounts: [{name: fast, mountPath: /fast}]
  volumes:
  - {name: pages, configMap: {name: settings, items: [{key: page.html, path: page.html, mode: 0444}]}}
  - {name: keys, secret: {secretName: keys, defaultMode: 0644}}
  - {name: shared, emptyDir: {}}
  - {name: fast, emptyDir: {medium: Memory, sizeLimit: 1Mi}}
  - {name: made, hostPath: {path: ${folder}/made, type: DirectoryOrCreate}}
`;
}

Deno.test("podman plays Kubernetes documents, takes them down, and plays what it generates", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const write = async (name: string, text: string) => {
    const path = `${server.folder}/${name}`;
    await Deno.writeTextFile(path, text);
    return path;
  };
  await podman("pull", "-q", image);
  const file = await write("shop.yaml", shop(image, server.folder));

  await t.step("kube play makes a pod with config, secret, init container and shared volumes", async () => {
    const told = await podman("kube", "play", file);
    assertMatch(told, /Pod:\n[0-9a-f]{64}\n/);
    const logged = (name: string, text: string) =>
      until(async () => assertStringIncludes(await podman("logs", name), text));
    await logged("shop-main", "prepared");
    assertEquals(await podman("logs", "shop-main"), "fast shop\nhello from the map\ns3cretprepared\n\n");
    assert((await Deno.stat(`${server.folder}/made`)).isDirectory);
    assertStringIncludes(await podman("exec", "--user=0", "shop-main", "df", "/fast"), "1024");
    await podman("exec", "--user=0", "shop-main", "touch", "/fast/x");
    await logged("shop-side", "seen");
  });
  await t.step("limits of a document are its container's", async () => {
    const [main] = JSON.parse(await podman("inspect", "shop-main"));
    assertEquals([main.HostConfig.Memory, main.HostConfig.NanoCpus], [64 << 20, 500_000_000]);
  });
  await t.step("a second play is refused, and one that replaces is not", async () => {
    const again = await server.podman("kube", "play", file);
    assert(again.code !== 0);
    assertStringIncludes(again.stderr, "pod already exists");
    await podman("kube", "play", "--replace", file);
    assertEquals((await podman("pod", "ps", "--format", "{{.Name}} {{.Status}}")).trim(), "shop Running");
  });
  await t.step("what is generated plays again, and is generated again", async () => {
    const generated = await podman("kube", "generate", "shop");
    assertStringIncludes(generated, "kind: Pod");
    await podman("kube", "down", file);
    const copy = await write("copy.yaml", generated);
    await podman("kube", "play", copy);
    assertEquals((await podman("pod", "ps", "--format", "{{.Name}} {{.Status}}")).trim(), "shop Running");
    const timeless = (text: string) => text.replaceAll(/creationTimestamp: .*/g, "");
    assertEquals(timeless(await podman("kube", "generate", "shop")), timeless(generated));
    await podman("kube", "down", copy);
  });
  await t.step("kube down leaves nothing but volumes", async () => {
    assertEquals(await podman("ps", "-aq"), "");
    assertEquals(await podman("pod", "ps", "-q"), "");
    assertEquals(await podman("secret", "ls", "-q"), "");
  });
  await t.step("a service container runs as long as the pods do", async () => {
    const containers = [{ name: "c", image, command: ["sleep", "1000"] }];
    const spec = { terminationGracePeriodSeconds: 0, containers };
    const body = { apiVersion: "v1", kind: "Pod", metadata: { name: "one" }, spec };
    // Debian's remote client has no flag for it.
    const played = await server.request("POST", "/v5.0.0/libpod/kube/play?serviceContainer=true", { body });
    const report = await played.json();
    assertEquals(played.status, 200, JSON.stringify(report));
    const [service] = JSON.parse(await podman("inspect", report.ServiceContainerID));
    assertMatch(service.Name, /^[0-9a-f]{12}-service$/);
    assertEquals(service.State.Status, "running");
    await podman("kube", "down", await write("one.json", JSON.stringify(body)));
    assertEquals(await podman("ps", "-aq"), "");
  });
  await t.step("an image is built of the folder of a played archive", async () => {
    const folder = `${server.folder}/archive`;
    await Deno.mkdir(`${folder}/greeter`, { recursive: true });
    await Deno.writeTextFile(
      `${folder}/greeter/Containerfile`,
      `FROM ${image}\nCOPY --chmod=755 run /run.sh\nCMD /run.sh\n`,
    );
    await Deno.writeTextFile(`${folder}/greeter/run`, "#!/bin/sh\necho built and run\n");
    const text =
      "{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {restartPolicy: Never, containers: [{name: c, image: greeter}]}}";
    await Deno.writeTextFile(`${folder}/play.yaml`, text);
    const { stdout } = await new Deno.Command("tar", { args: ["-C", folder, "-c", "."] }).output();
    const played = await server.request("POST", "/v5.0.0/libpod/kube/play", {
      raw: stdout,
      headers: { "content-type": "application/x-tar" },
    });
    assertEquals(played.status, 200, await played.text());
    await until(async () => assertEquals(await podman("logs", "b-c"), "built and run\n"));
    await podman("kube", "down", `${folder}/play.yaml`);
  });
  await t.step("a document that is wrong is refused by document and path, and leaves nothing", async () => {
    const wrong = await write(
      "wrong.yaml",
      "{apiVersion: v1, kind: Pod, metadata: {name: w}, spec: {containers: [{name: c, image: x, tty: 5}]}}",
    );
    const refused = await server.podman("kube", "play", wrong);
    assert(refused.code !== 0);
    assertStringIncludes(refused.stderr, 'document 1, Pod "w": spec.containers[0].tty must be true or false; it is 5');
    assertEquals(await podman("pod", "ps", "-q"), "");
  });
});
