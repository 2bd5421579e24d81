import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { hostDevices } from "../../../../lib/platform/linux/bundle/devices.ts";
import { Bench, ignore, type Wish } from "../../../fixtures/platform/process_bench.ts";

const DEFAULT_CAPABILITIES = "00000000800405fb";

async function outputOf(bench: Bench, script: string, wish: Partial<Wish> = {}): Promise<string> {
  const { code, stdout, stderr } = await bench.run({ ...wish, args: ["sh", "-c", script] });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  return stdout;
}

Deno.test({
  name: "LinuxProcesses.create() confines a container: capabilities, seccomp, masked and read-only paths",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const status = "grep -E 'CapEff|CapBnd|CapAmb|Seccomp:|NoNewPrivs' /proc/self/status";
    const root = await outputOf(bench, status);
    assertMatch(root, new RegExp(`CapEff:\\t${DEFAULT_CAPABILITIES}`));
    assertMatch(root, /Seccomp:\t2/);
    assertMatch(root, /NoNewPrivs:\t0/);
    const user = await outputOf(bench, status, {
      process: { user: "alice" },
      spec: { capAdd: ["NET_BIND_SERVICE"], noNewPrivileges: true },
    });
    assertMatch(user, /CapEff:\t0000000000000400/);
    assertMatch(user, /CapAmb:\t0000000000000400/);
    assertMatch(user, /NoNewPrivs:\t1/);
    const none = await outputOf(bench, status, { spec: { capDrop: ["all"], capAdd: ["cap_kill"] } });
    assertMatch(none, /CapBnd:\t0000000000000020/);
    const masked = await outputOf(
      bench,
      "wc -c < /proc/timer_list; ls /sys/firmware | wc -l; (echo x > /proc/sys/kernel/hostname) 2>/dev/null || echo ro",
    );
    assertMatch(masked, /^0\n0\nro\n$/);
    const privileged = await outputOf(bench, `${status}; ls /dev`, { spec: { privileged: true } });
    assertMatch(privileged, /Seccomp:\t0/);
    const devices = (await hostDevices()).map(({ path }) => path);
    assert(devices.includes("/dev/null"));
    for (const device of devices) {
      assert((await stat(device)).isCharacterDevice() || (await stat(device)).isBlockDevice());
    }
    assertEquals(devices.filter((path) => !privileged.includes(`${path.split("/")[2]}\n`)), []);
    assertEquals(
      await outputOf(bench, "grep Seccomp: /proc/self/status", { spec: { seccomp: "unconfined" } }),
      "Seccomp:\t0\n",
    );
  },
});

Deno.test({
  name: "LinuxProcesses.create() runs the process as its user, in its folder, with its environment",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const who = (user: string, groups: string[] = []) =>
      outputOf(bench, "id; echo $HOME", { process: { user }, spec: { groups } });
    assertEquals(await who("alice"), "uid=1000(alice) gid=1001(alice) groups=50(staff),1001(alice)\n/home/alice\n");
    assertEquals(await who("1000:staff"), "uid=1000(alice) gid=50(staff) groups=50(staff)\n/home/alice\n");
    assertEquals(await who("", ["video"]), "uid=0(root) gid=0(root) groups=0(root),44(video)\n/root\n");
    assertEquals(await who("4711:4712"), "uid=4711(4711) gid=4712(4712) groups=4712(4712)\n/\n");
    assertEquals(
      await outputOf(bench, "id", { process: { user: "4711:4712" }, spec: { noPasswd: true } }),
      "uid=4711 gid=4712 groups=4712\n",
    );
    const place = await outputOf(
      bench,
      'pwd; umask; echo $A; hostname=$(cat /etc/hostname); test -n "$hostname" && echo named',
      {
        process: { workdir: "/made/for/it", env: ["PATH=/bin", "A=b c"], user: "alice" },
      },
    );
    assertEquals(place, "/made/for/it\n0022\nb c\nnamed\n");
    assertEquals((await stat(join(bench.rootfs, "made/for/it"))).uid, 1000);
    const missing = { process: { workdir: "/not/there" }, spec: { workdir: "/not/there" } };
    const error = await assertRejects(() => bench.run({ ...missing, args: ["pwd"] }), EngineError, "does not exist on");
    assertEquals(error.code, "invalid");
    const made = { ...missing, spec: { ...missing.spec, createWorkdir: true } };
    assertEquals(await outputOf(bench, "pwd", made), "/not/there\n");
    assertEquals(await outputOf(bench, "umask", { spec: { umask: "0077" } }), "0077\n");
  },
});

Deno.test({
  name: "LinuxProcesses.create() clamps limits to what this host allows",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const huge = 2n ** 62n;
    const output = await outputOf(bench, "grep -E 'open files|core file' /proc/self/limits", {
      spec: {
        rlimits: [{ type: "RLIMIT_NOFILE", soft: 512n, hard: huge }, {
          type: "core",
          soft: 2n ** 64n - 1n,
          hard: 2n ** 64n - 1n,
        }],
      },
    });
    assertMatch(output, /Max open files +512 /);
    assertMatch(output, /Max core file size +unlimited +unlimited/);
    assert(bench.warnings.some((text) => /RLIMIT_NOFILE.*more than this host allows/.test(text)));
  },
});

Deno.test({
  name: "LinuxProcesses.create() mounts what is asked for",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const shared = join(bench.root, "shared");
    await mkdir(shared);
    await writeFile(join(shared, "file"), "from the host\n");
    const volume = join(bench.paths.volumes, "data", "_data");
    await mkdir(volume, { recursive: true });
    const mounts = [
      { type: "bind" as const, source: shared, destination: "/shared", options: ["rbind", "ro", "Z"] },
      { type: "volume" as const, source: "data", destination: "/data/deep", options: ["rbind"] },
      { type: "tmpfs" as const, source: "", destination: "/data", options: ["size=1m", "nosuid", "nodev"] },
    ];
    const script =
      "cat /shared/file; touch /shared/x 2>/dev/null || echo ro; echo kept > /data/deep/file; grep ' /data ' /proc/mounts";
    const output = await outputOf(bench, script, { mounts });
    assertMatch(output, /^from the host\nro\ntmpfs \/data tmpfs rw,nosuid,nodev,relatime,size=1024k/);
    assertEquals(await readFile(join(volume, "file"), "utf8"), "kept\n");
    const absent = [{ type: "bind" as const, source: join(shared, "nope"), destination: "/x", options: [] }];
    const error = await assertRejects(
      () => bench.run({ args: ["true"], mounts: absent }),
      EngineError,
      "no such file",
    );
    assertEquals(error.code, "invalid");
    const readOnly = "touch /x 2>/dev/null || echo ro; touch /tmp/x && touch /dev/shm/x && echo scratch";
    assertEquals(await outputOf(bench, readOnly, { spec: { readOnly: true } }), "ro\nscratch\n");
    const shm = await outputOf(bench, "grep shm /proc/mounts", { spec: { shmSize: 1024 * 1024 } });
    assertStringIncludes(shm, "size=1024k");
    const none = { namespaces: { ...bench.record({ args: [] }).spec.namespaces, ipc: { mode: "none" as const } } };
    assertEquals(await outputOf(bench, "ls -d /dev/shm 2>/dev/null || echo none", { spec: none }), "none\n");
  },
});

Deno.test({
  name: "LinuxProcesses.create() gives namespaces, an init, kernel settings and limits",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    assertEquals(await outputOf(bench, "echo $$"), "1\n");
    assertMatch(await outputOf(bench, "cat /proc/1/cmdline", { spec: { init: true } }), /^\/run\/podman-init/);
    const sysctl = { "net.ipv4.ip_unprivileged_port_start": "80" };
    assertEquals(
      await outputOf(bench, "cat /proc/sys/net/ipv4/ip_unprivileged_port_start", { spec: { sysctl } }),
      "80\n",
    );
    const range = "cat /proc/sys/net/ipv4/ping_group_range";
    assertEquals(await outputOf(bench, range), "0\t0\n");
    const docker = { defaults: "docker" as const };
    assertEquals(await outputOf(bench, range, { spec: docker }), "0\t2147483647\n");
    const ports = "cat /proc/sys/net/ipv4/ip_unprivileged_port_start";
    assertEquals([await outputOf(bench, ports, { spec: docker }), await outputOf(bench, ports)], ["0\n", "1024\n"]);
    const asked = { "net.ipv4.ping_group_range": "0 5" };
    assertEquals(await outputOf(bench, range, { spec: { sysctl: asked } }), "0\t5\n");
    const own = bench.record({ args: [] }).spec.namespaces;
    const host = { mode: "host" as const };
    const hostSpec = { namespaces: { ...own, pid: host, uts: host, network: host } };
    assertMatch(await outputOf(bench, "test $$ -gt 1 && echo shared", { spec: hostSpec }), /shared/);
    const first = await bench.create({ args: ["sleep", "1000"] });
    await bench.processes.start(first.id);
    const joined = { namespaces: { ...own, pid: { mode: "container" as const, value: first.id } } };
    assertStringIncludes(await outputOf(bench, "cat /proc/1/cmdline", { spec: joined }), "sleep");
    const score = await outputOf(bench, "cat /proc/self/oom_score_adj", { spec: { oomScoreAdj: 500 } });
    assertEquals(score, "500\n");
  },
});

Deno.test({
  name: "LinuxProcesses.create() passes on arguments that look like its own marks for big numbers",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const { code, stdout } = await bench.run({ args: ["echo", "bigint:1048576:0", "bigint:1048576:1"] });
    assertEquals({ code, stdout }, { code: 0, stdout: "bigint:1048576:0 bigint:1048576:1\n" });
  },
});

Deno.test({
  name: "LinuxProcesses.create() looks users up inside the tree only",
  ignore,
  async fn() {
    await using bench = await Bench.open();
    const outside = join(bench.root, "outside");
    await writeFile(outside, "mallory:x:0:0::/:/bin/sh\n");
    const group = join(bench.rootfs, "etc/group");
    await writeFile(join(bench.rootfs, "etc/passwd.real"), "inner:x:77:77::/:/bin/sh\n");
    await Deno.remove(join(bench.rootfs, "etc/passwd"));
    await symlink(outside, join(bench.rootfs, "etc/passwd"));
    await assertRejects(
      () => bench.run({ args: ["id"], process: { user: "mallory" } }),
      EngineError,
      "unable to find user mallory",
    );
    await Deno.remove(join(bench.rootfs, "etc/passwd"));
    await symlink("/etc/passwd.real", join(bench.rootfs, "etc/passwd"));
    assertMatch(await outputOf(bench, "id", { process: { user: "inner" } }), /^uid=77\(inner\)/);
    await Deno.remove(group);
  },
});

Deno.test({
  name: "openProcesses() drives crun where it is asked to, on any cgroup hierarchy",
  ignore: ignore || !["/usr/bin/crun", "/usr/local/bin/crun"].some((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  }),
  async fn() {
    await using bench = await Bench.open("crun");
    assertEquals((await bench.processes.runtime()).name, "crun");
    assertEquals(await outputOf(bench, "echo hello"), "hello\n");
    const missing = await assertRejects(() => bench.run({ args: ["nope"] }), EngineError, "not found in $PATH");
    assertEquals(missing.code, "command_not_found");
    const plain = await assertRejects(() => bench.run({ args: ["/bin/plain"] }), EngineError, "OCI permission denied");
    assertEquals(plain.code, "command_not_executable");
    const record = await bench.create({ args: ["sleep", "1000"] });
    assertEquals((await bench.processes.state(record.id)).status, "created");
    await bench.processes.start(record.id);
    await bench.processes.pause(record.id);
    assertEquals((await bench.processes.state(record.id)).status, "paused");
    await bench.processes.resume(record.id);
    const ended = bench.ended(record.id);
    await bench.processes.kill(record.id, 9);
    assertEquals((await ended).code, 137);
  },
});
