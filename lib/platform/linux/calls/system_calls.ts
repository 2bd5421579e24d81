/**
 * The one table of system call numbers, for helpers written in Perl and for `libc.ts`: neither knows calls by name, or not all.
 *
 * @module
 */
import { arch } from "node:os";
import { EngineError } from "../../../engine/errors.ts";

/** Calls that Linux added after it had agreed on one number for every processor. */
export const SHARED_CALLS = {
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  pidfd_open: 434,
  close_range: 436,
  openat2: 437,
  mount_setattr: 442,
  quotactl_fd: 443,
} as const;

/** Calls that are older. The attributes, `statx(2)` and `*at(2)` are the tree agent's, which needs a 64-bit processor. */
type OwnCall =
  | "capget"
  | "capset"
  | "close"
  | "epoll_create1"
  | "epoll_ctl"
  | "epoll_pwait"
  | "exit_group"
  | "fchmod"
  | "fchown"
  | "fchownat"
  | "fgetxattr"
  | "flistxattr"
  | "fsetxattr"
  | "ftruncate"
  | "linkat"
  | "lseek"
  | "memfd_create"
  | "mknodat"
  | "mount"
  | "openat"
  | "prctl"
  | "recvmsg"
  | "renameat2"
  | "rt_sigprocmask"
  | "setns"
  | "signalfd4"
  | "statx"
  | "umount2"
  | "unlinkat"
  | "unshare"
  | "utimensat"
  | "write";

/** A system call that helpers make by its number. */
export type SystemCall = keyof typeof SHARED_CALLS | OwnCall;

/** The numbers of processors that came to Linux late, from `asm-generic/unistd.h`. */
const GENERIC: Record<OwnCall, number> = {
  capget: 90,
  capset: 91,
  close: 57,
  epoll_create1: 20,
  epoll_ctl: 21,
  epoll_pwait: 22,
  exit_group: 94,
  fchmod: 52,
  fchown: 55,
  fchownat: 54,
  fgetxattr: 10,
  flistxattr: 13,
  fsetxattr: 7,
  ftruncate: 46,
  linkat: 37,
  lseek: 62,
  memfd_create: 279,
  mknodat: 33,
  mount: 40,
  openat: 56,
  prctl: 167,
  recvmsg: 212,
  renameat2: 276,
  rt_sigprocmask: 135,
  setns: 268,
  signalfd4: 74,
  statx: 291,
  umount2: 39,
  unlinkat: 35,
  unshare: 97,
  utimensat: 88,
  write: 64,
};

/** By the names of `os.arch()`. */
const OWN_CALLS: Record<string, Partial<Record<OwnCall, number>>> = {
  x64: {
    capget: 125,
    capset: 126,
    close: 3,
    epoll_create1: 291,
    epoll_ctl: 233,
    epoll_pwait: 281,
    exit_group: 231,
    fchmod: 91,
    fchown: 93,
    fchownat: 260,
    fgetxattr: 193,
    flistxattr: 196,
    fsetxattr: 190,
    ftruncate: 77,
    linkat: 265,
    lseek: 8,
    memfd_create: 319,
    mknodat: 259,
    mount: 165,
    openat: 257,
    prctl: 157,
    recvmsg: 47,
    renameat2: 316,
    rt_sigprocmask: 14,
    setns: 308,
    signalfd4: 289,
    statx: 332,
    umount2: 166,
    unlinkat: 263,
    unshare: 272,
    utimensat: 280,
    write: 1,
  },
  arm64: GENERIC,
  riscv64: GENERIC,
  loong64: GENERIC,
  ppc64: {
    epoll_create1: 315,
    epoll_ctl: 237,
    epoll_pwait: 303,
    exit_group: 234,
    memfd_create: 360,
    mknodat: 288,
    mount: 21,
    prctl: 171,
    recvmsg: 342,
    renameat2: 357,
    rt_sigprocmask: 174,
    setns: 350,
    signalfd4: 313,
    umount2: 52,
    unshare: 282,
  },
  s390x: {
    epoll_create1: 327,
    epoll_ctl: 250,
    epoll_pwait: 312,
    exit_group: 248,
    memfd_create: 350,
    mknodat: 290,
    mount: 21,
    prctl: 172,
    recvmsg: 372,
    renameat2: 347,
    rt_sigprocmask: 175,
    setns: 339,
    signalfd4: 322,
    umount2: 52,
    unshare: 303,
  },
  arm: {
    epoll_create1: 357,
    epoll_ctl: 251,
    epoll_pwait: 346,
    exit_group: 248,
    memfd_create: 385,
    mknodat: 324,
    mount: 21,
    prctl: 172,
    recvmsg: 297,
    renameat2: 382,
    rt_sigprocmask: 175,
    setns: 375,
    signalfd4: 355,
    umount2: 52,
    unshare: 337,
  },
  ia32: {
    epoll_create1: 329,
    epoll_ctl: 255,
    epoll_pwait: 319,
    exit_group: 252,
    memfd_create: 356,
    mknodat: 297,
    mount: 21,
    prctl: 172,
    recvmsg: 372,
    renameat2: 353,
    rt_sigprocmask: 175,
    setns: 346,
    signalfd4: 327,
    umount2: 52,
    unshare: 310,
  },
};

/**
 * Returns the numbers of some calls on a processor, this machine's by default. Throws `EngineError("unsupported")`, which names
 * the task, where one is missing from the table.
 */
export function callNumbers<Name extends SystemCall>(
  task: string,
  names: readonly Name[],
  processor: string = arch(),
): Record<Name, number> {
  const numbers: Partial<Record<SystemCall, number>> = { ...SHARED_CALLS, ...OWN_CALLS[processor] };
  const isComplete = OWN_CALLS[processor] !== undefined && names.every((name) => numbers[name] !== undefined);
  if (!isComplete) throw new EngineError("unsupported", `${task}: not available on ${processor}`);
  // The line above found a number for each name.
  return Object.fromEntries(names.map((name) => [name, numbers[name]])) as Record<Name, number>;
}
