/** Limits, updates and devices, by the real clients. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ok, runOk } from "../../fixtures/run.ts";
import { Session, until } from "../../fixtures/session.ts";

const MEBIBYTE = 1 << 20;

Deno.test("limits are kept, and changed while a container runs", async (t) => {
  await using session = await Session.shared();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  const inspect = async (
    name: string,
  ) => (await (await server.request("GET", `/libpod/containers/${name}/json`)).json());
  /** The container's cgroup as it sees it itself: of v1, or of v2. */
  const limit = async (name: string, v1: string, v2: string) => {
    const text = await podman("exec", name, "sh", "-c", `cd /sys/fs/cgroup; cat ${v1} 2>/dev/null || cat ${v2}`);
    return text.trim();
  };
  const memory = (name: string) => limit(name, "memory/memory.limit_in_bytes", "memory.max");
  const pids = (name: string) => limit(name, "pids/pids.max", "pids.max");
  await podman("pull", image);
  const run = ["run", "-d", "--network=none"];

  await t.step("podman update changes a running container, and its next life", async () => {
    await podman(...run, "--name", "box", "-m", "64m", "--pids-limit", "40", image, "sleep", "900");
    assertEquals([await memory("box"), await pids("box")], [String(64 * MEBIBYTE), "40"]);
    await podman("update", "-m", "100m", "--cpu-shares", "300", "box");
    assertEquals([await memory("box"), await pids("box")], [String(100 * MEBIBYTE), "40"]);
    await podman("restart", "-t", "0", "box");
    assertEquals(await memory("box"), String(100 * MEBIBYTE));
    const { HostConfig } = await inspect("box");
    assertEquals([HostConfig.Memory, HostConfig.CpuShares, HostConfig.PidsLimit], [100 * MEBIBYTE, 300, 40]);
  });
  await t.step("docker update, restart policy included", async () => {
    await docker("update", "-m", "80m", "--pids-limit", "30", "--cpus", "0.5", "--restart", "on-failure:2", "box");
    assertEquals([await memory("box"), await pids("box")], [String(80 * MEBIBYTE), "30"]);
    const { HostConfig } = await inspect("box");
    assertEquals(HostConfig.NanoCpus, 500_000_000);
    assertEquals(HostConfig.RestartPolicy, { Name: "on-failure", MaximumRetryCount: 2 });
  });
  await t.step("docker run and update without a limit: -1", async () => {
    const name = "free";
    await docker(...run, "--name", name, "--pids-limit", "-1", image, "sleep", "900");
    const quota = () => limit(name, "cpu/cpu.cfs_quota_us", "cpu.max");
    const unlimited = await quota();
    assertEquals(await pids(name), "max");
    await docker("update", "--pids-limit", "30", "--cpu-quota", "20000", name);
    assertEquals(await pids(name), "30");
    assertMatch(await quota(), /^20000/);
    await docker("update", "--pids-limit", "-1", "--cpu-quota", "-1", name);
    assertEquals([await pids(name), await quota()], ["max", unlimited]);
    assertEquals((await inspect(name)).HostConfig.PidsLimit, -1);
    await docker("rm", "-f", name);
  });
  await t.step("an update of a stopped container holds from its next start on", async () => {
    await podman("stop", "-t", "0", "box");
    await podman("update", "-m", "96m", "box");
    await podman("start", "box");
    assertEquals(await memory("box"), String(96 * MEBIBYTE));
  });
  await t.step("what the kernel refuses changes nothing, and the client reads why", async () => {
    await podman(...run, "--name", "full", "-m", "64m", "--memory-swap", "64m", image, "sleep", "900");
    const refused = await server.docker("update", "-m", "512m", "full");
    assert(refused.code !== 0);
    assertStringIncludes(refused.stderr, "minimum memoryswap limit should be larger than memory limit");
    assertEquals(await memory("full"), String(64 * MEBIBYTE));
    assertStringIncludes((await server.podman("update", "-m", "1m", "nope")).stderr, "no such container");
  });
  await t.step("a container that wants more than its limit is killed, and said to be", async () => {
    const limits = ["-m", "16m", "--memory-swap", "16m"];
    const killed = await server.podman("run", "--name", "oom", "--network=none", ...limits, image, "tail", "/dev/zero");
    assertEquals(killed.code, 137, killed.stderr);
    await until(async () => assertEquals((await inspect("oom")).State.OOMKilled, true));
    const [docked] = JSON.parse(await docker("inspect", "oom"));
    assertEquals([docked.State.OOMKilled, docked.State.ExitCode], [true, 137]);
  });
  await t.step("limits of processes are exact, and lessened with a warning", async () => {
    const out = await podman(
      "run",
      "--rm",
      "--network=none",
      "--ulimit",
      "nofile=77:99",
      image,
      "sh",
      "-c",
      "ulimit -n; ulimit -Hn",
    );
    assertEquals(out, "77\n99\n");
    const most = (await Deno.readTextFile("/proc/sys/fs/nr_open")).trim();
    const over = ["--ulimit", `nofile=${most}0:${most}0`];
    const result = await server.podman("run", "--rm", "--network=none", ...over, image, "true");
    assertEquals(result.code, 0, result.stderr);
    assertStringIncludes(result.stderr, "is more than this host allows");
  });
  await t.step("devices: one, renamed, a link, a folder; what it may do, and what is refused", async () => {
    const folder = await Deno.makeTempDir({ prefix: "gantry-devices-" });
    try {
      await runOk(["mknod", `${folder}/one`, "c", "1", "5"]);
      await runOk(["mknod", `${folder}/two`, "c", "1", "3"]);
      await Deno.symlink(`${folder}/one`, `${folder}/link`);
      const create = ["run", "--rm", "--network=none"];
      const list = async (...devices: string[]) => {
        const args = [...create, ...devices.flatMap((device) => ["--device", device]), image];
        return await podman(
          ...args,
          "sh",
          "-c",
          "cd /dev; ls -l x y dir 2>/dev/null | grep ^c; head -c 3 x 2>/dev/null | wc -c",
        );
      };
      assertMatch(await list(`${folder}/one:/dev/x:r`, `${folder}/link:/dev/y`), /1, +5 .* x\n.*1, +5 .* y\n3\n$/);
      assertMatch(await list(`${folder}:/dev/dir`), /1, +5 .* one\n.*1, +3 .* two\n0\n$/);
      const refusal = async (...args: string[]) => (await server.podman(...create, ...args, image, "true")).stderr;
      assertStringIncludes(await refusal("--device", "/dev/nope"), "stat /dev/nope: no such file or directory");
      assertStringIncludes(await refusal("--device", "/etc/passwd"), "/etc/passwd is not a valid device");
      assertStringIncludes(await refusal("--device-read-bps", "/dev/nope:1mb"), "throttle device at /dev/nope");
      assertStringIncludes(await refusal("--cpuset-cpus", "0-999"), "requested CPUs are not available");
      assertStringIncludes(await refusal("--cgroup-parent", "a.slice"), "systemd slice received as cgroup parent");
      const rule = await docker(
        "run",
        "--rm",
        "--network=none",
        "--device-cgroup-rule",
        "b 7:* rwm",
        "--cap-add",
        "mknod",
        image,
        "sh",
        "-c",
        "mknod /l b 7 0 && head -c 1 /l | wc -c",
      );
      assertEquals(rule, "0\n", "an empty device, which it may open");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
  await t.step("cgroups: none, and under a parent of one's own that goes with its last container", async () => {
    const create = ["run", "--rm", "--network=none"];
    const parent = `/gantry-test-${crypto.randomUUID().slice(0, 8)}`;
    assertEquals(await podman(...create, "--cgroups=no-conmon", image, "echo", "ok"), "ok\n");
    await podman(...run, "--name", "child", "--cgroup-parent", `${parent}/deep`, image, "sleep", "900");
    const { State } = await inspect("child");
    assertStringIncludes(await Deno.readTextFile(`/proc/${State.Pid}/cgroup`), `:${parent}/deep/`);
    await podman("rm", "-f", "-t", "0", "child");
    const found = await runOk(["find", "/sys/fs/cgroup", "-maxdepth", "2", "-name", parent.slice(1)]);
    assertEquals(found, "");
    if ((await server.request("GET", "/libpod/info").then((reply) => reply.json())).host.ociRuntime.name !== "crun") {
      return;
    }
    await podman(...run, "--name", "free", "--cgroups=disabled", image, "sleep", "900");
    const failed = async (...args: string[]) => (await server.podman(...args)).stderr;
    assertStringIncludes(await failed("pause", "free"), "cannot pause without using Cgroups");
    assertStringIncludes(await failed("top", "free"), "this container does not have a cgroup");
    assertStringIncludes(await failed("stats", "--no-stream", "free"), "this container does not have a cgroup");
    await podman("stop", "-t", "0", "free");
    assertStringIncludes(
      await failed("run", "--cgroups=disabled", "-m", "10m", image, "true"),
      "cannot specify resource limits",
    );
  });
});
