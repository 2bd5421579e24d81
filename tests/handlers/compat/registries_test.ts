import { assertEquals, assertStringIncludes } from "@std/assert";
import { emptyRegistriesConf } from "../../../lib/oci/registry/registries_conf.ts";
import { openTestEngine, TINY, TINY_NAME } from "../../fixtures/handlers/test_engine.ts";

Deno.test("CompatAuth says whether a registry takes a credential, in Podman's words", async () => {
  await using test = await openTestEngine();
  const auth = async (body: unknown) => {
    const response = await test.send("POST", "/v1.40/auth", body);
    return { status: response.status, body: await response.json() };
  };
  const ann = { username: "ann", password: "pw" };
  for (const serveraddress of ["localhost:5000", "localhost:5000/", "https://localhost:5000/v1/"]) {
    const { status, body } = await auth({ ...ann, serveraddress });
    assertEquals([status, body], [200, { IdentityToken: "", Status: "Login Succeeded" }]);
  }
  const rows: [body: unknown, text: string][] = [
    [{ password: "pw", serveraddress: "localhost:5000" }, "cannot prompt for username without stdin"],
    [{ username: "ann", serveraddress: "localhost:5000" }, "reading password: inappropriate ioctl for device"],
    [{ ...ann, serveraddress: "no host" }, '"no host" is no registry'],
  ];
  for (const [body, text] of rows) {
    const answer = await auth(body);
    assertEquals(answer.status, 500);
    assertStringIncludes(answer.body.message, `failed with status: ${text}`);
  }
});

Deno.test("CompatInspectDistribution gives the descriptor and platforms of what a registry has", async () => {
  await using test = await openTestEngine({ pulled: false });
  const response = await test.send("GET", `/distribution/${TINY_NAME}/json`);
  assertEquals(await response.json(), {
    Descriptor: { mediaType: TINY.mediaType, digest: TINY.digest, size: TINY.manifest.length },
    Platforms: [{ architecture: "amd64", os: "linux" }],
  });
  assertEquals(test.engine.images.list(), []);
  const ask = async (name: string) => (await test.send("GET", `/distribution/${name}/json`)).status;
  assertEquals([await ask("localhost:5000/team/tiny:2"), await ask("Wrong"), await ask("localhost:5000/secret/x:1")], [
    404,
    400,
    401,
  ]);
});

Deno.test("CompatInspectDistribution takes a short name for Docker Hub's, or with dockerHub: false for what registries.conf says", async () => {
  const registries = { ...emptyRegistriesConf(), unqualifiedSearch: ["localhost:5000"] };
  const rows: [dockerHub: boolean | undefined, paths: string[]][] = [
    [undefined, ["https://registry-1.docker.io/v2/team/tiny"]],
    [false, ["https://localhost:5000/v2/team/tiny"]],
  ];
  for (const [dockerHub, asked] of rows) {
    await using test = await openTestEngine({ dockerHub, registries, pulled: false });
    const response = await test.send("GET", "/distribution/team/tiny:1/json");
    assertEquals((await response.json()).Descriptor.digest, TINY.digest);
    const repositories = test.requests.flatMap(({ url }) => /^.*\/v2\/.+(?=\/manifests\/1)/.exec(url) ?? []);
    assertEquals([...new Set(repositories)], asked);
  }
});
