import { assert, assertEquals, assertRejects } from "@std/assert";
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { bindMount } from "../../../../lib/platform/linux/bundle/mounts/bind_mounts.ts";
import { readHostZone, treeZone } from "../../../../lib/platform/linux/bundle/tree/time_zone.ts";

const ignore = Deno.build.os !== "linux";
const folder = new URL("../../../../lib/platform/linux/bundle/", import.meta.url);

Deno.test("bindMount() is the only maker of bind mounts, and closes what nobody asked for", async () => {
  const options = (kind: Parameters<typeof bindMount>[1]["kind"]) =>
    bindMount("/to", { source: "/from", kind }, ["rw", "suid"]).options?.slice(2);
  assertEquals(options("copy"), ["bind", "rprivate", "nosuid", "nodev", "noexec"]);
  assertEquals(options("fixed"), ["bind", "rprivate", "nosuid", "nodev", "noexec", "ro"]);
  assertEquals(options("program"), ["bind", "rprivate", "nosuid", "nodev", "ro"]);
  assertEquals(options("asked"), []);
  const makers = [];
  for (const name of await readdir(folder, { recursive: true })) {
    if (name.endsWith(".ts") && /type: "bind"/.test(await readFile(new URL(name, folder), "utf8"))) makers.push(name);
  }
  assertEquals(makers, ["mounts/bind_mounts.ts"]);
});

Deno.test({ name: "readHostZone() reads zones only, and leaves their folder by no name", ignore }, async () => {
  assertEquals(new TextDecoder().decode((await readHostZone("Asia/Tokyo"))?.slice(0, 4)), "TZif");
  assertEquals(new TextDecoder().decode((await readHostZone("local"))?.slice(0, 4)), "TZif");
  assertEquals([await readHostZone(undefined), await readHostZone("")], [undefined, undefined]);
  for (const bad of ["../../../etc/passwd", "Europe/../../../../etc/passwd", "/etc/passwd", "Asia", "none", "a\0b"]) {
    await assertRejects(() => readHostZone(bad), EngineError, "finding timezone");
  }
});

Deno.test(
  { name: "treeZone() links to the tree's own zone, and gives the host's where the tree has none", ignore },
  async () => {
    const outside = await mkdtemp(join(tmpdir(), "gantry-zone-"));
    try {
      const root = join(outside, "root");
      const zone = { timezone: "Asia/Tokyo" };
      const owner = { uid: 0, gid: 0 };
      await mkdir(join(root, "etc"), { recursive: true });
      await symlink("/usr/share/zoneinfo/Etc/UTC", join(root, "etc/localtime"));
      assert((await treeZone(zone, root, owner))!.length > 4);
      // A bind mount would have followed the link.
      await assertRejects(() => lstat(join(root, "etc/localtime")));
      await mkdir(join(root, "usr/share/zoneinfo/Asia"), { recursive: true });
      await writeFile(join(root, "usr/share/zoneinfo/Asia/Tokyo"), "TZif, and its own");
      const linked = async () => await readlink(join(root, "etc/localtime"));
      for (let start = 0; start < 2; start++) {
        assertEquals([await treeZone(zone, root, owner), await linked()], [
          undefined,
          "/usr/share/zoneinfo/Asia/Tokyo",
        ]);
      }
      // A folder of the host stays as it is.
      const own = { timezone: "Etc/UTC", rootfs: { path: root, overlay: false } };
      assert((await treeZone(own, root, owner))!.length > 4);
      assertEquals(await linked(), "/usr/share/zoneinfo/Asia/Tokyo");
      await rm(join(root, "etc"), { recursive: true });
      await mkdir(join(outside, "host"));
      await writeFile(join(outside, "host/localtime"), "the host's");
      await symlink("../../host", join(root, "etc"));
      assert((await treeZone({ timezone: "Etc/UTC" }, root, owner))!.length > 4);
      assertEquals(await readFile(join(outside, "host/localtime"), "utf8"), "the host's");
    } finally {
      await rm(outside, { recursive: true });
    }
  },
);
