# Works on the files of containers: the tree agent, as a process that the nursery forks for it, so that nothing is loaded.
#
# `tree` has the fields RUNROOT KEY OPERATION ARGUMENT…: it connects to `sockets/nursery` in RUNROOT, answers `session KEY` there, and then what
# the operation answers; what it reads comes there, too. `look` has the fields TREE PID PATH; its line is what `find` tells, with zero bytes between.
my ($SOCKET_LEVEL, $SEND_BUFFER_BY_FORCE, $ROOM) = (1, 32, 1 << 20);

# Shows the operation and the tree as the command line of this process (ps(1)), in place of the nursery's program.
sub name_after { $0 = "gantry: @_[0, 1]" }

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

# Looks at a path after the other, each for a frame that it hears: TREE PID PATH. It changes nothing of itself by that, and says what it found as a frame,
# or ends with the reason on its standard error.
sub look_again {
  my ($hear, $say) = @_;
  my ($text, @found) = ('');
  $tell = sub { @found = @_; die "\n" if $_[0] eq 'error' };
  for (;;) {
    while (my $frame = next_frame($text)) {
      my ($tree, $pid, $path) = @$frame;
      name_after('stat', $tree);
      @found = ();
      eval { open_tree($tree, $pid); find($path); 1 } || @found or die $@;
      # Nothing of the tree stays in use.
      undef $root;
      chdir '/';
      name_after('stat', '');
      syswrite($say, pack('N/a*', pack('(N/a*)*', @found)));
    }
    my $count = sysread($hear, $text, $PIECE, length $text);
    return if defined $count && !$count || !defined $count && $! != $EINTR;
  }
}
