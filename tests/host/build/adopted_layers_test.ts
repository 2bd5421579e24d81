/** The files that a build's step makes become its image's layer as they are. */
import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { ContextFolder } from "../../fixtures/build/context_folder.ts";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

Deno.test("builds: a step's files become the layer, which is what its archive would be unpacked", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  await using context = await ContextFolder.make({ "in/file": "in", "in/other": "other" });
  const podman = (...args: string[]) => server.podman(...args);
  const build = async (name: string, text: string, ...args: string[]) => {
    await context.write("Containerfile", text);
    const made = await podman("build", "--no-cache", "-t", name, ...args, context.path);
    assertEquals(made.code, 0, made.stdout + made.stderr);
    return made.stdout;
  };
  /** The number of a file's inode, which an overlay takes from the layer. */
  const inode = async (name: string, path: string) => {
    return ok(await podman("run", "--rm", "--network=none", name, "stat", "-c", "inode=%i", path)).trim();
  };
  const assertSound = async () => {
    const response = await server.request("POST", "/libpod/system/check");
    const report = await response.json();
    assertEquals([response.status, report.Errors], [200, false], JSON.stringify(report));
  };

  await t.step("of RUN, COPY and WORKDIR", async () => {
    const told = await build(
      "whole",
      `FROM ${image}\nRUN mkdir /made && echo x > /made/file && rm -r /layers && stat -c inode=%i /made/file\n` +
        "WORKDIR /made/here\nCOPY in ./copied\nRUN stat -c copied=%i copied/file\n",
    );
    const [, made] = /(inode=\d+)/.exec(told)!;
    const [, copied] = /copied=(\d+)/.exec(told)!;
    assertEquals([await inode("whole", "/made/file"), await inode("whole", "/made/here/copied/file")], [
      made,
      `inode=${copied}`,
    ]);
    const seen = ok(await podman("run", "--rm", "--network=none", "whole", "sh", "-c", "ls / /made/here/copied; pwd"));
    assert(!seen.includes("layers"), seen);
    assertStringIncludes(seen, "file\nother\n/made/here\n");
    await assertSound();
  });
  await t.step("not where a layer cannot have them as they are", async () => {
    const told = await build("other", `FROM ${image}\nRUN touch /.wh.nothing /file && stat -c inode=%i /file\n`);
    const [, made] = /(inode=\d+)/.exec(told)!;
    assertNotEquals(await inode("other", "/file"), made);
    assertEquals((await podman("run", "--rm", "--network=none", "other", "ls", "/.wh.nothing")).code, 1);
    await assertSound();
  });
  await t.step("not of a container that is kept", async () => {
    await build("kept", `FROM ${image}\nRUN echo x > /made\n`, "--rm=false");
    const kept = ok(await podman("ps", "-a", "-q", "--filter", "status=exited")).trim().split("\n");
    assertEquals(kept.length, 1);
    assertStringIncludes(ok(await podman("diff", kept[0])), "A /made");
    ok(await podman("rm", kept[0]));
  });
  await t.step("and a container that somebody removes while its files are read leaves no image", async () => {
    await context.write("Containerfile", `FROM ${image}\nRUN truncate -s 1G /large\n`);
    const building = podman("build", "--no-cache", "-t", "never", context.path);
    const removing = ["ps", "-a", "-q", "--no-trunc", "--filter", "status=removing"];
    let id = "";
    await until(async () => assertNotEquals(id = ok(await podman(...removing)).trim(), ""));
    ok(await podman("rm", "-f", "-i", id));
    const { code, stderr } = await building;
    assertEquals(code, 125);
    assertMatch(stderr, /the files of container [0-9a-f]{64} were removed while they were read/);
    assertEquals((await podman("image", "exists", "never")).code, 1);
    await assertSound();
  });
});
