/** The first boot: the package is installed, used and upgraded. */
import { assertEquals, assertMatch } from "@std/assert";
import { until } from "../../fixtures/session.ts";
import { asUser, BEFORE, docker, inOrder, listFiles, PORT, shell, states, USER } from "./operator.ts";

/** Serves a volume, and writes down when it is started and told to end. */
const KEEPER = `echo started >> /data/log
trap 'echo told to end >> /data/log; exit' TERM
httpd -p 80 -h /data
while true; do sleep 1; done`;

Deno.test("the package is installed, used by root and a user, and upgraded", async (t) => {
  await Deno.writeTextFile(BEFORE, (await listFiles()).join("\n"));

  await inOrder(t, {
    async "dpkg starts its units"() {
      await shell("dpkg --install /mnt/run/former.deb");
      await until(
        async () => assertEquals(await states("gantry.service", "gantry.socket"), ["active", "active"]),
        300_000,
      );
      assertMatch(await shell("gantry version"), /^gantry /);
    },

    async "containers with each policy"() {
      await shell(
        "mkdir -p /tmp/box/bin && cp /bin/busybox /tmp/box/bin/ && for name in sh sleep httpd cat echo; do ln /tmp/box/bin/busybox /tmp/box/bin/$name; done",
      );
      await shell(
        "tar -C /tmp/box -cf /tmp/box.tar . && docker -H unix:///run/gantry/gantry.sock import /tmp/box.tar box",
      );
      await docker("network", "create", "web");
      const kept = ["--restart=always", "--network=web", `--publish=127.0.0.1:${PORT}:80`, "--volume=kept:/data"];
      await docker("run", "-d", "--name=keeper", ...kept, "box", "sh", "-c", KEEPER);
      await docker("run", "-d", "--name=left", "--restart=unless-stopped", "box", "sleep", "infinity");
      await docker("stop", "--time=0", "left");
      await docker("run", "-d", "--name=once", "box", "sleep", "infinity");
      await until(async () => assertEquals(await shell(`curl -sS http://127.0.0.1:${PORT}/log`), "started\n"), 300_000);
    },

    async "a user's own server, with limits of the user's own systemd"() {
      await shell(`useradd --create-home --shell /bin/sh ${USER} && loginctl enable-linger ${USER}`);
      await until(
        () => asUser("systemctl --user is-system-running --wait || true; test -S $XDG_RUNTIME_DIR/bus"),
        300_000,
      );
      await asUser("systemctl --user enable --now gantry.socket gantry.service");
      await shell("chmod 0644 /tmp/box.tar");
      await asUser("$DOCKER import /tmp/box.tar box");
      await asUser(
        "$DOCKER run -d --name mine --restart always --memory 64m --publish 8081:80 box httpd -f -p 80 -h /bin",
      );
      assertEquals(await asUser("$DOCKER exec mine cat /sys/fs/cgroup/memory.max"), `${64 * 1024 * 1024}\n`);
      await until(
        () => shell("curl -sSf -o /tmp/got http://127.0.0.1:8081/busybox && cmp /tmp/got /bin/busybox"),
        300_000,
      );
    },

    async "an upgrade leaves containers running"() {
      const facts = () => docker("inspect", "--format={{.State.Pid}} {{.State.StartedAt}}", "keeper", "once");
      const before = await facts();
      await shell("dpkg --install /mnt/run/gantry.deb");
      assertEquals(await states("gantry.service", "gantry.socket"), ["active", "active"]);
      assertEquals(await facts(), before);
      assertEquals(await shell(`curl -sS http://127.0.0.1:${PORT}/log`), "started\n");
    },
  });
});
