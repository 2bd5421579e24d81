/** Builds that try to reach the host. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ContextFolder } from "../../fixtures/build/context_folder.ts";
import { buildTar, type Entry } from "../../fixtures/images/tar_builder.ts";
import { ok } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("a build sees its context and nothing of the host", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  await using secret = await ContextFolder.make({ "file": "of the host" });
  ok(await server.podman("pull", "-q", image));
  const outside = secret.path.slice(1);
  const up = "../".repeat(12);

  /** Builds of a Dockerfile and further entries; the messages as one text, with the status of the answer. */
  const build = async (lines: string, entries: readonly Entry[] = []): Promise<string> => {
    const raw = buildTar([{ type: "file", path: "Dockerfile", content: `FROM ${image}\n${lines}\n` }, ...entries]);
    const response = await server.request("POST", "/v1.43/build", {
      raw,
      headers: { "Content-Type": "application/x-tar" },
    });
    return `${response.status} ${await response.text()}`;
  };

  await t.step("links and .. of the context stay in it", async () => {
    const links: Entry[] = [
      { type: "symlink", path: "up", target: `${up}${outside}` },
      { type: "symlink", path: "whole", target: secret.path },
    ];
    for (const source of ["up/file", "whole/file", "whole", `${up}${outside}/file`]) {
      const text = await build(`COPY ${source} /got/`, links);
      assertStringIncludes(text, "COPY failed", text);
    }
  });
  await t.step("names of the archive do not lead out", async () => {
    for (const path of [`${up}${outside}/evil`, `${secret.path}/evil`]) {
      assertEquals((await build("RUN true", [{ type: "file", path, content: "x" }])).slice(0, 3), "400");
    }
    const hard: Entry = { type: "hardlink", path: "x", target: `${up}${outside}/file` };
    assertEquals((await build("RUN true", [hard])).slice(0, 3), "400");
  });
  await t.step("a destination behind a link stays in the image", async () => {
    const text = await build(
      `RUN mkdir -p ${secret.path} && ln -s ${up}${outside} /door\nCOPY Dockerfile /door/evil\nWORKDIR /door/folder`,
    );
    assertStringIncludes(text, "Successfully built", text);
  });
  await t.step("an archive that ADD unpacks stays in the image", async () => {
    const inner = buildTar([
      { type: "symlink", path: "door", target: secret.path },
      { type: "file", path: "door/evil", content: "x" },
      { type: "file", path: `${up}${outside}/evil`, content: "x" },
    ]);
    await build("ADD inner.tar /un/", [{ type: "file", path: "inner.tar", content: inner }]);
  });
  await t.step("a stage's links stay in the stage", async () => {
    const text = await build(`RUN ln -s ${secret.path} /door\nFROM ${image}\nCOPY --from=0 /door/file /got`);
    assertStringIncludes(text, "COPY failed: file not found", text);
    const mounted = await build(
      `RUN ln -s ${secret.path} /door\nFROM ${image}\nRUN --mount=from=0,source=door,target=/m cat /m/file`,
    );
    assertEquals(mounted.includes("of the host"), false, mounted);
  });
  assertEquals([...Deno.readDirSync(secret.path)].map(({ name }) => name), ["file"]);
});
