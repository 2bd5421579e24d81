import { assert, assertEquals, assertMatch } from "@std/assert";
import { readFile, realpath } from "node:fs/promises";
import { kernelOlderThan } from "../../../lib/platform/linux/helpers/version_order.ts";
import { overlayFeatures } from "../../../lib/platform/linux/mounts/overlay.ts";
import { runCommand } from "../../../lib/platform/linux/helpers/command.ts";
import { hasJournal } from "../../../lib/platform/linux/logs/journal_log.ts";
import { knownDrivers } from "../../../lib/platform/linux/networks/netavark/netavark_version.ts";
import { hostInfoReader } from "../../../lib/platform/linux/info.ts";
import { hostPaths } from "../../../lib/platform/linux/helpers/paths.ts";
import { findProgram } from "../../../lib/platform/linux/helpers/programs.ts";

const ignore = Deno.build.os !== "linux";

Deno.test({ name: "hostInfoReader() tells what the machine tells", ignore }, async () => {
  let asked = 0;
  const runtime = () => {
    asked++;
    return Promise.resolve({ name: "crun", path: "/usr/bin/crun", version: "crun version 1" });
  };
  const paths = hostPaths("/tmp", "/tmp");
  const read = hostInfoReader({ paths, runtime: "auto", log: () => {} }, { runtime });
  const info = await read();
  await read();
  assertEquals(asked, 1);
  const uname = (await runCommand("uname", ["-srn"])).stdout.trim();
  assertEquals(`Linux ${info.hostname} ${info.kernel}`, uname);
  assert((await readFile("/proc/meminfo", "utf8")).includes(` ${info.memTotal / 1024} kB`));
  assert(info.memFree > 0 && info.memFree < info.memTotal);
  assertEquals(info.cpus, Number((await runCommand("nproc", ["--all"])).stdout));
  assert((await readFile("/etc/os-release", "utf8")).includes(info.distribution.distribution));
  assert(info.cgroupControllers.includes("memory"));
  assertMatch(info.arch, /^(amd64|arm64|386|arm|ppc64le|s390x|riscv64)$/);
  assert(info.backingFilesystem !== "");
  assertEquals(info.overlay?.plainDifference, (await overlayFeatures()).includes("metacopy=off"));
  assertEquals(info.overlay?.volatile, !kernelOlderThan("5.10"));
  assertEquals(info.pasta.path, await findProgram("pasta") ?? "");
  assertEquals(info.networkBackend.name, "netavark");
  assertEquals(info.drivers.log.includes("journald"), hasJournal());
  assertEquals([knownDrivers("1.4.0"), knownDrivers("1.10")], [["bridge", "macvlan"], ["bridge", "macvlan", "ipvlan"]]);
  assertEquals(info.drivers.network, knownDrivers(/[\d.]+/.exec(info.networkBackend.version)?.[0] ?? ""));
  const { user, system, idle } = info.cpuUsage;
  // The rest of the time was stolen by other machines on the same processor.
  const stolen = 100 - user - system - idle;
  assert(user > 0 && idle > 0 && stolen > -0.1 && stolen < 50, "shares of the time since boot");
  const [, allocated, used] = (await runCommand("df", ["--block-size=1", "--output=size,used", "/tmp"])).stdout
    .match(/(\d+) +(\d+)/)!.map(Number);
  assertEquals(info.graphRootSize.allocated, allocated);
  assert(Math.abs(info.graphRootSize.used - used) < 1e9, "others write meanwhile");
  const forwarding = (await readFile("/proc/sys/net/ipv4/ip_forward", "utf8")).trim();
  assertEquals(info.forwards.ipv4, forwarding === "1");
  assertEquals(info.securityOptions.rootless, Deno.uid() !== 0);
});

Deno.test({ name: "findProgram() finds programs that are not in PATH", ignore }, async () => {
  assertEquals(await realpath((await findProgram("sh"))!), await realpath("/bin/sh"));
  assertMatch((await findProgram("ldconfig"))!, /sbin\/ldconfig$/);
  assertEquals(await findProgram("no-such-program-anywhere"), undefined);
});
