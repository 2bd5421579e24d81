/** KubeApply against a stand-in for a cluster's API server, over real TLS on loopback; `fixtures/kube/cluster.ts` says what it is. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { startCluster, type TestCluster, TOKENS } from "../../fixtures/kube/cluster.ts";
import { openTestEngine } from "../../fixtures/handlers/test_engine.ts";
import { localFiles } from "../../../lib/platform/linux/local_files.ts";
import { hostNet } from "../../../lib/platform/net.ts";

const POD = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: c, image: i}]}}";
const OBJECTS = `${POD}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: shop}, spec: {replicas: 2}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: once}, spec: {}}
---
{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: each}, spec: {}}
---
{apiVersion: v1, kind: List, items: [
  {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}},
  {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {mode: fast}}]}
---
{apiVersion: v1, kind: Secret, metadata: {name: keys}, stringData: {token: s}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {}}
`;

/** Writes a kubeconfig into the cluster's folder, and returns its path. */
async function writeConfig({ folder, server }: TestCluster, user: string, cluster = "certificate-authority: ca.pem") {
  const path = `${folder}/config`;
  const text =
    `clusters: [{name: c, cluster: {server: "${server}", ${cluster}}}]\nusers: [{name: u, user: {${user}}}]\n`;
  await Deno.writeTextFile(path, text);
  return path;
}

async function openApplier(net = hostNet(), logged: string[] = []) {
  const log = (_: string, text: string) => void logged.push(text);
  const test = await openTestEngine({ pulled: false, net, localFiles: localFiles([]), log });
  return {
    async apply(kubeconfig: string, body: string, query = "") {
      const path = `/v5.0.0/libpod/kube/apply?kubeconfig=${encodeURIComponent(kubeconfig)}${query}`;
      const response = await test.send("POST", path, body);
      const text = await response.text();
      return { status: response.status, text, message: response.ok ? "" : String(JSON.parse(text).message) };
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

const NODE_TLS = { sanitizeOps: false, sanitizeResources: false };

Deno.test("KubeApply hands each kind of object to its path, pods last, and again without harm", NODE_TLS, async () => {
  await using cluster = await startCluster();
  await using engine = await openApplier();
  const config = await writeConfig(cluster, `token: ${TOKENS.admin}`);
  const first = await engine.apply(config, OBJECTS, "&namespace=shop");
  assertEquals([first.status, first.text], [200, "Deployed!\n"], first.text);
  assertEquals(cluster.requests.map(({ url }) => url.split("?")[0]), [
    "/api/v1/namespaces/shop/services/web",
    "/api/v1/namespaces/shop/configmaps/settings",
    "/api/v1/namespaces/shop/secrets/keys",
    "/api/v1/namespaces/shop/persistentvolumeclaims/data",
    "/api/v1/namespaces/shop/pods/web",
    "/apis/apps/v1/namespaces/shop/deployments/shop",
    "/apis/batch/v1/namespaces/shop/jobs/once",
    "/apis/apps/v1/namespaces/shop/daemonsets/each",
  ]);
  assertEquals(cluster.requests[0], {
    method: "PATCH",
    url: "/api/v1/namespaces/shop/services/web?fieldManager=gantry&fieldValidation=Strict",
    type: "application/apply-patch+yaml",
    user: "admin",
  });
  const again = await engine.apply(config, OBJECTS.replace("replicas: 2", "replicas: 3"), "&namespace=shop");
  assertEquals(again.status, 200, again.text);
  const deployment = cluster.objects.get("/apis/apps/v1/namespaces/shop/deployments/shop");
  assertEquals([deployment?.value.spec, cluster.objects.size], [{ replicas: 3 }, 8]);
});

Deno.test(
  "KubeApply shows a client certificate, from a file or from data, and trusts the named authority only",
  NODE_TLS,
  async () => {
    await using cluster = await startCluster();
    await using engine = await openApplier();
    const files = await writeConfig(cluster, "client-certificate: client.pem, client-key: client-key.pem");
    assertEquals((await engine.apply(files, POD)).status, 200);
    const { cert, key } = cluster.client;
    const data = await writeConfig(
      cluster,
      `client-certificate-data: ${btoa(cert)}, client-key-data: ${btoa(key)}`,
      `certificate-authority-data: ${btoa(cluster.ca)}`,
    );
    assertEquals((await engine.apply(data, POD)).status, 200);
    assertEquals(cluster.requests.map(({ user }) => user), ["certificate", "certificate"]);
    const bare = await writeConfig(cluster, `token: ${TOKENS.admin}`, "");
    const refused = await engine.apply(bare, POD);
    assertEquals(refused.status, 500);
    assertStringIncludes(refused.message, "certificate signed by unknown authority");
    const other = await engine.apply(bare, POD, `&caCertFile=${cluster.folder}/client.pem`);
    assertStringIncludes(other.message, "certificate signed by unknown authority");
    assertEquals(cluster.requests.length, 2, "nothing is sent to a server that is not trusted");
    assertEquals((await engine.apply(bare, POD, `&caCertFile=${cluster.folder}/ca.pem`)).status, 200);
    assertEquals((await engine.apply(bare, POD, "&caCertFile=insecure")).status, 200);
    const skips = await writeConfig(cluster, "username: admin, password: 'p:w'", "insecure-skip-tls-verify: true");
    assertEquals((await engine.apply(skips, POD)).status, 200);
  },
);

Deno.test(
  "KubeApply passes the Status objects of the server on, and says what was applied before",
  NODE_TLS,
  async (t) => {
    await using cluster = await startCluster();
    await using engine = await openApplier();
    const admin = await writeConfig(cluster, `token: ${TOKENS.admin}`);
    const rows: [why: string, user: string, body: string, query: string, message: string][] = [
      ["401", "token: wrong", POD, "", 'Pod "web": 401 Unauthorized: Unauthorized'],
      ["403", `token: ${TOKENS.viewer}`, POD, "", '403 Forbidden: pods "web" is forbidden: User "viewer" cannot patch'],
      ["404", `token: ${TOKENS.admin}`, POD, "&namespace=none", '404 NotFound: namespaces "none" not found'],
      [
        "404 of no API",
        `token: ${TOKENS.admin}`,
        POD.replace("v1, kind: Pod", "v1, kind: Job"),
        "",
        "404 page not found",
      ],
      [
        "400",
        `token: ${TOKENS.admin}`,
        POD.replace("spec: {", "spec: {odd: 1, "),
        "",
        "400 BadRequest: strict decoding",
      ],
      [
        "422 after others",
        `token: ${TOKENS.admin}`,
        `{apiVersion: v1, kind: ConfigMap, metadata: {name: m}}\n---\n${POD.replace("{name: c, image: i}", "")}`,
        "",
        '422 Invalid: Pod "web" is invalid: spec.containers: Required value (applied before it: ConfigMap "m")',
      ],
    ];
    for (const [why, user, body, query, message] of rows) {
      await t.step(why, async () => {
        const refused = await engine.apply(await writeConfig(cluster, user), body, query);
        assertEquals(refused.status, 500);
        assertStringIncludes(refused.message, "error applying YAML to k8s cluster: ");
        assertStringIncludes(refused.message, message);
      });
    }
    await t.step("409", async () => {
      await engine.apply(await writeConfig(cluster, `token: ${TOKENS.admin}`), POD);
      const pod = cluster.objects.get("/api/v1/namespaces/default/pods/web");
      pod?.owners.set(".spec.containers", "kubectl");
      const refused = await engine.apply(admin, POD.replace("image: i", "image: other"));
      assertEquals(refused.status, 500);
      assertStringIncludes(refused.message, '409 Conflict: Apply failed with 1 conflict: conflict with "kubectl"');
    });
  },
);

Deno.test("KubeApply refuses what cannot be applied before it sends anything", NODE_TLS, async (t) => {
  await using cluster = await startCluster();
  await using engine = await openApplier();
  const config = await writeConfig(cluster, `token: ${TOKENS.admin}`);
  const rows: [why: string, config: string, body: string, query: string, message: string][] = [
    ["an empty text", config, "", "", "yaml file provided is empty"],
    ["no kubeconfig", "", POD, "", "kubeconfig not given"],
    ["a kubeconfig that is not there", `${cluster.folder}/none`, POD, "", "file does not exist"],
    ["a folder", cluster.folder, POD, "", "is a folder"],
    ["a relative path", "config", POD, "", "path is not absolute"],
    ["a file of the kernel", "/proc/self/environ", POD, "", "may not be read"],
    [
      "another kind",
      config,
      `${POD}\n---\n{apiVersion: v1, kind: Node, metadata: {name: n}}`,
      "",
      "unsupported Kubernetes kind",
    ],
    ["no name", config, POD.replace("name: web", "generateName: web-"), "", "metadata.name is missing"],
    [
      "a name that leads elsewhere",
      config,
      POD.replace("name: web", "name: ../x"),
      "",
      "metadata.name must be lower case",
    ],
    ["two namespaces", config, POD.replace("name: web", "name: web, namespace: a"), "&namespace=b", 'namespace is "a"'],
    ["a namespace that leads elsewhere", config, POD, "&namespace=a%2Fb", 'the namespace "a/b" cannot be one'],
    ["no version", config, POD.replace("apiVersion: v1, ", ""), "", "apiVersion is missing"],
  ];
  for (const [why, path, body, query, message] of rows) {
    await t.step(why, async () => {
      const refused = await engine.apply(path, body, query);
      assertEquals(refused.status, 500, refused.text);
      assertStringIncludes(refused.message, message);
    });
  }
  const program = await engine.apply(await writeConfig(cluster, "exec: {command: aws}"), POD);
  assertEquals(program.status, 501);
  assertStringIncludes(program.message, "users[0].user.exec is refused");
  assertEquals(cluster.requests, []);
});

Deno.test("KubeApply follows no redirect, reads answers within bounds, and logs a server's warnings", async () => {
  const ca = "insecure-skip-tls-verify: true";
  const folder = await Deno.makeTempDir();
  try {
    const cluster = { folder, server: "https://c.example" } as TestCluster;
    const config = await writeConfig(cluster, "token: t", ca);
    const answers: Record<string, () => Response> = {
      moved: () => new Response(null, { status: 307, headers: { location: "https://evil.example/" } }),
      large: () => new Response("x".repeat(5 << 20), { status: 500 }),
      fine: () => new Response("{}", { headers: { warning: '299 - "spec.a: say \\"b\\"", 299 - "old"' } }),
    };
    const seen: string[] = [];
    const logged: string[] = [];
    const net = {
      fetch(request: Request) {
        seen.push(request.url);
        return Promise.resolve(answers[new URL(request.url).pathname.split("/").at(-1) ?? ""]());
      },
    };
    await using engine = await openApplier(net, logged);
    const apply = (name: string) => engine.apply(config, POD.replace("web", name));
    assertStringIncludes((await apply("moved")).message, "307 a redirect, which is not followed");
    assertStringIncludes((await apply("large")).message, "500 with an answer that cannot be read");
    assertEquals((await apply("fine")).status, 200);
    assertEquals(seen.length, 3);
    assertEquals(logged, ['Apply: Pod "fine": spec.a: say "b"', 'Apply: Pod "fine": old']);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
