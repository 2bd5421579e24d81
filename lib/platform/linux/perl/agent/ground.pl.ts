// Made of ground.pl by `deno task generate`: change that file.
export const AGENT_GROUND = String.raw`
my ($CWD, $NO_FOLLOW, $EMPTY_PATH, $O_PATH) = (-100, 0x100, 0x1000, 010000000);
my ($NO_MAGIC, $NO_LINKS, $IN_ROOT, $NEW_NS) = (2, 4, 16, 0x20000);
my ($PIECE, $BATCH, $DEEPEST) = (1 << 20, 1 << 18, 900);
my ($TYPE, $SOCKET, $SYMLINK, $FILE, $BLOCK, $FOLDER, $CHAR, $FIFO) =
  (0170000, 0140000, 0120000, 0100000, 0060000, 0040000, 0020000, 0010000);
my ($OPAQUE, $NONE, $TOP, $OVERLAY, $EMPTY, $PARTIAL) = ('trusted.overlay.opaque', 'none', '/', 'overlay', 'empty', 'partial');
if (open(my $map, '<', '/proc/self/uid_map')) { (<$map> // '') =~ /^\s*0\s+0\s+4294967295\s/ or $OPAQUE = 'user.overlay.opaque' }
my ($root, $descriptors);
my $tell = \&answer;
my $refused = 1;
sub fail { $tell->('error', @_); end_at_once($refused) }
sub failed { my ($what) = @_; fail($! == $nr{ENOENT} ? 'ENOENT' : $! == $nr{ENOTDIR} ? 'ENOTDIR' : $! == $nr{ELOOP} ? 'ELOOP' : 'other', "$what: " . lc $!) }
sub open_at {
  my ($at, $path, $flags, $resolve) = @_;
  my $how = pack('Q3', $flags | $nr{O_NONBLOCK}, 0, $resolve | $NO_MAGIC);
  $how = pack('Q3', $flags, 0, $resolve | $NO_MAGIC) if $flags & $O_PATH;
  my $number = syscall($nr{openat2}, fileno($at), "$path", $how, 24);
  return undef if $number < 0;
  open(my $handle, '<&=', $number) or return undef;
  return $handle;
}
sub open_folder { my ($at, $path, $resolve) = @_; return open_at($at, $path, $nr{O_RDONLY} | $nr{O_DIRECTORY}, $resolve) }
sub open_child { my ($name) = @_; sysopen(my $folder, "$name", $nr{O_RDONLY} | $nr{O_DIRECTORY} | $nr{O_NOFOLLOW}) or return undef; return $folder }
sub look {
  my ($at, $name, $flags) = @_;
  my $buffer = "\0" x 256;
  syscall($nr{statx}, $at, "$name", $flags, 0x7ff, $buffer) == 0 or return undef;
  my %facts;
  @facts{qw(attributes links uid gid mode inode size time nanos rmajor rminor major minor)} =
    unpack('x8 Q L3 S x2 Q2 x64 q L x4 L4', $buffer);
  $facts{type} = $facts{mode} & $TYPE;
  return \%facts;
}
sub look_here { return look($CWD, $_[0], $NO_FOLLOW) }
sub look_open { return look(fileno($_[0]), '', $EMPTY_PATH) }
sub place {
  my ($handle) = @_;
  chdir $descriptors;
  my ($top, $path) = (readlink(fileno $root), readlink(fileno $handle));
  return $path if $top eq '/' || index("$path/", "$top/") != 0;
  return length $path == length $top ? '/' : substr($path, length $top);
}
sub names_here {
  opendir(my $folder, '.') or return ();
  return sort grep { $_ ne '.' && $_ ne '..' } readdir $folder;
}
sub open_tree {
  my ($tree, $pid) = @_;
  sysopen($root, $tree, $nr{O_RDONLY} | $nr{O_DIRECTORY}) or failed("open $tree");
  sysopen($descriptors, '/proc/self/fd', $nr{O_RDONLY} | $nr{O_DIRECTORY}) or failed('open /proc/self/fd');
  return undef unless $pid;
  sysopen(my $seen, "/proc/$pid/root", $nr{O_RDONLY} | $nr{O_DIRECTORY}) or fail('gone', 'the process has ended');
  sysopen(my $space, "/proc/$pid/ns/mnt", $nr{O_RDONLY}) or fail('gone', 'the process has ended');
  my ($expected, $found) = (look_open($root), look_open($seen));
  grep { $expected->{$_} != $found->{$_} } qw(major minor inode) and fail('gone', 'the process has ended');
  $root = $seen;
  return $space;
}
sub enter {
  my $space = open_tree(@_);
  if ($space) { syscall($nr{setns}, fileno($space), $NEW_NS) == 0 or failed('setns') }
  chdir $root or failed('chdir');
  chroot '.' or failed('chroot');
}
my (%to_host, %to_container);
sub use_maps {
  my %texts; @texts{qw(u g)} = @_;
  for my $kind (qw(u g)) {
    for my $range (map { [split /:/] } split /,/, $texts{$kind} // '') {
      push @{$to_host{$kind}}, $range;
      push @{$to_container{$kind}}, [@$range[1, 0, 2]];
    }
  }
}
sub mapped {
  my ($ranges, $id) = @_;
  return $id if !$ranges;
  for (@$ranges) { my ($from, $to, $size) = @$_; return $id - $from + $to if $id >= $from && $id < $from + $size }
  return undef;
}
my $names_buffer = "\0" x 65536;
my $value_buffer = "\0" x 65536;
my $is_exact = 1;
my ($overlays_own) = $OPAQUE =~ /^(.*)opaque$/;
sub attributes {
  my ($handle) = @_;
  my $size = syscall($nr{flistxattr}, fileno($handle), $names_buffer, 65536);
  return () if $size <= 0;
  my @found;
  for my $name (sort split /\0/, substr($names_buffer, 0, $size)) {
    if ($name !~ /^(?:security\.(?:capability|ima)$|user\.(?!overlay\.))/) {
      $is_exact = 0 unless $name =~ /^\Q$overlays_own\E(?:opaque|origin|impure|uuid)$/;
      next;
    }
    my $length = syscall($nr{fgetxattr}, fileno($handle), "$name", $value_buffer, 65536);
    push @found, $name, substr($value_buffer, 0, $length) if $length >= 0;
  }
  return @found;
}
sub is_opaque {
  my ($handle) = @_;
  my $length = syscall($nr{fgetxattr}, fileno($handle), $OPAQUE, $value_buffer, 65536);
  return $length == 1 && substr($value_buffer, 0, 1) eq 'y';
}
sub is_whiteout { my ($facts) = @_; return $facts->{type} == $CHAR && !$facts->{rmajor} && !$facts->{rminor} }
sub agent_work {
  my ($operation, @arguments) = @_;
  my $work = main->can({ export => 'whole_tree' }->{$operation} // $operation) or die "no operation $operation\n";
  $work->(@arguments);
}
`;
