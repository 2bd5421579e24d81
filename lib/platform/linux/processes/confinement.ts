/**
 * What of the kernel a container's processes do not see, and which system calls they may not make.
 *
 * @module
 */
import { existsSync, readdirSync } from "node:fs";
import type { ContainerSpec } from "../../../engine/container_record.ts";
import { fitsGlob } from "../../../engine/glob.ts";
import { parseSeccompProfile, type SeccompProfile, translateSeccomp } from "./seccomp.ts";
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

/** What the rules for system calls are made from. */
export interface SeccompSources {
  /** The host's default profile; `undefined` where none is installed. */
  seccomp?: SeccompProfile;
  warn: (message: string) => void;
}

/** The rules for a container's system calls: of the profile it names, else of the host's. */
export async function containerSeccomp(
  spec: ContainerSpec,
  capabilities: readonly string[],
  { seccomp, warn }: SeccompSources,
): Promise<SpecSeccomp | undefined> {
  if (spec.privileged || spec.seccomp === "unconfined") return undefined;
  const profile = await askedProfile(spec) ?? seccomp;
  if (profile === undefined) {
    warn("Filter system calls: no seccomp profile is installed, the container runs without one");
    return undefined;
  }
  return translateSeccomp(profile, capabilities);
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

async function askedProfile({ seccomp, seccompText }: ContainerSpec): Promise<SeccompProfile | undefined> {
  if (seccompText !== undefined) return parseSeccompProfile(seccompText, "image label");
  if (seccomp === undefined || seccomp === "default") return undefined;
  return parseSeccompProfile(await readAskedSeccomp(seccomp), seccomp);
}
