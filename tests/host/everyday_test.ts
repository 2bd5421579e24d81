/** What users of either client do with a container every day; tests of their own have what there is more to say of. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ok } from "../fixtures/run.ts";
import { Session, until } from "../fixtures/session.ts";

const TICKS = "trap 'echo usr1' USR1; echo up; i=0; while true; do echo tick $i; i=$((i+1)); sleep 0.1; done";

Deno.test("podman and docker take a container through its days, and both tell what was asked and what happened", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  ok(await server.podman("pull", image));
  const clients = { podman: server.podman.bind(server), docker: server.docker.bind(server) };
  for (const [name, client] of Object.entries(clients)) {
    const call = async (...args: string[]) => ok(await client(...args), `${name} ${args.join(" ")}`);
    const status = async (box: string) => (await call("inspect", "--format", "{{.State.Status}}", box)).trim();

    await t.step(`${name} pause, unpause, kill, restart, rename, wait and port`, async () => {
      const id = (await call("run", "-d", "--name", "box", "-p", "127.0.0.1::80", image, "sh", "-c", TICKS)).trim();
      assertEquals(await call("pause", "box"), "box\n");
      assertEquals([await status("box"), (await client("exec", "box", "true")).code !== 0], ["paused", true]);
      assertStringIncludes(await call("ps", "--filter", "status=paused", "--format", "{{.Names}}"), "box");
      assertEquals(await call("unpause", "box"), "box\n");
      await call("kill", "-s", "USR1", "box");
      await until(async () => assertStringIncludes(await call("logs", "box"), "usr1\n"));
      assertEquals(await status("box"), "running");
      await call("restart", "-t", "0", "box");
      await until(async () => assertEquals((await call("logs", "box")).match(/^up$/gm)?.length, 2));
      await call("rename", "box", "other");
      assertEquals((await client("inspect", "box")).code !== 0, true);
      assertStringIncludes(await call("port", "other"), "80/tcp -> 127.0.0.1:");
      const waiting = call("wait", "other");
      await call("kill", "other");
      assertEquals(await waiting, "137\n");
      await call("start", "other");
      await call("stop", "-t", "0", "other");
      const now = new Date().toISOString();
      const events = await call("events", "--since", "10m", "--until", now, "--filter", `container=${id}`);
      const words = events.trim().split("\n").map((line) => / container (\w+)/.exec(line)?.[1]);
      for (const word of ["create", "start", "pause", "unpause", "kill", "restart", "rename", "stop"]) {
        assert(words.includes(word), `${word} is among ${words}`);
      }
      assert(words.includes(name === "podman" ? "died" : "die"), words.join());
      await call("rm", "other");
    });

    await t.step(`${name} logs --since, --until, --tail, -t and -f`, async () => {
      const script = "echo one; echo two >&2; sleep 1.2; echo three";
      await call("run", "-d", "--name", "said", "--network=none", image, "sh", "-c", script);
      const { stdout, stderr } = await client("logs", "-f", "said");
      assertEquals([stdout, stderr], ["one\nthree\n", "two\n"]);
      const times = (await call("logs", "-t", "said")).trim().split("\n").map((line) => line.split(" ")[0]);
      assertEquals(times.length, 2);
      assertEquals(await call("logs", "--since", times[1], "said"), "three\n");
      // Podman's client tells the server whole seconds.
      const second = new Date(Date.parse(times[0].replace(/(\.\d{3})\d*/, "$1")) + 1000).toISOString();
      assertEquals(await call("logs", "--until", second, "said"), "one\n");
      assertEquals(await call("logs", "--tail", "1", "said"), "three\n");
      await call("rm", "said");
    });

    await t.step(`${name} inspect tells what was asked for`, async () => {
      const limits = ["-m", "64m", "--cpus", "0.5", "--pids-limit", "50", "--ulimit", "nofile=20:30"];
      const rights = ["--cap-add", "NET_ADMIN", "--cap-drop", "CHOWN", "--security-opt", "no-new-privileges", "--init"];
      const places = ["--device", "/dev/null:/dev/mine:r", "--tmpfs", "/t", "--read-only", "--shm-size", "1m"];
      const network = ["--dns", "9.9.9.9", "--add-host", "a:1.2.3.4", "--hostname", "asked", "-p", "127.0.0.1::80/udp"];
      const sysctl = ["--sysctl", "net.core.somaxconn=99", "--restart", "on-failure:3", "--stop-timeout", "4"];
      await call("create", "--name", "asked", ...limits, ...rights, ...places, ...network, ...sysctl, image, "true");
      const [{ HostConfig: host, Config: config }] = JSON.parse(await call("inspect", "asked"));
      assertEquals([host.Memory, host.NanoCpus, host.PidsLimit, host.ShmSize], [64 << 20, 500_000_000, 50, 1 << 20]);
      assertEquals(host.Ulimits, [{ Name: name === "docker" ? "nofile" : "RLIMIT_NOFILE", Soft: 20, Hard: 30 }]);
      assertEquals(host.CapAdd.map((cap: string) => cap.replace("CAP_", "")), ["NET_ADMIN"]);
      assertEquals(host.Devices, [
        { PathOnHost: "/dev/null", PathInContainer: "/dev/mine", CgroupPermissions: "r" },
      ]);
      assertEquals([host.Dns, host.ExtraHosts, host.ReadonlyRootfs, host.Init], [
        ["9.9.9.9"],
        ["a:1.2.3.4"],
        true,
        true,
      ]);
      assertEquals(host.RestartPolicy, { Name: "on-failure", MaximumRetryCount: 3 });
      assertEquals([config.Hostname, config.StopTimeout], ["asked", 4]);
      // Podman's own inspection has no place for it.
      if (name === "docker") assertEquals(host.Sysctls, { "net.core.somaxconn": "99" });
      await call("rm", "asked");
    });
  }
});
