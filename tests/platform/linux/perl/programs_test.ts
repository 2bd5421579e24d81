import { assert, assertEquals } from "@std/assert";
import { runCommand } from "../../../../lib/platform/linux/helpers/command.ts";
import { callNumbers } from "../../../../lib/platform/linux/calls/system_calls.ts";
import { HIDE } from "../../../../lib/platform/linux/perl/hide.pl.ts";
import { HYBRID } from "../../../../lib/platform/linux/perl/hybrid.pl.ts";
import { perlArguments, type PerlProgram } from "../../../../lib/platform/linux/perl/programs.ts";
import * as programs from "../../../../lib/platform/linux/perl/programs.ts";
import { PERL_FOLDER, perlFiles } from "../../../../scripts/generate/perl_modules.ts";

const root = new URL("../../../../", import.meta.url);
const OK = "program.pl syntax OK\n";
const named = Object.entries(programs).filter((entry): entry is [string, PerlProgram] => typeof entry[1] === "object");

/** The beginning or the end of a block, which a program has around some of its files. */
const BRACE = /^[{}]\n$/;

/** Has Perl compile files one after the other, with its warnings, and braces between them; says what it has to say of them. */
async function perlCheck(files: readonly string[]): Promise<string> {
  const texts = await Promise.all(files.map(async (path) => {
    if (BRACE.test(path)) return path;
    return `# line 1 "${path.slice(PERL_FOLDER.length)}"\n${await Deno.readTextFile(new URL(path, root))}`;
  }));
  const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    await Deno.writeTextFile(`${folder}/program.pl`, texts.join("\n"));
    // Only 64-bit processors run what has 64-bit numbers.
    const args = ["-Mstrict", "-Mwarnings", "-M-warnings=portable", "-c", `${folder}/program.pl`];
    const { stderr } = await new Deno.Command("perl", { args, stderr: "piped" }).output();
    return new TextDecoder().decode(stderr).replaceAll(`${folder}/`, "");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The files that a program is made of, by the texts of their modules. */
async function filesOf(program: PerlProgram): Promise<string[]> {
  const files = await perlFiles(root);
  const texts = new Map<string, string>();
  for (const path of files) {
    const [text] = Object.values(await import(`../../../../${path}.ts`)) as string[];
    texts.set(text, path);
  }
  return program.parts.map((part) => BRACE.test(part) ? part : texts.get(part) ?? "");
}

Deno.test("perl -c has no complaint about any program", async () => {
  assertEquals(named.length, 11);
  const checked = new Set<string>();
  for (const [, program] of named) {
    const files = await filesOf(program);
    files.filter((path) => !BRACE.test(path)).forEach((path) => checked.add(path));
    assertEquals(await perlCheck(files), OK);
  }
  // The wrapper of a runtime is a program by itself.
  const hybrid = `${PERL_FOLDER}hybrid.pl`;
  assertEquals(await perlCheck([`${PERL_FOLDER}hide.pl`, hybrid]), OK);
  assertEquals([...checked, hybrid].sort(), await perlFiles(root), "each file is part of a program");
});

Deno.test("perl -c names the file and the line of a mistake", async () => {
  // `compare.pl` alone lacks the names that the other files declare.
  const said = await perlCheck([`${PERL_FOLDER}common.pl`, `${PERL_FOLDER}agent/compare.pl`]);
  assert(/^Global symbol "\$NEW_NS" .* at agent\/compare\.pl line 22\.$/m.test(said), said);
});

Deno.test("a program names every system call, flag and error that it knows by number, and no other", () => {
  for (const [name, { parts, calls, flags = [], errors = [] }] of named) {
    const used = new Set([...parts.join("").matchAll(/\$nr\{(\w+)\}/g)].map(([, call]) => call));
    assertEquals([...used].sort(), [...calls, ...flags, ...errors].sort(), name);
  }
});

Deno.test("perlArguments() hands over the numbers before the arguments", () => {
  const [flag, text, numbers, ...rest] = perlArguments(programs.MOUNTS_PROGRAM, "Test", ["bind", "x"]);
  assertEquals([flag, text.includes("move_mount"), rest], ["-e", true, ["bind", "x"]]);
  assert(/^open_tree=428,move_mount=429,mount_setattr=442,setns=\d+$/.test(numbers), numbers);
});

Deno.test({
  name: "hybrid.pl starts a program out of whose sight a mount is, and passes on its arguments",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "gantry-test-" });
    const { unshare, mount } = callNumbers("Test", ["unshare", "mount"]);
    await runCommand("mount", ["-t", "tmpfs", "none", folder]);
    try {
      await Deno.writeTextFile(`${folder}/hidden`, "");
      const settings = [unshare, mount].map(String);
      // crun writes below the mount point: that lies nowhere when it is gone.
      const script = `ls "$0" && mkdir "$0/made" && cat /proc/self/mountinfo`;
      const args = ["-e", HIDE + HYBRID, ...settings, folder, "sh", "-c", script, folder];
      const { stdout } = await runCommand("perl", args);
      assert(/^\d+ \d+ [\d:]+ \S+ \/ /m.test(stdout), "the root is there");
      assertEquals(stdout.includes("hidden\n"), false);
      assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["hidden"], "the host's mount stays");
    } finally {
      await runCommand("umount", [folder]);
      // Fails where something lies below the mount.
      await Deno.remove(folder);
    }
  },
});
