/** Docker's client with buildx, and compose, which both build by BuildKit's protocol. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { BUILDX_PLUGIN, COMPOSE_PLUGIN } from "../../../scripts/later_debian/client_programs.ts";
import { ContextFolder } from "../../fixtures/build/context_folder.ts";
import { ok, run, type RunResult } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

Deno.test("docker build by BuildKit: cache, secrets, agents, contexts, failures, bake and compose", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const config = `${server.folder}/docker`;
  await Deno.mkdir(`${config}/cli-plugins`, { recursive: true });
  for (const plugin of [BUILDX_PLUGIN, COMPOSE_PLUGIN]) {
    await Deno.symlink(plugin, `${config}/cli-plugins/${plugin.slice(plugin.lastIndexOf("/") + 1)}`);
  }
  const env = { DOCKER_CONFIG: config, DOCKER_HOST: server.addresses[0], HOME: server.folder };
  const docker = (...args: string[]): Promise<RunResult> => run(["docker", ...args], { env, timeout: 120_000 });
  const build = (...args: string[]) => docker("build", "--progress=plain", ...args);
  const shell = async (name: string, script: string) => {
    return ok(await docker("run", "--rm", "--network=none", "--entrypoint=", name, "sh", "-c", script), script);
  };
  ok(await docker("pull", "-q", image), "pull");
  await using context = await ContextFolder.make({
    "Dockerfile": [
      "# syntax=docker/dockerfile:1",
      `FROM ${image} AS base`,
      "ARG WHO=nobody",
      "COPY . /all",
      "RUN echo hello $WHO > /greeting; echo said on $(wc -c < /greeting)",
      "FROM base AS secretive",
      "RUN --mount=type=secret,id=token,required=true cp /run/secrets/token /copied; wc -c /copied; rm /copied",
      "FROM base AS agent",
      'RUN --mount=type=ssh,required=true [ -S "$SSH_AUTH_SOCK" ] && echo a socket',
      "FROM base AS failing",
      "RUN echo before; echo beside >&2; exit 5",
      "FROM base",
      "CMD cat /greeting",
      "",
    ].join("\n"),
    "Dockerfile.dockerignore": "*.log\n",
    ".dockerignore": "*\n",
    "one.txt": "1".repeat(100_000),
    "deep/ä ö.txt": "deep",
    "left.log": "no",
    "link": "-> one.txt",
    "other/from.txt": "other",
    "Named": `FROM first\nCOPY --from=more from.txt /from.txt\n`,
    "bake.hcl": [
      'group "default" {\n  targets = ["a", "b"]\n}',
      ...["a", "b"].map((name) =>
        `target "${name}" {\n  context = "."\n  tags = ["bake:${name}"]\n  args = {\n    WHO = "${name}"\n  }\n}`
      ),
    ].join("\n"),
    "compose.yaml": [
      "services:\n  web:\n    build:\n      context: .\n      args:\n        WHO: compose",
      "    network_mode: none\n    image: composed:1\n",
    ].join("\n"),
  });
  const { path } = context;

  await t.step("builds with arguments and labels, sends what is not ignored, and names the image", async () => {
    const built = await build("-t", "app:1", "--build-arg", "WHO=you", "--label", "a=b", "--label", "c=d", path);
    assertEquals(built.code, 0, built.stderr);
    assertStringIncludes(built.stderr, 'building with "default" instance using docker driver');
    assertStringIncludes(built.stderr, "said on 10");
    assertEquals(ok(await docker("run", "--rm", "--network=none", "app:1")), "hello you\n");
    const files = await shell("app:1", "cd /all; ls; cat 'deep/ä ö.txt'; wc -c < link");
    assertEquals(files.split("\n"), [
      ...[
        "Dockerfile",
        "Dockerfile.dockerignore",
        "Named",
        "bake.hcl",
        "compose.yaml",
        "deep",
        "link",
        "one.txt",
        "other",
      ],
      "deep100000",
      "",
    ]);
    const [{ Config: { Labels } }] = JSON.parse(ok(await docker("inspect", "app:1")));
    assertEquals(Labels, { a: "b", c: "d" });
  });
  await t.step("builds nothing twice", async () => {
    const again = await build("-t", "app:2", "--build-arg", "WHO=you", "--label", "c=d", "--label", "a=b", path);
    assertMatch(again.stderr, /RUN echo hello.*\n#\d+ CACHED/);
    const ids = await docker("images", "--quiet", "--no-trunc", "--filter", "reference=app");
    assertEquals(new Set(ids.stdout.trim().split("\n")).size, 1);
  });
  await t.step("asks only for those files of a folder that have changed", async () => {
    await using folder = await ContextFolder.make({
      "Dockerfile": `FROM ${image}\nCOPY --chown=5:6 . /kept\n`,
      "many/large": "l".repeat(500_000),
      "many/small": "s",
      "link": "-> many/large",
    });
    const settle = async (path: string, at: number) => await Deno.utime(`${folder.path}/${path}`, at, at);
    for (const path of ["many/large", "many/small", "Dockerfile"]) await settle(path, 1_700_000_000);
    const sent = async (...args: string[]) => {
      const { code, stderr } = await build("-t", "kept:1", ...args, folder.path);
      assertEquals(code, 0, stderr);
      // Of nothing the client tells only the time it took, and that not always.
      const sizes = [...stderr.matchAll(/transferring context: (\S+B) .*done/g)].map(([, size]) => size);
      return sizes.at(-1) ?? "nothing";
    };
    const files = () => shell("kept:1", "cd /kept; stat -c '%n %u %g %Y' many/*; cat many/small; md5sum < link");
    assertMatch(await sent(), /^500\.\d+kB$/);
    const first = await files();
    assertEquals(await sent("--no-cache"), "nothing");
    assertEquals(await files(), first);
    await folder.write("many/small", "another");
    await settle("many/small", 1_700_000_001);
    assertEquals(await sent(), "7B");
    const changed = first.replace("many/small 5 6 1700000000\ns", "many/small 5 6 1700000001\nanother");
    assertEquals(await files(), changed);
    assertMatch(ok(await docker("buildx", "du", "--verbose")), /Description:\s+local source for context\n/);
    ok(await docker("buildx", "prune", "--force"));
    assertEquals(ok(await docker("buildx", "du", "--verbose")).includes("local source"), false);
    assertMatch(await sent("--no-cache"), /^500\.\d+kB$/);
    assertEquals(await files(), changed);
  });
  await t.step("lends secrets and agents, and leaves nothing of them", async () => {
    await Deno.writeTextFile(`${server.folder}/token`, "s3cret-of-mine");
    const secret = `id=token,src=${server.folder}/token`;
    const built = await build("-t", "secretive", "--target", "secretive", "--secret", secret, path);
    assertStringIncludes(built.stderr, "14 /copied");
    const saved = await run(["sh", "-c", "docker save secretive | grep -c s3cret-of-mine"], { env });
    assertEquals(saved.stdout.trim(), "0");
    const without = await build("--no-cache", "--target", "secretive", path);
    assertEquals(without.code, 1);
    assertMatch(without.stderr, /secret .*token/);
    const socket = `${server.folder}/agent`;
    using _agent = Deno.listen({ transport: "unix", path: socket });
    const lent = await build("--target", "agent", "--ssh", `default=${socket}`, path);
    assertStringIncludes(lent.stderr, "a socket");
  });
  await t.step("takes further contexts, archives, and Dockerfiles from elsewhere", async () => {
    const more = ["--build-context", `more=${path}/other`, "--build-context", `first=docker-image://${image}`];
    const named = await build("-t", "named", "-f", `${path}/Named`, ...more, path);
    assertEquals(named.code, 0, named.stderr);
    assertEquals(await shell("named", "cat /from.txt"), "other");
    const piped = await run(["sh", "-c", `tar -C ${path} -c . | docker build --progress=plain -t piped -`], { env });
    assertEquals(piped.code, 0, piped.stderr);
    const text = `printf 'FROM ${image}\\nRUN echo from here\\n' | docker build --progress=plain -f - ${path}`;
    assertStringIncludes((await run(["sh", "-c", text], { env })).stderr, "from here");
  });
  await t.step("gives the files of an image as a folder and as an archive", async () => {
    const out = `${server.folder}/out`;
    const local = await build("-o", `type=local,dest=${out}`, "--build-arg", "WHO=out", path);
    assertEquals(local.code, 0, local.stderr);
    assertEquals(await Deno.readTextFile(`${out}/greeting`), "hello out\n");
    assertEquals(await Deno.readTextFile(`${out}/all/deep/ä ö.txt`), "deep");
    assertEquals(await Deno.readLink(`${out}/all/link`), "one.txt");
    assertEquals((await Deno.readFile(`${out}/all/one.txt`)).length, 100_000);
    const tar = await build("-o", `type=tar,dest=${out}.tar`, "--build-arg", "WHO=out", path);
    assertEquals(tar.code, 0, tar.stderr);
    assertEquals(ok(await run(["tar", "-xOf", `${out}.tar`, "greeting"])), "hello out\n");
    const names = await docker("ps", "-aq");
    assertEquals(names.stdout, "", "the container whose files they are is gone");
  });
  await t.step("tells of failures as BuildKit does, and refuses by name what it has not", async () => {
    const failed = await build("--target", "failing", path);
    assertEquals(failed.code, 1);
    for (const line of ["before", "beside", "did not complete successfully: exit code: 5"]) {
      assertStringIncludes(failed.stderr, line);
    }
    const rows: [args: string[], text: string][] = [
      [["--target", "none"], "none"],
      [["--cache-to", "type=local,dest=/tmp/x"], "ache export"],
      [["--check"], "not supported"],
      [["--platform", "linux/amd64,linux/arm64"], "platform"],
    ];
    for (const [args, text] of rows) {
      const refused = await build(...args, path);
      assertEquals(refused.code, 1, args.join(" "));
      assertStringIncludes(refused.stderr, text);
    }
  });
  await t.step("ends the build of a client that leaves", async () => {
    await context.write("Slow", `FROM ${image}\nRUN sleep 900\n`);
    const client = new Deno.Command("docker", {
      args: ["build", "-f", `${path}/Slow`, path],
      env,
      stdout: "null",
      stderr: "null",
    }).spawn();
    const running = async () => (await (await server.request("GET", "/v5.0.0/libpod/containers/json")).json()).length;
    await until(async () => assertEquals(await running(), 1));
    client.kill("SIGKILL");
    await client.status;
    await until(async () => assertEquals(await running(), 0));
  });
  await t.step("bakes several images at once, and compose builds what it starts", async () => {
    const read = [`--allow=fs.read=${path}`, `--set=*.context=${path}`];
    const baked = await docker("buildx", "bake", "--progress=plain", "-f", `${path}/bake.hcl`, ...read);
    assertEquals(baked.code, 0, baked.stderr);
    for (const name of ["a", "b"]) {
      assertEquals(ok(await docker("run", "--rm", "--network=none", `bake:${name}`)), `hello ${name}\n`);
    }
    const up = await docker("compose", "--project-directory", path, "--progress=plain", "up", "--build");
    assertEquals(up.code, 0, up.stderr);
    assertStringIncludes(up.stdout, "hello compose");
    ok(await docker("compose", "--project-directory", path, "down"), "down");
  });
  await t.step("takes the result of one target as a context of another", async () => {
    const inline = (lines: string) => `  dockerfile-inline = <<EOT\n${lines}EOT\n`;
    await Deno.writeTextFile(
      `${path}/linked.hcl`,
      `target "first" {\n${inline(`FROM ${image}\nENV FROM=first\nRUN echo of the first > /first\n`)}}\n` +
        `target "second" {\n${inline("FROM first\nCOPY --from=first /first /copied\nCMD cat /copied; echo $FROM\n")}` +
        `  contexts = {\n    first = "target:first"\n  }\n  tags = ["bake:linked"]\n}\n`,
    );
    const read = [`--allow=fs.read=${path}`, `--set=*.context=${path}`];
    const baked = await docker("buildx", "bake", "--progress=plain", "-f", `${path}/linked.hcl`, ...read, "second");
    assertEquals(baked.code, 0, baked.stderr);
    assertEquals(ok(await docker("run", "--rm", "--network=none", "bake:linked")), "of the first\nfirst\n");
    await Deno.writeTextFile(
      `${path}/linked.yaml`,
      `services:\n  base:\n    image: linked:base\n    network_mode: none\n    command: "true"\n    build:\n      dockerfile_inline: |\n` +
        `        FROM ${image}\n        RUN echo of the base > /base\n  web:\n    image: linked:web\n    network_mode: none\n    build:\n` +
        `      dockerfile_inline: |\n        FROM base\n        CMD cat /base\n      additional_contexts:\n        base: service:base\n`,
    );
    const compose = (...args: string[]) => docker("compose", "-f", `${path}/linked.yaml`, ...args);
    const up = await compose("--progress=plain", "up", "--build");
    assertEquals(up.code, 0, up.stderr);
    assertStringIncludes(up.stdout, "of the base");
    ok(await compose("down"), "down");
  });
  await t.step("tells what the cache takes, and empties it", async () => {
    await Deno.writeTextFile(
      `${path}/Cached`,
      `FROM ${image} AS used\nRUN head -c 300000 /dev/zero > /used\nFROM used AS left\nRUN head -c 200000 /dev/zero > /left\n` +
        "FROM used\nCOPY --from=left /etc /etc-left\n",
    );
    const build = () => docker("build", "--progress=plain", "-t", "cached:1", "-f", `${path}/Cached`, path);
    ok(await build());
    const usage = async (name: string) => {
      const { stdout } = await docker("system", "df", "-v", "--format", "json");
      const cache: { Description: string; Size: string; Shared: string; CacheID?: string; ID: string }[] =
        JSON.parse(stdout).BuildCache;
      return cache.filter(({ Description }) => Description.includes(name)).map(({ Size, Shared }) =>
        `${Size.replace(/\d\dkB/, "00kB")} ${Shared}`
      );
    };
    assertEquals(await usage("/dev/zero > /used"), ["300kB true"], "the image has it too");
    assertEquals(await usage("/dev/zero > /left"), ["200kB false"]);
    assertMatch(ok(await docker("buildx", "du", "--verbose")), /Description:\s+.*\/dev\/zero > \/left/);
    assertMatch(ok(await docker("buildx", "prune", "--force")), /Total:\s+[0-9.]+kB/);
    assertEquals([await usage("/left"), await usage("> /used")], [[], ["300kB true"]]);
    assertMatch((await build()).stderr, /RUN head -c 300000.*\n#\d+ CACHED/);
    ok(await docker("buildx", "prune", "--force", "--all"));
    assertEquals(await usage(""), []);
    assert(!(await build()).stderr.includes("CACHED"));
    const refused = await docker("buildx", "prune", "--force", "--filter", "type=regular");
    assertStringIncludes(refused.stderr, "use id=ID");
  });
  await t.step("takes the steps of an image in a registry, by BuildKit and by the classic builder", async () => {
    const name = `${image.slice(0, image.indexOf("/"))}/suite/inline:1`;
    await Deno.writeTextFile(`${path}/Inline`, `FROM ${image}\nENV A=b\nRUN echo made > /made; echo it ran\n`);
    const args = ["--progress=plain", "-f", `${path}/Inline`, path];
    ok(await docker("build", "-t", name, "--cache-to", "type=inline", ...args));
    ok(await docker("push", "-q", name));
    const forget = async () => {
      await docker("rmi", "-f", name);
      ok(await docker("buildx", "prune", "--force", "--all"));
    };
    await forget();
    const cached = await docker("build", "--cache-from", `type=registry,ref=${name}`, ...args);
    assertMatch(cached.stderr, /RUN echo made.*\n#\d+ CACHED/);
    await forget();
    const classic = await run(["docker", "build", "--cache-from", name, "-f", `${path}/Inline`, path], {
      env: { ...env, DOCKER_BUILDKIT: "0" },
    });
    assertEquals(classic.code, 0, classic.stderr);
    assertEquals(classic.stdout.match(/Using cache/g)?.length, 2, classic.stdout);
  });
  await t.step("leaves the classic builder as it was", async () => {
    const classic = await run(["docker", "build", "-q", path], { env: { ...env, DOCKER_BUILDKIT: "0" } });
    assertEquals(classic.code, 0, classic.stderr);
    assert(/^sha256:[0-9a-f]{64}$/.test(classic.stdout.trim()));
  });
});
