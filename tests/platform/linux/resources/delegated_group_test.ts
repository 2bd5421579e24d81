import { assertEquals } from "@std/assert";
import {
  controllersOf,
  findDelegatedGroup,
  takeDelegatedGroup,
} from "../../../../lib/platform/linux/resources/delegated_group.ts";
import { Cgroups } from "../../../../lib/platform/linux/resources/cgroups.ts";

async function makeGroup(path: string, files: Record<string, string>): Promise<void> {
  await Deno.mkdir(path, { recursive: true });
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${path}/${name}`, text);
}

Deno.test("findDelegatedGroup() finds the group of a service that may make others, and none where one file is missing", async () => {
  const mount = await Deno.makeTempDir();
  const files = { "cgroup.procs": "", "cgroup.subtree_control": "" };
  await makeGroup(`${mount}/user/gantry.service/gantry-server`, {});
  await makeGroup(`${mount}/user/gantry.service`, files);
  await makeGroup(`${mount}/user/session.scope`, { "cgroup.procs": "" });
  const find = (path: string) => findDelegatedGroup(mount, `1:name=x:/\n0::${path}\n`);
  assertEquals(await find("/user/gantry.service"), "/user/gantry.service");
  // A server that is started again is in the group that the last one moved into.
  assertEquals(await find("/user/gantry.service/gantry-server"), "/user/gantry.service");
  assertEquals(await find("/user/session.scope"), undefined);
  assertEquals(await find("/"), undefined);
  assertEquals(await findDelegatedGroup(mount, "4:memory:/user\n"), undefined);
  await Deno.remove(mount, { recursive: true });
});

Deno.test("takeDelegatedGroup() hands on the controllers that the group has", async () => {
  const folder = await Deno.makeTempDir();
  await makeGroup(folder, { "cgroup.procs": "", "cgroup.controllers": "memory pids\n" });
  await takeDelegatedGroup(folder, `${folder}/gantry`);
  assertEquals(await controllersOf(folder), ["memory", "pids"]);
  // In a real group each write adds one.
  assertEquals(await Deno.readTextFile(`${folder}/cgroup.subtree_control`), "+pids");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("Cgroups keeps everything below a delegated group", () => {
  const layout = {
    kind: "unified" as const,
    unified: "/cg",
    mounts: ["/cg"],
    delegates: true,
    base: "/user/a.service",
  };
  const cgroups = new Cgroups(layout, "/run/x");
  const own = cgroups.pathOf("id").split("/").slice(0, 3).join("/");
  assertEquals(own, "/user/a.service");
  assertEquals(cgroups.pathOf("id", "/mine"), "/user/a.service/mine/id");
  assertEquals(cgroups.pathOf("id", "/user/a.service/pod"), "/user/a.service/pod/id");
  assertEquals(cgroups.pathOf("id", "/../../etc"), "/user/a.service/etc/id");
  assertEquals(cgroups.podGroup("p", "/mine").path, "/user/a.service/mine/p");
});
