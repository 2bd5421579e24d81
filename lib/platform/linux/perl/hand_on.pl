# Handing on what comes to published ports: a process for each connection, and one for the datagrams of a container, so that one with
# much to do holds up no other. They are children of the program that has the ports, and end with it.
my ($DEATH_SIGNAL, $KILL) = (1, 9);
my ($NONBLOCK, $SET_FLAGS, $EAGAIN) = (0x800, 4, 11);
# Seconds after which a client of UDP that is silent is forgotten, and one of TCP whose connection the container has ended.
my $PATIENCE = 60;
my $owner = $$;
# The namespace of an ordinary user's bridges; empty for the machine's.
my $netns = $ARGV[2];

sub place {
  my ($hex, $port) = @_;
  my $address = pack 'H*', $hex;
  return (2, pack('S n a4 x8', 2, $port, $address)) if length $address == 4;
  return (10, pack('S n x4 a16 x4', 10, $port, $address));
}

# The beginning of a child, which keeps these files only: ports of other containers, and of its own, are no business of it.
sub begin_child {
  my @kept = sort { $a <=> $b } @_;
  syscall($nr{prctl}, $DEATH_SIGNAL, $KILL, 0, 0, 0);
  end_at_once(0) if getppid() != $owner;
  if ($netns ne '') {
    open(my $space, '<', $netns) or end_at_once(0);
    # Sockets stay in the namespace in which they were made: those that listen in the machine's, later ones in the user's.
    syscall($nr{setns}, fileno $space, 0x40000000) == 0 or end_at_once(0);
  }
  my $from = 3;
  for my $number (@kept) {
    syscall($nr{close_range}, $from, $number - 1, 0) if $number > $from;
    $from = $number + 1;
  }
  syscall($nr{close_range}, $from, 0x7fffffff, 0) == 0 or end_at_once(0);
}

# Hands a piece on, or the end of one way. False after the end.
sub hand_piece {
  my ($way, $readable, $writable) = @_;
  my ($from, $to) = @$way{qw(from to)};
  if (!length $way->{data}) {
    return 1 unless vec($readable, fileno $from, 1);
    my $size = sysread($from, $way->{data}, 65536);
    if (!defined $size) { return 1 if $! == $EAGAIN; end_at_once(0) }
    if (!$size) { shutdown($to, 1); return 0 }
  }
  elsif (!vec($writable, fileno $to, 1)) { return 1 }
  my $size = syswrite($to, $way->{data});
  if (defined $size) { substr($way->{data}, 0, $size, '') }
  elsif ($! != $EAGAIN) { end_at_once(0) }
  return 1;
}

# Whether the other side of a connection has ended its own: CLOSE, CLOSE_WAIT and LAST_ACK of TCP_INFO.
sub has_ended { my $info = getsockopt($_[0], 6, 11) // return 0; return ord($info) >= 7 && ord($info) <= 9 }

# Hands bytes on both ways, and the end of each. A way that has to wait holds the other one up as little as without a program between them.
sub hand_connection {
  my ($client, $target) = @_;
  begin_child(fileno $client);
  socket(my $server, $target->[0], 1, 0) or end_at_once(0);
  connect($server, $target->[1]) or end_at_once(0);
  for my $side ($client, $server) {
    fcntl($side, $SET_FLAGS, $NONBLOCK);
    # SO_KEEPALIVE, TCP_KEEPIDLE, TCP_KEEPINTVL and TCP_KEEPCNT: a machine that is switched off says nothing of an end.
    setsockopt($side, $$_[0], $$_[1], $$_[2]) for [1, 9, 1], [6, 4, $PATIENCE], [6, 5, 15], [6, 6, 6];
  }
  my @ways = map { { from => $$_[0], to => $$_[1], data => '' } } [$client, $server], [$server, $client];
  while (@ways) {
    my ($readable, $writable) = ('', '');
    for my $way (@ways) {
      if (length $way->{data}) { vec($writable, fileno $way->{to}, 1) = 1 }
      else { vec($readable, fileno $way->{from}, 1) = 1 }
    }
    my $found = select($readable, $writable, undef, $PATIENCE);
    # As the kernel does with a connection that a program has closed: else a client that never ends its side would keep its place.
    end_at_once(0) if !$found && has_ended($server);
    @ways = grep { hand_piece($_, $readable, $writable) } @ways if $found > 0;
  }
  end_at_once(0);
}

# Hands on the datagrams of a container's ports, each with its socket and its target, and the answers to at most so many clients.
sub hand_datagrams {
  my ($limit, @ports) = @_;
  begin_child(map { fileno $_->{socket} } @ports);
  my %clients;
  for (;;) {
    my $want = '';
    vec($want, fileno $_->{socket}, 1) = 1 for @ports, values %clients;
    my $found = select($want, undef, undef, %clients ? 1 : undef);
    delete @clients{grep { $clients{$_}{seen} < time - $PATIENCE } keys %clients};
    next if $found <= 0;
    for my $port (grep { vec($want, fileno $_->{socket}, 1) } @ports) {
      my $from = recv($port->{socket}, my $data, 65536, 0) // next;
      my $key = fileno($port->{socket}) . ":$from";
      my $known = $clients{$key};
      if (!$known) {
        next if keys %clients >= $limit;
        my $target = $port->{target};
        socket(my $server, $target->[0], 2, 0) or next;
        connect($server, $target->[1]) or next;
        $clients{$key} = $known = { socket => $server, from => $from, port => $port->{socket} };
      }
      $known->{seen} = time;
      send($known->{socket}, $data, 0);
    }
    for my $client (grep { vec($want, fileno $_->{socket}, 1) } values %clients) {
      defined recv($client->{socket}, my $data, 65536, 0) or next;
      send($client->{port}, $data, 0, $client->{from});
    }
  }
}
