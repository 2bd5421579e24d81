/** Pushes by Debian's podman and the Docker CLI to a real registry, and what skopeo finds there. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ok, run } from "../../fixtures/run.ts";
import { REGISTRY_USER, startRegistry } from "../../fixtures/images/registry.ts";
import { Session } from "../../fixtures/session.ts";

/** What skopeo makes of an image in a registry: the digest of its manifest, and the manifest. */
async function skopeo(name: string, ...options: string[]) {
  const inspect = ["skopeo", "inspect", "--tls-verify=false", ...options];
  const { Digest } = JSON.parse(ok(await run([...inspect, `docker://${name}`])));
  const raw = JSON.parse(ok(await run([...inspect, "--raw", `docker://${name}`])));
  return {
    digest: Digest,
    type: raw.mediaType,
    layers: raw.layers?.map(({ mediaType }: { mediaType: string }) => mediaType),
  };
}

Deno.test("podman push and docker push send images that skopeo agrees with", async (t) => {
  await using session = await Session.shared();
  const { server, image, registry: { host } } = session;
  const id = ok(await server.podman("pull", "--quiet", image)).trim();
  const [{ Digest }] = JSON.parse(ok(await server.podman("image", "inspect", image)));

  await t.step("podman push keeps the digest, and tells of each blob", async () => {
    ok(await server.podman("tag", image, `${host}/new/one:v1`));
    const { stderr } = await server.podman("push", `${host}/new/one:v1`);
    assertMatch(stderr, /Copying config sha256:[0-9a-f]{64}\nWriting manifest to image destination/);
    assertEquals((await skopeo(`${host}/new/one:v1`)).digest, Digest);
  });

  await t.step("podman push --quiet, --format and --compression-format do as they say", async () => {
    assertEquals(ok(await server.podman("push", "--quiet", "--format", "v2s2", image, `${host}/new/two:docker`)), "");
    const docker = await skopeo(`${host}/new/two:docker`);
    assertEquals(docker.type, "application/vnd.docker.distribution.manifest.v2+json");
    ok(await server.podman("push", "--compression-format", "zstd", image, `${host}/new/two:zstd`));
    const zstd = await skopeo(`${host}/new/two:zstd`);
    assertEquals(new Set(zstd.layers), new Set(["application/vnd.oci.image.layer.v1.tar+zstd"]));
    ok(await server.podman("rmi", "--force", id));
    assertEquals(ok(await server.podman("pull", "--quiet", `${host}/new/two:zstd`)).trim(), id);
    const chunked = await server.podman("push", "--compression-format", "zstd:chunked", id, `${host}/new/two:c`);
    assertStringIncludes(chunked.stderr, "zstd:chunked");
    assertEquals(chunked.code, 125);
  });

  await t.step("docker push draws progress and tells the digest", async () => {
    ok(await server.docker("tag", `${host}/new/two:zstd`, `${host}/dock/er:1`));
    const text = ok(await server.docker("push", `${host}/dock/er:1`));
    assertStringIncludes(text, `The push refers to repository [${host}/dock/er`);
    const { digest } = await skopeo(`${host}/dock/er:1`);
    assertStringIncludes(text, `1: digest: ${digest} size: `);
    const missing = await server.docker("push", `${host}/dock/er:2`);
    assertEquals([missing.code, missing.stderr.includes("does not exist locally with the tag")], [1, true]);
    ok(await server.docker("tag", `${host}/dock/er:1`, `${host}/dock/er:2`));
    ok(await server.docker("push", "--all-tags", `${host}/dock/er`));
    assertEquals((await skopeo(`${host}/dock/er:2`)).digest, digest);
  });

  await t.step("the report of a newer client ends with the digest", async () => {
    const name = encodeURIComponent(`${host}/new/two:zstd`);
    const response = await server.request("POST", `/v5.0.0/libpod/images/${name}/push?quiet=false`);
    const lines = (await response.text()).trim().split("\n").map((line) => JSON.parse(line));
    assertEquals(lines.at(-1), { manifestdigest: (await skopeo(`${host}/new/two:zstd`)).digest });
  });

  await t.step("a registry with a password and a certificate of its own lets in who may come in", async () => {
    const guarded = await startRegistry({ auth: true, tls: true });
    try {
      const creds = `${REGISTRY_USER.username}:${REGISTRY_USER.password}`;
      const target = `${guarded.host}/locked:1`;
      const strict = await server.podman("push", "--tls-verify=true", "--creds", creds, id, target);
      assertStringIncludes(strict.stderr, "x509: certificate signed by unknown authority");
      const stranger = await server.podman("push", "--tls-verify=false", id, target);
      assertStringIncludes(stranger.stderr, "authentication required");
      ok(await server.podman("push", "--tls-verify=false", "--creds", creds, id, target));
      const { layers } = await skopeo(target, "--creds", creds);
      assertEquals(layers.length, 3);
      assertEquals(
        ok(await server.podman("pull", "--quiet", "--tls-verify=false", "--creds", creds, target)).trim(),
        id,
      );
    } finally {
      await guarded.close();
    }
  });
});
