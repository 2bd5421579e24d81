/** Projects and lists of images in registries on loopback: the client reaches those itself, and has images pushed and resolved by the server. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { BUILDX_PLUGIN, COMPOSE_PLUGIN } from "../../../scripts/later_debian/client_programs.ts";
import { startRegistry } from "../../fixtures/images/registry.ts";
import { ok, run } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("docker compose publish and docker buildx imagetools, with registries on loopback", async (t) => {
  await using session = await Session.start();
  const { server, image } = session;
  const registry = await startRegistry({ tls: true });
  try {
    const config = `${server.folder}/docker`;
    await Deno.mkdir(`${config}/cli-plugins`, { recursive: true });
    for (const plugin of [BUILDX_PLUGIN, COMPOSE_PLUGIN]) {
      await Deno.symlink(plugin, `${config}/cli-plugins/${plugin.slice(plugin.lastIndexOf("/") + 1)}`);
    }
    await Deno.writeTextFile(`${config}/ca.pem`, registry.ca!);
    const env = {
      DOCKER_CONFIG: config,
      DOCKER_HOST: server.addresses[0],
      HOME: server.folder,
      SSL_CERT_FILE: `${config}/ca.pem`,
    };
    const folder = `${server.folder}/published`;
    await Deno.mkdir(folder);
    const docker = async (...args: string[]) =>
      ok(await run(["docker", ...args], { cwd: folder, env }), args.join(" "));
    const web = `${registry.host}/shop/web:1`;
    await Deno.writeTextFile(`${folder}/Dockerfile`, `FROM ${image}\nLABEL part=web\n`);
    const services = { web: { image: web, build: ".", command: ["echo", "published"], network_mode: "none" } };
    await Deno.writeTextFile(`${folder}/compose.yaml`, JSON.stringify({ name: "shop", services }));
    const project = `${registry.host}/shop/project`;

    await t.step("compose publish pushes the images of a project, and the project", async () => {
      await docker("pull", "-q", image);
      await docker("compose", "build");
      await docker("compose", "publish", "-y", `${project}:1`);
      await docker("image", "rm", "-f", web);
      const from = ["compose", "-f", `oci://${project}:1`];
      await docker(...from, "pull");
      assertStringIncludes(await docker(...from, "run", "--rm", "web"), "published");
      assertEquals(JSON.parse(await docker("image", "inspect", web))[0].Config.Labels.part, "web");
      await docker(...from, "down");
    });
    await t.step("with --resolve-image-digests the project names them as the server tells", async () => {
      await docker("compose", "publish", "-y", "--resolve-image-digests", `${project}:2`);
      const text = await docker("compose", "-f", `oci://${project}:2`, "config", "--images");
      const { Descriptor: { digest } } = await (await server.request("GET", `/v1.50/distribution/${web}/json`)).json();
      assertEquals(text.trim(), `${web}@${digest}`);
    });
    await t.step("buildx imagetools makes a list of an image, which the server pulls", async () => {
      const list = image.replace(/:latest$/, ":list");
      await docker("buildx", "imagetools", "create", "-t", list, image);
      const raw = JSON.parse(await docker("buildx", "imagetools", "inspect", "--raw", list));
      assertMatch(raw.mediaType, /manifest\.list\.v2|image\.index\.v1/);
      assertEquals(raw.manifests.length, 1);
      await docker("pull", "-q", list);
      const digests: string[] = JSON.parse(await docker("image", "inspect", list))[0].RepoDigests;
      const { digest } = JSON.parse(
        await docker("buildx", "imagetools", "inspect", list, "--format", "{{json .Manifest}}"),
      );
      assert(digests.some((name) => name.endsWith(`@${digest}`)), `${digests}: no ${digest}`);
    });
  } finally {
    await registry.close();
  }
});
