// Made of exec.pl by `deno task generate`: change that file.
export const NURSERY_EXEC = String.raw`
my ($SUBREAPER, $FOLDER_AT, $FIFO, $NONBLOCK, $GETFL, $SETFL) = (36, -100, 0010600, 04000, 3, 4);
my ($DONTWAIT, $NOSIGNAL, $RECEIVE_CLOEXEC) = (0x40, 0x4000, 0x40000000);
my ($EAGAIN, $ECONNRESET, $PIECE, $PENDING_MOST, $SILENCE, $PAUSE, $TURNS) = (11, 104, 65536, 262144, 0.2, 0.004, 64);
my ($PROMPT, $PROMPT_TURNS) = (0.02, 3);

my $resize = $ARGV[1];

sub receive_file {
  my $socket = shift;
  my ($data, $control) = ('', '');
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
    my $patience = $over ? $silence && length $told ? undef : $silence : $end ? undef : 0.01;
    my $found = select($read, $write, undef, $patience);
    if ($found < 0) { next if $! == $EINTR; die "select: $!\n" }
    return if $over && $found == 0;
    for my $name (in_order($out, $read)) {
      my $count = sysread($out->{$name}, my $data, $PIECE);
      next if !defined $count && ($! == $EINTR || $! == $EAGAIN);
      if (!$count) { delete $out->{$name} }
      elsif (!$peer || $deaf) { $dropped = 1 }
      elsif ($streams->{wanted}{$name}) { $told .= pack('N/a*', pack('(N/a*)*', $name, $data)) }
    }
    if ($peer && vec($read, fileno $peer, 1)) {
      my $count = sysread($peer, $heard, $PIECE, length $heard);
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
      elsif ($! != $EAGAIN && $! != $EINTR) { ($typed, $streams->{closing}) = ('', 1) }
    }
    if ($streams->{in} && $streams->{closing} && !$streams->{terminal} && !length $typed) { close delete $streams->{in} }
    if ($control && vec($read, fileno $control, 1)) {
      sysread($control, my $lines, 4096);
      resize_terminal($streams->{terminal}, $1, $2) while ($lines // '') =~ /^1 (\d+) (\d+)$/gm;
    }
    while (!$over && (my $ended = waitpid(-1, 1)) > 0) { return $? if $ended == $pid }
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
    open($control, '+<', 'ctl') or die "ctl: $!\n";
  }
  if ($has{a}) {
    connect_peer("../../sockets/nursery");
    $told = pack('N/a*', pack('(N/a*)*', 'session', $session));
  }
  my ($pid, $input, %outputs) = start_process(\%has, [$height, $width], $hide, \@command);
  syswrite($say, "$pid\n");
  open($_, '>', '/dev/null') for \*STDOUT, \*STDERR;
  close $say;
  without_waiting($_) for grep { defined } $input, values %outputs;
  my $number = syscall($nr{pidfd_open}, $pid, 0);
  my $end;
  open($end, '<&=', $number) or die "pidfd: $!\n" if $number >= 0;
  my %wanted = (stdout => $has{o} || $has{t}, stderr => $has{e} || $has{m} && $has{o});
  my %streams = (in => $input, out => \%outputs, wanted => \%wanted, terminal => $has{t} && $input);
  my $status = carry($pid, \%streams, $control, $end);
  write_exit($exit, $status & 127 ? 128 + ($status & 127) : $status >> 8);
  return if !$peer;
  delete $streams{in};
  carry($pid, \%streams, undef, undef, 0);
  return if !$peer || $deaf;
  my $has_all = !%outputs && !length $told;
  return if $has_all && leave_peer($PROMPT) or fork;
  carry($pid, \%streams, undef, undef, $SILENCE) if !$has_all;
  leave_peer() if $peer;
}

sub connect_peer { socket($peer, 1, 1, 0) && connect($peer, pack('S a*', 1, "$_[0]\0")) or die "connect: $!\n" }

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
`;
