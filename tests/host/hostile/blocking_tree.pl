# Serves a file system that tells what it holds and never gives any of it; then makes a process whose memory nobody can look at:
# one reads its memory, which is that file, and so holds the lock of its map, which the process itself waits for.
use strict;
use Fcntl;
$| = 1;
my ($where, $marker) = ('/blocked', '/asked');
mkdir $where;
pipe(my $mounted, my $tell) or die "pipe: $!";
my $server = fork // die "fork: $!";
if (!$server) {
  sysopen(my $fuse, '/dev/fuse', O_RDWR) or die "open /dev/fuse: $!";
  my ($type, $options) = ('fuse', 'fd=' . fileno($fuse) . ',rootmode=40000,user_id=0,group_id=0,allow_other');
  syscall(165, $type, $where, $type, 0, $options) == 0 or die "mount: $!";
  syswrite $tell, '.';
  my $attributes = sub {
    my ($node) = @_;
    my ($size, $mode) = $node == 1 ? (4096, 040755) : (1 << 20, 0100644);
    return pack('Q6 L10', $node, $size, 8, 0, 0, 0, 0, 0, 0, $mode, 1, 0, 0, 0, 4096, 0);
  };
  while (sysread($fuse, my $request, 1 << 20)) {
    my (undef, $operation, $number, $node) = unpack 'L2 Q2', $request;
    my ($error, $answer) = (0, '');
    # INIT, GETATTR, LOOKUP; OPEN and OPENDIR; RELEASE, FLUSH and RELEASEDIR.
    if ($operation == 26) { $answer = pack('L4 S2 L2 S2 L8', 7, 31, 65536, 0, 12, 9, 131072, 1, 32, (0) x 9) }
    elsif ($operation == 3) { $answer = pack('Q L2', 3600, 0, 0) . $attributes->($node) }
    elsif ($operation == 1) {
      my $name = unpack 'Z*', substr $request, 40;
      # Nobody hears of this one.
      next if $name eq 'never';
      my $found = { file => 2, memory => 3 }->{$name};
      if ($found) { $answer = pack('Q4 L2', $found, 0, 3600, 3600, 0, 0) . $attributes->($found) } else { $error = 2 }
    } elsif (grep { $operation == $_ } 14, 27) { $answer = pack('Q L2', 0, 0, 0) }
    elsif (grep { $operation == $_ } 15, 28, 44, 2, 36, 42) {
      # READ and READDIR wait for ever; FORGET and INTERRUPT want no answer.
      if ($operation == 15 && $node == 3) { open my $file, '>', $marker }
      next;
    } elsif (!grep { $operation == $_ } 18, 25, 29) { $error = 38 }
    syswrite $fuse, pack('L l Q', 16 + length $answer, -$error, $number) . $answer;
  }
  exit;
}
sysread $mounted, my $dot, 1;
sysopen(my $file, "$where/memory", O_RDONLY) or die "open: $!";
my $at = syscall(9, 0, 4096, 1, 2, fileno $file, 0);
my $victim = fork // die "fork: $!";
if (!$victim) {
  select undef, undef, undef, 0.02 until -e $marker;
  print "ready\n";
  syscall(9, 0, 4096, 1, 0x22, -1, 0);
  exit;
}
if (!(my $reader = fork // die "fork: $!")) {
  sysopen(my $memory, "/proc/$victim/mem", O_RDONLY) or die "open mem: $!";
  sysseek $memory, $at, 0;
  sysread $memory, my $byte, 1;
  exit;
}
sleep 1 while 1;
