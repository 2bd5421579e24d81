/** Today's podman as the client of builds, in long runs. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { LATER_PODMAN } from "../../../scripts/later_debian/client_programs.ts";
import { ContextFolder } from "../../fixtures/build/context_folder.ts";
import { ok } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";
import { registerLong } from "../../long_run.ts";

registerLong("podman 5.8 builds with secrets, heredocs and folders as further contexts", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = (...args: string[]) => server.podmanAt(server.addresses[0], args, { program: LATER_PODMAN });
  await using context = await ContextFolder.make({ "Containerfile": "", "own": "own\n", "secret": "hidden" });
  await using other = await ContextFolder.make({ "deep/file": "other\n" });
  ok(await podman("pull", "-q", "--tls-verify=false", image));
  await t.step("a folder comes in the same message", async () => {
    await context.write(
      "Containerfile",
      `FROM ${image}\nCOPY own /\nCOPY --from=more deep/file /\nRUN cat /own /file\n`,
    );
    const built = await podman("build", "--build-context", `more=${other.path}`, "-t", "one", context.path);
    assertEquals(built.code, 0, built.stdout + built.stderr);
    assertStringIncludes(built.stdout, "own\nother\n");
  });
  await t.step("a secret, heredocs, annotations and times", async () => {
    const text = `FROM ${image}\nRUN --mount=type=secret,id=s,env=S <<END\n#!/bin/sh\necho \${#S}\nEND\n`;
    await context.write("Containerfile", text);
    const args = ["--secret", `id=s,src=${context.path}/secret`, "--annotation", "a=b", "--source-date-epoch=5"];
    const built = await podman("build", ...args, "--rewrite-timestamp", "-t", "two", context.path);
    assertEquals(built.code, 0, built.stdout + built.stderr);
    assertStringIncludes(built.stdout, "6\n");
    const [{ Annotations, Created }] = JSON.parse(ok(await podman("inspect", "--type=image", "two")));
    assertEquals([Annotations.a, Created], ["b", "1970-01-01T00:00:05Z"]);
  });
});
