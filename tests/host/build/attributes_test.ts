/** Extended attributes of copied files: a program whose capabilities a COPY dropped would not do its work. */
import { assertEquals } from "@std/assert";
import { BUILDX_PLUGIN } from "../../../scripts/later_debian/client_programs.ts";
import { tarEntries } from "../../../lib/oci/tar/tar_entries.ts";
import { ContextFolder } from "../../fixtures/build/context_folder.ts";
import { buildTar } from "../../fixtures/images/tar_builder.ts";
import { ok, run } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

/** `cap_net_bind_service=ep`, as the kernel keeps it. */
const CAPABILITY = Uint8Array.of(1, 0, 0, 2, 0, 4, ...Array<number>(14).fill(0));
const NOTE = "of\u00a0a user";

Deno.test("COPY keeps capabilities and attributes of users, from contexts and from stages", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  await using context = await ContextFolder.make({
    "Dockerfile": [
      `FROM ${image} AS made`,
      "COPY dir /dir",
      "RUN mv /dir/program /dir/moved",
      `FROM ${image}`,
      "COPY --from=made /dir /dir",
      "COPY --chown=7:8 --chmod=711 dir/program /owned",
      "",
    ].join("\n"),
  });
  const { path } = context;
  const archive = buildTar([
    { type: "dir", path: "dir/deep", mode: 0o755, xattrs: { "user.folder": "yes" } },
    {
      type: "file",
      path: "dir/program",
      content: "x",
      xattrs: { "security.capability": CAPABILITY, "user.note": NOTE },
    },
    { type: "file", path: "dir/plain", content: "x", xattrs: { "trusted.place": "here" } },
  ]);
  await Deno.writeFile(`${path}/archive.tar`, archive);
  ok(await run(["tar", "--extract", "--xattrs", "--xattrs-include=*", "-f", `${path}/archive.tar`, "-C", path]));
  await Deno.remove(`${path}/archive.tar`);
  const letters = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));
  const capability = ["security.capability", String.fromCharCode(...CAPABILITY)];

  /** The attributes of an image's files, by their paths. */
  const attributesOf = async (name: string) => {
    const id = ok(await server.docker("create", "--network=none", name)).trim();
    const found: Record<string, unknown> = {};
    for (const place of ["/dir", "/owned"]) {
      const response = await server.request("GET", `/v1.41/containers/${id}/archive?path=${place}`);
      assertEquals(response.status, 200);
      for await (const { path, attributes } of tarEntries(response.body!, { entries: 100, bytes: 1 << 20 })) {
        found[path] = attributes;
      }
    }
    ok(await server.docker("rm", id));
    return found;
  };
  const build = (name: string, env: Record<string, string>) =>
    run(["docker", "-H", server.addresses[0], "build", "--no-cache", "-t", name, path], { env, timeout: 120_000 });

  await t.step("by BuildKit's protocol", async () => {
    const config = `${server.folder}/attributes`;
    await Deno.mkdir(`${config}/cli-plugins`, { recursive: true });
    await Deno.symlink(BUILDX_PLUGIN, `${config}/cli-plugins/docker-buildx`);
    ok(await build("attributes:1", { DOCKER_CONFIG: config, HOME: server.folder }));
    const both = [...capability, "user.note", letters(NOTE)];
    assertEquals(await attributesOf("attributes:1"), {
      "dir": undefined,
      "dir/deep": ["user.folder", "yes"],
      "dir/moved": both,
      "dir/plain": undefined,
      "owned": both,
    });
  });
  await t.step("by the classic builder, whose client sends capabilities alone", async () => {
    ok(await build("attributes:2", { DOCKER_BUILDKIT: "0", HOME: server.folder }));
    assertEquals(await attributesOf("attributes:2"), {
      "dir": undefined,
      "dir/deep": undefined,
      "dir/moved": capability,
      "dir/plain": undefined,
      "owned": capability,
    });
  });
  await t.step("and a step whose file has other attributes is no step of before", async () => {
    const ids = new Set<string>();
    for (const note of ["one", "two"]) {
      const entry = { type: "file", path: "dir/program", content: "x", xattrs: { "user.note": note } } as const;
      const context = buildTar([
        { type: "file", path: "Dockerfile", content: `FROM ${image}\nCOPY dir /dir\n` },
        entry,
      ]);
      const response = await server.request("POST", "/v1.41/build?q=1&t=attributes:3", {
        raw: context,
        headers: { "content-type": "application/x-tar" },
      });
      ids.add(/sha256:[0-9a-f]{64}/.exec(await response.text())![0]);
    }
    assertEquals(ids.size, 2);
  });
});
