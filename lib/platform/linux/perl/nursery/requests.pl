# Starts supervisors, whose parent it is. It takes requests from its standard input and answers on its standard output.
#
# | request | answer |
# | --- | --- |
# | `conmon KEY FOLDER (PROTOCOL ADDRESS PORT)… -- COMMAND…` | `said KEY PID LINE ERRORS`, then `ended KEY STATUS` |
# | `wait KEY …` | as `conmon`, which waits for `go` before it starts anything |
# | `go KEY` | none |
# | `run KEY COMMAND…` | the same |
# | `exec KEY …` | the same, with the fields of `exec.pl` |
# | `attach KEY …` | the same, with the fields of `attach.pl` |
# | `resize KEY …` | the same, with the fields of `resize.pl` |
# | `tree KEY …`, `look KEY …` | the same, with the fields of `trees.pl` |
# | `netns KEY PATH` | the same |
# | `seal KEY PATH` | the same, with a path of the copy as LINE |
# | `launch KEY …`, `land KEY …` | the same, with the fields of `launch.pl`; LINE says why a namespace is not a small one |
# | `kill KEY` | none |
#
# `conmon` runs a command in a folder with its sync pipe open. `said` comes with the first line from there, or when it ended
# without one, with what it wrote to standard error. The command's process holds ports of the host, bound: addresses are
# given in hexadecimal digits and packed by hand, since modules take longer to load than all else. A port that cannot be had
# for another reason than being taken (an address that came and went, say) is not held. `run` runs a command whose output
# is of no interest. `netns` makes a network namespace with its loopback up, kept by the file at PATH.
#
# It ends with its standard input. What it started goes on.
my ($LIMIT, $NEWNET, $BIND, $SIOCSIFFLAGS, $IFF_UP) = (65536, 0x40000000, 4096, 0x8914, 1);
my ($CLOEXEC, $EINVAL, $ADD_SEALS, $SEALS, $SEALABLE, $RUNNABLE) = (0x80000, 22, 1033, 15, 3, 16);
# Network namespaces that are made before anybody asks for them, once somebody has, and processes that carry bytes: a fork takes longer than
# all that such a process does until it is at work.
my ($SPARE_NAMESPACES, $SPARE_CARRIERS) = (2, 2);
# Milliseconds without a request after which a process is forked in advance.
my $LULL = 3;
my @signals = qw(HUP INT TERM PIPE);
# A terminal's signals are for the server.
setpgrp(0, 0);
$SIG{$_} = 'IGNORE' for @signals;
$SIG{CHLD} = 'DEFAULT';
# Jobs by key; by the number of a file, its job and which of the job's it is; keys of those whose end no file tells.
my ($held, %jobs, %files, @polled) = ('');
my ($own_network, $may_return, @spare, $wanted, @copies);
# Carriers that wait for what they are to do, and whether anybody wanted one.
my (@carriers, $has_carried);
my %carries = (exec => \&exec_session, attach => \&attach_session, tree => \&tree_session, resize => \&set_terminal_size);
# Processes that look at paths: those that wait for one, and by their job's key those at work.
my (@lookers, %looking);
my $epoll = make_epoll();

sub leave {
  my $number = shift;
  watch($epoll, $number, $DELETE);
  delete $files{$number};
}

# Forks a process for work that is given its sync pipe.
sub fork_for {
  my $work = shift;
  pipe(my $sync, my $say) && pipe(my $errors, my $complain) or die "pipe: $!\n";
  my $pid = fork;
  defined $pid or die "fork: $!\n";
  if (!$pid) {
    $SIG{$_} = 'DEFAULT' for @signals;
    open(STDIN, '<', '/dev/null');
    open(STDOUT, '>', '/dev/null');
    open(STDERR, '>&', $complain);
    close $complain;
    $lost = sub { end_at_once(0) };
    eval { $work->($say); end_at_once(0) } or print STDERR $@;
    end_at_once(1);
  }
  my %own = (line => $sync, errors => $errors);
  my $pidfd = syscall($nr{pidfd_open}, $pid, 0);
  # Linux 5.3 has it.
  if ($pidfd >= 0) { open($own{end}, '<&=', $pidfd) or die "pidfd: $!\n" }
  return { pid => $pid, line => '', errors => '', files => \%own };
}

# From now on the process is known by a key, and listened to.
sub take_on {
  my ($key, $job) = @_;
  $jobs{$key} = $job;
  push @polled, $key if !$job->{files}{end};
  for my $which (keys %{$job->{files}}) {
    my $number = fileno $job->{files}{$which};
    $files{$number} = [$key, $which];
    watch($epoll, $number, $ADD);
  }
}

sub begin { my ($key, $work) = @_; take_on($key, fork_for($work)) }

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
      elsif ($! == $nr{EADDRINUSE}) { die "port taken: $number\n" }
    }
    $number++;
  }
  return @held;
}

sub conmon {
  my ($say, $wait, $folder, @rest) = @_;
  chdir $folder or die "chdir $folder: $!\n";
  # Files above this number are closed in the next program; so are those that are open already.
  $^F = 65535;
  my @held = hold(\@rest);
  fcntl($say, 2, 0);
  $ENV{_OCI_SYNCPIPE} = fileno $say;
  if ($wait) {
    fcntl($wait, 2, 0);
    $ENV{_OCI_STARTPIPE} = fileno $wait;
  }
  exec { $rest[0] } @rest or die "exec $rest[0]: $!\n";
}

sub run {
  my (undef, @command) = @_;
  exec { $command[0] } @command or die "exec $command[0]: $!\n";
}

# A namespace with its loopback up, open. This process is in it for that moment: a process of its own takes longer to start than
# the namespace to make.
sub new_network {
  $own_network || open($own_network, '<', '/proc/self/ns/net') or die "namespace: $!\n";
  syscall($nr{unshare}, $NEWNET) == 0 or die "unshare: $!\n";
  my ($made, $socket);
  my $failed = open($made, '<', '/proc/self/ns/net') && socket($socket, 2, 2, 0)
    && ioctl($socket, $SIOCSIFFLAGS, pack('a16 s x22', 'lo', $IFF_UP)) ? '' : "loopback: $!\n";
  if (syscall($nr{setns}, fileno $own_network, 0) != 0) {
    # What it starts is not to be in another one.
    print STDERR "Return to network namespace: $!\n";
    exit 1;
  }
  die $failed if $failed;
  return $made;
}

# Whether this process may come back to its own namespace: a user's server may not, whose host belongs to another one.
sub returns {
  $own_network || open($own_network, '<', '/proc/self/ns/net') or die "namespace: $!\n";
  return $may_return //= syscall($nr{setns}, fileno $own_network, 0) == 0 ? 1 : 0;
}

# The same in a process that does not come back.
sub netns_apart {
  my (undef, $path) = @_;
  syscall($nr{unshare}, $NEWNET) == 0 or die "unshare: $!\n";
  socket(my $socket, 2, 2, 0) or die "socket: $!\n";
  ioctl($socket, $SIOCSIFFLAGS, pack('a16 s x22', 'lo', $IFF_UP)) or die "loopback: $!\n";
  my ($from, $to, $type) = ("/proc/self/ns/net\0", "$path\0", "none\0");
  syscall($nr{mount}, $from, $to, $type, $BIND, 0) == 0 or die "mount $path: $!\n";
}

sub netns {
  my $path = shift;
  $wanted = 1;
  my $made = pop(@spare) // new_network();
  my ($from, $to, $type) = ("/proc/self/fd/" . fileno($made) . "\0", "$path\0", "none\0");
  syscall($nr{mount}, $from, $to, $type, $BIND, 0) == 0 or die "mount $path: $!\n";
}

sub seal {
  my $path = shift;
  open(my $from, '<:raw', $path) or die "open $path: $!\n";
  my $name = "runtime\0";
  my $number = syscall($nr{memfd_create}, $name, $SEALABLE | $RUNNABLE);
  # Linux before 6.3 knows no files that may not be run.
  $number = syscall($nr{memfd_create}, $name, $SEALABLE) if $number < 0 && $! == $EINVAL;
  $number >= 0 or die "memfd_create: $!\n";
  open(my $copy, '+<&=', $number) or die "copy: $!\n";
  while (my $count = sysread($from, my $chunk, $LIMIT)) {
    syswrite($copy, $chunk) == $count or die "copy $path: $!\n";
  }
  fcntl($copy, $ADD_SEALS, $SEALS) or die "seal $path: $!\n";
  # Containers on their way may still run the one before.
  push @copies, $copy;
  return "/proc/$$/fd/$number";
}

# A process that goes on with this program lets go of everything that is not its own.
sub let_go {
  open(my $poll, '<&=', $epoll);
  close $poll;
  %jobs = %files = ();
  @spare = @copies = @carriers = @lookers = ();
  %looking = ();
  undef $own_network;
  forget_launches();
}

# Forks a carrier that waits for a frame: what it is to do, and the fields.
sub fork_carrier {
  pipe(my $hear, my $tell) or die "pipe: $!\n";
  my $job = fork_for(sub {
    my $say = shift;
    close $tell;
    let_go();
    my ($text, $frame) = ('');
    until ($frame = next_frame($text)) {
      my $count = sysread($hear, $text, $LIMIT, length $text);
      end_at_once(0) unless $count || !defined $count && $! == $EINTR;
    }
    close $hear;
    my ($verb, @fields) = @$frame;
    $carries{$verb}->($say, @fields);
    return 1;
  });
  return { job => $job, tell => $tell };
}

# Has bytes carried, by a process that waits for that or a new one.
sub begin_carrying {
  my ($verb, $key, @fields) = @_;
  $has_carried = 1;
  while (my $carrier = pop @carriers) {
    my $job = $carrier->{job};
    # One that has ended is of no use.
    next if waitpid($job->{pid}, 1) != 0;
    next if !defined syswrite($carrier->{tell}, pack('N/a*', pack('(N/a*)*', $verb, @fields)));
    return take_on($key, $job);
  }
  begin($key, sub {
    let_go();
    $carries{$verb}->($_[0], @fields);
    return 1;
  });
}

sub fork_looker {
  pipe(my $hear, my $tell) or die "pipe: $!\n";
  my $job = fork_for(sub {
    close $tell;
    let_go();
    look_again($hear, @_);
    return 1;
  });
  return { job => $job, tell => $tell };
}

# Has a path looked at, by a process that has answered before or a new one. Another one gets no answer for as long as a container likes that serves
# its own files: nobody else waits for it.
sub begin_looking {
  my ($key, @fields) = @_;
  my $looker = pop @lookers;
  $looker = fork_looker() if !$looker || waitpid($looker->{job}{pid}, 1) != 0;
  syswrite($looker->{tell}, pack('N/a*', pack('(N/a*)*', @fields)));
  $looking{$key} = $looker;
  take_on($key, $looker->{job});
}

# Hands on what a looker has said, if that is all of it.
sub looked {
  my ($key, $job) = @_;
  my $found = next_frame($job->{line}) or return;
  $job->{line} = join "\0", @$found;
  told($key, $job);
  answer('ended', $key, 0);
  leave(fileno $_) for values %{$job->{files}};
  delete $jobs{$key};
  my $looker = delete $looking{$key};
  @$job{qw(line errors told)} = ('', '', 0);
  return push @lookers, $looker unless @lookers;
  kill 'KILL', $job->{pid};
  waitpid $job->{pid}, 0;
}

# conmon waits for a byte, or for the end of this process: there is then nothing for it to start.
sub begin_waiting {
  my ($key, @rest) = @_;
  pipe(my $wait, my $go) or die "pipe: $!\n";
  begin($key, sub { conmon($_[0], $wait, @rest) });
  $jobs{$key}{go} = $go;
}

# Those that wait go first: control groups can be removed once this process has ended.
sub end_all {
  kill 'KILL', map { $_->{job}{pid} } @carriers, @lookers;
  waitpid $_->{job}{pid}, 0 for @carriers, @lookers;
  exit;
}

my %works = (conmon => sub { my $say = shift; conmon($say, undef, @_) }, run => \&run);
# Work of this process itself.
my %own_works = (netns => \&netns, seal => \&seal, launch => \&launch, land => \&land);
sub request {
  my ($verb, $key, @rest) = @_;
  my ($work, $own) = ($works{$verb}, $own_works{$verb});
  if ($verb eq 'netns' && !returns()) { begin($key, sub { netns_apart($_[0], @rest) }) }
  elsif ($verb eq 'look') { begin_looking($key, @rest) }
  elsif ($carries{$verb}) { begin_carrying($verb, $key, @rest) }
  elsif ($work) { begin($key, sub { $work->($_[0], @rest) }) }
  elsif ($own) {
    my $line = eval { $own->(@rest) };
    answer('said', $key, $$, $@ ? '' : $line // '', $@);
    answer('ended', $key, $@ ? 256 : 0);
  }
  elsif ($verb eq 'wait') { begin_waiting($key, @rest) }
  elsif ($jobs{$key} && $verb eq 'go') { syswrite($jobs{$key}{go}, "\0"); delete $jobs{$key}{go} }
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
    leave($_[0]);
    delete $job->{files}{$which};
    return;
  }
  $job->{$which} .= $chunk if length $job->{$which} < $LIMIT;
  return looked($key, $job) if $which eq 'line' && $looking{$key};
  told($key, $job) if $which eq 'line' && ($chunk =~ /\n/ || length $job->{line} >= $LIMIT);
}

sub readable { my $want = shift; return select($want, undef, undef, 0) > 0 }

sub gone {
  my $key = shift;
  my $job = $jobs{$key} or return 1;
  return 0 if waitpid($job->{pid}, 1) == 0;
  my $status = $?;
  for my $which (keys %{$job->{files}}) {
    my ($number, $want) = (fileno $job->{files}{$which}, '');
    vec($want, $number, 1) = 1;
    # What it has said last; those it has left behind may have it open still.
    hear($number) while $which ne 'end' && $files{$number} && readable($want);
    leave($number) if $files{$number};
  }
  told($key, $job);
  answer('ended', $key, $status);
  delete @$_{$key} for \(%jobs, %looking);
  return 1;
}

watch($epoll, 0, $ADD);
for (;;) {
  my $is_short = $wanted && @spare < $SPARE_NAMESPACES;
  my $lacks_carriers = $has_carried && @carriers < $SPARE_CARRIERS;
  my @ready = ready($epoll, $is_short ? 0 : $lacks_carriers ? $LULL : @polled ? 10 : -1);
  # Nothing else is to be done. Who asks next hears why it failed.
  if (!@ready && $is_short) { eval { push @spare, new_network(); 1 } or $wanted = 0 }
  elsif (!@ready && $lacks_carriers) { eval { push @carriers, fork_carrier(); 1 } or $has_carried = 0 }
  $files{$_} && hear($_) for @ready;
  if (grep { $_ == 0 } @ready) {
    my $count = sysread(STDIN, $held, $LIMIT, length $held);
    end_all() unless $count || !defined $count && $! == $EINTR;
    while (my $frame = next_frame($held)) {
      # A process that cannot be had is one request's failure.
      next if eval { request(@$frame); 1 };
      my $why = $@;
      answer('said', $frame->[1], 0, '', $why);
      answer('ended', $frame->[1], 256);
    }
  }
  @polled = grep { !gone($_) } @polled;
}
