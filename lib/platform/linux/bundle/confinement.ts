/**
 * The parts of the kernel that a container's processes do not see, and the system calls they may not make.
 *
 * @module
 */
import { existsSync, readdirSync } from "node:fs";
import type { ContainerSpec } from "../../../engine/records/container_record.ts";
import { fitsGlob } from "../../../engine/text/glob.ts";
import { parseSeccompProfile, type SeccompProfile, translateSeccomp } from "./seccomp.ts";
import { usualAppArmorProfile } from "../security_modules.ts";
import { DOCKER_PROFILE, PODMAN_PROFILE } from "./seccomp_default.ts";
import { readAskedSeccomp } from "./spec_check.ts";
import type { SpecSeccomp } from "./spec_types.ts";

/** Parts of /proc and /sys that tell of the host or reach into it. */
const MASKED = [
  ..."/proc/acpi /proc/kcore /proc/keys /proc/latency_stats /proc/timer_list /proc/timer_stats".split(" "),
  ..."/proc/sched_debug /proc/scsi /sys/firmware /sys/fs/selinux /sys/dev/block".split(" "),
  "/sys/devices/virtual/powercap",
  "/proc/interrupts",
];
const READ_ONLY = "/proc/asound /proc/bus /proc/fs /proc/irq /proc/sys /proc/sysrq-trigger".split(" ");

const PROCESSORS = "/sys/devices/system/cpu";

/** Listed once: processors do not come and go while a server runs. */
let masked: string[] | undefined;

/**
 * The paths that a container does not see by default. The counters of heat are one folder for each processor: with those of
 * interrupts they tell one container what others do.
 */
export function defaultMasks(processors = PROCESSORS): string[] {
  const names = existsSync(processors) ? readdirSync(processors) : [];
  const cores = names.filter((name) => /^cpu\d+$/.test(name)).map((name) => `${processors}/${name}/thermal_throttle`);
  return [...MASKED, ...cores.filter((path) => existsSync(path)).sort()];
}

/**
 * The rules for a container's system calls: of the profile it names, else of the administrator's, else those that containers of
 * its API get. There are always some, unless the container is privileged or was asked for without.
 *
 * @param administrators The administrator's own profile, where there is one
 */
export async function containerSeccomp(
  spec: Pick<ContainerSpec, "privileged" | "seccomp" | "seccompText" | "defaults">,
  capabilities: readonly string[],
  administrators?: SeccompProfile,
): Promise<SpecSeccomp | undefined> {
  if (spec.privileged || spec.seccomp === "unconfined") return undefined;
  const usual = spec.defaults === "docker" ? DOCKER_PROFILE : PODMAN_PROFILE;
  return translateSeccomp(await askedProfile(spec) ?? administrators ?? usual, capabilities);
}

/** The profile of AppArmor that a container gets: the one it names, else the usual one where that is loaded. */
export function containerAppArmor(
  { privileged, apparmor, defaults }: Pick<ContainerSpec, "privileged" | "apparmor" | "defaults">,
  loaded: readonly string[],
): string | undefined {
  if (apparmor !== undefined) return apparmor === "unconfined" ? undefined : apparmor;
  return privileged ? undefined : usualAppArmorProfile(loaded, defaults);
}

/** The paths a container does not see, and those it cannot write to. */
export function hiddenPaths(
  { privileged, masks, unmasks, maskedPaths = masked ??= defaultMasks(), readOnlyPaths = READ_ONLY }: Pick<
    ContainerSpec,
    "privileged" | "masks" | "unmasks" | "maskedPaths" | "readOnlyPaths"
  >,
): { maskedPaths: string[]; readonlyPaths: string[] } {
  if (privileged) return { maskedPaths: [], readonlyPaths: [] };
  const patterns = unmasks.flatMap((text) => text.split(":"));
  const shown = (path: string) =>
    patterns.some((pattern) => pattern.toUpperCase() === "ALL" || fitsGlob(pattern, path));
  return {
    maskedPaths: [
      ...new Set([...maskedPaths.filter((path) => !shown(path)), ...masks.flatMap((text) => text.split(":"))]),
    ],
    readonlyPaths: readOnlyPaths.filter((path) => !shown(path)),
  };
}

async function askedProfile(
  { seccomp, seccompText }: Pick<ContainerSpec, "seccomp" | "seccompText">,
): Promise<SeccompProfile | undefined> {
  if (seccompText !== undefined) return parseSeccompProfile(seccompText, "image label");
  if (seccomp === undefined || seccomp === "default") return undefined;
  return parseSeccompProfile(await readAskedSeccomp(seccomp), seccomp);
}
