# Published ports to which no rule of the firewall leads, as an ordinary user may translate no addresses of the machine: one program
# for all containers of an engine listens on them, and hands on what comes to the container's address.
#
# The arguments are the size of an event of epoll(7), the folder of its socket `ports`, and the namespace of the user's bridges, or
# nothing. It answers `ready` at its output when it listens at its socket, and goes on when its starter ends, until it has neither
# ports nor anybody who asks. It takes requests at the socket, from whoever may enter the folder:
#
# `publish ID LIMIT PORTS` has a container's ports in place of those that it has; `PORTS` is `(PROTOCOL ADDRESS PORT TARGET PORT)…`,
# addresses in hexadecimal digits, and `LIMIT` the most connections, and clients of UDP, at a time. It is answered `ready`, or
# `taken NUMBER ERROR` for the port that cannot be had: then it has none of them. The same ports again leave connections alone.
# `end ID` is answered `ended` when the ports are free.
my ($IDLE, $LONGEST_REQUEST, $SPARE_FILES) = (10, 16 << 20, 64);
my ($NONBLOCK_CLOEXEC, $SIGCHLD) = (0x80800, 17);
# A child that a signal has stopped is told of too.
my ($NOHANG, $UNTRACED) = (1, 2);
my $folder = $ARGV[1];
# Containers by their IDs, by the numbers of their epolls, and by the processes of their connections.
my (%containers, %by_epoll, %by_process, %connections);
my $top = make_epoll();
my $is_used = 0;

# One container's ports must leave files to the others.
my $most_files = 1024;
if (open(my $limits, '<', '/proc/self/limits')) { /^Max open files\s+(\d+)/ and $most_files = $1 for <$limits> }

# A child holds the ports of all until it has closed them: its copy of this pipe's end goes with them.
my ($settled, $unsettled);
sub open_pipe { pipe($settled, $unsettled) or die "pipe: $!\n" }

sub settle {
  close $unsettled;
  my $ready = '';
  vec($ready, fileno $settled, 1) = 1;
  # One that is stopped is not waited for.
  select($ready, undef, undef, 1);
  open_pipe();
}

sub end_container {
  my $container = delete $containers{$_[0]} or return;
  my @processes = (keys %{$container->{processes}}, $container->{worker} // ());
  watch($top, $container->{epoll}, $DELETE) unless $container->{is_full};
  delete $by_epoll{$container->{epoll}};
  delete @by_process{@processes};
  kill $KILL, @processes;
  waitpid($_, 0) for @processes;
  close $_->{socket} for values %{$container->{tcp}}, @{$container->{udp}};
  syscall($nr{close_range}, $container->{epoll}, $container->{epoll}, 0);
  settle();
}

# Listens on a port; the error where it cannot be had.
sub listen_on {
  my ($container, $protocol, $address, $port, @target) = @_;
  my ($family, $name) = place($address, $port);
  my $tcp = $protocol eq 'tcp';
  # One that waited for a client that has left meanwhile would let all others wait.
  socket(my $socket, $family, ($tcp ? 1 : 2) | $NONBLOCK, 0) or return "$!";
  return 'Too many open files' if fileno $socket >= $most_files - $SPARE_FILES;
  # SO_REUSEADDR, and IPV6_V6ONLY: IPv4 has a socket of its own.
  setsockopt($socket, 1, 2, 1) if $tcp;
  setsockopt($socket, 41, 26, 1) if $family == 10;
  bind($socket, $name) && (!$tcp || listen($socket, 128)) or return $! == 98 ? 'EADDRINUSE' : "$!";
  my $entry = { socket => $socket, target => [place(@target)] };
  if (!$tcp) { push @{$container->{udp}}, $entry; return '' }
  $container->{tcp}{fileno $socket} = $entry;
  # A user may have so many files watched, epoll(7).
  return eval { watch($container->{epoll}, fileno $socket, $ADD); 1 } ? '' : "$!";
}

sub publish {
  my ($id, $limit, $ports) = @_;
  return ('ready') if exists $containers{$id} && $containers{$id}{ports} eq $ports;
  end_container($id);
  $netns eq '' or -e $netns or return ('taken', 0, "open $netns: $!");
  my $container = { limit => $limit, ports => $ports, epoll => make_epoll(), tcp => {}, udp => [], processes => {} };
  $containers{$id} = $by_epoll{$container->{epoll}} = $container;
  # An epoll is ready when one of its files is: a container takes its turn with all others, however many ports it has.
  watch($top, $container->{epoll}, $ADD);
  my @rest = split ' ', $ports;
  for (my $count = 0; my @port = splice(@rest, 0, 5); $count++) {
    my $error = listen_on($container, @port);
    next if $error eq '';
    end_container($id);
    return ('taken', $count, $error);
  }
  start_worker($container);
  return ('ready');
}

sub start_child {
  my ($container, $run) = @_;
  my $child = fork // return;
  if (!$child) { $run->(); end_at_once(0) }
  $by_process{$child} = $container;
  return $child;
}

sub start_worker {
  my ($container) = @_;
  my @ports = @{$container->{udp}} or return;
  $container->{worker} = start_child($container, sub {
    # Sockets of other containers close for Perl too, which counts the users of a number.
    $_ = undef for $settled, $unsettled;
    %{$container->{tcp}} = %connections = %containers = %by_epoll = %by_process = ();
    hand_datagrams($container->{limit}, @ports);
  });
  # A machine may have no process left for it.
  $container->{restart} = time + 1 unless defined $container->{worker};
}

# Takes the next connection of a container.
sub accept_client {
  my ($container) = @_;
  my ($number) = ready($container->{epoll}, 0, 1);
  my $port = $container->{tcp}{$number // return} or return;
  my $is_there = accept(my $client, $port->{socket});
  # A machine without memory is not asked again at once.
  if (!$is_there) { select(undef, undef, undef, 0.02) if grep { $! == $_ } 12, 23, 24, 105; return }
  my $child = start_child($container, sub { hand_connection($client, $port->{target}) }) // return;
  $container->{processes}{$child} = 1;
  return if keys %{$container->{processes}} < $container->{limit};
  # A client beyond the limit waits until another one ends.
  $container->{is_full} = 1;
  watch($top, $container->{epoll}, $DELETE);
}

sub see_children {
  while ((my $child = waitpid(-1, $NOHANG | $UNTRACED)) > 0) {
    my $container = $by_process{$child} or next;
    if (($? & 0xff) == 0x7f) { kill 'CONT', $child; next }
    delete $by_process{$child};
    if (($container->{worker} // 0) == $child) { $container->{worker} = undef; $container->{restart} = time + 1; next }
    delete $container->{processes}{$child};
    watch($top, $container->{epoll}, $ADD) if delete $container->{is_full};
  }
}

# Starts what hands on datagrams again where somebody has ended it. The longest wait for news, in milliseconds, is the result.
sub see_workers {
  my @late = grep { defined $_->{restart} } values %containers;
  for my $container (grep { $_->{restart} <= time } @late) {
    delete $container->{restart};
    start_worker($container);
  }
  return @late ? 1000 : %containers ? -1 : $IDLE * 1000;
}

sub answer_requests {
  my ($number) = @_;
  my $connection = $connections{$number};
  my $size = sysread($connection->{socket}, $connection->{input}, 65536, length $connection->{input});
  ($answers, $lost) = ($connection->{socket}, sub {});
  return if !defined $size && $! == $EAGAIN;
  my $is_over = !$size || length $connection->{input} > $LONGEST_REQUEST;
  while (!$is_over && (my $request = next_frame($connection->{input}))) {
    my ($word, $id, $limit, $ports) = @$request;
    if ($word eq 'publish') { answer(publish($id, $limit, $ports)) }
    elsif ($word eq 'end') { end_container($id); answer('ended') }
    else { $is_over = 1 }
  }
  if ($is_over) { watch($top, $number, $DELETE); delete $connections{$number} }
}

chdir $folder or die "chdir $folder: $!\n";
unlink 'ports';
umask 0177;
my $name = pack('S Z*', 1, 'ports');
socket(my $door, 1, 1 | $NONBLOCK, 0) or die "socket: $!\n";
bind($door, $name) && listen($door, 16) or die "listen in $folder: $!\n";
my $set = pack('L!L!', 1 << ($SIGCHLD - 1), 0);
syscall($nr{rt_sigprocmask}, 0, $set, 0, 8) == 0 or die "sigprocmask: $!\n";
my $news = syscall($nr{signalfd4}, -1, $set, 8, $NONBLOCK_CLOEXEC);
$news >= 0 or die "signalfd: $!\n";
open(my $signals, '<&=', $news) or die "signalfd: $!\n";
$SIG{PIPE} = 'IGNORE';
open_pipe();
watch($top, $_, $ADD) for fileno $door, $news;
answer('ready');
open(STDIN, '<', '/dev/null');
open(STDOUT, '>', '/dev/null');
open(STDERR, '>', '/dev/null');
chdir '/';
for (;;) {
  my $is_idle = !%containers;
  my @ready = ready($top, $is_idle && $is_used && !%connections ? 0 : see_workers());
  exit 0 if $is_idle && !@ready;
  for my $number (@ready) {
    if (my $container = $by_epoll{$number}) { accept_client($container) }
    elsif ($connections{$number}) { answer_requests($number) }
    elsif ($number == $news) { 1 while sysread($signals, my $rest, 4096); see_children() }
    elsif ($number == fileno $door && accept(my $socket, $door)) {
      $is_used = 1;
      $connections{fileno $socket} = { socket => $socket, input => '' };
      fcntl($socket, $SET_FLAGS, $NONBLOCK);
      watch($top, fileno $socket, $ADD);
    }
  }
}
