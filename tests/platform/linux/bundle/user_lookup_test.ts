import { assert, assertEquals, assertRejects } from "@std/assert";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { copyWithLines } from "../../../../lib/platform/linux/bundle/tree/account_file.ts";
import { resolveUser } from "../../../../lib/platform/linux/bundle/user_lookup.ts";

/** A tree with these files in its /etc. */
async function tree(
  files: Record<string, string | Uint8Array<ArrayBuffer>>,
): Promise<{ root: string } & AsyncDisposable> {
  const root = await Deno.makeTempDir({ prefix: "gantry-users-" });
  await Deno.mkdir(`${root}/etc`);
  for (const [name, content] of Object.entries(files)) await Deno.writeFile(`${root}/etc/${name}`, bytes(content));
  return { root, [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }) };
}

const bytes = (content: string | Uint8Array<ArrayBuffer>) =>
  typeof content === "string" ? new TextEncoder().encode(content) : content;

const PASSWD = [
  "# a comment",
  "root:x:0:0:root:/root:/bin/sh",
  "1000:x:0:0:root in disguise:/evil:/bin/sh",
  "01000:x:0:0::/evil:/bin/sh",
  "99999999999:x:0:0::/evil:/bin/sh",
  "-1:x:0:0::/evil:/bin/sh",
  "alice:x:1000:100::/home/alice:/bin/sh",
  "large:x:4294967296:0::/:/bin/sh",
  "",
].join("\n");
const GROUP = ["root:x:0:", "1000:x:0:alice", "5:x:0:", "+7:x:0:", "staff:x:50:bob,alice,carol", "wheel:x:10:alicea"]
  .join("\n");

Deno.test("resolveUser() takes digits for IDs, whatever names the tree has", async (t) => {
  await using at = await tree({ passwd: PASSWD, group: GROUP });
  const cases: [string, string[], [number, number, number[], string]][] = [
    ["1000", [], [1000, 100, [0, 50, 100], "/home/alice"]],
    ["alice", [], [1000, 100, [0, 50, 100], "/home/alice"]],
    ["01000", [], [1000, 100, [0, 50, 100], "/home/alice"]],
    ["+1000", [], [1000, 100, [0, 50, 100], "/home/alice"]],
    ["1000:1000", [], [1000, 1000, [1000], "/home/alice"]],
    ["alice:5", [], [1000, 5, [5], "/home/alice"]],
    ["alice:+7", [], [1000, 7, [7], "/home/alice"]],
    ["2000", ["1000", "5", "staff"], [2000, 0, [1000, 5, 50, 0], "/"]],
    ["", [], [0, 0, [0], "/root"]],
    [":staff", [], [0, 50, [50], "/root"]],
    ["2147483647:2147483647", [], [2147483647, 2147483647, [2147483647], "/"]],
  ];
  for (const [user, groups, expected] of cases) {
    await t.step(`"${user}" with groups [${groups}]`, async () => {
      const { uid, gid, additionalGids, home } = await resolveUser(at.root, user, groups);
      assertEquals([uid, gid, additionalGids, home], expected);
    });
  }
});

Deno.test("resolveUser() refuses IDs out of range, also those that the tree has as names", async (t) => {
  await using at = await tree({ passwd: PASSWD, group: `${GROUP}\n99999999999:x:0:\n-1:x:0:\n` });
  const outOfRange: [string, string[]][] = [
    ["2147483648", []],
    ["4294967295", []],
    ["99999999999", []],
    ["-1", []],
    ["0:-1", []],
    ["0:99999999999", []],
    ["0", ["-1"]],
    ["0", ["99999999999"]],
    [`1${"0".repeat(400)}`, []],
  ];
  for (const [user, groups] of outOfRange) {
    await t.step(`"${user.slice(0, 16)}" with groups [${groups}]`, async () => {
      const error = await assertRejects(() => resolveUser(at.root, user, groups), EngineError);
      assertEquals(error.code, "invalid");
      assert(error.message.endsWith("uids and gids must be in range 0-2147483647"), error.message);
    });
  }
  // An entry whose ID is out of range is none.
  await assertRejects(() => resolveUser(at.root, "large", []), EngineError, "unable to find user large");
});

Deno.test("resolveUser() reads so much of a tree's files, and refuses what is larger", async (t) => {
  const limit = 4 * 1024 * 1024;
  const cases: [string, Record<string, string | Uint8Array<ArrayBuffer>>, string][] = [
    ["bytes of passwd", { passwd: new Uint8Array(limit + 1).fill(97) }, '"/etc/passwd" of the container\'s tree'],
    ["bytes of group", { group: new Uint8Array(limit + 1).fill(97) }, '"/etc/group" of the container\'s tree'],
    ["lines of passwd", { passwd: "\n".repeat(65_537) }, '"/etc/passwd" of the container\'s tree'],
    ["lines of group", { group: "g:x:1:\n".repeat(65_537) }, '"/etc/group" of the container\'s tree'],
  ];
  for (const [name, files, text] of cases) {
    await t.step(name, async () => {
      await using at = await tree(files);
      const error = await assertRejects(() => resolveUser(at.root, "1000", []), EngineError, text);
      assertEquals(error.code, "invalid");
    });
  }
  await t.step("the largest that is read", async () => {
    const members = "m,".repeat(1_000_000);
    await using at = await tree({
      passwd: `${"\n".repeat(65_534)}last:x:7:8::/:/`,
      group: `many:x:9:${members}last\n`,
    });
    const { uid, gid, additionalGids } = await resolveUser(at.root, "last", []);
    assertEquals([uid, gid, additionalGids], [7, 8, [9, 8]]);
  });
});

Deno.test("resolveUser() follows a link inside the tree, and none out of it", async () => {
  await using outside = await tree({ passwd: "app:x:0:0::/:/" });
  await using at = await tree({ inner: "app:x:7:8::/:/" });
  await Deno.symlink(`${outside.root}/etc/passwd`, `${at.root}/etc/passwd`);
  await assertRejects(() => resolveUser(at.root, "app", []), EngineError, "unable to find user app");
  await Deno.remove(`${at.root}/etc/passwd`);
  await Deno.symlink("/etc/inner", `${at.root}/etc/passwd`);
  assertEquals((await resolveUser(at.root, "app", [])).uid, 7);
});

Deno.test("resolveUser() finds entries and members wherever a piece of the file ends", async () => {
  // Pieces are of 64 KiB: each length of the comment puts the end of one at another place of the lines.
  for (let over = 0; over < 40; over++) {
    const comment = `#${"x".repeat(64 * 1024 - 41 + over)}\n`;
    await using at = await tree({
      passwd: `${comment}alice:x:1000:100:A, B:/home/alice:/bin/sh\r\nbob:x:7:8::/:\n`,
      group: `${comment}staff:x:50:bob,alice,carol\nwheel:x:10:alicea,alic\nlast:x:60:alice\r\n`,
    });
    const { uid, gid, additionalGids, home } = await resolveUser(at.root, "alice", ["wheel"]);
    assertEquals([uid, gid, additionalGids, home], [1000, 100, [50, 60, 10, 100], "/home/alice"], `${over}`);
  }
});

Deno.test("resolveUser() takes names and members that no name can be as long as for none", async () => {
  const long = "x".repeat(100_000);
  await using at = await tree({
    passwd: `${long}:x:5:6:${long}:${long}:/bin/sh\n${long}:x:1000:0::/:\napp:x:7:8:${long}:/home/app:/bin/sh\n`,
    group: `${long}:x:9:\nempty:x:10:\nmany:x:11:${long},app\n`,
  });
  // The user has no name, and a group without members has no member of that name.
  const unnamed = await resolveUser(at.root, "5", []);
  assertEquals([unnamed.uid, unnamed.gid, unnamed.additionalGids, unnamed.home], [5, 6, [6], "/"]);
  const app = await resolveUser(at.root, "app", []);
  assertEquals([app.uid, app.gid, app.additionalGids, app.home], [7, 8, [11, 8], "/home/app"]);
  await assertRejects(() => resolveUser(at.root, long, []), EngineError, "unable to find user");
});

Deno.test("copyWithLines() copies a file of any length, and begins a line of its own", async () => {
  const passwd = `${"\n".repeat(60_000)}${"a".repeat(200_000)}`;
  await using at = await tree({ passwd, group: "root:x:0:\n" });
  const copy = `${at.root}/copy`;
  await copyWithLines(at.root, "/etc/passwd", copy, "new:x:1:1::/:\n");
  assertEquals(await Deno.readTextFile(copy), `${passwd}\nnew:x:1:1::/:\n`);
  await copyWithLines(at.root, "/etc/group", copy, "7:x:7:\n");
  assertEquals(await Deno.readTextFile(copy), "root:x:0:\n7:x:7:\n");
});
