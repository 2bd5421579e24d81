/** Results of builds that engines share through a registry. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ContextFolder } from "../../fixtures/build/context_folder.ts";
import { registriesConf } from "../../fixtures/images/registry.ts";
import { ok } from "../../fixtures/run.ts";
import { Server } from "../../fixtures/server.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("a build finds in a repository what another engine has made, and sends there what it makes", async (t) => {
  await using session = await Session.start();
  const { server: first, image, registry } = session;
  await using second = await Server.start({ registries: registriesConf(registry.host) });
  const cache = `${registry.host}/team/cache`;
  await using context = await ContextFolder.make({
    "Dockerfile": [
      `FROM ${image}`,
      "ARG WHO=nobody",
      "ENV GREETING=hello",
      "RUN date +%s%N > /made; echo $GREETING $WHO >> /made",
      "COPY file /file",
      "RUN cat /file >> /made",
      "CMD cat /made",
      "",
    ].join("\n"),
    "file": "one\n",
  });
  const build = async (server: Server, query: Record<string, string | string[]>) => {
    const params = new URLSearchParams({ networkmode: "none", t: "app" });
    for (const [name, value] of Object.entries(query)) {
      params.set(name, typeof value === "string" ? value : JSON.stringify(value));
    }
    const tar = new Uint8Array(
      (await new Deno.Command("tar", { args: ["-C", context.path, "-c", "."] }).output()).stdout,
    );
    const response = await server.request("POST", `/v5.0.0/libpod/build?${params}`, {
      raw: tar,
      headers: { "content-type": "application/x-tar" },
    });
    return await response.text();
  };
  const shown = async (server: Server) => ok(await server.podman("run", "--rm", "--network=none", "app"));

  await t.step("the second engine runs no command that the first one ran", async () => {
    const made = await build(first, { cacheto: [cache], cachefrom: [cache] });
    assertMatch(made, /Successfully tagged/);
    const out = await build(second, { cachefrom: [`${cache}:whatever`] });
    assertEquals(out.match(/Using cache/g)?.length, 3, out);
    assertEquals(await shown(second), await shown(first), "the time in the file is the first engine's");
    const names = ok(await second.podman("images", "-a", "--format", "{{.Repository}}"));
    assert(!names.includes("team/cache"), "tags of the cache are no names here");
  });
  await t.step("what differs is made, and the rest is found", async () => {
    await context.write("file", "two\n");
    const out = await build(second, { cachefrom: [cache], cacheto: [cache] });
    assertMatch(out, /Successfully tagged/);
    assertEquals((await shown(second)).split("\n").slice(1), ["hello nobody", "two", ""]);
    await first.podman("rmi", "-af");
    const again = await build(first, { cachefrom: [cache] });
    assertMatch(again, /Successfully tagged/);
    assertEquals(await shown(first), await shown(second));
  });
  await t.step("podman build --cache-to and --cache-from", async () => {
    await context.write("Dockerfile", `FROM ${image}\nRUN date +%s%N > /made\nCMD cat /made\n`);
    const caches = ["--cache-to", `${registry.host}/other/cache`, "--cache-from", `${registry.host}/other/cache`];
    for (const server of [first, second]) {
      const built = await server.podman("build", "--layers", "-t", "app", ...caches, context.path);
      assertEquals(built.code, 0, built.stdout + built.stderr);
    }
    assertEquals(await shown(first), await shown(second));
  });
  await t.step("a cache that cannot be asked is left out, and one that cannot be written fails the build", async () => {
    await second.request("POST", "/v1.44/build/prune?all=1");
    const out = await build(second, { cachefrom: ["127.0.0.1:1/no/cache"] });
    assertStringIncludes(out, "The cache in 127.0.0.1:1/no/cache is left out");
    assertEquals(out.match(/is left out/g)?.length, 1, "it is asked once");
    assertMatch(out, /Successfully tagged/);
    assertMatch(await build(second, { cacheto: ["127.0.0.1:1/no/cache"] }), /"error":".*127\.0\.0\.1:1/);
    assertMatch(await build(second, { cacheto: ["NO:NAME:"] }), /the cache \\"NO:NAME:\\" is no repository/);
  });
});
