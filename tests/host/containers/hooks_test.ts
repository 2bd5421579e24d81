/** OCI hooks of the server's folders, around real containers. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ok } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

Deno.test("hooks run around the containers they are meant for, and one that is none is named", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-hooks-" });
  const said = `${folder}/said`;
  const put = (name: string, hook: unknown) => Deno.writeTextFile(`${folder}/${name}.json`, JSON.stringify(hook));
  const hook = (path: string, when: unknown, stages: string[], ...args: string[]) => {
    return { version: "1.0.0", hook: { path, args: ["sh", ...args] }, when, stages };
  };
  const note = (word: string) => ["-c", `{ echo ${word}; cat; echo; } >> ${said}`];
  try {
    await put("1-start", hook("/bin/sh", { annotations: { "^noted$": "^yes$" } }, ["createRuntime"], ...note("began")));
    await put("2-stop", hook("/bin/sh", { annotations: { "^noted$": "^yes$" } }, ["poststop"], ...note("ended")));
    await put("3-fail", hook("/bin/sh", { annotations: { "^fails$": ".*" } }, ["createRuntime"], "-c", "exit 3"));
    await using session = await Session.start({ args: ["--hooks-dir", folder] });
    const { server, image } = session;
    const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
    await podman("pull", image);
    await podman("run", "--rm", "--network=none", image, "true");
    assertEquals(await Deno.readTextFile(said).catch(() => ""), "", "it is not meant for this one");

    const id = await podman("create", "--name", "box", "--network=none", "--annotation", "noted=yes", image, "true");
    await podman("start", "-a", "box");
    // The second hook writes its word before it has read the state.
    await until(async () => {
      assertMatch(await Deno.readTextFile(said), /^began\n\{.*\}\s+ended\n\{.*\}\s+$/s);
    });
    const [, state] = /^began\n(.*)\s+ended/s.exec(await Deno.readTextFile(said))!;
    assertEquals(JSON.parse(state).id, id.trim(), "the container's state is on its standard input");

    const failed = await server.podman("run", "--network=none", "--annotation", "fails=1", image, "true");
    assertEquals(failed.code, 126, failed.stderr);
    assertStringIncludes(failed.stderr, "hook");
    await Deno.writeTextFile(`${folder}/4-odd.json`, "{ this is no hook");
    const odd = await server.podman("start", "box");
    assertEquals(odd.code, 125, odd.stderr);
    assertStringIncludes(odd.stderr, "4-odd.json");
    await Deno.remove(`${folder}/4-odd.json`);
    await podman("start", "-a", "box");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
