// Made of epoll.pl by `deno task generate`: change that file.
export const EPOLL = String.raw`
my ($ADD, $DELETE, $IN, $EDGE, $EVENTS, $CLOSE_ON_EXEC) = (1, 2, 1, 0x80000000, 64, 0x80000);
my $size = $ARGV[0];
my $event = $size == 12 ? 'L L x4' : 'L x4 L x4';

sub make_epoll {
  my $epoll = syscall($nr{epoll_create1}, $CLOSE_ON_EXEC);
  $epoll >= 0 or die "epoll_create1: $!\n";
  return $epoll;
}

sub watch {
  my ($epoll, $number, $operation, $edge) = @_;
  my $data = pack($event, $IN | ($edge // 0), $number);
  syscall($nr{epoll_ctl}, $epoll, $operation, $number, $data) == 0 or die "epoll_ctl: $!\n";
}

sub ready {
  my ($epoll, $wait, $most) = @_;
  $most //= $EVENTS;
  my $events = "\0" x ($size * $most);
  my $count = syscall($nr{epoll_pwait}, $epoll, $events, $most, $wait, 0, 8);
  return map { (unpack($event, substr($events, $_ * $size, $size)))[1] } 0 .. $count - 1;
}
`;
