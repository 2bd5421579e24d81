// Made of processes.pl by `deno task generate`: change that file.
export const AGENT_PROCESSES = String.raw`
my ($MOST_PROCESSES, $MOST_ARGUMENTS, $MOST_NAMES) = (20000, 8 << 20, 4 << 20);
my ($WAIT, $FEWEST, $MOST_WAITS) = (0.25, 128, 8);
sub slurp {
  my ($file, $limit) = @_;
  my $text = '';
  while (length $text < $limit) { sysread($file, $text, $limit - length $text, length $text) or last }
  return $text;
}
sub text_of {
  my ($path, $limit) = @_;
  sysopen(my $file, $path, $nr{O_RDONLY} | $nr{O_NONBLOCK}) or return '';
  return slurp($file, $limit);
}
sub hear_from {
  my ($from, $size) = @_;
  my $text = '';
  while (length $text < $size) {
    my $ready = '';
    vec($ready, fileno $from, 1) = 1;
    select($ready, undef, undef, $WAIT) > 0 or return undef;
    sysread($from, $text, $size - length $text, length $text) or return undef;
  }
  return $text;
}
my ($reader, $ask, $replies, $waits) = (0, undef, undef, 0);
sub command_line {
  my ($pid, $limit) = @_;
  return '?' if $waits == $MOST_WAITS;
  if (!$reader) {
    pipe(my $orders, $ask) or die "pipe: $!\n";
    pipe($replies, my $say) or die "pipe: $!\n";
    $reader = fork // die "fork: $!\n";
    if (!$reader) {
      close $ask;
      close $answers;
      while (my $number = <$orders>) {
        chomp $number;
        my $text = text_of("/proc/$number/cmdline", $limit);
        syswrite($say, pack('N/a*', $text));
      }
      end_at_once(0);
    }
  }
  syswrite($ask, "$pid\n");
  my $size = hear_from($replies, 4);
  my $text = defined $size ? hear_from($replies, unpack 'N', $size) : undef;
  return $text if defined $text;
  kill 'KILL', $reader;
  ($reader, $waits) = (0, $waits + 1);
  return '?';
}
sub in_pieces { my ($word, $text) = @_; answer($word, substr($text, 0, 32768, '')) while length $text }
sub names_of {
  my ($pid) = @_;
  pipe(my $from, my $to) or die "pipe: $!\n";
  my $child = fork // die "fork: $!\n";
  if (!$child) {
    close $answers;
    $answers = $to;
    sysopen($root, "/proc/$pid/root", $nr{O_RDONLY} | $nr{O_DIRECTORY}) or end_at_once(0);
    sysopen($descriptors, '/proc/self/fd', $nr{O_RDONLY} | $nr{O_DIRECTORY}) or end_at_once(0);
    for my $name (qw(passwd group)) {
      my $found = open_at($root, "/etc/$name", $O_PATH, $IN_ROOT) or next;
      next if look_open($found)->{type} != $FILE;
      chdir $descriptors;
      sysopen(my $file, fileno($found), $nr{O_RDONLY} | $nr{O_NONBLOCK}) or next;
      in_pieces($name, slurp($file, $MOST_NAMES));
    }
    end_at_once(0);
  }
  close $to;
  while (defined(my $size = hear_from($from, 4))) {
    my $frame = hear_from($from, unpack 'N', $size) // last;
    emit($size . $frame);
  }
  kill 'KILL', $child;
}
sub processes {
  my ($cgroup, $want) = @_;
  local $SIG{PIPE} = 'IGNORE';
  opendir(my $proc, '/proc') or failed('open /proc');
  my $space = $cgroup =~ /^pid:(\d+)$/ ? readlink("/proc/$1/ns/pid") // 'none' : undef;
  my @pids;
  while (defined(my $name = readdir $proc)) {
    next if $name !~ /^\d+$/;
    if (defined $space) { (readlink("/proc/$name/ns/pid") // '') eq $space or next }
    else { grep { s/^[^:]*:[^:]*://; $_ eq $cgroup || index($_, "$cgroup/") == 0 } split /\n/, text_of("/proc/$name/cgroup", 65536) or next }
    push @pids, $name;
    last if @pids == $MOST_PROCESSES;
  }
  my $limit = @pids ? int($MOST_ARGUMENTS / @pids) : 0;
  $limit = $FEWEST if $limit < $FEWEST;
  $limit = $want if $limit > $want;
  my ($first, $number);
  for my $pid (@pids) {
    my ($stat, $status) = (text_of("/proc/$pid/stat", 4096), text_of("/proc/$pid/status", 1 << 20));
    next if $stat eq '' || $status eq '';
    $status =~ s/^(Groups:(?:\s+\d+){32})[^\n]*/$1/m;
    my @more = $want ? (text_of("/proc/$pid/attr/current", 4096), command_line($pid, $limit)) : ('', '');
    answer('process', $pid, $stat, $status, @more);
    my ($inner) = $status =~ /^NSpid:.*\s(\d+)$/m;
    $inner //= $pid;
    ($first, $number) = ($pid, $inner) if !defined $number || $inner < $number;
  }
  if ($want && defined $first) {
    answer('maps', map { text_of("/proc/$first/$_", 16384) } qw(uid_map gid_map));
    names_of($first);
  }
  kill 'KILL', $reader if $reader;
  answer('end');
  end_at_once(0);
}
`;
