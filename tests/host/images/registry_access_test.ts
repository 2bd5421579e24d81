/** How a server finds its way into registries: password files, certificates, logins, mirrors and short names. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { BUILDX_PLUGIN } from "../../../scripts/later_debian/client_programs.ts";
import { startBadRegistry } from "../../fixtures/images/bad_registry.ts";
import { busyboxImage, pushImage } from "../../fixtures/images/image_builder.ts";
import { registriesConf, REGISTRY_USER, startRegistry } from "../../fixtures/images/registry.ts";
import { ok, run } from "../../fixtures/run.ts";
import { Server } from "../../fixtures/server.ts";

Deno.test("a server uses its own auth.json and certs.d, and tells whether a login is good", async (t) => {
  const registry = await startRegistry({ auth: true, tls: true });
  const folder = await Deno.makeTempDir({ prefix: "gantry-access-" });
  try {
    await Deno.mkdir(`${folder}/certs/${registry.host}`, { recursive: true });
    await Deno.writeTextFile(`${folder}/certs/${registry.host}/ca.crt`, registry.ca ?? "");
    const { username, password } = REGISTRY_USER;
    const auths = { [registry.host]: { auth: btoa(`${username}:${password}`) } };
    await Deno.writeTextFile(`${folder}/auth.json`, JSON.stringify({ auths }));
    await using server = await Server.start({
      registries: 'unqualified-search-registries = ["docker.io"]\n',
      args: [`--auth-file=${folder}/auth.json`, `--certs-dir=${folder}/certs`],
    });

    const image = busyboxImage();
    await t.step("images go in and out with neither credential nor --tls-verify=false", async () => {
      const source = await startRegistry({ auth: false });
      try {
        await pushImage(source.url, "bb:1", image);
        ok(await server.podman("pull", "-q", "--tls-verify=false", `${source.host}/bb:1`));
        ok(await server.podman("push", "-q", `${source.host}/bb:1`, `${registry.host}/guarded/bb:1`));
        ok(await server.podman("rmi", `${source.host}/bb:1`));
      } finally {
        await source.close();
      }
      assertEquals(ok(await server.podman("pull", "-q", `${registry.host}/guarded/bb:1`)).trim(), image.id);
    });

    await t.step("docker login asks the registry, through the server", async () => {
      const login = (word: string) =>
        server.docker("--config", `${folder}/docker`, "login", "-u", username, "-p", word, registry.host);
      assertStringIncludes(ok(await login(password)), "Login Succeeded");
      const wrong = await login("wrong");
      assertEquals(wrong.code, 1);
      assertStringIncludes(wrong.stderr, "failed with status: 401 Unauthorized");
    });

    await t.step("a wrong password of the caller's is not mended by the server's", async () => {
      const refused = await server.podman("pull", "-q", "--creds", `${username}:no`, `${registry.host}/guarded/bb:1`);
      assertStringIncludes(refused.stderr, "authentication required");
    });
  } finally {
    await registry.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("mirrors, aliases, wildcards and blocked registries of registries.conf and its drop-ins lead where they should", async () => {
  const registry = await startRegistry();
  const image = busyboxImage();
  await pushImage(registry.url, "mirror/team/app:1", image);
  await pushImage(registry.url, "wild/app:1", image);
  const folder = await Deno.makeTempDir({ prefix: "gantry-conf-" });
  try {
    await Deno.mkdir(`${folder}/registries.conf.d`);
    await Deno.writeTextFile(
      `${folder}/registries.conf.d/10-more.conf`,
      `
[[registry]]
prefix = "*.example.com"
location = "${registry.host}/wild"
insecure = true
[[registry]]
location = "shut.example"
blocked = true
[aliases]
shorty = "far.example/team/app"
`,
    );
    await using server = await Server.start({
      folder,
      args: ["--no-docker-hub"],
      registries: `${registriesConf(registry.host)}
[[registry]]
location = "far.example"
[[registry.mirror]]
location = "${registry.host}/mirror"
insecure = true
`,
    });
    assertEquals(ok(await server.podman("pull", "-q", "shorty:1")).trim(), image.id);
    assertEquals(ok(await server.podman("pull", "-q", "any.example.com/app:1")).trim(), image.id);
    const names = ok(await server.podman("images", "--format", "{{.Repository}}:{{.Tag}}")).trim().split("\n").sort();
    assertEquals(names, ["any.example.com/app:1", "far.example/team/app:1"]);
    const blocked = await server.podman("pull", "-q", "shut.example/app");
    assertStringIncludes(blocked.stderr, "registry shut.example is blocked in");
    const resolved = await server.request("GET", "/v5.0.0/libpod/images/shorty/resolve");
    assertEquals(await resolved.json(), { Names: ["far.example/team/app:latest"] });
    // By --no-docker-hub they lead there in Docker's API too. Not asked by its CLI: since 28 that writes docker.io/ itself in a pull.
    const pulled = await server.request("POST", "/images/create?fromImage=mirror/team/app&tag=1");
    assertStringIncludes(await pulled.text(), "Download complete");
    assertEquals((await server.podman("image", "exists", `${registry.host}/mirror/team/app:1`)).code, 0);
  } finally {
    await registry.close();
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
});

Deno.test("a password given on the command line reaches the registry, and neither its mirror nor the store of its blobs", async () => {
  const image = busyboxImage();
  const basic = { username: "ann", password: "the-password" };
  const store = await startBadRegistry(image);
  // It asks for a password, as a mirror that wants to know one would, and has nothing.
  const mirror = await startBadRegistry(image, { basic: { ...basic, password: "another" } });
  const registry = await startBadRegistry(image, { basic, redirectBlobs: store.url });
  const folder = await Deno.makeTempDir({ prefix: "gantry-mirror-" });
  try {
    const conf = `[[registry]]\nlocation = "${registry.host}"\ninsecure = true\n`;
    const server = await Server.start({
      registries: `${conf}[[registry.mirror]]\nlocation = "${mirror.host}"\ninsecure = true\n`,
      args: [`--auth-file=${folder}/auth.json`],
    });
    await using _ = server;
    const given = (from: typeof registry) =>
      [...new Set(from.requests.map(({ headers }) => headers.authorization))].map((text) =>
        text && atob(text.slice(6))
      );
    const creds = `${basic.username}:${basic.password}`;
    assertEquals(ok(await server.podman("pull", "-q", "--creds", creds, `${registry.host}/x:1`)).trim(), image.id);
    assertEquals([given(mirror), given(store)], [[undefined], [undefined]]);
    assertEquals(given(registry), [undefined, creds]);
    // What the server's own file holds under the mirror's name is for the mirror.
    const auths = { [mirror.host]: { auth: btoa("mirror:its-own") } };
    await Deno.writeTextFile(`${folder}/auth.json`, JSON.stringify({ auths }));
    assertEquals(ok(await server.podman("pull", "-q", "--creds", creds, `${registry.host}/x:2`)).trim(), image.id);
    assertEquals(given(mirror), [undefined, "mirror:its-own"]);
  } finally {
    for (const one of [store, mirror, registry]) await one.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Docker's tree reaches registries on loopback over plain HTTP and without a known certificate, Podman's as its client says", async (t) => {
  const image = busyboxImage();
  const plain = await startRegistry({ auth: true });
  const secure = await startRegistry({ tls: true });
  const folder = await Deno.makeTempDir({ prefix: "gantry-loopback-" });
  try {
    await pushImage(plain.url, "team/bb:1", image, plain.authorization);
    // Nothing is configured of either.
    await using server = await Server.start({ registries: 'unqualified-search-registries = ["docker.io"]\n' });
    const docker = async (...args: string[]) => ok(await server.docker("--config", `${folder}/docker`, ...args));
    const named = (host: string) => `localhost:${host.split(":")[1]}`;
    const { username, password } = REGISTRY_USER;
    for (const host of [plain.host, named(plain.host)]) {
      await t.step(`login, pull, distribution inspect, search and push of ${host.split(":")[0]}`, async () => {
        assertStringIncludes(await docker("login", "-u", username, "-p", password, host), "Login Succeeded");
        assertStringIncludes(await docker("pull", `${host}/team/bb:1`), "Downloaded newer image");
        const auth = btoa(JSON.stringify({ username, password, serveraddress: host }));
        const headers = { "X-Registry-Auth": auth };
        for (const version of ["", "/v1.41"]) {
          const path = `${version}/distribution/${host}/team/bb:1/json`;
          const inspected = await (await server.request("GET", path, { headers })).json();
          assertStringIncludes(JSON.stringify(inspected), image.digest);
        }
        assertStringIncludes(await docker("search", "--format", "{{.Name}}", `${host}/bb`), "team/bb");
        assertStringIncludes(await docker("push", `${host}/team/bb:1`), "digest: sha256:");
        await docker("rmi", `${host}/team/bb:1`);
      });
    }
    await t.step("both builders take FROM, and push, there", async () => {
      await Deno.mkdir(`${folder}/context`);
      await Deno.writeTextFile(`${folder}/context/Dockerfile`, `FROM ${named(plain.host)}/team/bb:1\nLABEL a=b\n`);
      await Deno.mkdir(`${folder}/docker/cli-plugins`);
      await Deno.symlink(BUILDX_PLUGIN, `${folder}/docker/cli-plugins/docker-buildx`);
      const env = { DOCKER_CONFIG: `${folder}/docker`, DOCKER_HOST: server.addresses[0], HOME: folder };
      const args = ["build", "-q", "-t", `${named(plain.host)}/team/new`, `${folder}/context`];
      for (const DOCKER_BUILDKIT of ["0", "1"]) {
        ok(await run(["docker", ...args], { env: { ...env, DOCKER_BUILDKIT } }));
        await docker("push", `${named(plain.host)}/team/new`);
        await docker("rmi", `${named(plain.host)}/team/new`);
      }
    });
    await t.step("a certificate that nobody knows is no matter there", async () => {
      await docker("pull", `${plain.host}/team/bb:1`);
      await docker("tag", `${plain.host}/team/bb:1`, `${secure.host}/team/bb:1`);
      await docker("push", `${secure.host}/team/bb:1`);
      await docker("rmi", `${secure.host}/team/bb:1`);
      assertStringIncludes(await docker("pull", `${secure.host}/team/bb:1`), `${secure.host}/team/bb:1`);
    });
    await t.step("podman asks for HTTPS unless it is told otherwise", async () => {
      const creds = `${username}:${password}`;
      const refused = await server.podman("pull", "-q", "--creds", creds, `${plain.host}/team/bb:1`);
      assertStringIncludes(refused.stderr, "server gave HTTP response to HTTPS client");
      ok(await server.podman("pull", "-q", "--creds", creds, "--tls-verify=false", `${plain.host}/team/bb:1`));
    });
  } finally {
    await plain.close();
    await secure.close();
    await Deno.remove(folder, { recursive: true });
  }
});
