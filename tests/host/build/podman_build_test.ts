/** `podman --remote build` as the client. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ContextFolder } from "../../fixtures/build/context_folder.ts";
import { buildTar } from "../../fixtures/images/tar_builder.ts";
import { ok, run } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

Deno.test("podman --remote build: names, cache, ignore files, scratch, ONBUILD, mounts, squash", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  await using context = await ContextFolder.make({
    "Containerfile": `FROM ${image}\nARG WHO=nobody\nCOPY . /all/\nRUN echo "$WHO" > /who && ls /all > /list\n`,
    ".containerignore": "out*\n!outside\n",
    "in/file": "in",
    "out1": "x",
    "outside": "y",
  });
  const podman = (...args: string[]) => server.podman(...args);
  const build = async (name: string, text: string, ...args: string[]) => {
    await context.write(`${name}.file`, text);
    return await podman("build", "-f", `${context.path}/${name}.file`, "-t", name, ...args, context.path);
  };
  const shell = async (name: string, ...command: string[]) => {
    return ok(await podman("run", "--rm", "--network=none", name, ...command));
  };

  await t.step("builds, and finds everything again", async () => {
    const args = ["build", "-t", "one", "--build-arg", "WHO=me", "--label", "a=b", "--iidfile", `${context.path}/id`];
    const first = await podman(...args, context.path);
    assertEquals(first.code, 0, first.stdout + first.stderr);
    assertStringIncludes(first.stdout, "Successfully tagged localhost/one:latest");
    const id = first.stdout.trim().split("\n").at(-1)!;
    assertMatch(id, /^[0-9a-f]{64}$/);
    await Deno.remove(`${context.path}/id`);
    assertEquals(await shell("one", "cat", "/who", "/list"), "me\nContainerfile\nin\noutside\n");
    const again = await podman("build", "-t", "two", "--build-arg", "WHO=me", "--label", "a=b", context.path);
    assertEquals(again.stdout.trim().split("\n").at(-1), id);
    assertEquals(again.stdout.match(/Using cache/g)?.length, 4, again.stdout);
    const [{ Labels, ManifestType }] = JSON.parse(ok(await podman("inspect", "--type=image", "one")));
    assertEquals([Labels.a, ManifestType], ["b", "application/vnd.oci.image.manifest.v1+json"]);
  });
  await t.step("files without a base image", async () => {
    const made = await build("bare", "FROM scratch\nLABEL a=b\nCOPY in/file /x/\nADD outside /y\nWORKDIR /w\n");
    assertEquals(made.code, 0, made.stdout + made.stderr);
    const got = await build("got", `FROM ${image}\nCOPY --from=bare / /bare/\nRUN find /bare | sort > /found\n`);
    assertEquals(got.code, 0, got.stdout + got.stderr);
    assertEquals(await shell("got", "cat", "/found"), "/bare\n/bare/w\n/bare/x\n/bare/x/file\n/bare/y\n");
  });
  await t.step("triggers of the base image", async () => {
    ok(await build("base", `FROM ${image}\nONBUILD COPY in /from-trigger\nONBUILD RUN touch /ran\n`));
    const child = await build("child", "FROM localhost/base\nRUN ls /from-trigger /ran > /seen\n");
    assertEquals(child.code, 0, child.stdout + child.stderr);
    assertEquals(await shell("child", "cat", "/seen"), "/ran\n\n/from-trigger:\nfile\n");
    const [{ Config }] = JSON.parse(ok(await podman("inspect", "--type=image", "child")));
    assertEquals(Config.OnBuild, undefined);
  });
  await t.step("mounts of a command leave nothing in the layer", async () => {
    const text = `FROM ${image} AS src\nRUN echo from-stage > /file\nFROM ${image}\n` +
      "RUN --mount=type=bind,from=src,source=/,target=/src cat /src/file > /got\n" +
      "RUN --mount=type=cache,target=/cache sh -c 'echo x >> /cache/n; wc -l < /cache/n' > /count\n" +
      "RUN --mount=type=tmpfs,target=/scratch touch /scratch/x\n" +
      "RUN --network=none ip link | grep -c UP > /links\n";
    const made = await build("mounts", text);
    assertEquals(made.code, 0, made.stdout + made.stderr);
    ok(await build("mounts", text, "--no-cache"));
    assertEquals(
      await shell("mounts", "sh", "-c", "cat /got /count; ls -d /src /cache /scratch 2>&1 | grep -c 'No such file'"),
      "from-stage\n2\n3\n",
    );
  });
  await t.step("--squash-all makes one layer", async () => {
    const made = await build("flat", `FROM ${image}\nRUN touch /a\nRUN touch /b\n`, "--squash-all");
    assertEquals(made.code, 0, made.stdout + made.stderr);
    const [{ RootFS }] = JSON.parse(ok(await podman("inspect", "--type=image", "flat")));
    assertEquals(RootFS.Layers.length, 1);
    await shell("flat", "ls", "/a", "/b");
  });
  await t.step("archives are unpacked by ADD, and copied by COPY", async () => {
    const packed = await new Deno.Command("tar", {
      args: ["-czf", `${context.path}/packed.tgz`, "-C", `${context.path}/in`, "file"],
    }).output();
    assert(packed.success);
    const made = await build("unpacked", `FROM ${image}\nADD packed.tgz /un/\nCOPY packed.tgz /as-is/\n`);
    assertEquals(made.code, 0, made.stdout + made.stderr);
    assertEquals(await shell("unpacked", "sh", "-c", "cat /un/file; ls /as-is"), "inpacked.tgz\n");
  });
  await t.step("results of steps go to a repository, and come from there", async () => {
    const cache = `${image.slice(0, image.indexOf("/"))}/suite/step-cache`;
    const text = `FROM ${image}\nRUN echo cached > /cached\n`;
    const made = await build("kept", text, "--cache-to", cache, "--layers");
    assertStringIncludes(made.stdout + made.stderr, `Cache of 1 steps exported to ${cache}, 1 of them new`);
    ok(await podman("rmi", "kept"), "rmi");
    assertEquals((await server.request("POST", "/build/prune?all=true")).status, 200);
    const again = await build("kept", text, "--cache-from", cache, "--layers");
    assertStringIncludes(again.stdout + again.stderr, "Using cache");
  });
  await t.step("a command is in the machine's namespaces where that is asked for", async () => {
    const text = `FROM ${image}\nRUN echo in $(readlink /proc/self/ns/pid) $(readlink /proc/self/ns/uts)\n`;
    const [pid, uts] = await Promise.all(["pid", "uts"].map((kind) => Deno.readLink(`/proc/self/ns/${kind}`)));
    const shared = await build("shared", text, "--pid=host", "--uts=host", "--no-cache");
    assertStringIncludes(shared.stdout + shared.stderr, `in ${pid} ${uts}\n`);
    const own = await build("own", text, "--no-cache");
    assert(own.code === 0 && !own.stdout.includes(pid) && !own.stdout.includes(uts), own.stdout);
  });
  await t.step("several stages are numbered each", async () => {
    const several = await build(
      "several",
      `FROM ${image} AS one\nRUN true\nFROM ${image}\nCOPY --from=one /etc /etc2\n`,
    );
    assertStringIncludes(several.stdout, "[1/2] STEP 2/2: RUN true\n");
    assertStringIncludes(several.stdout, "[2/2] STEP 1/2: FROM");
  });
  await t.step("a command that fails, and a parameter that is not supported, say so", async () => {
    const failed = await build("failed", `FROM ${image}\nRUN echo out; exit 3\n`);
    assertEquals(failed.code, 3);
    assertStringIncludes(
      failed.stdout + failed.stderr,
      'building at STEP "RUN echo out; exit 3": while running runtime: exit status 3',
    );
    const unnamed = await server.request("POST", "/v5.0.0/libpod/build?t=UPPER", {
      raw: buildTar([{ type: "file", path: "Dockerfile", content: `FROM ${image}\nRUN echo too late\n` }]),
      headers: { "content-type": "application/x-tar" },
    });
    const said = await unnamed.text();
    assert(unnamed.status >= 400 && said.includes("must be lowercase") && !said.includes("STEP"), said);
    const refused = await build("refused", `FROM ${image}\n`, "--cpp-flag", "-DX");
    assertStringIncludes(refused.stderr, 'the parameter "cppflags"');
  });
  await t.step("a folder of the server is built from where it lies, with the paths that clients send", async () => {
    const folder = await Deno.makeTempDir({ prefix: "gantry-local-" });
    await Deno.writeTextFile(`${folder}/Containerfile`, `FROM ${image}\nCOPY . /all\nRUN ls /all > /list\n`);
    const post = async (query: Record<string, string>) => {
      const socket = server.addresses[0].replace("unix://", "");
      const url = `http://d/v5.8.0/libpod/local/build?${new URLSearchParams(query)}`;
      return ok(await run(["curl", "-sS", "--unix-socket", socket, "-X", "POST", url]));
    };
    const files = JSON.stringify([`${folder}/Containerfile`]);
    assertMatch(await post({ localcontextdir: folder, dockerfile: files, t: "local" }), /"stream":"[0-9a-f]{64}\\n"/);
    assertEquals(await shell("local", "cat", "/list"), "Containerfile\n");
    const unnamed = await server.request("POST", `/v5.8.0/libpod/local/build?t=unnamed&localcontextdir=${folder}`);
    assertEquals(unnamed.headers.get("content-type"), "application/json");
    assertMatch(await unnamed.text(), /Successfully tagged/, "without a name Containerfile is read");
    const statuses = [["dockerfile=/missing", 404], ["additionalbuildcontexts=x=localpath:/missing", 404]] as const;
    for (const [query, status] of [...statuses, ["additionalbuildcontexts=x=localpath:../y", 400] as const]) {
      const path = `/v5.8.0/libpod/local/build?localcontextdir=${folder}&${query}`;
      assertEquals((await server.request("POST", path)).status, status, query);
    }
    const typed = await server.request("POST", "/v5.8.0/libpod/build", {
      raw: "{}",
      headers: { "content-type": "application/json" },
    });
    assertEquals(typed.status, 400);
    assertStringIncludes(await typed.text(), "Content-Type: application/json is not supported");
    assertStringIncludes(await post({ localcontextdir: "/proc", dockerfile: "status" }), "may not be read");
    assertStringIncludes(await post({ dockerfile: "x" }), "localcontextdir cannot be empty");
    await Deno.remove(folder, { recursive: true });
  });
  await t.step("secrets, further contexts, annotations, lists and times", async () => {
    const secret = `${context.path}/../gantry-secret-${crypto.randomUUID()}`;
    await Deno.writeTextFile(secret, "hidden");
    const text =
      `FROM busy\nCOPY . /all\nRUN --mount=type=secret,id=s cat /run/secrets/s | wc -c > /got; ls /all >> /got; ` +
      "echo $MORE >> /got\n";
    const args = ["--secret", `id=s,src=${secret}`, "--build-context", `busy=docker-image://${image}`];
    const more = ["--annotation", "a=b", "--env", "MORE=m"];
    const made = await build("various", text, ...args, ...more, "--manifest", "localhost/many", "--timestamp", "1");
    await Deno.remove(secret);
    assertEquals(made.code, 0, made.stdout + made.stderr);
    const got = await shell("various", "cat", "/got");
    assertEquals(got.split("\n").slice(0, 2), ["6", "Containerfile"]);
    assertEquals(got.split("\n").slice(-2), ["m", ""]);
    assert(!got.includes("secret"), got);
    const [{ Annotations, Created }] = JSON.parse(ok(await podman("inspect", "--type=image", "various")));
    assertEquals([Annotations, Created], [{ a: "b" }, "1970-01-01T00:00:01Z"]);
    assertEquals(await shell("various", "stat", "-c", "%Y", "/got"), "1\n");
    assertEquals(JSON.parse(ok(await podman("manifest", "inspect", "localhost/many"))).manifests.length, 1);
  });
});

Deno.test("a build whose client leaves ends, and a server that is killed leaves nothing of it", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  await using context = await ContextFolder.make({ Containerfile: `FROM ${image}\nRUN touch /a\nRUN sleep 600\n` });
  const begin = () => {
    const [program, ...args] = server.podmanCommand("build", "-t", "never", context.path);
    return new Deno.Command(program, { args, stdin: "null", stdout: "null", stderr: "null" }).spawn();
  };
  const running = async () => JSON.parse(ok(await server.podman("ps", "-a", "--format", "json"))).length;
  const waitFor = (count: number) => until(async () => assertEquals(await running(), count));
  ok(await server.podman("pull", "-q", image));
  const left = begin();
  await waitFor(1);
  left.kill("SIGKILL");
  await left.status;
  await waitFor(0);
  const cut = begin();
  await waitFor(1);
  await server.crash();
  await cut.status;
  assertEquals(await running(), 0);
  const names = ok(await server.podman("images", "-a", "--format", "{{.Repository}}"));
  assert(!names.includes("never"), names);
});
