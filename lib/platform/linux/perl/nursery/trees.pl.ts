// Made of trees.pl by `deno task generate`: change that file.
export const NURSERY_TREES = String.raw`
my ($SOCKET_LEVEL, $SEND_BUFFER_BY_FORCE, $ROOM) = (1, 32, 1 << 20);

sub name_after { my ($operation, $tree) = @_; $0 = "gantry: $operation $tree" }

sub tree_session {
  my ($say, $runroot, $key, @work) = @_;
  setpgrp(0, 0);
  name_after(@work);
  chdir $runroot or die "chdir $runroot: $!\n";
  connect_peer("sockets/nursery");
  setsockopt($peer, $SOCKET_LEVEL, $SEND_BUFFER_BY_FORCE, $ROOM);
  $answers = $peer;
  answer('session', $key);
  if ($work[0] eq 'get') { $refused = 0 }
  elsif ($work[0] eq 'put') { $refused = 0; $tell = \&answer_and_drain; open(STDIN, '<&', $peer) or die "input: $!\n" }
  else { $tell = sub { die "$_[-1]\n" } }
  agent_work(@work);
}

sub answer_and_drain {
  answer(@_);
  1 while sysread(STDIN, my $rest, $PIECE);
}

sub look_session {
  my ($say, @path) = @_;
  name_after('stat', @path);
  $tell = sub { syswrite($say, join("\0", @_)) };
  look_up(@path);
}
`;
