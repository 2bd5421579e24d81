# Supervises one process of an exec session, as conmon does for containers: a process that the nursery forks for it, so that nothing is
# loaded but the runtime.
#
# Its fields are FOLDER EXIT SESSION STREAMS HEIGHT WIDTH HIDE COMMAND…: the session's folder, in which it works; the name of the exit
# file; the session; a word of letters; the terminal's size, or 0; the tree to hide from the runtime, or nothing; and the runtime's
# command line, which starts the process and ends, with the process's number in `pid`. Letters: `a` for somebody attached, `i`, `o` and
# `e` for the streams that are wanted, `m` for standard output that goes where standard error does, `t` for a terminal, which the
# runtime hands to the socket `console`.
#
# With somebody attached it connects to the socket `../../sockets/nursery` and answers `session SESSION` there, then `stdout` and `stderr`
# with bytes. It takes `input` with bytes, and `close`, which ends the input. It says the process's number on its sync pipe, or on
# standard error why there is none. A terminal's size is told by lines `1 HEIGHT WIDTH` in the FIFO `ctl`.
#
# When the process has ended it writes the exit file and ends. Output that is not read by then is left to a process of its own.
my ($SUBREAPER, $FOLDER_AT, $FIFO, $NONBLOCK, $GETFL, $SETFL) = (36, -100, 0010600, 04000, 3, 4);
my ($DONTWAIT, $NOSIGNAL, $RECEIVE_CLOEXEC) = (0x40, 0x4000, 0x40000000);
my ($EAGAIN, $ECONNRESET, $PIECE, $PENDING_MOST, $SILENCE, $PAUSE, $TURNS) = (11, 104, 65536, 262144, 0.2, 0.004, 64);
# Seconds that a reader at work has for what was sent last, and how often while it goes on to type: no longer than a fork and its end take.
my ($PROMPT, $PROMPT_TURNS) = (0.02, 3);

my $resize = $ARGV[1];

# The descriptor that comes with a message on a socket (SCM_RIGHTS).
sub receive_file {
  my $socket = shift;
  my ($data, $control) = ('', '');
  # Room of their own, which nothing else has for the same text.
  vec($data, 4095, 8) = vec($control, 63, 8) = 0;
  my $parts = pack('P L!', $data, length $data);
  my $message = pack('L! L x![L!] P L! P L! i x![L!]', 0, 0, $parts, 1, $control, length $control, 0);
  my $count = syscall($nr{recvmsg}, fileno $socket, $message, $RECEIVE_CLOEXEC);
  $count > 0 or die "console: " . ($count < 0 ? $! : 'no answer') . "\n";
  my ($length, $level, $type, $number) = unpack('L! i i i', $control);
  $length && $level == 1 && $type == 1 or die "console: no terminal\n";
  open(my $file, '+<&=', $number) or die "console: $!\n";
  return $file;
}

sub resize_terminal { my ($terminal, $height, $width) = @_; ioctl($terminal, $resize, pack('S4', $height, $width, 0, 0)) }

sub without_waiting { my $file = shift; fcntl($file, $SETFL, fcntl($file, $GETFL, 0) | $NONBLOCK) }

# Everything that is to be had from a file now.
sub read_rest {
  my $file = shift;
  my $text = '';
  without_waiting($file);
  while (sysread($file, $text, $PIECE, length $text) && length $text < $PIECE) { }
  return $text;
}

sub write_exit {
  my ($path, $status) = @_;
  open(my $file, '>', "$path.tmp") or die "$path: $!\n";
  print $file $status;
  close $file;
  rename("$path.tmp", $path);
}

# The kernel's list of outputs that had something to read, begun before there is a process, and their names that were not read since.
my ($order, @waiting);
sub in_order {
  my ($out, $read) = @_;
  my @now = grep { vec($read, fileno $out->{$_}, 1) } keys %$out;
  return @now if !defined $order;
  my %name = map { (fileno $out->{$_}, $_) } keys %$out;
  for my $name (grep { defined } map { $name{$_} } ready($order, 0)) { push @waiting, $name if !grep { $_ eq $name } @waiting }
  my %is_now = map { ($_, 1) } @now;
  my @listed = grep { delete $is_now{$_} } @waiting;
  @waiting = grep { my $name = $_; !grep { $_ eq $name } @listed } @waiting;
  return (@listed, keys %is_now);
}

# Starts the process, and gives its number with the ends of its streams: input, and outputs by name.
sub start_process {
  my ($has, $size, $hide, $command) = @_;
  my ($input, %outputs, $listener, $theirs_in, $theirs_out);
  if ($has->{t}) {
    socket($listener, 1, 1, 0) && bind($listener, pack('S a*', 1, "console\0")) && listen($listener, 1) or die "console: $!\n";
  }
  pipe(my $errors, my $theirs_err) or die "pipe: $!\n";
  if (!$has->{t}) {
    if ($has->{i}) { pipe($theirs_in, $input) or die "input: $!\n" } else { $theirs_in = open_null() }
    if ($has->{m}) { open($theirs_out, '>&', $theirs_err) or die "output: $!\n" }
    elsif ($has->{o}) { pipe($outputs{stdout}, $theirs_out) or die "output: $!\n" }
    else { $theirs_out = open_null() }
  }
  if ($outputs{stdout}) {
    $order = make_epoll();
    watch($order, fileno $_, $ADD, $EDGE) for $outputs{stdout}, $errors;
  }
  my $runtime = fork // die "fork: $!\n";
  if (!$runtime) {
    $SIG{$_} = 'DEFAULT' for qw(PIPE HUP INT TERM);
    open(STDIN, '<&', $theirs_in) if $theirs_in;
    open(STDOUT, '>&', $theirs_out) if $theirs_out;
    open(STDERR, '>&', $theirs_err);
    eval {
      hide_tree($nr{unshare}, $nr{mount}, $hide) if $hide ne '';
      exec { $command->[0] } @$command or die "exec $command->[0]: $!\n";
    };
    print STDERR $@;
    exit 255;
  }
  undef $_ for $theirs_in, $theirs_out, $theirs_err;
  waitpid($runtime, 0);
  my ($failed, $pid) = ($?);
  if (!$failed && open(my $file, '<', 'pid')) { $pid = <$file> + 0 }
  die read_rest($errors) . "\n" if !$pid;
  if ($has->{t}) {
    accept(my $peer, $listener) or die "console: $!\n";
    my $terminal = receive_file($peer);
    resize_terminal($terminal, @$size) if $size->[0] > 0;
    unlink 'console';
    return ($pid, $terminal, stdout => $terminal);
  }
  $outputs{stderr} = $errors;
  return ($pid, $input, %outputs);
}

# Carries bytes until the process has ended, and returns its wait status. When it has ended, with `$silence`, until its outputs have, too, or
# say nothing for so long; without waiting where that is 0.
my ($peer, $deaf, $heard, $told, $typed) = (undef, 0, '', '', '');
sub carry {
  my ($pid, $streams, $control, $end, $silence) = @_;
  my $over = defined $silence;
  my $out = $streams->{out};
  for (my $turn = 0;; $turn++) {
    my ($read, $write, $dropped) = ('', '', 0);
    return if $over && !$silence && $turn == $TURNS;
    if (length $told < $PENDING_MOST) { vec($read, fileno $_, 1) = 1 for values %$out }
    vec($read, fileno $peer, 1) = 1 if $peer && length $typed < $PENDING_MOST;
    vec($write, fileno $peer, 1) = 1 if $peer && length $told;
    vec($write, fileno $streams->{in}, 1) = 1 if $streams->{in} && length $typed;
    vec($read, fileno $control, 1) = 1 if $control;
    vec($read, fileno $end, 1) = 1 if $end && !$over;
    return if $over && !%$out && !(length $told && $peer);
    # Silence counts only where the outputs are listened to.
    my $patience = $over ? $silence && length $told ? undef : $silence : $end ? undef : 0.01;
    my $found = select($read, $write, undef, $patience);
    if ($found < 0) { next if $! == $EINTR; die "select: $!\n" }
    return if $over && $found == 0;
    for my $name (in_order($out, $read)) {
      my $count = sysread($out->{$name}, my $data, $PIECE);
      next if !defined $count && ($! == $EINTR || $! == $EAGAIN);
      # A terminal that nobody has open any more fails to be read.
      if (!$count) { delete $out->{$name} }
      elsif (!$peer || $deaf) { $dropped = 1 }
      elsif ($streams->{wanted}{$name}) { $told .= pack('N/a*', pack('(N/a*)*', $name, $data)) }
    }
    if ($peer && vec($read, fileno $peer, 1)) {
      my $count = sysread($peer, $heard, $PIECE, length $heard);
      # Input that was sent before its sender left with output unread is still to be had.
      my $gone = defined $count ? !$count : $! != $EINTR && $! != $EAGAIN && $! != $ECONNRESET;
      ($peer, $told, $streams->{closing}) = (undef, '', 1) if $gone;
      while (my $frame = next_frame($heard)) {
        if ($frame->[0] eq 'input') { $typed .= $frame->[1] if $streams->{in} }
        else { $streams->{closing} = 1 }
      }
    }
    if ($peer && length $told) {
      my $count = send($peer, $told, $DONTWAIT | $NOSIGNAL);
      if (defined $count) { substr($told, 0, $count) = '' }
      elsif ($! != $EAGAIN && $! != $EINTR) { ($deaf, $told) = (1, '') }
    }
    if ($streams->{in} && length $typed) {
      my $count = syswrite($streams->{in}, $typed, length $typed > $PIECE ? $PIECE : length $typed);
      if (defined $count) { substr($typed, 0, $count) = '' }
      # The process has closed its input: what is still to come has nowhere to go.
      elsif ($! != $EAGAIN && $! != $EINTR) { ($typed, $streams->{closing}) = ('', 1) }
    }
    # The end of input that a terminal's user means is a byte of it.
    if ($streams->{in} && $streams->{closing} && !$streams->{terminal} && !length $typed) { close delete $streams->{in} }
    if ($control && vec($read, fileno $control, 1)) {
      sysread($control, my $lines, 4096);
      resize_terminal($streams->{terminal}, $1, $2) while ($lines // '') =~ /^1 (\d+) (\d+)$/gm;
    }
    while (!$over && (my $ended = waitpid(-1, 1)) > 0) { return $? if $ended == $pid }
    # A process that never stops writing to nobody must not keep a processor busy.
    select(undef, undef, undef, $PAUSE) if $dropped;
  }
}

sub exec_session {
  my ($say, $folder, $exit, $session, $letters, $height, $width, $hide, @command) = @_;
  my %has = map { ($_, 1) } split //, $letters;
  $SIG{$_} = 'IGNORE' for qw(PIPE HUP INT TERM);
  setpgrp(0, 0);
  chdir $folder or die "chdir $folder: $!\n";
  syscall($nr{prctl}, $SUBREAPER, 1, 0, 0, 0) == 0 or die "prctl: $!\n";
  my $control;
  if ($has{t}) {
    my $name = "ctl\0";
    syscall($nr{mknodat}, $FOLDER_AT, $name, $FIFO, 0) == 0 or die "ctl: $!\n";
    # Open for both, it is never at its end.
    open($control, '+<', 'ctl') or die "ctl: $!\n";
  }
  if ($has{a}) {
    connect_peer("../../sockets/nursery");
    $told = pack('N/a*', pack('(N/a*)*', 'session', $session));
  }
  my ($pid, $input, %outputs) = start_process(\%has, [$height, $width], $hide, \@command);
  syswrite($say, "$pid\n");
  # Nothing that the process or its runtime left open is to hold up who waits for these.
  open($_, '>', '/dev/null') for \*STDOUT, \*STDERR;
  close $say;
  without_waiting($_) for grep { defined } $input, values %outputs;
  my $number = syscall($nr{pidfd_open}, $pid, 0);
  my $end;
  # Linux 5.3 has it.
  open($end, '<&=', $number) or die "pidfd: $!\n" if $number >= 0;
  my %wanted = (stdout => $has{o} || $has{t}, stderr => $has{e} || $has{m} && $has{o});
  my %streams = (in => $input, out => \%outputs, wanted => \%wanted, terminal => $has{t} && $input);
  my $status = carry($pid, \%streams, $control, $end);
  write_exit($exit, $status & 127 ? 128 + ($status & 127) : $status >> 8);
  return if !$peer;
  delete $streams{in};
  carry($pid, \%streams, undef, undef, 0);
  return if !$peer || $deaf;
  # The end is told when this process ends, whoever is slow to read what there is still: a process of its own waits for that.
  my $has_all = !%outputs && !length $told;
  return if $has_all && leave_peer($PROMPT) or fork;
  carry($pid, \%streams, undef, undef, $SILENCE) if !$has_all;
  leave_peer() if $peer;
}

# Connects to the server.
sub connect_peer { socket($peer, 1, 1, 0) && connect($peer, pack('S a*', 1, "$_[0]\0")) or die "connect: $!\n" }

# Ends the connection when the other side has read everything: one that is closed with something unread here is reset, and what was read there
# and not used yet is lost. With `$patience`, seconds without a byte, it waits no longer, and tells whether the connection is over.
sub leave_peer {
  my $patience = shift;
  shutdown($peer, 1);
  for (my $turn = 0;; $turn++) {
    vec(my $read, fileno $peer, 1) = 1;
    return 0 if defined $patience && ($turn == $PROMPT_TURNS || select($read, undef, undef, $patience) == 0);
    my $count = sysread($peer, my $unused, $PIECE);
    return 1 if defined $count ? !$count : $! != $EINTR;
  }
}
