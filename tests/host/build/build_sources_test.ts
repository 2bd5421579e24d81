/** Where the files of builds come from. */
import { assert, assertEquals, assertNotEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { BuildRig, contextStream, contextTar } from "../../fixtures/build/build_rig.ts";
import { GitServer } from "../../fixtures/build/git_server.ts";

Deno.test("builds take files from Git repositories, URLs, folders and further contexts", async (t) => {
  await using rig = await BuildRig.start();
  await using git = await GitServer.start();
  const first = await git.commit({
    "Dockerfile": `FROM ${rig.image}\nCOPY . /all/\nRUN cat /all/file\n`,
    "file": "one\n",
    "sub/Dockerfile": `FROM ${rig.image}\nCOPY . /all/\nRUN ls -a /all\n`,
    "sub/below": "b",
    "out": "-> /etc/passwd",
  });
  await git.git("tag", "v1");
  await git.commit({ "file": "two\n" });
  const remote = async (url: string) => {
    const events = [];
    for await (const event of rig.engine.builds.build({ remote: url, dockerfiles: ["Dockerfile"] })) events.push(event);
    return events.map((event) => event.kind === "output" ? event.text : "").join("");
  };

  await t.step("a repository is the context: its branch, a tag, a commit, a folder of it", async () => {
    assertEquals(await remote(git.url), "two\n");
    assertEquals(await remote(`${git.url}#v1`), "one\n");
    // The same files: nothing is run again.
    assertEquals(await remote(`${git.url}#${first}`), "");
    assertEquals(await remote(`${git.url}#main:sub`), ".\n..\nDockerfile\nbelow\n");
  });
  await t.step("what is no repository, ref or scheme is refused, and no URL is an option", async () => {
    const fails = async (url: string, text: string) =>
      assertStringIncludes((await assertRejects(() => remote(url), EngineError)).message, text);
    await fails(`${git.url}#nowhere`, "nowhere");
    await fails(`${git.url}#--upload-pack=touch /tmp/x`, "is no branch, tag or commit");
    await fails(`${git.url}#main:gone`, 'has no folder "gone"');
    await fails("git@localhost:x/y.git", "by https, http and git");
    await fails("ssh://localhost/x.git", "by https, http and git");
    await fails("--upload-pack=x", "is no URL of a context");
    await fails(`file://${git.folder}/repo.git`, "is no URL of a context");
    assertEquals([...Deno.readDirSync(`${rig.folder}/root/sources`)].map(({ name }) => name), []);
  });
  await t.step("ADD of a repository brings its files, and its history where that is asked for", async () => {
    const text = `FROM IMAGE\nADD ${git.url}#v1 /src\nRUN cat /src/file; ls -a /src; stat -c %Y /src/file\n` +
      `ADD --keep-git-dir --checksum=${first} ${git.url}#v1 /with/\nRUN ls -d /with/.git\n`;
    const one = await rig.build(text);
    const names = ".\n..\nDockerfile\nfile\nout\nsub\n";
    assertEquals(one.output, `one\n${names}1704067200\n/with/.git\n`);
    assertEquals(
      (await rig.build(text.split("\n").slice(0, 3).join("\n"))).events.filter((e) => e.kind === "made"),
      [],
    );
    await assertRejects(
      () => rig.build(`FROM IMAGE\nADD --checksum=${"0".repeat(40)} ${git.url} /x\n`),
      EngineError,
      "expected 000",
    );
  });
  await t.step("a URL gives an archive, or a Dockerfile alone", async () => {
    const files = { "Dockerfile": `FROM ${rig.image}\nCOPY a /\nRUN cat /a\n`, "a": "from a URL\n" };
    const gzip = () => new Blob([contextTar(files).slice()]).stream().pipeThrough(new CompressionStream("gzip"));
    await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
      if (url.endsWith(".tgz")) return new Response(gzip());
      if (url.endsWith("/alone")) return new Response(`FROM ${rig.image}\nRUN echo alone\n`);
      return new Response("none", { status: 404 });
    });
    const base = `http://127.0.0.1:${server.addr.port}`;
    assertEquals(await remote(`${base}/x.tgz`), "from a URL\n");
    assertEquals(await remote(`${base}/alone`), "alone\n");
    await assertRejects(() => remote(`${base}/gone`), EngineError, "status 404");
    const { output } = await rig.build("FROM IMAGE\nCOPY --from=far a /b\nRUN cat /b\n", {
      contexts: { far: { kind: "url", url: `${base}/x.tgz` } },
    });
    assertEquals(output, "from a URL\n");
  });
  await t.step("further contexts go before images and stages, and may be what a stage is made of", async () => {
    let opened = 0;
    const open =
      () => (opened++, contextStream({ ".dockerignore": "no", "no": "x", "bin/yes": "y", "link": "-> bin" }));
    const contexts = {
      more: { kind: "archive", open },
      unused: { kind: "archive", open: () => contextStream({}) },
      busy: { kind: "image", name: rig.image },
      code: { kind: "git", url: `${git.url}#v1:sub` },
      stage: { kind: "image", name: rig.image },
    } as const;
    const text = "FROM more AS files\nFROM nothing-like-it AS stage\nFROM busy\n" +
      "COPY --from=more . /more/\nCOPY --from=files /bin/yes /files/\nCOPY --from=code /below /\n" +
      "RUN --mount=from=more,source=bin,target=/m ls -a /more /files /m; cat /below\nCOPY --from=stage /bin/sh /sh\n";
    const { output } = await rig.build(text, { contexts });
    assertEquals(output, "/files:\n.\n..\nyes\n\n/m:\n.\n..\nyes\n\n/more:\n.\n..\n.dockerignore\nbin\nlink\nb");
    assertEquals(opened, 1);
  });
  await t.step("contexts that come in one message are read one behind the other", async () => {
    async function* parts() {
      yield { name: "other", archive: contextStream({ "o": "other\n" }) };
      yield { name: "", archive: contextStream({ "m": "main\n" }) };
    }
    const events = [];
    const text = `FROM ${rig.image}\nCOPY m /\nCOPY --from=other o /\nRUN cat /m /o\n`;
    const options = { dockerfiles: [], dockerfileTexts: [{ name: "D", text }], contextParts: parts() };
    for await (const event of rig.engine.builds.build(options)) if (event.kind === "output") events.push(event.text);
    assertEquals(events.join(""), "main\nother\n");
  });
  await t.step("a folder of this machine is a context, the engine's own are not", async () => {
    const folder = `${rig.folder}/folder`;
    await Deno.mkdir(folder);
    await Deno.writeTextFile(`${folder}/Dockerfile`, `FROM ${rig.image}\nCOPY . /x\nRUN cat /x/f\n`);
    await Deno.writeTextFile(`${folder}/f`, "local\n");
    const local = async (contextFolder: string) => {
      const events = [];
      for await (const event of rig.engine.builds.build({ contextFolder, dockerfiles: ["Dockerfile"] })) {
        events.push(event);
      }
      return events.map((event) => event.kind === "output" ? event.text : "").join("");
    };
    assertEquals(await local(folder), "local\n");
    for (const path of [`${rig.folder}/root`, rig.folder, "/", "/proc", "/dev/shm"]) {
      assertStringIncludes((await assertRejects(() => local(path), EngineError)).message, "may not be read");
    }
    await assertRejects(() => local(`${folder}/f`), EngineError, "is no folder");
    await assertRejects(() => local("relative"), EngineError, "not absolute");
  });
  await t.step("a secret among the context's files is in no image", async () => {
    const files = { "podman-build-secret1": "hidden", "kept": "k" };
    const text = "FROM IMAGE\nCOPY . /all/\nRUN --mount=type=secret,id=s ls /all && wc -c < /run/secrets/s\n";
    const { output } = await rig.build(text, { files, secretFiles: { s: "podman-build-secret1" } });
    assertEquals(output, "kept\n6\n");
    await assertRejects(() => rig.build(text, { files, secretFiles: { s: "gone" } }), EngineError, "not in the build");
  });
});

Deno.test("builds give their images annotations, variables, times and lists that the caller asks for", async (t) => {
  await using rig = await BuildRig.start();
  await t.step("annotations are in the manifest, and the rest is as without them", async () => {
    const plain = await rig.build("FROM IMAGE\nRUN true\n");
    const noted = await rig.build("FROM IMAGE\nRUN true\n", { annotations: { a: "b" }, manifest: "localhost/list" });
    assertEquals(noted.image.annotations, { a: "b" });
    assertEquals(noted.image.layers.map(({ diffID }) => diffID), plain.image.layers.map(({ diffID }) => diffID));
    const list = rig.engine.images.lists.find("localhost/list").list;
    assertEquals(list.entries.map(({ digest }) => digest), [noted.image.digest]);
    const again = await rig.build("FROM IMAGE\nRUN true\n", { annotations: { a: "b" } });
    assertEquals(again.image.id, noted.image.id);
    assertNotEquals(noted.image.id, plain.image.id);
  });
  await t.step("variables, labels and history come and go", async () => {
    const base = await rig.build("FROM IMAGE\nENV A=1 B=2\nLABEL l=1 m=2\n", { names: ["localhost/base"] });
    assertEquals(base.image.config.config?.Labels?.l, "1");
    const { image, output } = await rig.build("FROM localhost/base\nRUN echo $A $B $C\n", {
      env: { C: "3", A: "one" },
      unsetEnv: ["B"],
      dropLabels: ["l"],
      omitHistory: true,
      osVersion: "7",
    });
    assertEquals(output, "one 2 3\n");
    assertEquals(image.config.config?.Env?.filter((line) => !line.startsWith("PATH=")), ["A=one", "C=3"]);
    assertEquals([image.config.config?.Labels?.l, image.config.config?.Labels?.m], [undefined, "2"]);
    assertEquals([image.config.history, image.config["os.version"]], [[], "7"]);
  });
  await t.step("with a time that is given the same inputs give the same image, twice", async () => {
    const text = "FROM IMAGE\nCOPY . /x/\nRUN echo made > /made && mkdir -p /a/b && ln -s made /link\nWORKDIR /w\n" +
      "FROM scratch\nCOPY --from=0 /made /x /\nADD https-like /\n";
    const files = { "one": "1", "https-like": "u" };
    const build = async (options: { timestamp?: number; buildArgs?: Record<string, string> }) =>
      await rig.build(text, { files, noCache: true, rewriteTimes: "later", ...options });
    const one = await build({ buildArgs: { SOURCE_DATE_EPOCH: "1600000000" } });
    // Files made in another second would differ.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const two = await build({ timestamp: 1600000000 });
    assertEquals(two.image.digest, one.image.digest);
    assertEquals(two.image.config.created, "2020-09-13T12:26:40.000Z");
    const other = await build({ timestamp: 1600000001 });
    assertNotEquals(other.image.digest, one.image.digest);
  });
  await t.step("a result that is too old is made anew", async () => {
    const text = "FROM IMAGE\nRUN true # of a certain age\n";
    await rig.build(text);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const kinds = async (cacheTTL: number) => (await rig.build(text, { cacheTTL })).events.map(({ kind }) => kind);
    assert((await kinds(10)).includes("made"));
    assert((await kinds(60_000)).includes("cached"));
  });
});
