import { assertEquals } from "@std/assert";
import { type NamespaceFacts, namespaceObstacle } from "../../../../lib/platform/linux/rootless/obstacles.ts";
import { firstFreeID, subordinateRanges } from "../../../../lib/platform/linux/rootless/subordinate_ids.ts";

const FACTS: NamespaceFacts = {
  user: { name: "ann", uid: 1000 },
  subordinate: { uids: [{ host: 100_000, size: 65_536 }], gids: [{ host: 100_000, size: 65_536 }] },
  firstFree: 165_536,
  found: new Set(["newuidmap", "newgidmap", "perl"]),
  settings: { "user.max_user_namespaces": "9000", "kernel.unprivileged_userns_clone": "1" },
};

Deno.test("namespaceObstacle() has nothing against a user with ranges and programs", () => {
  assertEquals(namespaceObstacle(FACTS), undefined);
});

Deno.test("namespaceObstacle() says in one line what is missing, and what helps", () => {
  const found = new Set(["newgidmap", "perl"]);
  assertEquals(
    namespaceObstacle({ ...FACTS, found }),
    "newuidmap is missing: install uidmap (Debian) or shadow-utils",
  );
  assertEquals(
    namespaceObstacle({ ...FACTS, subordinate: { ...FACTS.subordinate, gids: [] } }),
    '/etc/subgid has no range for user "ann": root can add one with ' +
      '"usermod --add-subuids 165536-231071 --add-subgids 165536-231071 ann"',
  );
  const forbidden = [
    ["user.max_user_namespaces", "0", "65536"],
    ["kernel.unprivileged_userns_clone", "0", "1"],
    ["kernel.apparmor_restrict_unprivileged_userns", "1", "0"],
  ] as const;
  for (const [setting, value, other] of forbidden) {
    assertEquals(
      namespaceObstacle({ ...FACTS, settings: { [setting]: value } }),
      `${setting} = ${value} forbids user namespaces: root can allow them with "sysctl ${setting}=${other}"`,
    );
  }
});

Deno.test("subordinateRanges() reads a user's lines by name and by number, and no other's", async () => {
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, "ann:100000:65536\nannabel:1:1\n1000:300000:10\nbob:200000:65536\nann:x:0\n");
  assertEquals(await subordinateRanges(file, ["ann", "1000"]), [
    { host: 100_000, size: 65_536 },
    { host: 300_000, size: 10 },
  ]);
  assertEquals(await subordinateRanges(`${file}.missing`, ["ann"]), []);
  assertEquals([await firstFreeID([file, `${file}.missing`]), await firstFreeID([])], [300_010, 100_000]);
  await Deno.remove(file);
});
