// Made of trees.pl by `deno task generate`: change that file.
export const NURSERY_TREES = String.raw`
my ($SOCKET_LEVEL, $SEND_BUFFER_BY_FORCE, $ROOM) = (1, 32, 1 << 20);

sub tree_session {
  my ($say, $runroot, $key, @work) = @_;
  setpgrp(0, 0);
  chdir $runroot or die "chdir $runroot: $!\n";
  connect_peer("sockets/nursery");
  setsockopt($peer, $SOCKET_LEVEL, $SEND_BUFFER_BY_FORCE, $ROOM);
  $answers = $peer;
  answer('session', $key);
  agent_work(@work);
}

sub look_session {
  my ($say, @path) = @_;
  $tell = sub { syswrite($say, join("\0", @_)) };
  look_up(@path);
}
`;
