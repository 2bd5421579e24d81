import { assert, assertEquals } from "@std/assert";
import { busyboxImage, pushImage } from "../../fixtures/images/image_builder.ts";
import type { Entry } from "../../fixtures/images/tar_builder.ts";
import { Session } from "../../fixtures/session.ts";

/** What a hostile image puts in place of a path of its base. */
const instead = (entry: Entry & { path: string }) => [
  { gzip: true, entries: [{ type: "whiteout" as const, path: entry.path }] },
  { gzip: true, entries: [entry] },
];

Deno.test("an image whose own tree leads out of it, or waits for ever, starts nothing and leaves nothing on the host", async (t) => {
  await using session = await Session.shared();
  const { server, registry } = session;
  const outside = `${server.folder}/outside`;
  await Deno.mkdir(outside);
  await Deno.writeTextFile(`${outside}/ptmx`, "mine");
  const up = "../".repeat(16);
  const target = up + outside.slice(1);
  const images: [string, Entry & { path: string }, number][] = [
    ["dev", { type: "symlink", path: "dev", target }, 400],
    ["proc", { type: "symlink", path: "proc", target }, 400],
    ["sys", { type: "file", path: "sys", content: "" }, 400],
    ["passwd", { type: "fifo", path: "etc/passwd" }, 400],
    // Made in the tree or refused, as the runtime has it.
    ["run", { type: "symlink", path: "run", target }, 0],
    ["tmp", { type: "symlink", path: "etc/hosts", target: `${target}/hosts` }, 0],
  ];
  for (const [name, entry, status] of images) {
    await t.step(entry.path, async () => {
      await pushImage(registry.url, `hostile/${name}:latest`, busyboxImage({ layers: instead(entry) }));
      const image = `${registry.host}/hostile/${name}:latest`;
      assertEquals((await server.podman("pull", "-q", image)).code, 0);
      const body = { image, command: ["true"], name, netns: { nsmode: "none" } };
      assertEquals((await server.request("POST", "/libpod/containers/create", { body })).status, 201);
      const from = performance.now();
      const started = await server.request("POST", `/libpod/containers/${name}/start`);
      if (status !== 0) assertEquals(started.status, status, await started.text());
      assert(performance.now() - from < 20_000);
      assertEquals([...Deno.readDirSync(outside)].map((file) => file.name), ["ptmx"]);
      assertEquals(await Deno.readTextFile(`${outside}/ptmx`), "mine");
      assertEquals((await server.request("DELETE", `/libpod/containers/${name}?force=true&timeout=0`)).status, 200);
    });
  }
});
