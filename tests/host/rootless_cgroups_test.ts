/** Control groups of an ordinary user's containers, where one is delegated to the user. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ordinaryUser, userDeno } from "../fixtures/ordinary_user.ts";
import { ok, run, runOk } from "../fixtures/run.ts";
import { Session, until } from "../fixtures/session.ts";

/**
 * Makes a group as systemd does for a service with `Delegate=yes` and `DelegateSubgroup=gantry-server`, and runs a program in it. A machine whose control groups are of both
 * versions has the second one alone in this mount namespace: without the controllers that the first one uses.
 */
const DELEGATE = `set -e
if [ ! -e /sys/fs/cgroup/cgroup.controllers ]; then umount --recursive --lazy /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; fi
for one in $(cat /sys/fs/cgroup/cgroup.controllers); do echo "+$one" > /sys/fs/cgroup/cgroup.subtree_control || true; done
group=/sys/fs/cgroup/$1; mkdir -p "$group"
chown "$2" "$group" "$group/cgroup.procs" "$group/cgroup.subtree_control" "$group/cgroup.threads"
leaf=$group/gantry-server; [ -d "$leaf" ] || leaf=$group
echo $$ > "$leaf/cgroup.procs"
shift 2; exec "$@"`;

Deno.test("pause, stats and limits of an ordinary user's containers work in a control group that is delegated", async (t) => {
  await using user = await ordinaryUser();
  const { folder, uid } = user;
  const name = `gantry-delegated-${crypto.randomUUID().slice(0, 8)}`;
  const through = ["unshare", "--mount", "sh", "-c", DELEGATE, "sh", name, String(uid), ...userDeno(user)];
  {
    await using session = await Session.start({ folder, through });
    const { server, image } = session;
    const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
    await podman("pull", "-q", image);
    const { host } = JSON.parse(await podman("info", "--format", "json"));
    assertEquals([host.security.rootless, host.cgroupVersion], [true, "v2"]);
    const controllers: string[] = host.cgroupControllers;
    // In the server's own mount namespace.
    const inGroups = (script: string) => runOk(["nsenter", `--target=${server.pid}`, "--mount", "sh", "-c", script]);

    await t.step("a container has a group of its own, in which it can be paused", async () => {
      await podman("run", "-d", "--name", "box", "--network=none", image, "sh", "-c", "while :; do :; done");
      const { State } = JSON.parse(await podman("inspect", "box"))[0];
      const path = (await Deno.readTextFile(`/proc/${State.Pid}/cgroup`)).split("\n").find((line) =>
        line.startsWith("0::")
      )!.slice(3);
      assert(path.startsWith(`/${name}/gantry-`), path);
      await podman("pause", "box");
      assertStringIncludes(await inGroups(`cat /sys/fs/cgroup${path}/cgroup.events`), "frozen 1");
      assertEquals(JSON.parse(await podman("inspect", "box"))[0].State.Status, "paused");
      await podman("unpause", "box");
      await until(async () =>
        assertStringIncludes(await inGroups(`cat /sys/fs/cgroup${path}/cgroup.events`), "frozen 0")
      );
    });

    await t.step("stats count, and limits are kept where the controller is there", async () => {
      const reply = await server.request("GET", "/v1.41/containers/box/stats?stream=false&one-shot=true");
      const { cpu_stats } = await reply.json();
      assert(cpu_stats.cpu_usage.total_usage > 0, JSON.stringify(cpu_stats));
      for (
        const [controller, flag, file, value] of [
          ["memory", "--memory=64m", "memory.max", "67108864"],
          ["pids", "--pids-limit=50", "pids.max", "50"],
        ]
      ) {
        const made = await server.podman(
          "run",
          "--rm",
          "--network=none",
          flag!,
          image,
          "cat",
          `/sys/fs/cgroup/${file}`,
        );
        if (controllers.includes(controller!)) assertEquals(made.stdout.trim(), value);
        else {assert(
            made.code !== 0 || /discarded|not supported|not available|controller/i.test(made.stderr),
            JSON.stringify(made),
          );}
      }
      if (controllers.includes("memory")) {
        await podman("update", "--memory=32m", "box");
        assertEquals((await podman("exec", "box", "cat", "/sys/fs/cgroup/memory.max")).trim(), "33554432");
      }
    });

    await t.step("the group goes with its container, and a server that comes back has them all", async () => {
      assertEquals((await server.stop()).code, 0);
      await server.launch();
      await podman("pause", "box");
      await podman("unpause", "box");
      await podman("rm", "-f", "-t", "0", "box");
      const left = await inGroups(`ls -d /sys/fs/cgroup/${name}/gantry-*/*/ || true`);
      assertEquals(left.split("\n").filter((line) => line !== "" && !line.endsWith("/conmon/")), []);
    });
  }
  const clean = `[ -e /sys/fs/cgroup/cgroup.controllers ] || mount -t cgroup2 none /sys/fs/cgroup
    find /sys/fs/cgroup/${name} -depth -type d -exec rmdir {} +`;
  await until(async () => assertEquals((await run(["unshare", "--mount", "sh", "-c", clean])).code, 0));
});
