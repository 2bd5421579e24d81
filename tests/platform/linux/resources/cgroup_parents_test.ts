import { assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CgroupParents } from "../../../../lib/platform/linux/resources/cgroup_parents.ts";

Deno.test("CgroupParents removes a parent that was made for containers with the last of them, and no other", async () => {
  const root = await mkdtemp(join(tmpdir(), "gantry-parents-"));
  try {
    const mounts = ["cpu", "memory"].map((name) => join(root, name));
    for (const mount of mounts) await mkdir(mount);
    await mkdir(join(root, "cpu/theirs"));
    const parents = new CgroupParents(mounts, join(root, "run"));
    await parents.claim("/theirs");
    await parents.claim("ours/deep");
    await mkdir(join(root, "cpu/ours/deep/one"), { recursive: true });
    await mkdir(join(root, "memory/ours/deep"), { recursive: true });
    // A second container finds the parent there.
    await parents.claim("/ours/deep");
    await parents.release("/ours/deep");
    assertEquals(existsSync(join(root, "cpu/ours/deep/one")), true);
    await rm(join(root, "cpu/ours/deep/one"), { recursive: true });
    // Under a later server process.
    await new CgroupParents(mounts, join(root, "run")).release("/ours/deep");
    assertEquals([existsSync(join(root, "cpu/ours")), existsSync(join(root, "memory/ours"))], [false, false]);
    // A pod's group is ours, whatever is there already; the parent of all of them stays.
    await mkdir(join(root, "cpu/engine/pod"), { recursive: true });
    await parents.claim("/engine/pod", "/engine");
    await parents.claim("/engine/pod", "/engine");
    await parents.claim("/engine/fresh", "/engine");
    await mkdir(join(root, "memory/engine/fresh"), { recursive: true });
    for (const pod of ["pod", "fresh"]) await parents.release(`/engine/${pod}`);
    const left = ["cpu/engine/pod", "memory/engine/fresh", "cpu/engine"].map((path) => existsSync(join(root, path)));
    assertEquals(left, [false, false, true]);
    assertEquals(await readdir(join(root, "run/cgroup-parents")), [], "no note is left");
    await parents.release("/theirs");
    assertEquals(existsSync(join(root, "cpu/theirs")), true);
  } finally {
    await rm(root, { recursive: true });
  }
});
