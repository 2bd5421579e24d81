/**
 * Conditional seccomp profiles, as containers-common and Docker write them, translated for one container.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { arch, release } from "node:os";
import { EngineError } from "../../../engine/errors.ts";
import { kernelOlderThan } from "../helpers/version_order.ts";
import type { SpecSeccomp, SpecSyscall } from "./spec_types.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/**
 * An administrator's own profile for all containers. The profile that packages install beside it is older than this
 * program's.
 */
export const OWN_PROFILE = "/etc/containers/seccomp.json";

/** Names of processors by those of Node: as the profile's conditions have them, and as libseccomp does. */
const ARCHITECTURES: Record<string, { name: string; native: string }> = {
  x64: { name: "amd64", native: "SCMP_ARCH_X86_64" },
  ia32: { name: "x86", native: "SCMP_ARCH_X86" },
  arm64: { name: "arm64", native: "SCMP_ARCH_AARCH64" },
  arm: { name: "arm", native: "SCMP_ARCH_ARM" },
  ppc64: { name: "ppc64le", native: "SCMP_ARCH_PPC64LE" },
  s390x: { name: "s390x", native: "SCMP_ARCH_S390X" },
  riscv64: { name: "riscv64", native: "SCMP_ARCH_RISCV64" },
  loong64: { name: "loong64", native: "SCMP_ARCH_LOONGARCH64" },
};

const ERRNO: Record<string, number> = { EPERM: 1, EACCES: 13, EINVAL: 22, ENOSYS: 38 };

interface Condition {
  caps?: string[];
  arches?: string[];
  minKernel?: string;
}

/** Calls, and what becomes of them where the conditions hold. */
export interface ProfileRule {
  name?: string;
  names?: string[];
  action: string;
  args?: SpecSyscall["args"] | null;
  includes?: Condition;
  excludes?: Condition;
  errnoRet?: number | null;
  errno?: string;
}

/** The file as it is written. */
export interface SeccompProfile {
  defaultAction: string;
  defaultErrnoRet?: number;
  defaultErrno?: string;
  architectures?: string[];
  archMap?: { architecture: string; subArchitectures?: string[] | null }[];
  syscalls: ProfileRule[];
}

/** The machine the conditions are asked of. */
export interface SeccompMachine {
  /** As `os.arch()` says it. */
  arch: string;
  /** As `uname -r` says it. */
  kernel: string;
}

/** Reads the administrator's profile; `undefined` where there is none. Throws `EngineError("invalid")` for one that is broken. */
export async function readSeccompProfile(path: string = OWN_PROFILE): Promise<SeccompProfile | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (hasSystemCode(error, "ENOENT", "ENOTDIR")) return undefined;
    // Another profile in its place would not be what was decided on.
    throw new EngineError("invalid", `Read seccomp profile "${path}": ${error.message}`, { cause: error });
  });
  return text === undefined ? undefined : parseSeccompProfile(text, path);
}

/** Parses a profile; throws `EngineError("invalid")` naming where it came from. */
export function parseSeccompProfile(text: string, source: string): SeccompProfile {
  try {
    // The shape is the administrator's; what matters of it is checked here.
    const profile = JSON.parse(text) as SeccompProfile;
    if (typeof profile.defaultAction !== "string") throw new TypeError("no defaultAction");
    profile.syscalls ??= [];
    if (!Array.isArray(profile.syscalls)) throw new TypeError("syscalls is no list");
    return profile;
  } catch (error) {
    throw new EngineError("invalid", `Read seccomp profile "${source.slice(0, 256)}": ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Gives the rules that hold for a container with these capabilities on this machine. */
export function translateSeccomp(
  profile: SeccompProfile,
  capabilities: readonly string[],
  machine: SeccompMachine = { arch: arch(), kernel: release() },
): SpecSeccomp {
  const { name, native } = ARCHITECTURES[machine.arch] ?? { name: machine.arch, native: "" };
  const held = new Set(capabilities);
  const applies = ({ includes, excludes }: ProfileRule) => {
    if (includes?.arches?.length && !includes.arches.includes(name)) return false;
    if (excludes?.arches?.includes(name)) return false;
    if (includes?.caps?.some((cap) => !held.has(cap))) return false;
    if (excludes?.caps?.some((cap) => held.has(cap))) return false;
    if (includes?.minKernel && kernelOlderThan(includes.minKernel, machine.kernel)) return false;
    return !(excludes?.minKernel && !kernelOlderThan(excludes.minKernel, machine.kernel));
  };
  const map = profile.archMap?.find(({ architecture }) => architecture === native);
  const architectures = map === undefined
    ? profile.architectures ?? []
    : [map.architecture, ...map.subArchitectures ?? []];
  const errnoRet = profile.defaultErrnoRet ?? ERRNO[profile.defaultErrno ?? ""];
  return {
    defaultAction: profile.defaultAction,
    ...errnoRet !== undefined && { defaultErrnoRet: errnoRet },
    architectures,
    syscalls: profile.syscalls.filter(applies).map(translateRule),
  };
}

function translateRule(rule: ProfileRule): SpecSyscall {
  const errnoRet = rule.errnoRet ?? ERRNO[rule.errno ?? ""];
  return {
    names: rule.names ?? (rule.name === undefined ? [] : [rule.name]),
    action: rule.action,
    ...errnoRet !== undefined && { errnoRet },
    ...rule.args?.length && { args: rule.args },
  };
}
