/** What commands of builds get besides the stage's files. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import { BuildRig } from "../../fixtures/build/build_rig.ts";
import { ok, run } from "../../fixtures/run.ts";
import { until } from "../../fixtures/session.ts";

const HELLO = new TextEncoder().encode("open sesame");

/** A program of this machine with its libraries; `ld.so` starts it. */
async function programFiles(program: string): Promise<Record<string, Uint8Array>> {
  const libraries = ok(await run(["ldd", program])).match(/\/\S+/g) ?? [];
  const files: Record<string, Uint8Array> = {};
  for (const path of [program, ...libraries]) {
    const name = path.split("/").at(-1)!;
    files[name.startsWith("ld-linux") ? "ld.so" : name] = await Deno.readFile(path);
  }
  return files;
}

/** An SSH agent with a key of its own. */
async function startAgent(path: string): Promise<AsyncDisposable & { path: string; key: string }> {
  const child = new Deno.Command("ssh-agent", { args: ["-D", "-a", path], stdout: "null", stderr: "null" }).spawn();
  await until(() => Deno.stat(path));
  ok(await run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", `${path}.key`]));
  ok(await run(["env", `SSH_AUTH_SOCK=${path}`, "ssh-add", "-q", `${path}.key`]));
  return {
    path,
    key: await Deno.readTextFile(`${path}.key.pub`),
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.status;
    },
  };
}

Deno.test("RUN --mount: secrets, agents, the context, scripts, and what stays of them", async (t) => {
  await using rig = await BuildRig.start();
  const readSecret = (id: string) => Promise.resolve(id === "word" ? HELLO : undefined);

  await t.step("a secret is a file, a variable, or both, and no layer has it", async () => {
    const text = "FROM IMAGE\nRUN --mount=type=secret,id=word,uid=7,mode=0440 " +
      "stat -c '%a %u' /run/secrets/word && wc -c < /run/secrets/word && test ! -e /run/secrets/other\n" +
      "RUN --mount=type=secret,id=word,target=/etc/deep/word --mount=type=secret,id=none wc -c < /etc/deep/word\n" +
      "RUN --mount=type=secret,id=word,env=WORD test ! -e /run/secrets/word && echo ${#WORD}\n" +
      "RUN --mount=type=secret,id=word,env=word,target=/w wc -c < /w; echo ${#word}\n";
    const { image, output } = await rig.build(text, { readSecret });
    assertEquals(output, "440 7\n11\n11\n11\n11\n11\n");
    for (const at of [-1, -2, -3, -4]) assertEquals(await rig.layerNames(image, at), []);
    assert(!JSON.stringify(image).includes("sesame"));
    assert(!JSON.stringify(rig.engine.containers.list({ all: true })).includes("sesame"));
  });
  await t.step("a command with another secret is not run again, and its value is nowhere", async () => {
    let asked = 0;
    const count = () => (asked++, Promise.resolve(HELLO));
    const text = "FROM IMAGE\nRUN --mount=type=secret,id=word true # again\n";
    await rig.build(text, { readSecret: count });
    await rig.build(text, { readSecret: count });
    assertEquals(asked, 1);
    const found = await run(["grep", "-r", "-l", "-a", "open sesame", `${rig.folder}/root`, `${rig.folder}/run`]);
    assertEquals([found.code, found.stdout], [1, ""]);
  });
  await t.step("a secret that is required and missing fails the command", async () => {
    const text = "FROM IMAGE\nRUN --mount=type=secret,id=gone,required true\n";
    await assertRejects(
      () => rig.build(text, { readSecret }),
      EngineError,
      'secret required but no secret with id "gone" found',
    );
    await assertRejects(() => rig.build("FROM IMAGE\nRUN --mount=type=secret true\n"), EngineError, "requires an id");
  });
  await t.step("an SSH agent is a socket that leads to the caller's", async () => {
    const asked: string[] = [];
    const path = `${rig.folder}/agent`;
    await using agent = await startAgent(path);
    const openAgent = async (id: string) => {
      asked.push(id);
      return id === "mine" ? await Deno.connect({ transport: "unix", path: agent.path }) : undefined;
    };
    const text = "FROM IMAGE\nRUN --mount=type=ssh,id=mine,mode=0660 --mount=target=/host " +
      "stat -c '%A %n' $SSH_AUTH_SOCK && for at in 1 2; do /host/ld.so --library-path /host /host/ssh-add -L; done\n" +
      'RUN --mount=type=ssh echo "none: $SSH_AUTH_SOCK"\n';
    const { image, output } = await rig.build(text, { openAgent, files: await programFiles("/usr/bin/ssh-add") });
    assertEquals(output, `srw-rw---- /run/buildkit/ssh_agent.0\n${agent.key}${agent.key}none: \n`);
    assertEquals(asked, ["mine", "mine", "default"]);
    assertEquals(await rig.layerNames(image, -2), []);
    await assertRejects(
      () => rig.build("FROM IMAGE\nRUN --mount=type=ssh,required true\n", { openAgent }),
      EngineError,
      'ssh agent required but no agent with id "default"',
    );
  });
  await t.step(
    "the context is mounted without what its ignore file leaves out, and writes are thrown away",
    async () => {
      const files = {
        ".dockerignore": "**/*.out\n",
        "a/one": "1",
        "a/two.out": "2",
        "a/x.out": "",
        "link": "-> a/one",
      };
      const text = "FROM IMAGE\nRUN --mount=target=/src cd /src && find . | sort && ! touch /src/new 2>/dev/null\n" +
        "RUN --mount=target=/src,source=a,rw touch /src/new && ls /src\n" +
        "RUN --mount=source=a/one,target=/file cat /file && ! echo 2>/dev/null > /file\n" +
        "RUN --mount=target=/src,source=a ls /src\n";
      const first = await rig.build(text, { files });
      assertEquals(first.output, ".\n./.dockerignore\n./a\n./a/one\n./link\nnew\none\n1one\n");
      for (const at of [-1, -2, -3, -4]) assertEquals(await rig.layerNames(first.image, at), []);
      const same = await rig.build(text, { files: { ...files, "b.out": "left out" } });
      assertEquals(same.image.id, first.image.id);
      const other = await rig.build(text, { files: { ...files, "a/one": "3" } });
      assertStringIncludes(other.output, "3one\n");
      await assertRejects(
        () => rig.build("FROM IMAGE\nRUN --mount=target=/x,source=../up true\n"),
        EngineError,
        "leads out",
      );
      await assertRejects(
        () => rig.build("FROM IMAGE\nRUN --mount=target=/x,source=gone true\n"),
        EngineError,
        "not in the build context",
      );
    },
  );
  await t.step("a heredoc that begins with #! is a program", async () => {
    const text = 'FROM IMAGE\nUSER 7\nRUN <<END\n#!/bin/sh -e\necho "$0 $(id -u) $-"\nEND\n' +
      "RUN <<-E\n\t#!/bin/busybox sh\n\techo tabs\n\tE\n";
    const { image, output } = await rig.build(text);
    assertEquals(output, "/dev/pipes/END 7 e\ntabs\n");
    assertEquals(await rig.layerNames(image), []);
    assertStringIncludes(image.config.history?.at(-2)?.created_by ?? "", "RUN <<END");
  });
  await t.step("a command with all rights needs the caller's word", async () => {
    const text = "FROM IMAGE\nRUN --security=insecure grep CapEff /proc/self/status\n";
    await assertRejects(() => rig.build(text), EngineError, "RUN --security=insecure is not allowed");
    const { output } = await rig.build(text, { allowInsecure: true });
    const own = ok(await run(["grep", "CapEff", "/proc/self/status"]));
    assertEquals(output, own);
  });
  await t.step("what a command makes at the place of a mount stays", async () => {
    const text = "FROM IMAGE\nRUN mkdir -p /cache/kept /mnt/x && touch /file\n" +
      "RUN --mount=type=cache,target=/cache/new/deep --mount=type=tmpfs,target=/mnt/x echo hi > /cache/new/beside\n" +
      "RUN --mount=type=cache,target=/var/one/two chmod 700 /mnt\n";
    const { image } = await rig.build(text);
    assertEquals(await rig.layerNames(image), ["mnt/"]);
    assertEquals(await rig.layerNames(image, -2), ["cache/", "cache/new/", "cache/new/beside"]);
  });
  await t.step(
    "a cache is empty at first, its user's, no volume to others, and goes with the build cache",
    async () => {
      const { builds, volumes } = rig.engine;
      await builds.prune({ all: true });
      const text = (word: string) =>
        "FROM IMAGE\nRUN mkdir /kept && echo old > /kept/file\nUSER 7:8\n" +
        "RUN --mount=type=cache,target=/kept,uid=7,gid=8,mode=0750 stat -c '%a %u %g' /kept && " +
        `cat /kept/* 2> /dev/null; echo ${word} > /kept/word\n`;
      assertEquals((await rig.build(text("one"))).output, "750 7 8\n");
      assertEquals((await rig.build(text("two"))).output, "750 7 8\none\n");
      assertEquals(volumes.list().filter(({ name }) => name.startsWith("build-cache")), []);
      assertEquals(await volumes.prune(), []);
      const isMount = ({ kind }: { kind: string }) => kind === "mount";
      const [mount, ...more] = (await builds.cacheItems()).filter(isMount);
      assertEquals([more, mount.uses, mount.isUsed, mount.text.split(" from ")[0]], [
        [],
        2,
        false,
        "cached mount /kept",
      ]);
      assert(mount.size > 0);
      const { items } = await builds.prune();
      assertEquals(items.filter(isMount), [mount]);
      assertEquals((await builds.cacheItems()).filter(isMount), []);
      assertEquals((await rig.build(text("three"))).output, "750 7 8\n");
    },
  );
});
