/** Builds for several platforms at once. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ContextFolder } from "../../fixtures/build/context_folder.ts";
import { busyboxImage, pushImage } from "../../fixtures/images/image_builder.ts";
import { ok } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("podman build for two platforms makes a manifest list, of images without RUN or with an emulator", async (t) => {
  await using session = await Session.shared();
  const { server, image, registry } = session;
  const podman = (...args: string[]) => server.podman(...args);
  const platforms = ["--platform", "linux/amd64,linux/arm64"];
  await using context = await ContextFolder.make({
    "Containerfile": "FROM scratch\nARG TARGETARCH\nCOPY $TARGETARCH /which\nLABEL arch=$TARGETARCH\n",
    "amd64": "of amd64",
    "arm64": "of arm64",
    // A program that no kernel of this machine runs: the beginning of one for POWER.
    "foreign": "\x7fELF\x02\x01\x01" + "\0".repeat(9) + "\x02\0\x15\0\x01" + "\0".repeat(200),
    "Run": "FROM scratch\nCOPY --chmod=755 foreign /bin/sh\nRUN echo hello\n",
    "Based":
      `FROM --platform=$BUILDPLATFORM ${image} AS tools\nARG TARGETARCH\nRUN echo built for $TARGETARCH > /made\n` +
      `FROM ${registry.host}/suite/two:1\nCOPY --from=tools /made /made\n`,
  });
  const list = async (name: string): Promise<{ architecture: string; digest: string }[]> => {
    const { manifests } = JSON.parse(ok(await podman("manifest", "inspect", name)));
    return manifests.map(({ platform, digest }: { platform: { architecture: string }; digest: string }) => ({
      architecture: platform.architecture,
      digest,
    }));
  };
  const build = (name: string, ...args: string[]) => podman("build", ...platforms, "-t", name, ...args, context.path);

  await t.step("names are the list's, also when it is built again", async () => {
    const first = await build("both");
    assertEquals(first.code, 0, first.stdout + first.stderr);
    assertMatch(first.stdout, /\[linux\/arm64\] STEP 1\/4: FROM scratch/);
    const entries = await list("both");
    assertEquals(entries.map(({ architecture }) => architecture), ["amd64", "arm64"]);
    await context.write("arm64", "of arm64, again");
    const again = await build("both");
    assertEquals(again.code, 0, again.stdout + again.stderr);
    const later = await list("both");
    assertEquals([later.length, later[0].digest, later[1].digest === entries[1].digest], [2, entries[0].digest, false]);
    const [{ Labels }] = JSON.parse(ok(await podman("image", "inspect", "both")));
    assertEquals(Labels.arch, "amd64", "by its name the list is this machine's image");
    const names = ok(await podman("images", "--format", "{{.Repository}}"));
    assert(!names.includes("gantry-build"), "the list's first name is gone");
  });
  await t.step("--manifest adds them to a list", async () => {
    const made = await podman("build", ...platforms, "--manifest", "listed", context.path);
    assertEquals(made.code, 0, made.stdout + made.stderr);
    assertEquals((await list("listed")).map(({ architecture }) => architecture), ["amd64", "arm64"]);
  });
  await t.step("base images are pulled for each of them", async () => {
    for (const architecture of ["amd64", "arm64"]) {
      await pushImage(registry.url, `suite/two:${architecture}`, busyboxImage({ architecture }));
    }
    ok(
      await podman(
        "manifest",
        "create",
        "two",
        ...["amd64", "arm64"].map((tag) => `${registry.host}/suite/two:${tag}`),
      ),
    );
    ok(await podman("manifest", "push", "--all", "two", `docker://${registry.host}/suite/two:1`));
    ok(await podman("rmi", "-f", "two"));
    const made = await build("based", "-f", `${context.path}/Based`);
    assertEquals(made.code, 0, made.stdout + made.stderr);
    assertEquals((await list("based")).map(({ architecture }) => architecture), ["amd64", "arm64"]);
    assertEquals(ok(await podman("run", "--rm", "--network=none", "based", "cat", "/made")), "built for amd64\n");
    const [{ Architecture }] = JSON.parse(ok(await podman("image", "inspect", `${registry.host}/suite/two:1`)));
    assertEquals(Architecture, "amd64", "the base's name stays with this machine's image");
  });
  await t.step("a command of another architecture without an emulator says what is missing", async () => {
    const refused = await podman("build", "--platform", "linux/arm64", "-f", `${context.path}/Run`, context.path);
    assert(refused.code !== 0);
    assertStringIncludes(refused.stderr + refused.stdout, "RUN for linux/arm64: this machine is amd64");
    assertStringIncludes(refused.stderr + refused.stdout, "qemu-user-static");
  });
});
