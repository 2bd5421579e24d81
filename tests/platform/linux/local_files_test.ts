import { assert, assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../lib/engine/errors.ts";
import type { LocalFile, LocalFolder } from "../../../lib/engine/ports/local_files_port.ts";
import { localFiles } from "../../../lib/platform/linux/local_files.ts";
import { run } from "../../fixtures/run.ts";

async function textOf(found: LocalFile | LocalFolder | undefined): Promise<string> {
  assert(found?.kind === "file", "Expected a file");
  return await new Response(await found.open()).text();
}

Deno.test("localFiles() finds files and folders by absolute paths", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
  await Deno.mkdir(`${folder}/sub/deep`, { recursive: true });
  await Deno.writeTextFile(`${folder}/sub/deep/a`, "hello");
  await Deno.symlink("sub", `${folder}/link`);
  await Deno.symlink("/etc/hostname", `${folder}/sub/out`);
  const files = localFiles([`${folder}/own`]);
  assertEquals(await textOf(await files.find(`${folder}/link/../sub/./deep/a`)), "hello");
  const found = await files.find(`${folder}/link`);
  assert(found.kind === "folder");
  assertEquals(await textOf(await found.file("deep/a")), "hello");
  // Links and `..` stay inside.
  assertEquals([await found.file("out"), await found.file("none"), await found.file("deep")], [
    undefined,
    undefined,
    undefined,
  ]);
  assertEquals(await textOf(await found.file("../../deep/a")), "hello");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("localFiles() opens one folder of the engine's own, and nothing that a link in it leads to", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
  await Deno.mkdir(`${folder}/own/quadlets`, { recursive: true });
  await Deno.writeTextFile(`${folder}/own/secret`, "x");
  await Deno.writeTextFile(`${folder}/own/quadlets/web.env`, "A=1");
  await Deno.mkdir(`${folder}/own/quadlets-not`);
  await Deno.symlink("../secret", `${folder}/own/quadlets/link`);
  const files = localFiles([`${folder}/own`], `${folder}/own/quadlets`);
  assertEquals(await textOf(await files.find(`${folder}/own/quadlets/web.env`)), "A=1");
  assertEquals((await files.find(`${folder}/own/quadlets`)).kind, "folder");
  for (const path of ["quadlets/link", "quadlets/../secret", "quadlets-not", "secret", "."]) {
    const error = await assertRejects(() => files.find(`${folder}/own/${path}`), EngineError);
    assertEquals(error.code, "forbidden", path);
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("localFiles() refuses what is not for callers", async () => {
  const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
  await Deno.mkdir(`${folder}/own`);
  await Deno.writeTextFile(`${folder}/own/secret`, "x");
  await Deno.symlink(`${folder}/own/secret`, `${folder}/to-secret`);
  await run(["mkfifo", `${folder}/pipe`]);
  const files = localFiles([`${folder}/own`]);
  const cases: [string, string][] = [
    ["relative", "invalid"],
    ["", "invalid"],
    ["/a\0b", "invalid"],
    [`${folder}/none`, "no_such_file"],
    [`${folder}/own/secret/below`, "no_such_file"],
    [`${folder}/own/secret`, "forbidden"],
    [`${folder}/own`, "forbidden"],
    [`${folder}/to-secret`, "forbidden"],
    [`${folder}/pipe`, "forbidden"],
    ["/proc/self/environ", "forbidden"],
    ["/dev/zero", "forbidden"],
    ["/sys/kernel", "forbidden"],
  ];
  for (const [path, code] of cases) {
    assertEquals((await assertRejects(() => files.find(path), EngineError)).code, code, path);
  }
  await Deno.remove(folder, { recursive: true });
});
