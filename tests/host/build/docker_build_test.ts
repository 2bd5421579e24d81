/** The Docker CLI's classic builder as the client. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ContextFolder } from "../../fixtures/build/context_folder.ts";
import { ok, run } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

Deno.test("docker build, classic: stages, arguments, files, cache, targets, failures", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  await using context = await ContextFolder.make({
    "Dockerfile": dockerfile(image),
    ".dockerignore": "*.secret\n!kept.secret\n",
    "app/one.txt": "one\n",
    "app/deep/two.txt": "two\n",
    "app/link": "-> one.txt",
    "left.secret": "no",
    "kept.secret": "yes",
  });
  const environment = ["env", "DOCKER_BUILDKIT=0", "docker", "-H", server.addresses[0]];
  const build = (...args: string[]) => run([...environment, "build", ...args, context.path]);
  const shell = async (name: string, script: string) => {
    const args = ["run", "--rm", "--network=none", "--entrypoint=", name, "sh", "-c", script];
    return ok(await server.docker(...args), script);
  };
  await server.docker("pull", image);

  await t.step("builds every kind of step", async () => {
    const result = await build("-t", "app:1", "--build-arg", "WHO=you", "--label", "from=test");
    assertEquals(result.code, 0, result.stdout + result.stderr);
    assertStringIncludes(result.stdout, "Successfully tagged app:1");
    assertStringIncludes(result.stdout, "hello you");
    const found = await shell(
      "app:1",
      "cat /srv/one.txt /srv/deep/two.txt /made/greeting /etc/inline; ls /srv; pwd; echo $MODE; id -u",
    );
    assertEquals(found, "one\ntwo\nhello you\nMODE is on\ndeep\nlink\none.txt\n/app/deeper\non\n7\n");
    assertEquals(await shell("app:1", "ls /all"), "Dockerfile\napp\nkept.secret\n");
    const [{ Config }] = JSON.parse(ok(await server.docker("inspect", "app:1")));
    assertEquals(Config.Labels, { kind: "test image", from: "test" });
    assertEquals(Config.Cmd, ["serve", "--now"]);
    assertEquals(Object.keys(Config.ExposedPorts), ["80/tcp", "90/udp"]);
    assertEquals(Config.WorkingDir, "/app/deeper");
  });
  await t.step("a build without changes runs nothing", async () => {
    const idOf = async (name: string) => ok(await server.docker("inspect", "--format", "{{.Id}}", name));
    const before = await idOf("app:1");
    const result = await build("-t", "app:2", "--build-arg", "WHO=you", "--label", "from=test");
    assertEquals(result.code, 0, result.stderr);
    assert(!result.stdout.includes("Running in"), result.stdout);
    assertEquals(await idOf("app:2"), before);
  });
  await t.step("a changed file, and a changed argument, run what follows", async () => {
    await context.write("app/one.txt", "changed\n");
    const result = await build("-t", "app:3", "--build-arg", "WHO=me");
    assertStringIncludes(result.stdout, "hello me");
    assertEquals(await shell("app:3", "cat /srv/one.txt /made/greeting"), "changed\nhello me\n");
  });
  await t.step("--no-cache runs all of it", async () => {
    const result = await build("--no-cache", "--target", "making", "-t", "app:4");
    assertStringIncludes(result.stdout, "hello nobody");
    assert(!result.stdout.includes("Using cache"));
  });
  await t.step("a Dockerfile of standard input stands beside the context, whose archive ends short", async () => {
    const args = [...environment, "build", "-t", "app:5", "-f", "-", context.path];
    const result = await run(args, { stdin: `FROM ${image}\nCOPY app/one.txt /srv/\n` });
    assertEquals(result.code, 0, result.stdout + result.stderr);
    assertEquals(await shell("app:5", "cat /srv/one.txt"), "changed\n");
  });
  await t.step("-q tells the ID alone", async () => {
    const result = await build("-q", "--target", "making");
    assertEquals(/^sha256:[0-9a-f]{64}\n$/.test(result.stdout), true, result.stdout);
  });
  await t.step("a command that fails gives its code, and a Dockerfile that is wrong its line", async () => {
    await context.write("Bad1", `FROM ${image}\nRUN exit 7\n`);
    const failed = await build("-f", `${context.path}/Bad1`);
    assertEquals(failed.code, 7);
    assertStringIncludes(failed.stderr, "The command '/bin/sh -c exit 7' returned a non-zero code: 7");
    await context.write("Bad2", `FROM ${image}\n\nCOPI a b\n`);
    const wrong = await build("-f", `${context.path}/Bad2`);
    assertStringIncludes(
      wrong.stderr,
      "dockerfile parse error on line 3: unknown instruction: COPI (did you mean COPY?)",
    );
    await context.write("Bad3", `FROM ${image}\nCOPY missing /\n`);
    assertStringIncludes(
      (await build("-f", `${context.path}/Bad3`)).stderr,
      "COPY failed: file not found in build context",
    );
  });
  await t.step("nothing of it stays but images", async () => {
    assertEquals(ok(await server.docker("ps", "-aq")), "");
  });
  await t.step("builder prune forgets", async () => {
    const result = run([...environment, "builder", "prune", "-f"]);
    assertEquals((await result).code, 0, (await result).stderr);
    assertStringIncludes((await build("-t", "app:5")).stdout, "Running in");
  });
});

function dockerfile(image: string): string {
  return `# syntax=docker/dockerfile:1
ARG BASE=${image}
FROM scratch AS unused
COPY nothing-there /
FROM $BASE AS making
ARG WHO=nobody
RUN mkdir /made && echo "hello $WHO" | tee /made/greeting
FROM \${BASE}
LABEL kind="test image"
ENV MODE=on
WORKDIR /app
WORKDIR deeper
COPY app /srv
COPY . /all/
COPY --from=making /made/ /made/
COPY --chmod=640 --chown=7 <<END /etc/inline
MODE is $MODE
END
RUN <<END
set -e
test "$(stat -c %u:%a /etc/inline)" = 7:640
test -w /
END
EXPOSE 80 90/udp
USER 7
ENTRYPOINT ["run"]
CMD ["serve", "--now"]
`;
}
