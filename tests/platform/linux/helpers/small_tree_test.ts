import { assert, assertEquals } from "@std/assert";
import { readdirSync } from "node:fs";
import { sizeOfSmall } from "../../../../lib/platform/linux/helpers/small_tree.ts";

const ignore = Deno.build.os !== "linux";

/** A folder that goes with its content. */
async function temporary(): Promise<AsyncDisposable & { path: string }> {
  const path = await Deno.makeTempDir();
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

async function bytesByFind(path: string): Promise<number> {
  const args = [path, "-xdev", "-type", "f", "-printf", "%s %n\\n"];
  const { stdout } = await new Deno.Command("find", { args }).output();
  const lines = new TextDecoder().decode(stdout).trim().split("\n").map((line) => line.split(" ").map(Number));
  return lines.reduce((sum, [size = 0, names = 1]) => sum + size / names, 0);
}

Deno.test({
  name: "sizeOfSmall() counts as find(1) does, whatever names and kinds there are",
  ignore,
  async fn() {
    await using folder = await temporary();
    const { path } = folder;
    const names = [".hidden", "...", "..more", "new\nline", "ünïcode", "x".repeat(255), "a b"];
    for (const [at, name] of names.entries()) {
      await Deno.mkdir(`${path}/d${at}/${name}`, { recursive: true });
      await Deno.writeFile(`${path}/d${at}/${name}/${name}`, new Uint8Array(1000 + at));
      await Deno.link(`${path}/d${at}/${name}/${name}`, `${path}/d${at}/again`);
      await Deno.symlink("/etc/passwd", `${path}/d${at}/link`);
      await Deno.symlink("/etc", `${path}/d${at}/folder`);
    }
    // A name that is no UTF-8, a hole, a FIFO, and what nobody may read.
    const script =
      'printf abc > "$(printf "\\377x")"; truncate -s 5000000000 hole; mkfifo pipe; mkdir shut; : > shut/f; chmod 0 hole';
    assert((await new Deno.Command("sh", { args: ["-c", script], cwd: path }).output()).success);
    assertEquals(sizeOfSmall(path), await bytesByFind(path));
    assertEquals(sizeOfSmall(path), 7 * 1000 + 21 + 3 + 5_000_000_000);
  },
});

Deno.test({
  name: "sizeOfSmall() leaves trees alone that are too large, of several devices or none, and keeps nothing open",
  ignore,
  async fn() {
    await using folder = await temporary();
    const { path } = folder;
    for (let at = 0; at < 31; at++) await Deno.mkdir(`${path}/many/${at}`, { recursive: true });
    for (let at = 0; at < 256; at++) await Deno.writeTextFile(`${path}/wide-${at}`, "x");
    await Deno.mkdir(`${path}/wide`);
    for (let at = 0; at < 256; at++) await Deno.rename(`${path}/wide-${at}`, `${path}/wide/${at}`);
    await Deno.symlink(`${path}/wide`, `${path}/link`);
    const open = () => readdirSync("/proc/self/fd").length;
    const before = open();
    assertEquals(sizeOfSmall(`${path}/many`), 0);
    assertEquals(sizeOfSmall(`${path}/wide`), 256);
    await Deno.mkdir(`${path}/many/31`);
    await Deno.writeTextFile(`${path}/wide/256`, "x");
    for (const name of ["many", "wide", "link", "none", "wide/0"]) {
      assertEquals(sizeOfSmall(`${path}/${name}`), undefined, name);
    }
    assertEquals(sizeOfSmall("/dev"), undefined);
    assertEquals(open(), before);
  },
});
