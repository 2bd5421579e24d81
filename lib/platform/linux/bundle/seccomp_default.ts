/**
 * The profiles for system calls that containers get by default: one for Podman's API, one for Docker's. They are part of this
 * program, and so as current as it is: hosts have older ones, or none.
 *
 * @module
 */
import {
  ALLOWED,
  BY_CAPABILITY,
  BY_PROCESSOR,
  FORBIDDEN,
  NESTED,
  NESTED_BY_CAPABILITY,
  UNSEEN,
} from "./seccomp_calls.ts";
import type { ProfileRule, SeccompProfile } from "./seccomp.ts";

const ALLOW = "SCMP_ACT_ALLOW";
const REFUSE = "SCMP_ACT_ERRNO";
const [EPERM, EINVAL, ENOSYS] = [1, 22, 38];

/** Families of sockets: these reach the kernel's cryptography, and the hypervisor past every network. */
const AF_ALG = 38;
const AF_VSOCK = 40;
const AF_NETLINK = 16;
const NETLINK_AUDIT = 9;
/** There are 46 families: 6 bits. */
const FAMILIES = 64;

/** The bits of clone(2) that make namespaces: mounts, cgroups, names, IPC, users, processes, network. */
const NAMESPACES = [0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000];
const PERSONALITIES = [0, 0x0008, 0x2_0000, 0x2_0008, 0xffff_ffff];

const ARCHITECTURES: Record<string, string[]> = {
  SCMP_ARCH_X86_64: ["SCMP_ARCH_X86", "SCMP_ARCH_X32"],
  SCMP_ARCH_AARCH64: ["SCMP_ARCH_ARM"],
  SCMP_ARCH_S390X: ["SCMP_ARCH_S390"],
  SCMP_ARCH_PPC64LE: [],
  SCMP_ARCH_RISCV64: [],
  SCMP_ARCH_LOONGARCH64: [],
};

/** Podman's: a container may nest others in user namespaces of its own. */
export const PODMAN_PROFILE: SeccompProfile = completeProfile([
  { names: NESTED, action: ALLOW },
  ...socketRules([AF_ALG, AF_VSOCK, AF_NETLINK]).map((rule) => ({ ...rule, excludes: { caps: ["CAP_AUDIT_WRITE"] } })),
  ...socketRules([AF_ALG, AF_VSOCK]).map((rule) => ({ ...rule, includes: { caps: ["CAP_AUDIT_WRITE"] } })),
  // The answer of a kernel without audits, which programs go on after; without the capability no other would come of it.
  netlinkRule("SCMP_CMP_EQ", { action: REFUSE, errnoRet: EINVAL }),
  netlinkRule("SCMP_CMP_NE", { action: ALLOW }),
]);

/** Docker's: no user namespaces, no keys, no mounts without the capabilities for them. */
export const DOCKER_PROFILE: SeccompProfile = completeProfile([
  ...closedRules(NESTED_BY_CAPABILITY, ["clone", "clone3"]),
  ...socketRules([AF_ALG, AF_VSOCK]),
  { names: ["ptrace", "process_vm_readv", "process_vm_writev"], action: ALLOW },
  { names: ["vmsplice"], action: ALLOW },
  { names: ["keyctl", "pivot_root"], action: REFUSE, errnoRet: EPERM },
  // Its flags are behind a pointer: without it libraries take clone, whose flags are seen.
  { names: ["clone3"], action: REFUSE, errnoRet: ENOSYS, excludes: { caps: ["CAP_SYS_ADMIN"] } },
  ...cloneRules(0, { excludes: { caps: ["CAP_SYS_ADMIN"], arches: ["s390", "s390x"] } }),
  ...cloneRules(1, { excludes: { caps: ["CAP_SYS_ADMIN"] }, includes: { arches: ["s390", "s390x"] } }),
]);

/** A profile with the rules that both have. */
function completeProfile(own: ProfileRule[]): SeccompProfile {
  return {
    defaultAction: REFUSE,
    defaultErrnoRet: ENOSYS,
    archMap: Object.entries(ARCHITECTURES).map(([architecture, subArchitectures]) => ({
      architecture,
      subArchitectures,
    })),
    syscalls: [
      // Before the rules for sockets: libseccomp makes rules of its own for it out of those.
      { names: UNSEEN, action: REFUSE, errnoRet: EPERM },
      { names: ALLOWED, action: ALLOW },
      ...BY_PROCESSOR.map(([arches, names]) => ({ names, action: ALLOW, includes: { arches } })),
      ...closedRules(BY_CAPABILITY, []),
      ...PERSONALITIES.map((value) => ({
        names: ["personality"],
        action: ALLOW,
        args: [{ index: 0, value, op: "SCMP_CMP_EQ" }],
      })),
      { names: FORBIDDEN, action: REFUSE, errnoRet: EPERM },
      ...own,
    ],
  };
}

/** Calls that each of their capabilities opens, and that are not permitted without all of these. */
function closedRules(rows: [capability: string, calls: string[]][], elsewhere: string[]): ProfileRule[] {
  const holders = new Map<string, string[]>();
  for (const [capability, names] of rows) {
    for (const name of names) holders.set(name, [...holders.get(name) ?? [], capability]);
  }
  const refused = [...holders].filter(([name]) => !elsewhere.includes(name));
  return [
    ...rows.map(([capability, names]) => ({ names, action: ALLOW, includes: { caps: [capability] } })),
    ...refused.map(([name, caps]) => ({ names: [name], action: REFUSE, errnoRet: EPERM, excludes: { caps } })),
  ];
}

/**
 * Allows sockets of all families but some. The kernel looks at 32 of the argument's 64 bits, a comparison of whole numbers at all
 * of them: what is compared here is the bits that name families, in blocks without the ones that are left out.
 */
function socketRules(without: number[]): ProfileRule[] {
  const allowed = blockArguments(without, 0, FAMILIES).map((args) => ({
    names: ["socket"],
    action: ALLOW,
    args: [args],
  }));
  const refused = without.filter((family) => family !== AF_NETLINK).map((family) => ({
    names: ["socket"],
    action: REFUSE,
    errnoRet: EPERM,
    args: [isFamily(family)],
  }));
  return [...allowed, ...refused];
}

type Argument = NonNullable<ProfileRule["args"]>[number];

function blockArguments(without: number[], first: number, size: number): Argument[] {
  if (!without.some((family) => family >= first && family < first + size)) return [isFamily(first, size)];
  const half = size / 2;
  return size === 1 ? [] : [...blockArguments(without, first, half), ...blockArguments(without, first + half, half)];
}

function isFamily(first: number, size = 1): Argument {
  return { index: 0, value: FAMILIES - size, valueTwo: first, op: "SCMP_CMP_MASKED_EQ" };
}

function netlinkRule(op: string, rule: Pick<ProfileRule, "action" | "errnoRet">): ProfileRule {
  const args = [isFamily(AF_NETLINK), { index: 2, value: NETLINK_AUDIT, op }];
  return { names: ["socket"], ...rule, args, excludes: { caps: ["CAP_AUDIT_WRITE"] } };
}

/** Allows processes that stay in their namespaces. */
function cloneRules(index: number, condition: Pick<ProfileRule, "includes" | "excludes">): ProfileRule[] {
  const all = NAMESPACES.reduce((sum, bit) => sum + bit, 0);
  const has = (value: number, valueTwo: number) => [{ index, value, valueTwo, op: "SCMP_CMP_MASKED_EQ" }];
  const refused = NAMESPACES.map((bit) => ({ action: REFUSE, errnoRet: EPERM, args: has(bit, bit) }));
  return [{ action: ALLOW, args: has(all, 0) }, ...refused].map((rule) => ({
    names: ["clone"],
    ...rule,
    ...condition,
  }));
}
