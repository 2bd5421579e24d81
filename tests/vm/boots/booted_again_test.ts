/** The second boot: what has a restart policy is back; the package goes, and leaves nothing. */
import { assertEquals, assertMatch } from "@std/assert";
import { run } from "../../fixtures/run.ts";
import { until } from "../../fixtures/session.ts";
import { asUser, BEFORE, docker, inOrder, listFiles, PORT, shell, states } from "./operator.ts";

Deno.test("containers with a restart policy are back after a boot, and the package leaves nothing", async (t) => {
  await inOrder(t, {
    async "the server starts with the machine, and containers by their policies"() {
      await until(
        async () => assertEquals(await states("gantry.service", "gantry.socket"), ["active", "active"]),
        300_000,
      );
      const running = async () => (await docker("ps", "--format={{.Names}}")).trim();
      await until(async () => assertEquals(await running(), "keeper"), 300_000);
      assertEquals(await docker("inspect", "--format={{.State.Status}}", "left", "once"), "exited\nexited\n");
    },

    async "each was told to end before the machine went down, and serves again"() {
      const log = "started\ntold to end\nstarted\n";
      await until(async () => assertEquals(await shell(`curl -sS http://127.0.0.1:${PORT}/log`), log), 300_000);
    },

    async "the user's server starts without a login"() {
      await until(
        () => shell("curl -sSf -o /tmp/got http://127.0.0.1:8081/busybox && cmp /tmp/got /bin/busybox"),
        300_000,
      );
      assertEquals(await asUser("$DOCKER inspect --format '{{.State.Running}}' mine"), "true\n");
    },

    async "removed with containers that run, the package leaves them and the data"() {
      const pid = (await docker("inspect", "--format={{.State.Pid}}", "keeper")).trim();
      const { code, stderr } = await run(["dpkg", "--purge", "gantry"], { timeout: 600_000 });
      assertEquals(code, 0, stderr);
      assertMatch(stderr, /containers still run: \/var\/lib\/gantry stays/);
      await shell(
        `test -d /proc/${pid} && test -f /var/lib/gantry/volumes/kept/_data/log -o -f /var/lib/gantry/volumes/kept/log`,
      );
      assertEquals(await shell(`curl -sS http://127.0.0.1:${PORT}/log`), "started\ntold to end\nstarted\n");
    },

    async "installed again, it finds them; emptied and purged, nothing is left"() {
      await shell("dpkg --install /mnt/run/gantry.deb");
      assertEquals((await docker("ps", "--format={{.Names}}")).trim(), "keeper");
      await asUser("$DOCKER rm -f mine && systemctl --user disable --now gantry.socket gantry.service");
      await docker("rm", "-f", "keeper", "left", "once");
      await docker("network", "rm", "web");
      const { code, stderr } = await run(["dpkg", "--purge", "gantry"], { timeout: 600_000 });
      assertEquals([code, stderr], [0, ""]);
      const before = new Set((await Deno.readTextFile(BEFORE)).split("\n"));
      const own =
        /^\/etc\/(passwd|group|subuid|subgid|shadow|gshadow)-?$|^\/var\/lib\/(systemd|dbus)\b|^\/etc\/\.pwd\.lock$/;
      const left = {
        files: (await listFiles()).filter((path) => !before.has(path) && !own.test(path)),
        running: await shell("ls -d /run/gantry* 2>/dev/null || true"),
        interfaces: await shell("ip -o link | grep gantry || true"),
        rules: await shell("nft list ruleset | grep -i gantry || true"),
        mounts: await shell("grep gantry /proc/self/mountinfo || true"),
        groups: await shell("find /sys/fs/cgroup -type d -name '*gantry*' -not -name gantry-test.service"),
      };
      assertEquals(left, { files: [], running: "", interfaces: "", rules: "", mounts: "", groups: "" });
    },
  });
});
