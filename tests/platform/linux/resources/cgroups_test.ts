import { assert, assertEquals, assertRejects } from "@std/assert";
import { runOk } from "../../../fixtures/run.ts";
import { cgroupMounts } from "../../../../lib/platform/linux/bundle/mounts/cgroup_mounts.ts";
import { Cgroups, readCgroupLayout } from "../../../../lib/platform/linux/resources/cgroups.ts";
import { removeCgroup } from "../../../../lib/platform/linux/resources/remove_cgroup.ts";
import type { ContainerRecord, NamespaceMode } from "../../../../lib/engine/records/container_record.ts";

/** Folders stand for groups: they have no files of the kernel's, so that rmdir(2) does the same to both. */
const NEST = 'chdir $ARGV[0] or die; for (1 .. $ARGV[1]) { mkdir "g" x 30 or die $!; chdir "g" x 30 or die $! }';

Deno.test("removeCgroup() removes groups of any depth and number, whose paths are longer than a call takes", async () => {
  const root = await Deno.makeTempDir({ prefix: "gantry-groups-" });
  await Deno.mkdir(`${root}/box/beside`, { recursive: true });
  await runOk(["perl", "-e", NEST, `${root}/box`, "2000"]);
  for (let i = 0; i < 500; i++) await Deno.mkdir(`${root}/box/beside/${i}`);
  const before = Deno.memoryUsage().rss;
  await removeCgroup(`${root}/box`);
  assert(Deno.memoryUsage().rss - before < 64 * 1024 * 1024);
  assertEquals([...Deno.readDirSync(root)], []);
  await removeCgroup(`${root}/box`);
  await Deno.remove(root);
});

Deno.test("removeCgroup() gives up on a group that stays busy, and follows no link", async () => {
  const root = await Deno.makeTempDir({ prefix: "gantry-groups-" });
  await Deno.mkdir(`${root}/outside/kept`, { recursive: true });
  await Deno.mkdir(`${root}/box/inner`, { recursive: true });
  await Deno.symlink(`${root}/outside`, `${root}/box/inner/link`);
  await assertRejects(() => removeCgroup(`${root}/box`));
  assertEquals([...Deno.readDirSync(`${root}/outside`)].map(({ name }) => name), ["kept"]);
  await Deno.remove(root, { recursive: true });
});

const V1 = [
  "30 24 0:26 / /sys/fs/cgroup ro,nosuid,nodev,noexec shared:9 - tmpfs tmpfs ro,mode=755",
  "31 30 0:27 / /sys/fs/cgroup/systemd rw,relatime shared:10 - cgroup cgroup rw,xattr,name=systemd",
  "32 30 0:28 / /sys/fs/cgroup/memory rw,relatime shared:11 - cgroup cgroup rw,memory",
];
const V2 = (options: string) => [`30 24 0:26 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 ${options}`];

Deno.test("readCgroupLayout() finds systemd's hierarchy, and whether the second version delegates", async () => {
  const file = await Deno.makeTempFile();
  const layout = async (lines: string[]) => {
    await Deno.writeTextFile(file, lines.join("\n"));
    const { kind, systemd, delegates } = await readCgroupLayout(file);
    return [kind, systemd, delegates];
  };
  assertEquals(await layout(V1), ["legacy", "/sys/fs/cgroup/systemd", false]);
  assertEquals(await layout(V2("rw,nsdelegate,memory_recursiveprot")), ["unified", undefined, true]);
  assertEquals(await layout(V2("rw")), ["unified", undefined, false]);
  await Deno.remove(file);
});

Deno.test("cgroupMounts() lets no container write to limits, whatever it says of its software", () => {
  const seen = (
    systemd: boolean,
    view: Parameters<typeof cgroupMounts>[1],
    mode: NamespaceMode["mode"] = "private",
    privileged = false,
    cgroupsMode = "",
  ) => {
    // Only this much of a record is asked for.
    const record = { systemd, spec: { privileged, cgroupsMode, namespaces: { cgroup: { mode } } } };
    return cgroupMounts(record as unknown as ContainerRecord, view).map(({ type, source, destination, options }) => {
      assertEquals(["nosuid", "nodev", "noexec", "rprivate"].filter((word) => !options!.includes(word)), []);
      return `${type} ${source} ${destination} ${options!.at(-1)}`;
    });
  };
  const all = (access: string) => [`cgroup cgroup /sys/fs/cgroup ${access}`];
  const first = { unified: false, delegates: false, systemd: "/host/systemd/box" };
  const second = { unified: true, delegates: true };
  const own = "bind /host/systemd/box /sys/fs/cgroup/systemd rw";
  assertEquals(seen(false, first), all("ro"));
  assertEquals(seen(true, first), [...all("ro"), own]);
  assertEquals(seen(true, first, "host"), [...all("ro"), own]);
  assertEquals(seen(true, { ...first, systemd: undefined }), all("ro"));
  assertEquals(seen(false, second), all("ro"));
  assertEquals(seen(true, second), all("rw"));
  assertEquals(seen(true, second, "host"), all("ro"));
  assertEquals(seen(true, second, "container"), all("ro"));
  assertEquals(seen(true, { ...second, delegates: false }), all("ro"));
  assertEquals(seen(true, second, "private", false, "disabled"), all("ro"));
  assertEquals(seen(false, first, "host", true), all("rw"));
});

Deno.test("Cgroups keeps a parent that a container on its way counts on, and removes a pod's with all that is left in it", async () => {
  const root = await Deno.makeTempDir({ prefix: "gantry-groups-" });
  const mount = `${root}/memory`;
  await Deno.mkdir(mount);
  const layout = { kind: "legacy" as const, unified: "", mounts: [mount], delegates: false };
  const cgroups = new Cgroups(layout, `${root}/run`);
  const isThere = (path: string) => Deno.stat(`${mount}${path}`).then(() => true, () => false);
  const { path } = cgroups.podGroup("pod", "/their");
  const first = await cgroups.claim(path, {});
  await Deno.mkdir(`${mount}${path}/one`, { recursive: true });
  first[Symbol.dispose]();
  {
    using _coming = await cgroups.claim(path, {});
    await cgroups.remove(`${path}/one`);
    assertEquals(await isThere(path), true, "another comes up");
  }
  await Deno.mkdir(`${mount}${path}/two`);
  await cgroups.remove(`${path}/two`);
  assertEquals([await isThere(path), await isThere("/their")], [false, false], "the last has gone");
  const third = await cgroups.claim(path, {});
  await Deno.mkdir(`${mount}${path}/three/inner`, { recursive: true });
  third[Symbol.dispose]();
  await cgroups.removeGroup(path);
  assertEquals([await isThere("/their"), [...Deno.readDirSync(`${root}/run/cgroup-parents`)]], [false, []]);
  await cgroups.removeGroup(path);
  await Deno.remove(root, { recursive: true });
});
