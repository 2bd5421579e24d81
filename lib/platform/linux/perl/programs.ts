/**
 * The helpers written in Perl: neither Deno nor Node can make most system calls, and Perl is part of every Debian system. Each
 * `.pl` file says what its helper does.
 *
 * The files are loaded as modules of text, which `deno task generate` makes of them: this project is imported by URL, and bundled
 * into one file for Node, and neither has a folder to read them from when a helper starts.
 *
 * @module
 */
import { constants as files } from "node:fs";
import { arch, constants as system } from "node:os";
import { callNumbers, type SystemCall } from "../calls/system_calls.ts";
import { AGENT_COMPARE } from "./agent/compare.pl.ts";
import { AGENT_DISPATCH } from "./agent/dispatch.pl.ts";
import { AGENT_FINAL } from "./agent/final.pl.ts";
import { AGENT_GROUND } from "./agent/ground.pl.ts";
import { AGENT_PICK } from "./agent/pick.pl.ts";
import { AGENT_PROCESSES } from "./agent/processes.pl.ts";
import { AGENT_READ } from "./agent/read.pl.ts";
import { AGENT_WRITE } from "./agent/write.pl.ts";
import { NURSERY_ATTACH } from "./nursery/attach.pl.ts";
import { COMMON } from "./common.pl.ts";
import { DATAGRAMS } from "./datagrams.pl.ts";
import { END_AT_ONCE } from "./end_at_once.pl.ts";
import { EPOLL } from "./epoll.pl.ts";
import { NURSERY_EXEC } from "./nursery/exec.pl.ts";
import { HAND_ON } from "./hand_on.pl.ts";
import { HIDE } from "./hide.pl.ts";
import { NURSERY_LAUNCH } from "./nursery/launch.pl.ts";
import { LINKS } from "./links.pl.ts";
import { MOUNTS } from "./mounts.pl.ts";
import { NOTIFY } from "./notify.pl.ts";
import { NURSERY_REQUESTS } from "./nursery/requests.pl.ts";
import { NURSERY_RESIZE } from "./nursery/resize.pl.ts";
import { NURSERY_TREES } from "./nursery/trees.pl.ts";
import { NULL } from "./null.pl.ts";
import { OLDER_LOGS } from "./older_logs.pl.ts";
import { PORTS } from "./ports.pl.ts";
import { QUOTAS } from "./quotas.pl.ts";
import { READY } from "./ready.pl.ts";
import { UNSHARE } from "./unshare.pl.ts";

/** A helper's program. */
export interface PerlProgram {
  /** Its files' texts, one after the other. */
  readonly parts: readonly string[];
  /** The system calls it makes by number. */
  readonly calls: readonly SystemCall[];
  /** The flags of open(2) that it knows by number. */
  readonly flags?: readonly (keyof typeof files & `O_${string}`)[];
  /** The errors of errno(3) that it knows by number. */
  readonly errors?: readonly (keyof typeof system.errno)[];
}

/** The ground of the tree agent's programs. */
const GROUND = {
  calls: ["openat2", "statx", "setns", "flistxattr", "fgetxattr", "exit_group"],
  flags: ["O_RDONLY", "O_NONBLOCK", "O_DIRECTORY", "O_NOFOLLOW"],
  errors: ["ENOENT", "ENOTDIR", "ELOOP"],
} as const;

/** The errors that the tree agent knows by number where it reads. */
const READ_ERRORS = [...GROUND.errors, "ENXIO", "ENODEV", "EACCES"] as const;

/** Reads the files of a tree. */
export const READ_TREE_PROGRAM: PerlProgram = {
  ...GROUND,
  parts: [COMMON, END_AT_ONCE, AGENT_GROUND, AGENT_READ, AGENT_DISPATCH],
  errors: READ_ERRORS,
};

/** Sends datagrams to sockets with a path. */
export const DATAGRAMS_PROGRAM: PerlProgram = { parts: [COMMON, DATAGRAMS], calls: [] };

/** Makes links, addresses, routes, and elements of the firewall's sets. */
export const LINKS_PROGRAM: PerlProgram = { parts: [COMMON, LINKS], calls: ["setns"] };

/** Mounts what `mount(8)` cannot. */
export const MOUNTS_PROGRAM: PerlProgram = {
  parts: [COMMON, MOUNTS],
  calls: ["open_tree", "move_mount", "mount_setattr", "setns"],
};

/** Receives what processes say by sd_notify(3). */
export const NOTIFY_PROGRAM: PerlProgram = { parts: [COMMON, NOTIFY], calls: [] };

/** The tree agent as a part of another program: a block of its own, since its variables have names that others have, too. */
const AGENT_BLOCK = [
  ...["{\n", AGENT_GROUND, AGENT_READ, AGENT_WRITE, AGENT_FINAL, AGENT_PICK, AGENT_COMPARE, AGENT_PROCESSES],
  ...[NURSERY_TREES, "}\n"],
];

/**
 * Starts supervisors, whose parent it is, supervises processes of exec sessions, attaches to containers, looks at paths of their trees, reads
 * and writes their files, and tells of their processes and how trees differ.
 */
export const NURSERY_PROGRAM: PerlProgram = {
  parts: [
    ...[COMMON, END_AT_ONCE, HIDE, EPOLL, NULL, NURSERY_EXEC, NURSERY_ATTACH, NURSERY_RESIZE, ...AGENT_BLOCK],
    ...[NURSERY_LAUNCH, NURSERY_REQUESTS],
  ],
  calls: [
    ...GROUND.calls,
    ...["fsetxattr", "mknodat", "linkat", "unlinkat", "fchownat", "utimensat", "capget", "capset"] as const,
    ...["openat", "write", "lseek", "ftruncate", "fchown", "fchmod", "close"] as const,
    ...["pidfd_open", "unshare", "mount", "memfd_create"] as const,
    ...["epoll_create1", "epoll_ctl", "epoll_pwait", "prctl", "recvmsg"] as const,
    ...["fsopen", "fsconfig", "fsmount", "open_tree", "move_mount", "umount2", "close_range"] as const,
  ],
  flags: [...GROUND.flags, "O_WRONLY", "O_CREAT", "O_EXCL"],
  errors: [...READ_ERRORS, "EEXIST", "EISDIR", "ENOSPC", "EDQUOT", "EADDRINUSE", "EOPNOTSUPP"],
};

/** Keeps the files of logs that begin anew at a greatest size. */
export const OLDER_LOGS_PROGRAM: PerlProgram = {
  parts: [COMMON, OLDER_LOGS],
  calls: ["rt_sigprocmask", "signalfd4", "renameat2"],
};

/** Hands on what comes to published ports to which no rule of the firewall leads. */
export const PORTS_PROGRAM: PerlProgram = {
  parts: [COMMON, END_AT_ONCE, EPOLL, HAND_ON, PORTS],
  calls: [
    ...["setns", "prctl", "close_range", "exit_group", "rt_sigprocmask", "signalfd4"] as const,
    ...["epoll_create1", "epoll_ctl", "epoll_pwait"] as const,
  ],
};

/** Limits the files below a folder. */
export const QUOTAS_PROGRAM: PerlProgram = { parts: [COMMON, QUOTAS], calls: ["quotactl_fd", "prctl"] };

/** Tells a service's manager that it is ready. */
export const READY_PROGRAM: PerlProgram = { parts: [COMMON, READY], calls: [] };

/** Makes and enters the namespaces of an ordinary user's server. */
export const UNSHARE_PROGRAM: PerlProgram = {
  parts: [COMMON, UNSHARE],
  calls: ["unshare", "setns", "prctl", "mount", "umount2"],
};

/** The size of `struct epoll_event`, which is packed on x86: the first argument of programs with `epoll.pl`. */
export function eventSize(): string {
  return arch() === "x64" || arch() === "ia32" ? "12" : "16";
}

/** Returns Perl's arguments for a program. Throws `EngineError("unsupported")`, which names the task, on an unknown processor. */
export function perlArguments(program: PerlProgram, task: string, args: readonly string[]): string[] {
  const { parts, calls, flags = [], errors = [] } = program;
  const numbers = [
    ...calls.length === 0 ? [] : Object.entries(callNumbers(task, calls)),
    ...flags.map((name) => [name, files[name]]),
    ...errors.map((name) => [name, system.errno[name]]),
  ];
  return ["-e", parts.join(""), numbers.map(([name, number]) => `${name}=${number}`).join(","), ...args];
}
