/**
 * What only a machine with systemd shows: cgroups v2 of its own, the journal, AppArmor, and units that were made here. These tests run in the
 * virtual machine of `deno task test:vm`; `task test` leaves the folder out.
 */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { unitText } from "../../lib/engine/quadlets/convert/convert_quadlets.ts";
import { ok, run, runOk } from "../fixtures/run.ts";
import { Session, until } from "../fixtures/session.ts";

/** AppArmor's profile that engines load for containers, as short as it can be: it forbids a write that the kernel alone would let pass. */
const PROFILE = `profile containers-default flags=(attach_disconnected,mediate_deleted) {
  capability,
  network,
  signal,
  file,
  mount,
  umount,
  ptrace,
  deny /forbidden w,
}
`;

Deno.test("this machine has what these tests are about", async () => {
  assertEquals((await Deno.readTextFile("/proc/1/comm")).trim(), "systemd");
  assertEquals((await runOk(["stat", "-fc", "%T", "/sys/fs/cgroup"])).trim(), "cgroup2fs");
  assertEquals((await Deno.readTextFile("/sys/module/apparmor/parameters/enabled")).trim(), "Y");
  assertEquals((await runOk(["systemctl", "is-active", "systemd-journald"])).trim(), "active");
});

Deno.test("limits are in cgroups v2, and info and stats tell of them", async () => {
  await using session = await Session.start();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", "-q", image);
  assertEquals((await podman("info", "--format", "{{.Host.CgroupsVersion}}")).trim(), "v2");
  const limits = ["--memory=64m", "--pids-limit=50", "--cpus=0.5"];
  await podman("run", "-d", "--name", "box", "--network=none", ...limits, image, "sleep", "900");
  const pid = (await podman("inspect", "--format", "{{.State.Pid}}", "box")).trim();
  const [, group] = /^0::(.*)$/m.exec(await Deno.readTextFile(`/proc/${pid}/cgroup`)) ?? [];
  const read = async (file: string) => (await Deno.readTextFile(`/sys/fs/cgroup${group}/${file}`)).trim();
  assertEquals(await read("memory.max"), String(64 * 1024 * 1024));
  assertEquals(await read("pids.max"), "50");
  assertEquals(await read("cpu.max"), "50000 100000");
  await podman("update", "--memory=96m", "box");
  assertEquals(await read("memory.max"), String(96 * 1024 * 1024));
  const stats = JSON.parse(await podman("stats", "--no-stream", "--format", "json", "box"));
  assertMatch(stats[0].mem_usage, / \/ 100\.7MB$/);
  await podman("rm", "-f", "-t", "0", "box");
  await until(async () => assertEquals((await run(["test", "-e", `/sys/fs/cgroup${group}`])).code, 1));
});

Deno.test("a log in the journal has the container's fields, and is read back", async () => {
  await using session = await Session.start();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", "-q", image);
  // Two pipes have no order between them, unless their writer waits.
  const script = "echo first; sleep 2; echo second >&2; sleep 2; echo third";
  const options = ["--network=none", "--log-driver=journald", "--log-opt", "tag=mine"];
  const id = (await podman("run", "-d", "--name", "told", ...options, image, "sh", "-c", script)).trim();
  await podman("wait", "told");
  const fields = ["--output=json", "--output-fields=MESSAGE,CONTAINER_NAME,CONTAINER_TAG,PRIORITY"];
  await until(async () => {
    const text = await runOk(["journalctl", `CONTAINER_ID_FULL=${id}`, ...fields]);
    const entries = text.trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
    const told = entries.map((
      { MESSAGE, CONTAINER_NAME, CONTAINER_TAG, PRIORITY },
      // conmon 2.1.12 writes the line's end, too, and older ones do not.
    ) => [MESSAGE.trimEnd(), CONTAINER_NAME, CONTAINER_TAG, PRIORITY]);
    assertEquals(told.filter(([message]) => /first|second|third/.test(message)).sort(), [
      ["first", "told", "mine", "6"],
      ["second", "told", "mine", "3"],
      ["third", "told", "mine", "6"],
    ]);
  });
  const logs = await server.podman("logs", "told");
  assertEquals([logs.stdout, logs.stderr], ["first\nthird\n", "second\n"]);
  assertEquals((await podman("logs", "--tail", "1", "told")).trim(), "third");
});

Deno.test("a container runs under AppArmor's profile, which forbids what it forbids", async () => {
  await Deno.writeTextFile("/run/containers-default", PROFILE);
  await runOk(["apparmor_parser", "--replace", "/run/containers-default"]);
  await using session = await Session.start();
  const { server, image } = session;
  const podman = async (...args: string[]) => ok(await server.podman(...args), args.join(" "));
  await podman("pull", "-q", image);
  const box = ["run", "--rm", "--network=none"];
  const label = await podman(...box, image, "cat", "/proc/self/attr/current");
  assertEquals(label.trim(), "containers-default (enforce)");
  const denied = await server.podman(...box, image, "sh", "-c", "echo x > /forbidden");
  assert(denied.code !== 0, "the write is denied");
  assertStringIncludes(denied.stderr, "Permission denied");
  const free = await podman(...box, "--security-opt=apparmor=unconfined", image, "cat", "/proc/self/attr/current");
  // Debian 13 has a profile for crun itself, which confines nothing.
  assertMatch(free.trim(), /^(?:crun \()?unconfined\)?$/);
});

Deno.test("systemd runs the unit that is made of a quadlet, restarts it, and stops it", async () => {
  await using session = await Session.start();
  // The units call Podman's own program, in whose store the image has to be.
  await runOk(["podman", "pull", "-q", "--tls-verify=false", session.image], { timeout: 300_000 });
  const text = unitText({
    name: "ticker.container",
    text: [
      "[Container]",
      `Image=${session.image}`,
      "ContainerName=ticker",
      "Network=none",
      "StopTimeout=0",
      "Exec=sh -c 'while true; do date; sleep 1; done'",
      "[Service]",
      "Restart=always",
      "RestartSec=1",
      // The emulated processor takes seconds to start a program.
      "TimeoutStopSec=200",
      "",
    ].join("\n"),
  });
  await Deno.writeTextFile("/run/systemd/system/ticker.service", text);
  try {
    await runOk(["systemctl", "daemon-reload"]);
    await runOk(["systemctl", "start", "ticker.service"], { timeout: 300_000 });
    assertEquals((await runOk(["systemctl", "is-active", "ticker.service"])).trim(), "active");
    const first = (await runOk(["podman", "inspect", "--format", "{{.Id}}", "ticker"])).trim();
    await runOk(["podman", "kill", "ticker"], { timeout: 300_000 });
    await until(async () => {
      const { code, stdout } = await run(["podman", "inspect", "--format", "{{.Id}} {{.State.Running}}", "ticker"]);
      assert(code === 0 && stdout.trim().endsWith("true") && !stdout.startsWith(first), "another container runs");
    }, 120_000);
    await runOk(["systemctl", "stop", "ticker.service"], { timeout: 300_000 });
    assertEquals((await run(["podman", "container", "exists", "ticker"])).code, 1);
  } finally {
    await run(["systemctl", "stop", "ticker.service"], { timeout: 300_000 });
    await Deno.remove("/run/systemd/system/ticker.service");
  }
});

Deno.test("gantry install makes a service that systemd starts by its socket, and uninstall takes it away", async () => {
  const cli = new URL("../../lib/platform/entries/cli.ts", import.meta.url).pathname;
  const gantry = (...args: string[]) => runOk([Deno.execPath(), "run", "-A", cli, ...args], { timeout: 300_000 });
  const socket = "/run/gantry-vm/gantry.sock";
  const ping = () => runOk(["curl", "-sS", "--unix-socket", socket, "http://d/_ping"], { timeout: 300_000 });
  const state = async (unit: string) => (await run(["systemctl", "is-active", unit])).stdout.trim();
  await gantry("install", "--root", "/root/gantry-vm", "--runroot", "/run/gantry-vm");
  try {
    // "systemctl restart" has returned: the server has said that it is ready.
    assertEquals([await state("gantry.service"), await state("gantry.socket")], ["active", "active"]);
    assertEquals((await ping()).trim(), "OK");
    await runOk(["systemctl", "stop", "gantry.service"], { timeout: 300_000 });
    assertEquals(await state("gantry.socket"), "active");
    assertEquals((await ping()).trim(), "OK", "a request starts it again");
    assertEquals(await state("gantry.service"), "active");
  } finally {
    console.log((await run(["journalctl", "-u", "gantry.service", "--no-pager", "-n", "20"])).stdout);
    await gantry("uninstall");
  }
  assertEquals([await state("gantry.service"), await state("gantry.socket")], ["inactive", "inactive"]);
  assertEquals((await run(["test", "-e", "/etc/systemd/system/gantry.service"])).code, 1);
});
