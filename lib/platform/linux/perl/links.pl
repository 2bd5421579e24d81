# Links, addresses, routes and elements of sets: it sends messages of netlink(7), which its starter has made, in network namespaces. Each
# request is steps, of which the first one that fails is the last. It takes requests from its standard input and answers on its standard
# output: `done KEY STEP ERROR TEXT REPLIES…`, with the number of the step that failed and of its error, or -1 and 0.
#
# `run KEY STEPS…` is done in its turn, `aside KEY STEPS…` by a process of its own: the kernel takes some milliseconds to let a link go.
#
# | step | what it does |
# | --- | --- |
# | `namespace PATH` | the next steps are in this namespace; an empty path stands for the first one |
# | `index NAME` | remembers the index of an interface |
# | `file PATH` | opens a namespace, and remembers the file's number |
# | `send PROTOCOL ALLOWED PLACES MESSAGES` | sends messages; the errors that are none, and where numbers go: `i20 f64` |
# | `set PATH TEXT` | writes a setting that has another value; a missing one is no error |
# | `change PATH TEXT` | as `set`; a missing setting is an error |
# | `try PROTOCOL ADDRESS PORT` | fails where the port is taken, or no interface has the address (hexadecimal digits) |
#
# The argument is the first namespace's path; an empty one stands for that of the starter.
my ($LIMIT, $NEWNET, $SIOCGIFINDEX, $DONTWAIT, $AGAIN) = (65536, 0x40000000, 0x8933, 0x40, 11);
my ($IN_USE, $NOT_AVAILABLE, $MISSING) = (98, 99, 2);
# SOL_NETLINK, with NETLINK_CAP_ACK and NETLINK_EXT_ACK: errors come with a text, and without the message.
my ($NETLINK, @OPTIONS) = (270, 10, 11);
my %arguments = (namespace => 1, index => 1, file => 1, send => 4, set => 2, change => 2, try => 3);
setpgrp(0, 0);
$SIG{$_} = 'IGNORE' for qw(HUP INT TERM PIPE CHLD);

my ($first) = @ARGV;
open(my $home, '<', length $first ? $first : '/proc/self/ns/net') or die "open namespace $first: $!\n";
my ($here, %first, %sockets, %remembered, @files, @replies) = ('');

sub fail { die [$_[0] + 0, $_[1] // "$_[0]"] }

sub enter {
  my $file = shift;
  syscall($nr{setns}, fileno $file, $NEWNET) == 0 or fail($!, "enter namespace: $!");
}
enter($home) if length $first;

sub netlink {
  my $protocol = shift;
  return $sockets{$protocol} if $sockets{$protocol};
  socket(my $socket, 16, 3, $protocol) or fail($!);
  setsockopt($socket, $NETLINK, $_, 1) for @OPTIONS;
  return $sockets{$protocol} = $socket;
}

sub namespace {
  my $path = shift;
  return if $path eq $here;
  %first = %sockets if $here eq '';
  if (length $path) {
    open(my $file, '<', $path) or fail($!, "open namespace: $!");
    enter($file);
    %sockets = ();
  } else {
    enter($home);
    %sockets = %first;
  }
  $here = $path;
}

sub index_of {
  my $request = pack('a15 x25', $_[0]);
  socket(my $socket, 2, 2, 0) or fail($!);
  ioctl($socket, $SIOCGIFINDEX, $request) or fail($!, "find interface: $!");
  $remembered{i} = unpack('x16 l', $request);
}

sub file {
  open(my $file, '<', $_[0]) or fail($!, "open namespace: $!");
  push @files, $file;
  $remembered{f} = fileno $file;
}

# The text of an error, where the kernel gives one.
sub error_text {
  my ($message, $flags) = @_;
  return '' if !($flags & 0x200);
  my $at = $flags & 0x100 ? 36 : 20 + ((unpack('L', substr($message, 20, 4)) + 3) & ~3);
  while ($at + 4 <= length $message) {
    my ($size, $type) = unpack('S S', substr($message, $at, 4));
    last if $size < 4 || $at + $size > length $message;
    return unpack('Z*', substr($message, $at + 4, $size - 4)) if $type == 1;
    $at += ($size + 3) & ~3;
  }
  return '';
}

sub talk {
  my ($protocol, $allowed, $places, $messages) = @_;
  my %allowed = map { $_ => 1 } 0, split / /, $allowed;
  substr($messages, $2, 4) = pack('L', $remembered{$1} // fail(22)) while $places =~ /([if])(\d+)/g;
  my $socket = netlink($protocol);
  defined send($socket, $messages, 0) or fail($!, "send: $!");
  my ($error, $data);
  # The kernel has its answers ready when it has taken the messages.
  while (defined recv($socket, $data, 131072, $DONTWAIT)) {
    for (my $at = 0; $at + 16 <= length $data;) {
      my ($size, $type, $flags) = unpack('L S S', substr($data, $at, 8));
      last if $size < 16 || $at + $size > length $data;
      my $message = substr($data, $at, $size);
      $at += ($size + 3) & ~3;
      if ($type == 2) {
        my $code = -unpack('l', substr($message, 16, 4));
        $error //= [$code, error_text($message, $flags)] if !$allowed{$code};
      } elsif ($type != 3) { push @replies, $message }
    }
  }
  $! == $AGAIN or fail($!, "receive: $!");
  return if !$error;
  $! = $error->[0];
  fail($!, length $error->[1] ? "$!: $error->[1]" : "$!");
}

sub set {
  my ($path, $text) = @_;
  open(my $file, '+<', $path) or return $! == $MISSING ? undef : fail($!, "open $path: $!");
  sysread($file, my $value, 64);
  return if ($value // '') eq "$text\n";
  sysseek($file, 0, 0);
  defined syswrite($file, $text) or fail($!, "write $path: $!");
}

sub change {
  -f $_[0] or fail($MISSING, "$_[0] is not a sysctl file");
  set(@_);
}

sub try_port {
  my ($protocol, $hex, $port) = @_;
  my ($address, $tcp) = (pack('H*', $hex), $protocol eq 'tcp');
  my $family = length $address == 4 ? 2 : 10;
  my $name = $family == 2 ? pack('S n a4 x8', 2, $port, $address) : pack('S n x4 a16 x4', 10, $port, $address);
  # A port that cannot be tried is no reason to refuse.
  socket(my $socket, $family, $tcp ? 1 : 2, 0) or return;
  setsockopt($socket, 1, 2, 1) if $tcp;
  setsockopt($socket, 41, 26, 1) if $family == 10;
  return if bind($socket, $name) && (!$tcp || listen($socket, 1));
  fail($!) if $! == $IN_USE || $! == $NOT_AVAILABLE;
}

my %works = (namespace => \&namespace, index => \&index_of, file => \&file, send => \&talk, set => \&set, change => \&change, try => \&try_port);

sub request {
  my ($key, @fields) = @_;
  my ($step, @failure) = (0);
  @replies = ();
  while (@fields) {
    my $verb = shift @fields;
    my @own = splice(@fields, 0, $arguments{$verb} // die "unknown step $verb\n");
    if (!eval { $works{$verb}->(@own); 1 }) {
      @failure = ref $@ ? ($step, @{$@}) : ($step, 5, "$@");
      last;
    }
    $step++;
  }
  @files = %remembered = ();
  # Nobody would be told where the next request goes.
  eval { namespace(''); 1 } or die "leave a namespace: $!\n";
  answer('done', $key, @failure ? @failure : (-1, 0, ''), @failure ? () : @replies);
}

my $held = '';
for (;;) {
  my $count = sysread(STDIN, $held, $LIMIT, length $held);
  exit unless $count || !defined $count && $! == $EINTR;
  while (my $frame = next_frame($held)) {
    my ($verb, @rest) = @$frame;
    my $pid = $verb eq 'aside' ? fork : undef;
    if (defined $pid && !$pid) {
      # Sockets of its own: the other process would get its answers.
      close STDIN;
      %sockets = ();
      request(@rest);
      exit;
    }
    request(@rest) if !$pid;
  }
}
