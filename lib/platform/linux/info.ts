/**
 * Facts about this machine, from /proc, /sys and the programs that are driven.
 *
 * @module
 */
import { LOG_DRIVERS } from "../../engine/text/logs/log_drivers.ts";
import { hasJournal } from "./logs/journal_log.ts";
import { knownDrivers } from "./networks/netavark/netavark_version.ts";
import { createHash } from "node:crypto";
import { access, readFile, statfs } from "node:fs/promises";
import { arch, cpus, hostname, release, uptime } from "node:os";
import { basename, join } from "node:path";
import type { HostInfo } from "../../engine/ports/host_facts.ts";
import type { Processes } from "../../engine/ports/host_port.ts";
import type { HostContext } from "./helpers/context.ts";
import { DEFAULT_CAPABILITIES } from "./bundle/capabilities.ts";
import { OWN_PROFILE } from "./bundle/seccomp.ts";
import { DEVICE_FOLDERS } from "./bundle/cdi/device_folders.ts";
import { netavarkAt } from "./networks/netavark/netavark.ts";
import { hostText, readTextBounded } from "./helpers/bounded_read.ts";
import { readOSRelease } from "./os_release.ts";
import { findProgram, packageVersions, programVersion } from "./helpers/programs.ts";
import { hasVolatile, NO_METACOPY, overlayFeatures } from "./mounts/overlay.ts";
import { usableCgroupLayout } from "./resources/cgroups.ts";
import { controllersOf } from "./resources/delegated_group.ts";
import { isRootless } from "./rootless/outer_user.ts";
import { securityModules } from "./security_modules.ts";

/** Go's names for processors, which OCI uses, by those of Node. */
const ARCHITECTURES: Record<string, string> = { x64: "amd64", ia32: "386", ppc64: "ppc64le", mipsel: "mipsle" };

/** The platform of the programs that this machine runs. */
export const HOST_PLATFORM: Pick<HostInfo, "os" | "arch"> = { os: "linux", arch: ARCHITECTURES[arch()] ?? arch() };

/** File systems by the magic numbers of statfs(2), in Podman's words. */
const FILE_SYSTEMS: Record<number, string> = {
  0xef53: "extfs",
  0x58465342: "xfs",
  0x9123683e: "btrfs",
  0x01021994: "tmpfs",
  0x794c7630: "overlayfs",
  0x2fc12fc1: "zfs",
  0xf2f52010: "f2fs",
};

type Lasting = Pick<
  HostInfo,
  | "id"
  | "kernel"
  | "distribution"
  | "cgroupVersion"
  | "cgroupControllers"
  | "conmon"
  | "runtime"
  | "networkBackend"
  | "drivers"
  | "dns"
  | "pasta"
  | "firewall"
  | "securityOptions"
  | "backingFilesystem"
  | "overlay"
>;

/** Gives a function that tells of the host. Facts that cannot change while this process lives are read once. */
export function hostInfoReader(
  { paths, deviceFolders = DEVICE_FOLDERS }: HostContext,
  processes: Pick<Processes, "runtime">,
): () => Promise<HostInfo> {
  let lasting: Promise<Lasting> | undefined;
  return async () => {
    lasting ??= readLasting(paths.root, processes);
    lasting.catch(() => lasting = undefined);
    const [memory, cpuUsage, graphRootSize, ipv4] = await Promise.all([
      readMemory(),
      readUsage(),
      readSize(paths.root),
      readForwarding(),
    ]);
    return {
      ...await lasting,
      ...memory,
      cpuUsage,
      graphRootSize,
      forwards: { ipv4 },
      ...HOST_PLATFORM,
      hostname: hostname(),
      cpus: cpus().length,
      uptime: uptime(),
      cgroupManager: "cgroupfs",
      graphRoot: paths.root,
      runRoot: paths.runroot,
      volumePath: paths.volumes,
      graphDriver: "overlay",
      deviceFolders,
    };
  };
}

async function readLasting(root: string, processes: Pick<Processes, "runtime">): Promise<Lasting> {
  const { program: netavark, aardvark } = netavarkAt("");
  const [runtime, conmon, pasta] = await Promise.all([
    processes.runtime(),
    findProgram("conmon"),
    findProgram("pasta"),
  ]);
  const [distribution, controllers, packages, versions, nft, securityOptions, { type }, features] = await Promise.all([
    readDistribution(),
    readCgroups(),
    packageVersions([basename(runtime.path), "conmon", "netavark", "aardvark-dns", "passt"]),
    Promise.all([conmon, netavark, aardvark, pasta].map(programVersion)),
    findProgram("nft"),
    readSecurity(),
    statfs(root),
    overlayFeatures(),
  ]);
  const factsOf = (index: number, path: string | undefined, version: string) => {
    return path === undefined ? { path: "", version, package: "" } : { path, version, package: packages[index] };
  };
  return {
    id: await readID(root),
    kernel: release(),
    distribution,
    ...controllers,
    conmon: factsOf(1, conmon, versions[0]),
    runtime: { ...runtime, package: packages[0] },
    networkBackend: { name: "netavark", ...factsOf(2, netavark, versions[1]) },
    drivers: {
      network: knownDrivers(/\d+(?:\.\d+)*/.exec(versions[1])?.[0] ?? "0"),
      log: LOG_DRIVERS.filter((driver) => driver !== "journald" || hasJournal()),
    },
    dns: factsOf(3, aardvark, versions[2]),
    pasta: factsOf(4, pasta, versions[3]),
    firewall: nft === undefined ? "" : "nftables",
    securityOptions,
    backingFilesystem: FILE_SYSTEMS[Number(type)] ?? `0x${Number(type).toString(16)}`,
    overlay: { plainDifference: features.includes(NO_METACOPY), volatile: hasVolatile() },
  };
}

/** The ID of the engine that has this root on this machine. The machine's own is for nobody to see: machine-id(5). */
async function readID(root: string): Promise<string> {
  const machine = await readTextBounded("/etc/machine-id", 64).catch(() => undefined) ?? hostname();
  const hex = createHash("sha256").update(`gantry\0${machine.trim()}\0${root}`).digest("hex");
  // RFC 9562, version 8: bits of one's own choice.
  const variant = "89ab"[Number.parseInt(hex[16]!, 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${
    hex.slice(20, 32)
  }`;
}

async function readMemory(): Promise<Pick<HostInfo, "memTotal" | "memFree" | "swapTotal" | "swapFree">> {
  const text = await readFile("/proc/meminfo", "utf8");
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0) * 1024;
  return {
    memTotal: bytes("MemTotal"),
    memFree: bytes("MemFree"),
    swapTotal: bytes("SwapTotal"),
    swapFree: bytes("SwapFree"),
  };
}

/** Reads the first line of /proc/stat, proc_stat(5): ticks by kind since boot. */
async function readUsage(): Promise<HostInfo["cpuUsage"]> {
  const [line] = (await readFile("/proc/stat", "utf8")).split("\n");
  const [user, nice, system, idle, ioWait = 0, irq = 0, softIRQ = 0, steal = 0] = line.split(/\s+/).slice(1).map(
    Number,
  );
  const total = user + nice + system + idle + ioWait + irq + softIRQ + steal;
  const percent = (ticks: number) => total === 0 ? 0 : Math.round(ticks / total * 10_000) / 100;
  return { user: percent(user + nice), system: percent(system + irq + softIRQ), idle: percent(idle + ioWait) };
}

async function readSize(root: string): Promise<HostInfo["graphRootSize"]> {
  const { blocks, bfree, bsize } = await statfs(root);
  return { allocated: blocks * bsize, used: (blocks - bfree) * bsize };
}

async function readForwarding(): Promise<boolean> {
  return (await hostText("/proc/sys/net/ipv4/ip_forward")).trim() === "1";
}

async function readDistribution(): Promise<HostInfo["distribution"]> {
  const { id, version, codename } = await readOSRelease();
  return { distribution: id || "unknown", version: version || "unknown", ...codename !== "" && { codename } };
}

/** The version, and the controllers that this server's containers can be limited by: an ordinary user's have none. */
async function readCgroups(): Promise<Pick<HostInfo, "cgroupVersion" | "cgroupControllers">> {
  const [found, { isForeign, base, unified }] = await Promise.all([readControllers(), usableCgroupLayout()]);
  if (base !== undefined) return { ...found, cgroupControllers: await controllersOf(join(unified, base)) };
  return isForeign ? { ...found, cgroupControllers: [] } : found;
}

/** A hybrid hierarchy counts as v1: that is where its controllers are. */
async function readControllers(): Promise<Pick<HostInfo, "cgroupVersion" | "cgroupControllers">> {
  const unified = await readFile("/sys/fs/cgroup/cgroup.controllers", "utf8").catch(() => undefined);
  if (unified !== undefined) {
    return { cgroupVersion: "v2", cgroupControllers: unified.trim().split(" ").filter((name) => name !== "") };
  }
  const lines = (await hostText("/proc/cgroups")).split("\n").slice(1);
  const enabled = lines.map((line) => line.split("\t")).filter((fields) => fields[3] === "1");
  return { cgroupVersion: "v1", cgroupControllers: enabled.map((fields) => fields[0]!) };
}

async function readSecurity(): Promise<HostInfo["securityOptions"]> {
  const [status, { apparmor, selinux }, profile] = await Promise.all([
    readFile("/proc/self/status", "utf8"),
    securityModules(),
    pathExists(OWN_PROFILE),
  ]);
  return {
    seccomp: /^Seccomp:/m.test(status),
    seccompProfilePath: profile ? OWN_PROFILE : "",
    apparmor,
    selinux,
    rootless: isRootless(),
    capabilities: DEFAULT_CAPABILITIES.join(","),
  };
}

async function pathExists(path: string): Promise<boolean> {
  return await access(path).then(() => true, () => false);
}
