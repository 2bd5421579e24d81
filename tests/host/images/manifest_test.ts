/** Manifest lists by Debian's podman, against a real registry, and what skopeo finds there. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { buildImage, buildIndex, pushImage } from "../../fixtures/images/image_builder.ts";
import { ok, run } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("podman manifest makes a list of the store's and a registry's images and pushes it", async () => {
  await using session = await Session.shared();
  const { server, image, registry: { host, url } } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" ")).trim();
  const arm = buildImage({
    layers: [{ entries: [{ type: "file", path: "arm", content: "x" }] }],
    architecture: "arm64",
    variant: "v8",
  });
  const s390x = buildImage({ layers: [], architecture: "s390x", format: "docker" });
  await pushImage(url, "src/multi:1", buildIndex([arm, s390x]));
  const own = await podman("pull", "-q", image);

  const id = await podman("manifest", "create", "mine");
  assertStringIncludes((await server.podman("manifest", "create", "mine")).stderr, "that name is already in use");
  assertEquals([
    (await server.podman("manifest", "exists", "mine")).code,
    (await server.podman("manifest", "exists", "no")).code,
  ], [
    0,
    1,
  ]);
  assertEquals(await podman("manifest", "add", "mine", image), id);
  await podman("manifest", "add", "--all", "mine", `docker://${host}/src/multi:1`);
  await podman(
    "manifest",
    "add",
    "--os",
    "linux",
    "--arch",
    "riscv64",
    "mine",
    `docker://${host}/src/multi@${arm.digest}`,
  );
  const { manifests } = JSON.parse(await podman("manifest", "inspect", "mine"));
  const platforms = manifests.map(({ platform }: { platform: { architecture: string } }) => platform.architecture);
  assertEquals(platforms.length, 3);
  assertEquals(platforms.slice(1), ["s390x", "riscv64"]);

  await podman("manifest", "push", "--all", "mine", `docker://${host}/out/list:1`);
  const raw = JSON.parse(
    ok(await run(["skopeo", "inspect", "--raw", "--tls-verify=false", `docker://${host}/out/list:1`])),
  );
  assertEquals(raw.manifests.length, 3);
  for (const { digest } of raw.manifests) {
    ok(await run(["skopeo", "inspect", "--raw", "--tls-verify=false", `docker://${host}/out/list@${digest}`]));
  }
  await podman("manifest", "remove", "mine", manifests[1].digest);
  assertEquals(JSON.parse(await podman("manifest", "inspect", "mine")).manifests.length, 2);
  assertEquals(await podman("run", "--rm", "--network=none", "mine", "cat", "/layers/kept"), "kept");
  assertStringIncludes(await podman("manifest", "rm", "mine"), id);
  assertEquals(await podman("images", "-q", "--no-trunc"), `sha256:${own}`);
});
