# Works on the files of containers: the tree agent, as a process that the nursery forks for it, so that nothing is loaded.
#
# `tree` has the fields RUNROOT KEY OPERATION ARGUMENT…: it connects to `sockets/nursery` in RUNROOT, answers `session KEY` there, and then what
# the operation answers; what it reads comes there, too. `look` has the arguments of the agent's `stat`, whose answer it says as its line: the fields, with zero bytes between.
my ($SOCKET_LEVEL, $SEND_BUFFER_BY_FORCE, $ROOM) = (1, 32, 1 << 20);

# Shows the operation and the tree as the command line of this process (ps(1)), in place of the nursery's program.
sub name_after { my ($operation, $tree) = @_; $0 = "gantry: $operation $tree" }

sub tree_session {
  my ($say, $runroot, $key, @work) = @_;
  setpgrp(0, 0);
  name_after(@work);
  # A path of a socket has at most 107 bytes.
  chdir $runroot or die "chdir $runroot: $!\n";
  connect_peer("sockets/nursery");
  # Each wait for the reader costs it more than the bytes do. Where the kernel refuses, there is less room.
  setsockopt($peer, $SOCKET_LEVEL, $SEND_BUFFER_BY_FORCE, $ROOM);
  $answers = $peer;
  answer('session', $key);
  # The error of a path is an answer as others are, after which all is well; where nothing is answered, the reason goes to standard error.
  if ($work[0] eq 'get') { $refused = 0 }
  elsif ($work[0] eq 'put') { $refused = 0; $tell = \&answer_and_drain; open(STDIN, '<&', $peer) or die "input: $!\n" }
  else { $tell = sub { die "$_[-1]\n" } }
  agent_work(@work);
}

# An answer behind which nothing is read any more: a connection that is closed before all of its input was read takes along what was answered.
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
