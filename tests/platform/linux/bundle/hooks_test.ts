import { assertEquals, assertRejects } from "@std/assert";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { hooksFor } from "../../../../lib/platform/linux/bundle/hooks.ts";

const SUBJECT = { command: "/bin/sh", annotations: { colour: "blue" }, hasBindMounts: false };

async function withFolders(
  work: (folders: string[], put: (path: string, hook: unknown) => Promise<void>) => Promise<void>,
) {
  const root = await mkdtemp(join(tmpdir(), "gantry-hooks-"));
  const folders = ["a", "b"].map((name) => join(root, name));
  for (const folder of folders) await mkdir(folder);
  try {
    await work([...folders, join(root, "missing")], (path, hook) => writeFile(join(root, path), JSON.stringify(hook)));
  } finally {
    await rm(root, { recursive: true });
  }
}

function hook(when: unknown, stages = ["poststart"], more: Record<string, unknown> = {}) {
  return { version: "1.0.0", hook: { path: "/bin/true", ...more }, when, stages };
}

Deno.test("hooksFor() gives hooks by stage, in the order of their names, a later folder's first of all", async () => {
  await withFolders(async (folders, put) => {
    assertEquals(await hooksFor(folders, SUBJECT), undefined);
    await put("a/2.json", hook({ always: true }, ["poststart", "poststop"], { args: ["true", "2"] }));
    await put("a/1.json", hook({ always: true }, ["poststart"], { args: ["replaced"] }));
    await put("b/1.json", hook({ always: true }, ["poststart"], { args: ["true", "1"], timeout: 3 }));
    await put("b/ignored.txt", "no hook");
    const [first, second] = [
      { path: "/bin/true", args: ["true", "1"], timeout: 3 },
      { path: "/bin/true", args: ["true", "2"] },
    ];
    assertEquals(await hooksFor(folders, SUBJECT), { poststart: [first, second], poststop: [second] });
  });
});

Deno.test("hooksFor() asks every condition, and of commands one", async () => {
  const rows: [when: Record<string, unknown>, fits: boolean][] = [
    [{}, false],
    [{ always: true }, true],
    [{ always: false }, false],
    [{ annotations: { "^col": "^b" } }, true],
    [{ annotations: { "^col": "^red" } }, false],
    [{ annotations: { colour: "blue" }, commands: ["bash$"] }, false],
    [{ commands: ["bash$", "/sh$"] }, true],
    [{ hasBindMounts: true }, false],
    [{ always: true, hasBindMounts: true }, false],
  ];
  await withFolders(async (folders, put) => {
    for (const [when, fits] of rows) {
      await put("a/x.json", hook(when));
      assertEquals(await hooksFor(folders, SUBJECT) !== undefined, fits, JSON.stringify(when));
    }
  });
});

Deno.test("hooksFor() names the file that is no hook", async () => {
  const rows: [unknown, string][] = [
    [{ ...hook({}), version: "2" }, 'unexpected hook version "2"'],
    [{ version: "1.0.0", stages: [] }, "missing required property: hook.path"],
    [hook({}, ["never"]), 'unknown stage "never"'],
    [hook({ commands: ["("] }), "Invalid regular expression"],
    [{ ...hook({}), hook: { path: "/not/there" } }, "ENOENT"],
  ];
  await withFolders(async (folders, put) => {
    for (const [file, text] of rows) {
      await put("a/bad.json", file);
      const error = await assertRejects(() => hooksFor(folders, SUBJECT), EngineError, text);
      assertEquals((error as EngineError).message.includes("bad.json"), true);
    }
  });
});
