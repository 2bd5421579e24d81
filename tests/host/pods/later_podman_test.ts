/** Today's podman as the client, in long runs: pods, Kubernetes documents and units, as its user types them. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { LATER_PODMAN } from "../../../scripts/later_debian/client_programs.ts";
import { startCluster, TOKENS } from "../../fixtures/kube/cluster.ts";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";
import { registerLong } from "../../long_run.ts";

registerLong("podman 5.8 drives pods, Kubernetes documents and units", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const client = (...args: string[]) => server.podmanAt(server.addresses[0], args, { program: LATER_PODMAN });
  const podman = async (...args: string[]) => ok(await client(...args), args.join(" "));
  const refused = async (...args: string[]) => {
    const { code, stderr } = await client(...args);
    assert(code !== 0, args.join(" "));
    return stderr;
  };
  const write = async (name: string, text: string) => {
    const path = `${server.folder}/${name}`;
    await Deno.writeTextFile(path, text);
    return path;
  };
  const stateOf = async (pod: string) => JSON.parse(await podman("pod", "inspect", pod))[0].State;
  await podman("pull", "-q", "--tls-verify=false", image);

  await t.step("pod: create, ps, exists, inspect, start, top, stats, logs", async () => {
    const id = (await podman("pod", "create", "--name=shop", "--label=a=b", "--share=ipc,net,uts")).trim();
    assertStringIncludes(await refused("pod", "create", "--name=shop"), "pod already exists");
    assertEquals(await podman("pod", "ps", "-q", "--no-trunc", "--filter", "label=a=b"), `${id}\n`);
    await podman("pod", "exists", "shop");
    await refused("pod", "exists", "none");
    await podman("create", "--pod=shop", "--name=web", image, "sh", "-c", "echo said; exec sleep 1000");
    await podman("pod", "start", "shop");
    assertEquals(await stateOf("shop"), "Running");
    assertStringIncludes(await podman("pod", "top", "shop", "comm"), "sleep");
    const usage: { Pod: string; Name: string }[] = JSON.parse(
      await podman("pod", "stats", "--no-stream", "--format=json", "shop"),
    );
    assertEquals(usage.find(({ Name }) => Name === "web")?.Pod, id.slice(0, 12));
    await until(async () => assertStringIncludes(await podman("pod", "logs", "-c", "web", "shop"), "said"));
  });
  await t.step("run --pod: in a pod that is there, and in a new one", async () => {
    const shown = await podman("run", "--rm", "--pod=shop", image, "hostname");
    assertEquals(shown, "shop\n");
    await podman("run", "-d", "--pod=new:fresh", "--name=inside", image, "sleep", "1000");
    assertEquals(await stateOf("fresh"), "Running");
    await podman("pod", "rm", "-f", "-t", "0", "fresh");
  });
  await t.step("pod: pause, unpause, restart, kill, stop, prune, rm", async () => {
    await podman("pod", "pause", "shop");
    assertEquals(await stateOf("shop"), "Paused");
    await podman("pod", "unpause", "shop");
    await podman("pod", "restart", "shop");
    assertEquals(await stateOf("shop"), "Running");
    await podman("pod", "kill", "shop");
    await until(async () => assertEquals(await stateOf("shop"), "Exited"));
    await podman("pod", "start", "shop");
    await podman("pod", "stop", "-t", "0", "shop");
    assertEquals(await stateOf("shop"), "Exited");
    assertMatch(await podman("pod", "prune", "-f"), /^[0-9a-f]{64}\n$/);
    assertStringIncludes(await refused("pod", "rm", "shop"), "no such pod");
    await podman("pod", "create", "--name=last");
    await podman("pod", "rm", "last");
  });
  await t.step("kube: play, generate, down", async () => {
    const file = await write(
      "web.yaml",
      `apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - {name: c, image: ${image}, command: [sleep, "1000"], env: [{name: WORD, value: "1"}]}
`,
    );
    assertMatch(await podman("kube", "play", file), /Pod:\n[0-9a-f]{64}\nContainer:\n[0-9a-f]{64}\n/);
    assertStringIncludes(await refused("kube", "play", file), "pod already exists");
    await podman("kube", "play", "--replace", file);
    const generated = await podman("kube", "generate", "-t", "deployment", "web");
    assertStringIncludes(generated, "kind: Deployment");
    const copy = await write("copy.yaml", await podman("kube", "generate", "web"));
    assertStringIncludes(await podman("kube", "down", file), "Pods removed:");
    await podman("kube", "play", copy);
    assertEquals(await stateOf("web"), "Running");
    await podman("kube", "down", "--force", copy);
    assertEquals(await podman("pod", "ps", "-q"), "");
  });
  await t.step("kube apply: hands a pod and its service to a cluster", async () => {
    await using cluster = await startCluster();
    await podman("pod", "create", "--name=given", "-p", "8080");
    await podman("create", "--pod=given", "--name=given-c", image, "sleep", "1000");
    const config = await write(
      "kubeconfig",
      `clusters: [{name: c, cluster: {server: "${cluster.server}"}}]\nusers: [{name: u, user: {token: ${TOKENS.admin}}}]\n`,
    );
    const how = ["kube", "apply", "--kubeconfig", config, "--ns=shop"];
    const ca = `--ca-cert-file=${cluster.folder}/ca.pem`;
    assertStringIncludes(await podman(...how, ca, "--service", "given"), "Successfully deployed workloads to cluster!");
    assertEquals([...cluster.objects.keys()], [
      "/api/v1/namespaces/shop/services/given",
      "/api/v1/namespaces/shop/pods/given",
    ]);
    // This client looks at no status of the answer: it tells of success, but a server that is not trusted got nothing.
    await podman(...how, "given");
    assertEquals(cluster.requests.length, 2);
    await podman("pod", "rm", "-f", "-t", "0", "given");
  });
  await t.step("generate systemd: of a container and of a pod", async () => {
    await podman("pod", "create", "--name=units");
    await podman("create", "--pod=units", "--name=one", image, "sleep", "1000");
    assertStringIncludes(await podman("generate", "systemd", "--name", "one"), "[Service]");
    assertStringIncludes(await podman("generate", "systemd", "--name", "units"), "pod-units.service");
    await podman("pod", "rm", "-f", "-t", "0", "units");
  });
});
