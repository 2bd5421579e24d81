/**
 * System calls that Node has no names for: a Perl program makes them (Perl is essential on Debian).
 *
 * @module
 */
import { arch } from "node:os";
import process from "node:process";
import { EngineError } from "../../../engine/errors.ts";
import { CommandError, runCommand } from "../helpers/command.ts";
import { findProgram } from "../helpers/programs.ts";

/**
 * `share SETNS PID PATH TARGET` shows at TARGET what a process has mounted at PATH, in its own mount namespace.
 * `bind HANDLE TARGET ATTRIBUTES DEPTH` shows at TARGET what `/proc/PID/fd/N` stands for, with attributes of mount_setattr(2);
 * DEPTH is AT_RECURSIVE, for what is mounted in it as well, or 0.
 * `idmap USERNS (SOURCE TARGET)…` shows each SOURCE at TARGET with its owners mapped as in a user namespace.
 * `userns PIN NETPIN JOIN UIDS GIDS` makes a user namespace (JOIN empty) and a network namespace in it (NETPIN not empty),
 * each kept by a file it is mounted on.
 *
 * open_tree(2), move_mount(2) and mount_setattr(2) have the same numbers everywhere.
 */
const PROGRAM = String.raw`
use strict;
my ($OPEN_TREE, $MOVE_MOUNT, $MOUNT_SETATTR) = (428, 429, 442);
my ($AT_FDCWD, $CLONE, $CLOEXEC, $EMPTY_PATH, $RECURSIVE, $NEWNS) = (-100, 1, 0x80000, 0x1000, 0x8000, 0x20000);
my ($MOVE_EMPTY_PATH, $ATTR_IDMAP, $PRIVATE) = (4, 0x00100000, 0x40000);
my ($verb, @rest) = @ARGV;
sub tree { my $path = "$_[0]\0"; my $tree = syscall($OPEN_TREE, $AT_FDCWD, $path, $CLONE | $CLOEXEC | ($_[1] || 0)); $tree >= 0 or die "open_tree $_[0]: $!\n"; $tree }
sub place { my ($empty, $target) = ("\0", "$_[1]\0"); syscall($MOVE_MOUNT, $_[0], $empty, $AT_FDCWD, $target, $MOVE_EMPTY_PATH) == 0 or die "move_mount $_[1]: $!\n" }
if ($verb eq 'share') {
  my ($setns, $pid, $path, $target) = @rest;
  open(my $own, '<', '/proc/self/ns/mnt') or die "own namespace: $!\n";
  open(my $other, '<', "/proc/$pid/ns/mnt") or die "namespace of $pid: $!\n";
  syscall($setns + 0, fileno($other), $NEWNS) == 0 or die "setns: $!\n";
  my $tree = tree($path);
  syscall($setns + 0, fileno($own), $NEWNS) == 0 or die "setns: $!\n";
  place($tree, $target);
} elsif ($verb eq 'bind') {
  my ($handle, $target, $attributes, $depth) = @rest;
  my ($tree, $empty, $set) = (tree($handle, $depth), "\0", pack('QQQQ', $attributes, 0, $depth ? $PRIVATE : 0, 0));
  !$attributes && !$depth || syscall($MOUNT_SETATTR, $tree, $empty, $EMPTY_PATH | $depth, $set, length $set) == 0 or die "mount_setattr $target: $!\n";
  place($tree, $target);
} elsif ($verb eq 'idmap') {
  my $userns = shift @rest;
  open(my $ns, '<', $userns) or die "$userns: $!\n";
  while (my ($source, $target) = splice(@rest, 0, 2)) {
    my ($tree, $empty) = (tree($source), "\0");
    my $attributes = pack('QQQQ', $ATTR_IDMAP, 0, 0, fileno($ns));
    syscall($MOUNT_SETATTR, $tree, $empty, $EMPTY_PATH, $attributes, length $attributes) == 0 or die "mount_setattr $source: $!\n";
    place($tree, $target);
  }
} else {
  my ($pin, $netpin, $join, $uids, $gids) = @rest;
  my @unshare = $join eq '' ? ('unshare', '--user') : ('nsenter', "--user=$join", 'unshare');
  push @unshare, '--net' if $netpin ne '';
  pipe(my $from, my $say) && pipe(my $hear, my $to) or die "pipe: $!\n";
  my $child = fork;
  defined $child or die "fork: $!\n";
  if (!$child) {
    open(STDIN, '<&', $hear);
    open(STDOUT, '>&', $say);
    close $_ for $from, $say, $hear, $to;
    exec @unshare, '/bin/sh', '-c', 'echo; read end' or exit 127;
  }
  close $say; close $hear;
  sysread($from, my $ready, 1) or die "@unshare: failed\n";
  my $keep = sub { open(my $file, '>', $_[1]) or die "$_[1]: $!\n"; close $file;
    system('mount', '--bind', "/proc/$child/ns/$_[0]", $_[1]) == 0 or die "mount $_[1]\n" };
  if ($join eq '') {
    for (['uid_map', $uids], ['gid_map', $gids]) {
      open(my $file, '>', "/proc/$child/$_->[0]") or die "$_->[0]: $!\n";
      defined syswrite($file, $_->[1]) or die "write $_->[0]: $!\n";
    }
    $keep->('user', $pin);
  }
  if ($netpin ne '') {
    $keep->('net', $netpin);
    system('nsenter', "--net=$netpin", 'ip', 'link', 'set', 'lo', 'up') == 0 or die "loopback\n";
  }
  close $to;
  waitpid($child, 0);
}
`;

/** `AT_RECURSIVE`. */
const RECURSIVE = 0x8000;

/** The number of `setns(2)` by the names of `os.arch()`. */
const SETNS: Record<string, number> = {
  x64: 308,
  arm64: 268,
  riscv64: 268,
  loong64: 268,
  ppc64: 350,
  s390x: 339,
  arm: 375,
  ia32: 346,
};

/** Shows at `target` what a process has mounted at `path`. */
export async function shareMount(pid: number, path: string, target: string): Promise<void> {
  await help("share", String(SETNS[arch()]), String(pid), path, target);
}

/**
 * Mounts what an open handle of this process holds, as `mountHandle()` of `libc.ts` does. `/proc/PID/fd/N` is no link whose
 * text is read: the kernel goes to what is open.
 */
export async function mountHandleByHelper(
  handle: number,
  target: string,
  attributes: bigint,
  recursive = false,
): Promise<void> {
  const depth = recursive ? RECURSIVE : 0;
  await help("bind", `/proc/${process.pid}/fd/${handle}`, target, String(attributes), String(depth));
}

/**
 * Shows folders elsewhere with their owners mapped as in a user namespace. Throws `EngineError("unsupported")` where the
 * kernel, or the file system, has no such mounts.
 */
export async function mapOwners(userns: string, places: readonly { source: string; target: string }[]): Promise<void> {
  await help("idmap", userns, ...places.flatMap(({ source, target }) => [source, target]));
}

/** The options of new namespaces. */
export interface NewNamespaces {
  /** Files that keep the namespaces; `netns` empty: none is made. */
  userns: string;
  netns: string;
  /** The user namespace to be in, instead of a new one. */
  join: string;
  /** Lines of `uid_map` and `gid_map`. */
  uids: string;
  gids: string;
}

/** Makes a user namespace, and a network namespace in it. */
export async function makeNamespaces({ userns, netns, join, uids, gids }: NewNamespaces): Promise<void> {
  await help("userns", userns, netns, join, uids, gids);
}

async function help(verb: string, ...args: string[]): Promise<void> {
  const perl = await findProgram("perl");
  if (perl === undefined) throw new EngineError("unsupported", `Prepare mounts: perl is not installed`);
  try {
    await runCommand(perl, ["-e", PROGRAM, "--", verb, ...args]);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const isMissing = /^mount_setattr/m.test(error.stderr);
    const lacking = verb === "idmap" ? "cannot map owners on this file system" : "lacks an attribute of mounts";
    const why = isMissing ? `the kernel ${lacking}` : "the kernel refused";
    throw new EngineError(isMissing ? "unsupported" : "internal", `Prepare mounts: ${why}: ${error.stderr.trim()}`, {
      cause: error,
    });
  }
}
