import { assertEquals } from "@std/assert";
import { join } from "node:path";
import type { CgroupLayout } from "../../../../lib/platform/linux/resources/cgroups.ts";
import { isFrozen, setFrozen } from "../../../../lib/platform/linux/resources/freezer.ts";

/** A hierarchy with one group, whose files are ordinary ones: they hold what was written to them, and say what they said. */
async function withGroup(
  files: Record<string, string>,
  layoutOf: (mount: string) => CgroupLayout,
  run: (layout: CgroupLayout, text: (name: string) => Promise<string>) => Promise<void>,
): Promise<void> {
  const mount = await Deno.makeTempDir({ prefix: "gantry-test-" });
  try {
    await Deno.mkdir(join(mount, "freezer/box"), { recursive: true });
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(join(mount, "freezer/box", name), text);
    await run(layoutOf(join(mount, "freezer")), (name) => Deno.readTextFile(join(mount, "freezer/box", name)));
  } finally {
    await Deno.remove(mount, { recursive: true });
  }
}

const first = (mount: string): CgroupLayout => ({ kind: "legacy", unified: "", mounts: [mount], delegates: false });
const second = (mount: string): CgroupLayout => ({
  kind: "unified",
  unified: mount,
  mounts: [mount],
  delegates: false,
});

Deno.test("setFrozen() freezes by version 1, and lets go on", () =>
  withGroup({ "freezer.state": "THAWED\n" }, first, async (layout, text) => {
    assertEquals(await isFrozen(layout, "/box"), false);
    assertEquals(await setFrozen(layout, "/box", true), true);
    assertEquals(await text("freezer.state"), "FROZEN\n");
    assertEquals(await isFrozen(layout, "/box"), true);
    assertEquals(await setFrozen(layout, "/box", false), true);
    assertEquals(await isFrozen(layout, "/box"), false);
  }));

Deno.test("setFrozen() freezes by version 2, and waits for the kernel to say so", () =>
  withGroup({ "cgroup.events": "populated 1\nfrozen 1\n", "cgroup.freeze": "0\n" }, second, async (layout, text) => {
    assertEquals(await setFrozen(layout, "/box", true), true);
    assertEquals(await text("cgroup.freeze"), "1\n");
    // Nobody thaws these ordinary files: it gives up, for the runtime to say why.
    assertEquals(await setFrozen(layout, "/box", false), false);
    assertEquals(await text("cgroup.freeze"), "0\n");
  }));

Deno.test("setFrozen() says no of a group that is not there, and of a machine without a freezer", () =>
  withGroup({}, first, async (layout) => {
    assertEquals(await setFrozen(layout, "/none", true), false);
    assertEquals(await isFrozen(layout, "/none"), false);
    assertEquals(await setFrozen({ ...layout, mounts: [] }, "/box", true), false);
    assertEquals(await isFrozen({ ...layout, mounts: [] }, "/box"), false);
  }));
