# Starts supervisors, whose parent it is. It takes requests from its standard input and answers on its standard output.
#
# | request | answer |
# | --- | --- |
# | `conmon KEY FOLDER (PROTOCOL ADDRESS PORT)… -- COMMAND…` | `said KEY PID LINE ERRORS`, then `ended KEY STATUS` |
# | `run KEY COMMAND…` | the same |
# | `netns KEY PATH` | the same |
# | `kill KEY` | none |
#
# `conmon` runs a command in a folder with its sync pipe open. `said` comes with the first line from there, or when it ended
# without one, with what it wrote to standard error. The command's process holds ports of the host, bound: addresses are
# given in hexadecimal digits and packed by hand, since modules take longer to load than all else. A port that cannot be had
# for another reason than being taken (an address that came and went, say) is not held. `run` runs a command whose output
# is of no interest. `netns` makes a network namespace with its loopback up, kept by the file at PATH.
#
# It ends with its standard input. What it started goes on.
use Errno qw(EADDRINUSE);
my ($LIMIT, $NEWNET, $BIND, $SIOCSIFFLAGS, $IFF_UP) = (65536, 0x40000000, 4096, 0x8914, 1);
my @signals = qw(HUP INT TERM PIPE);
# A terminal's signals are for the server.
setpgrp(0, 0);
$SIG{$_} = 'IGNORE' for @signals;
$SIG{CHLD} = 'DEFAULT';
# Jobs by key; by the number of a file, its job and which of the job's it is; keys of those whose end no file tells.
my ($held, %jobs, %files, @polled) = ('');

sub begin {
  my ($key, $work) = @_;
  pipe(my $sync, my $say) && pipe(my $errors, my $complain) or die "pipe: $!\n";
  my $pid = fork;
  defined $pid or die "fork: $!\n";
  if (!$pid) {
    $SIG{$_} = 'DEFAULT' for @signals;
    open(STDIN, '<', '/dev/null');
    open(STDOUT, '>', '/dev/null');
    open(STDERR, '>&', $complain);
    eval { $work->($say); exit 0 } or print STDERR $@;
    exit 1;
  }
  my %own = (line => $sync, errors => $errors);
  my $pidfd = syscall($nr{pidfd_open}, $pid, 0);
  # Linux 5.3 has it.
  if ($pidfd < 0) { push @polled, $key }
  else { open($own{end}, '<&=', $pidfd) or die "pidfd: $!\n" }
  $jobs{$key} = { pid => $pid, line => '', errors => '', files => \%own };
  $files{fileno $own{$_}} = [$key, $_] for keys %own;
}

sub hold {
  my $ports = shift;
  my ($number, @held) = (0);
  while ((my $protocol = shift @$ports) ne '--') {
    my ($address, $port) = (pack('H*', shift @$ports), shift @$ports);
    my $name = length $address == 4
      ? pack('S n a4 x8', 2, $port, $address) : pack('S n x4 a16 x4', 10, $port, $address);
    my $tcp = $protocol eq 'tcp';
    if (socket(my $socket, length $address == 4 ? 2 : 10, $tcp ? 1 : 2, 0)) {
      # SO_REUSEADDR: connections of the past do not count. IPV6_V6ONLY: IPv4 has a socket of its own.
      setsockopt($socket, 1, 2, 1) if $tcp;
      setsockopt($socket, 41, 26, 1) if length $address == 16;
      if (bind($socket, $name) && (!$tcp || listen($socket, 1))) { push @held, $socket }
      elsif ($! == EADDRINUSE) { die "port taken: $number\n" }
    }
    $number++;
  }
  return @held;
}

sub conmon {
  my ($say, $folder, @rest) = @_;
  chdir $folder or die "chdir $folder: $!\n";
  # Files above this number are closed in the next program; so are those that are open already.
  $^F = 65535;
  my @held = hold(\@rest);
  fcntl($say, 2, 0);
  $ENV{_OCI_SYNCPIPE} = fileno $say;
  exec { $rest[0] } @rest or die "exec $rest[0]: $!\n";
}

sub run {
  my (undef, @command) = @_;
  exec { $command[0] } @command or die "exec $command[0]: $!\n";
}

sub netns {
  my (undef, $path) = @_;
  syscall($nr{unshare}, $NEWNET) == 0 or die "unshare: $!\n";
  socket(my $socket, 2, 2, 0) or die "socket: $!\n";
  ioctl($socket, $SIOCSIFFLAGS, pack('a16 s x22', 'lo', $IFF_UP)) or die "loopback: $!\n";
  my ($from, $to, $type) = ("/proc/self/ns/net\0", "$path\0", "none\0");
  syscall($nr{mount}, $from, $to, $type, $BIND, 0) == 0 or die "mount $path: $!\n";
}

my %works = (conmon => \&conmon, run => \&run, netns => \&netns);
sub request {
  my ($verb, $key, @rest) = @_;
  my $work = $works{$verb};
  if ($work) { begin($key, sub { $work->($_[0], @rest) }) }
  elsif ($jobs{$key}) { kill 'KILL', $jobs{$key}{pid} }
}

sub told {
  my ($key, $job) = @_;
  answer('said', $key, $job->{pid}, $job->{line}, $job->{errors}) unless $job->{told}++;
}

sub hear {
  my ($key, $which) = @{$files{$_[0]}};
  my $job = $jobs{$key};
  return gone($key) if $which eq 'end';
  my $count = sysread($job->{files}{$which}, my $chunk, $LIMIT);
  return if !defined $count && $! == $EINTR;
  if (!$count) {
    delete $files{$_[0]};
    delete $job->{files}{$which};
    return;
  }
  $job->{$which} .= $chunk if length $job->{$which} < $LIMIT;
  told($key, $job) if $which eq 'line' && ($chunk =~ /\n/ || length $job->{line} >= $LIMIT);
}

sub readable { my ($want, $patience) = @_; my $found = select($want, undef, undef, $patience); $found > 0 ? $want : '' }

sub gone {
  my $key = shift;
  my $job = $jobs{$key};
  return 0 if waitpid($job->{pid}, 1) == 0;
  my $status = $?;
  for my $which (keys %{$job->{files}}) {
    my ($number, $want) = (fileno $job->{files}{$which}, '');
    vec($want, $number, 1) = 1;
    # What it has said last; those it has left behind may have it open still.
    hear($number) while $which ne 'end' && $files{$number} && readable($want, 0);
    delete $files{$number};
  }
  told($key, $job);
  answer('ended', $key, $status);
  delete $jobs{$key};
  return 1;
}

for (;;) {
  my $want = '';
  vec($want, $_, 1) = 1 for 0, keys %files;
  my $ready = readable($want, @polled ? 0.01 : undef);
  $files{$_} && hear($_) for grep { vec($ready, $_, 1) } keys %files;
  if (vec($ready, 0, 1)) {
    my $count = sysread(STDIN, $held, $LIMIT, length $held);
    exit unless $count || !defined $count && $! == $EINTR;
    while (my $frame = next_frame($held)) { request(@$frame) }
  }
  @polled = grep { !gone($_) } @polled;
}
