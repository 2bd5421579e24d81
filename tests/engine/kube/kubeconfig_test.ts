import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { readKubeconfig } from "../../../lib/engine/kube/apply/kubeconfig.ts";

const PEM = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const FILES: Record<string, string> = {
  "ca.pem": PEM,
  "/abs/own.pem": PEM,
  token: "from-file\n",
  "junk": "root:x:0:0",
};
const readText = (path: string) => {
  if (Object.hasOwn(FILES, path)) return Promise.resolve(FILES[path]);
  return Promise.reject(new EngineError("no_such_file", `file does not exist: "${path}"`));
};

/** A kubeconfig with one cluster and one user. */
function config(cluster: string, user = "", rest = ""): string {
  return `clusters: [{name: c, cluster: {${cluster}}}]\nusers: [{name: u, user: {${user}}}]\n${rest}`;
}

const SERVER = "server: 'https://c:6443'";

Deno.test("readKubeconfig() reads the cluster and user of the current context, and its namespace", async () => {
  const text = `apiVersion: v1
kind: Config
current-context: two
contexts:
- {name: one, context: {cluster: a, user: x}}
- {name: two, context: {cluster: b, user: y, namespace: shop}}
clusters:
- {name: a, cluster: {server: "https://a"}}
- {name: b, cluster: {server: "https://b:6443/base/", certificate-authority-data: ${btoa(PEM)}}}
users:
- {name: x, user: {exec: {command: nothing-of-this-context}}}
- {name: y, user: {token: abc}}
`;
  assertEquals(await readKubeconfig(text, readText), {
    server: "https://b:6443/base",
    tls: { ca: PEM, caOnly: true },
    authorization: "Bearer abc",
    namespace: "shop",
  });
});

Deno.test("readKubeconfig() takes the first cluster and user where no context is current, and reads the files they name", async () => {
  const user = "client-certificate: /abs/own.pem, client-key: /abs/own.pem, tokenFile: token, token: stale";
  const access = await readKubeconfig(config(`${SERVER}, certificate-authority: ca.pem`, user), readText);
  assertEquals(access, {
    server: "https://c:6443",
    tls: { ca: PEM, caOnly: true, cert: PEM, key: PEM },
    authorization: "Bearer from-file",
    namespace: undefined,
  });
  const basic = await readKubeconfig(config(SERVER, "username: a, password: ä"), readText);
  assertEquals([basic.authorization, basic.tls], ["Basic YTrDpA==", {}]);
});

Deno.test("readKubeconfig() has a caller's certificates, or its insecure, stand in for those of the file", async () => {
  const tlsOf = async (cluster: string, file?: string) =>
    (await readKubeconfig(config(`${SERVER}, ${cluster}`), readText, file)).tls;
  assertEquals(await tlsOf("insecure-skip-tls-verify: true"), { insecure: true });
  assertEquals(await tlsOf("certificate-authority: missing.pem", "/abs/own.pem"), { ca: PEM, caOnly: true });
  assertEquals(await tlsOf("certificate-authority: missing.pem", "Insecure"), { insecure: true });
  assertEquals(await tlsOf("insecure-skip-tls-verify: true", "ca.pem"), { ca: PEM, caOnly: true });
});

const WRONG: readonly [why: string, text: string, message: string, code?: string][] = [
  ["exec", config(SERVER, "exec: {command: aws}"), "users[0].user.exec is refused: no program is run", "unsupported"],
  ["auth-provider", config(SERVER, "auth-provider: {name: gcp}"), "auth-provider is refused", "unsupported"],
  ["as", config(SERVER, "as: root, token: x"), "user.as is refused: nobody is impersonated", "unsupported"],
  ["proxy", config(`${SERVER}, proxy-url: 'http://p'`), "clusters[0].cluster.proxy-url is refused", "unsupported"],
  ["tls-server-name", config(`${SERVER}, tls-server-name: x`), "tls-server-name is refused", "unsupported"],
  ["no TLS", config("server: 'http://c'"), "clusters[0].cluster.server must be https"],
  ["no address", config("server: c"), "server must be an address as https://host:port"],
  ["a password in the address", config("server: 'https://a:b@c'"), "server must be an address"],
  ["no server", config(""), "cluster.server is missing"],
  ["no clusters", "kind: Config", "clusters has no cluster"],
  ["a context that is not there", "current-context: x", 'contexts has none called "x"'],
  ["a certificate without a key", config(SERVER, "client-certificate: ca.pem"), "needs a certificate and its key"],
  ["data that is not base64", config(`${SERVER}, certificate-authority-data: '!'`), "must be base64"],
  [
    "data that is not PEM",
    config(`${SERVER}, certificate-authority-data: AAAA`),
    "certificate-authority-data is not PEM",
  ],
  ["a file that is not there", config(SERVER, "tokenFile: nowhere"), 'file does not exist: "nowhere"', "no_such_file"],
  ["a token of two lines", config(SERVER, 'token: "a\\nb"'), "user.token must be one line"],
  [
    "trust and none",
    config(`${SERVER}, certificate-authority: ca.pem, insecure-skip-tls-verify: true`),
    "goes with no",
  ],
  ["aliases without end", `a: &a [1]\nb: [${"*a,".repeat(200)}]`, "aliases", "limit"],
  ["a text that is too long", `# ${"x".repeat(1 << 20)}\nkind: Config`, "longer than", "limit"],
  ["no mapping", "- 1", "it must be one mapping"],
];

Deno.test("readKubeconfig() refuses what cannot be, and programs, by the field's path", async (t) => {
  for (const [why, text, message, code = "invalid"] of WRONG) {
    await t.step(why, async () => {
      const error = await assertRejects(() => readKubeconfig(text, readText), EngineError);
      assertStringIncludes(error.message, message);
      assertEquals(error.code, code);
    });
  }
});

Deno.test("readKubeconfig() never quotes a file that is no kubeconfig", async () => {
  for (const text of ["root:$6$secret:1::\nb: c: d", "root $6$secret", "{a: $6$secret", "key: *secret"]) {
    const error = await assertRejects(() => readKubeconfig(text, readText), EngineError);
    assertEquals(error.message.includes("secret"), false, error.message);
  }
  const error = await assertRejects(
    () => readKubeconfig(config(`${SERVER}, certificate-authority: junk`), readText),
    EngineError,
  );
  assertEquals(error.message.includes("root:x"), false, error.message);
});
