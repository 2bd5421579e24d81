// Made of trees.pl by `deno task generate`: change that file.
export const NURSERY_TREES = String.raw`
my ($SOCKET_LEVEL, $SEND_BUFFER_BY_FORCE, $ROOM) = (1, 32, 1 << 20);

sub name_after { $0 = "gantry: @_[0, 1]" }

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
      undef $root;
      chdir '/';
      name_after('stat', '');
      syswrite($say, pack('N/a*', pack('(N/a*)*', @found)));
    }
    my $count = sysread($hear, $text, $PIECE, length $text);
    return if defined $count && !$count || !defined $count && $! != $EINTR;
  }
}
`;
