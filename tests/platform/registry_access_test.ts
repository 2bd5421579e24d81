import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../lib/engine/errors.ts";
import { authFiles, fileCredentials, folderTLS } from "../../lib/platform/registry_access.ts";

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "gantry-access-" });
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("fileCredentials() gives the first file's credential for the longest key that fits", async () => {
  await withFolder(async (folder) => {
    const [first, second, gone] = ["first", "second", "gone"].map((name) => `${folder}/${name}.json`);
    const auth = (text: string) => ({ auth: btoa(text) });
    await Deno.writeTextFile(
      first,
      JSON.stringify({
        auths: {
          "quay.io": auth("q:1"),
          "quay.io/team": auth("t:2"),
          "https://index.docker.io/v1/": auth("d:p:w"),
          empty: {},
        },
        credHelpers: { "helped.io": "secretservice" },
      }),
    );
    await Deno.writeTextFile(
      second,
      JSON.stringify({
        auths: { "quay.io": auth("other:9"), "token.io": { identitytoken: "t" } },
        credsStore: "desktop",
      }),
    );
    const told: string[] = [];
    const credentials = fileCredentials([gone, first, second], (level, text) => told.push(`${level} ${text}`));
    const find = (registry: string, path: string) => credentials(registry, path, true);
    assertEquals(await find("quay.io", "app"), { username: "q", password: "1" });
    assertEquals(await find("quay.io", "team/app"), { username: "t", password: "2" });
    assertEquals(await find("quay.io", "teams/app"), { username: "q", password: "1" });
    assertEquals(await find("docker.io", "library/x"), { username: "d", password: "p:w" });
    assertEquals(await find("token.io", "x"), { identityToken: "t" });
    assertEquals([await find("helped.io", "x"), await find("helped.io", "y"), await find("empty", "x")], [
      undefined,
      undefined,
      undefined,
    ]);
    assertEquals(told.map((text) => text.replaceAll(folder, "")), [
      'warn /first.json leaves credentials of helped.io to "secretservice": credential helpers are not run',
      'warn /second.json leaves credentials of helped.io to "desktop": credential helpers are not run',
    ]);
    // Read anew each time: a login needs no restart.
    await Deno.writeTextFile(gone, JSON.stringify({ auths: { "quay.io": auth("new:1") } }));
    assertEquals((await find("quay.io", "app"))?.username, "new");
    await Deno.writeTextFile(gone, '{"auths": [1]');
    const error = await assertRejects(async () => await find("quay.io", "app"), EngineError);
    assertEquals([error.code, error.message.includes("[1]")], ["invalid", false]);
  });
});

Deno.test("authFiles() names the files of podman login and docker login", () => {
  assertEquals(authFiles({ REGISTRY_AUTH_FILE: "/x/auth.json" }, 0), ["/x/auth.json"]);
  const files = authFiles({ XDG_RUNTIME_DIR: "/r", XDG_CONFIG_HOME: "/c", DOCKER_CONFIG: "/d" }, 0);
  assertEquals(files, [
    "/r/containers/auth.json",
    "/run/containers/0/auth.json",
    "/c/containers/auth.json",
    "/d/config.json",
  ]);
  assertEquals(authFiles({}, 1000)[0], "/run/user/1000/containers/auth.json");
});

Deno.test("folderTLS() reads the certificates of the first folder that has the registry", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/a/quay.io`, { recursive: true });
    await Deno.mkdir(`${folder}/b/quay.io`, { recursive: true });
    await Deno.mkdir(`${folder}/b/127.0.0.1:5000`, { recursive: true });
    await Deno.mkdir(`${folder}/b/docker.io`, { recursive: true });
    await Deno.writeTextFile(`${folder}/b/quay.io/ca.crt`, "not this one");
    for (const name of ["one.crt", "two.crt", "client.cert", "client.key"]) {
      await Deno.writeTextFile(`${folder}/b/127.0.0.1:5000/${name}`, name);
    }
    await Deno.writeTextFile(`${folder}/b/docker.io/hub.crt`, "hub");
    const find = folderTLS([`${folder}/a`, `${folder}/b`]);
    assertEquals(await find("quay.io"), undefined);
    assertEquals(await find("127.0.0.1:5000"), { ca: "one.crt\ntwo.crt", cert: "client.cert", key: "client.key" });
    assertEquals(await find("registry-1.docker.io"), { ca: "hub" });
    assertEquals([await find("other"), await find("../b/quay.io"), await find("..")], [
      undefined,
      undefined,
      undefined,
    ]);
    await Deno.remove(`${folder}/b/127.0.0.1:5000/client.key`);
    const error = await assertRejects(() => find("127.0.0.1:5000"), EngineError);
    assertStringIncludes(error.message, '"client" needs both .cert and .key');
  });
});
