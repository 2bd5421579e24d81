import { assert, assertEquals } from "@std/assert";
import { pathsWithMounts } from "../../../../lib/platform/linux/mounts/mounts_below.ts";

const ignore = Deno.build.os !== "linux";

Deno.test({
  name: "pathsWithMounts() finds the paths on which something is mounted, and those above it, and no others",
  ignore,
  fn() {
    const paths = ["/", "/proc", "/pro", "/proc/self", "/proc/none/below", "/nowhere/at/all"];
    assertEquals([...pathsWithMounts(paths)], ["/", "/proc"]);
  },
});

Deno.test({
  name: "pathsWithMounts() follows links to the folder of a path, and none at its end",
  ignore,
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      await Deno.symlink("/", `${folder}/root`);
      await Deno.symlink("/proc", `${folder}/end`);
      assertEquals([...pathsWithMounts([`${folder}/root/proc`, `${folder}/end`])], [`${folder}/root/proc`]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "pathsWithMounts() knows of each mount as soon as it is there, or gone",
  ignore: ignore || Deno.uid() !== 0,
  async fn() {
    const folder = await Deno.makeTempDir();
    const call = async (program: string, ...args: string[]) => {
      assert((await new Deno.Command(program, { args }).output()).success);
    };
    try {
      for (let round = 0; round < 3; round++) {
        assertEquals([...pathsWithMounts([folder])], []);
        await call("mount", "-t", "tmpfs", "none", folder);
        assertEquals([...pathsWithMounts([folder])], [folder]);
        await call("umount", folder);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
