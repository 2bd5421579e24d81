/** The parameters of a play, the forms of its body, and deployments that cannot play. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { tarStream } from "../../../lib/oci/tar/tar_entries.ts";
import { openTestEngine, type TestEngine, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

const POD =
  `{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {app: p}}, spec: {containers: [{name: c, image: "${TINY_NAME}", ports: [{containerPort: 80}, {containerPort: 81, hostPort: 8081}]}]}}`;

async function play(test: TestEngine, query: string, body: BodyInit = POD, type = "text/plain") {
  const init = { method: "POST", body, headers: { "content-type": type } };
  const reply = await test.serve(new Request(`http://d/v5.0.0/libpod/kube/play${query}`, init));
  return { status: reply.status, body: await reply.json() };
}

/** The infra container of the pod, and its only other one. */
function members({ engine: { pods } }: TestEngine) {
  return pods.membersOf(pods.resolve("p"));
}

Deno.test("KubePlay takes the parameters of networks, ports, users, logs and annotations", async () => {
  await using test = await openTestEngine();
  await test.engine.networks.create({ name: "lan", subnets: [{ subnet: "10.77.0.0/24" }] });
  const query = [
    "network=lan&staticIPs=10.77.0.9&staticMACs=AA-bb-cc-dd-ee-ff",
    "publishPorts=9000:81&publishAllPorts=true&noHosts=true&noHostname=true",
    "logDriver=k8s-file&logOptions=max-size%3D10k&annotations=%7B%22a%22%3A%22b%22%7D&noPodPrefix=true&start=false",
  ];
  const played = await play(test, `?${query.join("&")}`);
  assertEquals(played.status, 200, JSON.stringify(played.body));
  const [infra, main] = members(test);
  assertEquals([infra.networks.lan.staticIPs, infra.networks.lan.mac], [["10.77.0.9"], "aa:bb:cc:dd:ee:ff"]);
  const ports = infra.ports.map(({ hostPort, containerPort }) => [hostPort, containerPort]);
  assertEquals(ports, [[9000, 81], [80, 80]], "a port that is published already gives way");
  assertEquals([infra.spec.noHosts, infra.spec.noHostname], [true, true]);
  assertEquals([main.name, main.spec.annotations.a, main.spec.logSizeMax, main.state.status], [
    "c",
    "b",
    10_000,
    "created",
  ]);
});

Deno.test("KubePlay makes a user namespace, and a service container", async () => {
  await using test = await openTestEngine();
  const { status, body } = await play(test, "?userns=keep-id&serviceContainer=true");
  assertEquals(status, 200, JSON.stringify(body));
  const { pods, containers } = test.engine;
  const [infra] = members(test);
  assertEquals([infra.spec.namespaces.user?.mode, pods.resolve("p").shared.includes("user")], ["private", true]);
  const service = containers.resolve(body.ServiceContainerID);
  assertMatch(service.name, /^[0-9a-f]{12}-service$/);
  assertEquals([service.state.status, pods.isService(service.id)], ["running", true]);
  await pods.remove("p", { force: true });
  assertEquals(containers.list({ all: true }), []);
});

Deno.test("KubePlay refuses parameters that make no sense, before anything is made", async () => {
  await using test = await openTestEngine();
  const rows: [query: string, status: number, message: string][] = [
    ["?staticIPs=x", 400, "invalid IP address x"],
    ["?staticMACs=zz", 400, "address zz: invalid MAC address"],
    ["?annotations=x", 400, "it is no JSON map of texts"],
    ["?replace=maybe", 400, "is not a boolean"],
    ["?publishPorts=x", 500, 'playing YAML file: invalid port "x"'],
    ["?network=a:b=c", 500, 'unknown option "b" of network'],
    ["?network=absent", 500, "network not found"],
    ["?network=host&staticIPs=10.0.0.1", 500, "static ip addresses can only be set when the network mode is bridge"],
    ["?network=lan&network=other&staticIPs=10.0.0.1", 500, "for more than network"],
    ["?logOptions=x", 500, 'invalid log option "x"'],
    ["?logOptions=max-size%3Dmuch", 500, `invalid log option "max-size": invalid size: 'much'`],
    ["?userns=sideways", 501, 'mode "sideways"'],
    ["?serviceContainer=true&start=false", 500, "running a service container requires starting the pod(s)"],
  ];
  for (const [query, status, message] of rows) {
    const reply = await play(test, query);
    assertEquals(reply.status, status, `${query}: ${JSON.stringify(reply.body)}`);
    assertStringIncludes(reply.body.message, message);
  }
  assertEquals([test.engine.pods.list().length, test.engine.containers.list({ all: true }).length], [0, 0]);
});

Deno.test("KubePlay takes a tar with play.yaml, and refuses other bodies", async () => {
  await using test = await openTestEngine();
  const tar = async (name: string) => {
    const content = new TextEncoder().encode(POD);
    const files = (async function* () {
      yield { path: name, size: content.length, content };
    })();
    return await new Response(tarStream(files)).arrayBuffer();
  };
  assertEquals((await play(test, "", await tar("play.yaml"), "application/x-tar")).status, 200);
  const rows: [body: BodyInit, type: string, message: string][] = [
    [await tar("other.yaml"), "application/x-tar", "file not found: tar missing play.yaml file at root"],
    ["no tar", "application/x-tar", "reading the archive"],
    [POD, "image/png", 'Content-Type: image/png is not supported. Should be "application/x-tar"'],
    [new Uint8Array([0xff, 0xfe]), "application/yaml", "the YAML text is no UTF-8"],
    ["x".repeat(5 << 20), "application/yaml", "the YAML text is larger than"],
  ];
  for (const [body, type, message] of rows) {
    const reply = await play(test, "", body, type);
    assertEquals(reply.status, 500);
    assertStringIncludes(reply.body.message, `playing YAML file: ${message}`);
  }
});

Deno.test("KubePlay leaves nothing of a pod whose image is missing, and answers 501 where there is no host", async () => {
  await using test = await openTestEngine();
  const absent = POD.replace(TINY_NAME, "localhost:5000/absent:2");
  const refused = await play(test, "", absent);
  assertEquals([refused.status, test.engine.pods.list().length], [500, 0]);
  await using edge = await openTestEngine({ host: false });
  const reply = await play(edge, "");
  assertEquals([reply.status, edge.engine.pods.list().length], [501, 0]);
  assertStringIncludes(reply.body.message, "there is no kernel here");
  const generated = await test.send("GET", "/libpod/generate/kube?names=absent");
  assertEquals(generated.status, 500);
  assertStringIncludes((await generated.json()).message, 'generating YAML: name or ID "absent" not found');
  const applied = await edge.send("POST", "/libpod/kube/apply?kubeconfig=/k", POD);
  assertEquals(applied.status, 501);
  assertStringIncludes((await applied.json()).message, "there is no kernel here");
});
