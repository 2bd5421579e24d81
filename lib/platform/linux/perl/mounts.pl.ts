// Made of mounts.pl by `deno task generate`: change that file.
export const MOUNTS = String.raw`
my ($AT_FDCWD, $CLONE, $CLOEXEC, $EMPTY_PATH, $RECURSIVE, $NEWNS) = (-100, 1, 0x80000, 0x1000, 0x8000, 0x20000);
my ($MOVE_EMPTY_PATH, $ATTR_IDMAP, $PRIVATE) = (4, 0x00100000, 0x40000);
my ($verb, @rest) = @ARGV;
sub tree { my $path = "$_[0]\0"; my $tree = syscall($nr{open_tree}, $AT_FDCWD, $path, $CLONE | $CLOEXEC | ($_[1] || 0)); $tree >= 0 or die "open_tree $_[0]: $!\n"; $tree }
sub place { my ($empty, $target) = ("\0", "$_[1]\0"); syscall($nr{move_mount}, $_[0], $empty, $AT_FDCWD, $target, $MOVE_EMPTY_PATH) == 0 or die "move_mount $_[1]: $!\n" }
if ($verb eq 'share') {
  my ($pid, $path, $target) = @rest;
  open(my $own, '<', '/proc/self/ns/mnt') or die "own namespace: $!\n";
  open(my $other, '<', "/proc/$pid/ns/mnt") or die "namespace of $pid: $!\n";
  syscall($nr{setns}, fileno($other), $NEWNS) == 0 or die "setns: $!\n";
  my $tree = tree($path);
  syscall($nr{setns}, fileno($own), $NEWNS) == 0 or die "setns: $!\n";
  place($tree, $target);
} elsif ($verb eq 'bind') {
  my ($handle, $target, $attributes, $depth) = @rest;
  my ($tree, $empty, $set) = (tree($handle, $depth), "\0", pack('QQQQ', $attributes, 0, $depth ? $PRIVATE : 0, 0));
  !$attributes && !$depth || syscall($nr{mount_setattr}, $tree, $empty, $EMPTY_PATH | $depth, $set, length $set) == 0 or die "mount_setattr $target: $!\n";
  place($tree, $target);
} elsif ($verb eq 'idmap') {
  my $userns = shift @rest;
  open(my $ns, '<', $userns) or die "$userns: $!\n";
  while (my ($source, $target) = splice(@rest, 0, 2)) {
    my ($tree, $empty) = (tree($source), "\0");
    my $attributes = pack('QQQQ', $ATTR_IDMAP, 0, 0, fileno($ns));
    syscall($nr{mount_setattr}, $tree, $empty, $EMPTY_PATH, $attributes, length $attributes) == 0 or die "mount_setattr $source: $!\n";
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
