# Published ports to which no rule of the firewall leads, as an ordinary user may translate no addresses of the machine: it listens on
# them, and hands on what comes to the container's address, in the namespace of the user's bridges, or the machine's where that is
# empty. The arguments are `NETNS LIMIT`, the input is `(PROTOCOL ADDRESS PORT TARGET PORT)…`, addresses in hexadecimal digits. It
# answers `ready`, or `taken NUMBER ERROR` for the port that cannot be had, and goes on when its starter ends.
my ($netns, $limit) = @ARGV;
my @ports = split ' ', do { local $/; <STDIN> } // '';
# Seconds after which a client of UDP that is silent is forgotten.
my $PATIENCE = 60;
my ($count, $total, %clients, @listening) = (0, 0);

sub place {
  my ($hex, $port) = @_;
  my $address = pack 'H*', $hex;
  return (2, pack('S n a4 x8', 2, $port, $address)) if length $address == 4;
  return (10, pack('S n x4 a16 x4', 10, $port, $address));
}

while (my ($protocol, $address, $port, $target, $to) = splice(@ports, 0, 5)) {
  my ($family, $name) = place($address, $port);
  my $tcp = $protocol eq 'tcp';
  my $taken = sub { answer('taken', $count, $! == 98 ? 'EADDRINUSE' : "$!"); exit 1 };
  socket(my $socket, $family, $tcp ? 1 : 2, 0) or $taken->();
  # SO_REUSEADDR, and IPV6_V6ONLY: IPv4 has a socket of its own.
  setsockopt($socket, 1, 2, 1) if $tcp;
  setsockopt($socket, 41, 26, 1) if $family == 10;
  bind($socket, $name) or $taken->();
  !$tcp || listen($socket, 128) or $taken->();
  push @listening, { socket => $socket, tcp => $tcp, target => [place($target, $to)] };
  $count++;
}
if ($netns ne '') {
  open(my $file, '<', $netns) or die "open $netns: $!\n";
  # Sockets stay in the namespace in which they were made: those that listen in the machine's, later ones in the user's.
  syscall($nr{setns}, fileno $file, 0x40000000) == 0 or die "enter $netns: $!\n";
}
answer('ready');
open(STDIN, '<', '/dev/null');
open(STDOUT, '>', '/dev/null');
open(STDERR, '>', '/dev/null');
chdir '/';
$SIG{PIPE} = 'IGNORE';
$SIG{CHLD} = sub { 1 while waitpid(-1, 1) > 0 && $total-- };

# Hands bytes on both ways, and the end of each.
sub hand_on {
  my ($client, $target) = @_;
  socket(my $server, $target->[0], 1, 0) or exit 1;
  connect($server, $target->[1]) or exit 1;
  my %ways = (fileno $client, [$client, $server], fileno $server, [$server, $client]);
  while (%ways) {
    my $ready = '';
    vec($ready, $_, 1) = 1 for keys %ways;
    select($ready, undef, undef, undef) > 0 or next;
    for my $number (grep { vec($ready, $_, 1) } keys %ways) {
      my ($from, $to) = @{$ways{$number}};
      my $size = sysread($from, my $data, 65536);
      my $at = 0;
      while ($size && $at < $size) {
        my $n = syswrite($to, $data, $size - $at, $at) or exit 1;
        $at += $n;
      }
      next if $size;
      exit 1 if !defined $size;
      shutdown($to, 1);
      delete $ways{$number};
    }
  }
  exit 0;
}

sub accept_client {
  my $target = $_[0]{target};
  accept(my $client, $_[0]{socket}) or return;
  my $pid = fork;
  return if !defined $pid;
  return $total++ if $pid;
  $SIG{CHLD} = 'DEFAULT';
  close $_->{socket} for @listening;
  hand_on($client, $target);
}

sub hand_datagram {
  my ($listener) = @_;
  my $from = recv($listener->{socket}, my $data, 65536, 0) // return;
  my $key = fileno($listener->{socket}) . ":$from";
  my $known = $clients{$key};
  if (!$known) {
    return if keys %clients >= $limit;
    my $target = $listener->{target};
    socket(my $server, $target->[0], 2, 0) or return;
    connect($server, $target->[1]) or return;
    $clients{$key} = $known = { socket => $server, from => $from, listener => $listener->{socket} };
  }
  $known->{seen} = time;
  send($known->{socket}, $data, 0);
}

for (;;) {
  my $want = '';
  # A client beyond the limit waits until another one ends.
  vec($want, fileno $_->{socket}, 1) = 1 for grep { !$_->{tcp} || $total < $limit } @listening;
  vec($want, fileno $_->{socket}, 1) = 1 for values %clients;
  my $found = select($want, undef, undef, $total < $limit && !%clients ? undef : 1);
  delete @clients{grep { $clients{$_}{seen} < time - $PATIENCE } keys %clients};
  next if $found <= 0;
  for my $listener (grep { vec($want, fileno $_->{socket}, 1) } @listening) {
    $listener->{tcp} ? accept_client($listener) : hand_datagram($listener);
  }
  for my $client (grep { vec($want, fileno $_->{socket}, 1) } values %clients) {
    defined recv($client->{socket}, my $data, 65536, 0) or next;
    send($client->{listener}, $data, 0, $client->{from});
  }
}
