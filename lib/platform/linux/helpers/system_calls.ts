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
  pidfd_open: 434,
  openat2: 437,
  mount_setattr: 442,
  quotactl_fd: 443,
} as const;

/** Calls that are older. The attributes, `statx(2)` and `*at(2)` are the tree agent's, which needs a 64-bit processor. */
type OwnCall =
  | "capget"
  | "capset"
  | "fchownat"
  | "fgetxattr"
  | "flistxattr"
  | "fsetxattr"
  | "inotify_add_watch"
  | "inotify_init1"
  | "linkat"
  | "mknodat"
  | "mount"
  | "prctl"
  | "setns"
  | "statx"
  | "umount2"
  | "unshare"
  | "utimensat";

/** A system call that helpers make by its number. */
export type SystemCall = keyof typeof SHARED_CALLS | OwnCall;

/** The numbers of processors that came to Linux late, from `asm-generic/unistd.h`. */
const GENERIC: Record<OwnCall, number> = {
  capget: 90,
  capset: 91,
  fchownat: 54,
  fgetxattr: 10,
  flistxattr: 13,
  fsetxattr: 7,
  inotify_add_watch: 27,
  inotify_init1: 26,
  linkat: 37,
  mknodat: 33,
  mount: 40,
  prctl: 167,
  setns: 268,
  statx: 291,
  umount2: 39,
  unshare: 97,
  utimensat: 88,
};

/** By the names of `os.arch()`. */
const OWN_CALLS: Record<string, Partial<Record<OwnCall, number>>> = {
  x64: {
    capget: 125,
    capset: 126,
    fchownat: 260,
    fgetxattr: 193,
    flistxattr: 196,
    fsetxattr: 190,
    inotify_add_watch: 254,
    inotify_init1: 294,
    linkat: 265,
    mknodat: 259,
    mount: 165,
    prctl: 157,
    setns: 308,
    statx: 332,
    umount2: 166,
    unshare: 272,
    utimensat: 280,
  },
  arm64: GENERIC,
  riscv64: GENERIC,
  loong64: GENERIC,
  ppc64: { inotify_add_watch: 276, inotify_init1: 318, mount: 21, prctl: 171, setns: 350, umount2: 52, unshare: 282 },
  s390x: { inotify_add_watch: 285, inotify_init1: 324, mount: 21, prctl: 172, setns: 339, umount2: 52, unshare: 303 },
  arm: { inotify_add_watch: 317, inotify_init1: 360, mount: 21, prctl: 172, setns: 375, umount2: 52, unshare: 337 },
  ia32: { inotify_add_watch: 292, inotify_init1: 332, mount: 21, prctl: 172, setns: 346, umount2: 52, unshare: 310 },
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
