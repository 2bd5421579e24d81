// Made of write.pl by `deno task generate`: change that file.
export const AGENT_WRITE = String.raw`
my ($input, $target, $shown, $keep, @own, @first, @self, @later, @files) = ('');
my ($current, $current_path);
my $here;
my $MOUNT_ROOT = 0x2000;
my $HOLE = 1 << 16;
my $ZEROS = "\0" x $HOLE;
my $NEW_FILE = $nr{O_WRONLY} | $nr{O_CREAT} | $nr{O_EXCL} | $nr{O_NOFOLLOW};
my ($CAPABILITY_VERSION, $SYS_RESOURCE) = (0x20080522, 1 << 24);
sub fill {
  my ($size) = @_;
  while (length($input) < $size) {
    my $n = sysread(STDIN, $input, $PIECE, length $input);
    next if !defined $n && $! == $EINTR;
    end_at_once(1) if !$n;
  }
}
sub take { my ($size) = @_; fill($size); return substr($input, 0, $size, '') }
sub wrong { my ($path, $why) = @_; fail('put', sprintf('copier: put: error creating "%s": %s', shown($path), $why)) }
sub shown { my ($path) = @_; return $shown eq '/' ? "/$path" : length $path ? "$shown/$path" : $shown }
sub own { my ($handle) = @_; chown(@own ? @own : @first, $handle) }
sub host_ids {
  my ($uid, $gid) = (mapped($to_host{u}, $_[0]), mapped($to_host{g}, $_[1]));
  return ($uid, $gid) if defined $uid && defined $gid;
  fail('put', "mapping container filesystem owner $_[0]:$_[1] to host filesystem owners: it has none there");
}
sub make_folders {
  my ($from, $path) = @_;
  my $at = $from;
  undef $here;
  for my $name (split m{/}, $path) {
    next if $name eq '';
    my $next = open_folder($at, $name, $at == $root ? $IN_ROOT : 0);
    if (!$next) {
      $! == $nr{ENOENT} or fail('put', sprintf('copier: put: error checking directory "%s": %s', $path, lc $!));
      chdir $at;
      mkdir($name, 0755) or fail('put', sprintf('copier: put: error checking directory "%s": %s', $path, lc $!));
      $next = open_child($name) or fail('put', sprintf('copier: put: error checking directory "%s": %s', $path, lc $!));
      own($next);
    }
    $at = $next;
  }
  return $at;
}
sub above {
  my ($path) = @_;
  return $current if defined $current_path && $current_path eq $path;
  my $folder = $path eq '' ? $target : open_folder($target, $path, 0) || make_folders($target, $path);
  ($current, $current_path) = ($folder, $path);
  return $folder;
}
sub holds_mount {
  my ($name, $above) = @_;
  my $facts = look_here($name) or return 0;
  return 1 if $facts->{attributes} & $MOUNT_ROOT;
  return 0 if $facts->{type} != $FOLDER;
  my $folder = open_child($name) or return 0;
  chdir $folder;
  my $found = grep { holds_mount($_, $folder) } names_here();
  chdir $above;
  return $found;
}
sub remove_file { my ($name) = @_; return syscall($nr{unlinkat}, $CWD, "$name", 0) == 0 }
sub remove_here {
  my ($name, $above) = @_;
  return 1 if remove_file($name) || $! == $nr{ENOENT};
  return 0 if $! != $nr{EISDIR};
  my $folder = open_child($name) or return 0;
  chdir $folder;
  remove_here($_, $folder) for names_here();
  chdir $above;
  return rmdir $name;
}
sub clear {
  my ($path, $name, $above) = @_;
  return if remove_file($name) || $! == $nr{ENOENT};
  my $is_folder = $! == $nr{EISDIR};
  if ($keep && $is_folder) {
    my $text = sprintf('copier: put: error creating file at "%s": open %s: file exists', shown($path), shown($path));
    fail('put', $text);
  }
  my $text = sprintf('copier: put: error removing item to be overwritten "%s": ', shown($path));
  $is_folder or fail('put', $text . lc $!);
  undef $current_path;
  holds_mount($name, $above) and fail('put', $text . 'device or resource busy');
  remove_here($name, $above) or fail('put', $text . lc $!);
}
my $replaces = 0;
sub attempt {
  my ($path, $name, $above, $make) = @_;
  $replaces &&= remove_file($name);
  return if $make->();
  if ($! == $nr{EEXIST}) { clear($path, $name, $above); $replaces = 1; return if $make->() }
  wrong($path, lc $!);
}
sub times_of { my ($time, $nanos) = @_; return pack('q4', $time, $nanos, $time, $nanos) }
sub first_mode {
  my ($facts) = @_;
  my ($uid, $gid) = @own ? @own : @$facts{qw(uid gid)};
  return $uid == $self[0] && $gid == $self[1] && $facts->{mode} == ($facts->{mode} & 0777) ? $facts->{mode} : 0600;
}
sub is_dressed {
  my ($number, $uid, $gid, $mode) = @_;
  my $made = look($number, '', $EMPTY_PATH) or return 0;
  return $made->{uid} == $uid && $made->{gid} == $gid && ($made->{mode} & 07777) == $mode;
}
sub dress {
  my ($path, $number, $facts) = @_;
  my ($uid, $gid) = @own ? @own : @$facts{qw(uid gid)};
  if (!is_dressed($number, $uid, $gid, $facts->{mode})) {
    syscall($nr{fchown}, $number, $uid, $gid) == 0 or wrong($path, lc $!);
    syscall($nr{fchmod}, $number, $facts->{mode}) == 0 or wrong($path, lc $!);
  }
  my @attributes = @{$facts->{attributes}};
  while (my ($name, $value) = splice(@attributes, 0, 2)) {
    syscall($nr{fsetxattr}, $number, "$name", "$value", length $value, 0) == 0
      or $! == $nr{EOPNOTSUPP} && $name =~ /^user\./
      or fail('put', sprintf('copier: put: error setting extended attributes on "%s": %s', shown($path), lc $!));
  }
  stamp($number, @$facts{qw(time nanos)});
}
sub stamp { my ($number, $time, $nanos) = @_; syscall($nr{utimensat}, $number, 0, times_of($time, $nanos), 0) }
my $piece = '';
sub next_piece {
  my ($left) = @_;
  if (length $input) { $piece = substr($input, 0, $left, ''); return }
  for (;;) {
    my $n = sysread(STDIN, $piece, $left < $PIECE ? $left : $PIECE) and return;
    end_at_once(1) if defined $n || $! != $EINTR;
  }
}
sub seek_stored {
  my ($path, $place) = @_;
  my ($number, $offset) = $place =~ /^(\d+):(\d+)$/ or wrong($path, 'no place of a content');
  my $file = $files[$number] or wrong($path, 'no such file of contents');
  defined sysseek($file, $offset, 0) or wrong($path, lc $!);
  return $file;
}
sub stored_piece {
  my ($path, $file, $left) = @_;
  for (;;) {
    my $n = sysread($file, $piece, $left < $BATCH ? $left : $BATCH) and return;
    wrong($path, defined $n ? 'its content ends too early' : lc $!) if defined $n || $! != $EINTR;
  }
}
sub is_hole { return length($_[0]) - $_[1] >= $HOLE && !ord(substr($_[0], $_[1], 1)) && substr($_[0], $_[1], $HOLE) eq $ZEROS }
my $write_error = sub { sprintf('copier: put: error writing file "%s": %s', shown($_[0]), lc $!) };
sub write_content {
  my ($path, $number, undef) = @_;
  my $at = 0;
  while ($at < length $_[2]) {
    my $n = syscall($nr{write}, $number, $at == 0 ? $_[2] : substr($_[2], $at), length($_[2]) - $at);
    if ($n >= 0) { $at += $n }
    elsif ($! != $EINTR) { fail($! == $nr{ENOSPC} || $! == $nr{EDQUOT} ? 'ENOSPC' : 'put', $write_error->($path)) }
  }
}
sub write_sparsely {
  my ($path, $number, undef) = @_;
  my ($length, $has_hole) = (length $_[2], 0);
  for (my ($at, $end) = (0, 0); $at < $length; $at = $end) {
    $end = $at + $HOLE;
    if (is_hole($_[2], $at)) { syscall($nr{lseek}, $number, $HOLE, 1); $has_hole = 1; next }
    $end += $HOLE while $end < $length && !is_hole($_[2], $end);
    $end = $length if $end > $length;
    write_content($path, $number, $end - $at == $length ? $_[2] : substr($_[2], $at, $end - $at));
  }
  return $has_hole;
}
sub make_file {
  my ($path, $name, $above, $facts, $place) = @_;
  my ($number, $mode) = (undef, first_mode($facts));
  attempt($path, $name, $above, sub { ($number = syscall($nr{openat}, $CWD, "$name", $NEW_FILE, $mode)) >= 0 });
  my ($left, $has_hole) = ($facts->{size}, 0);
  my $file = defined $place && seek_stored($path, $place);
  while ($left > 0) {
    if ($file) { stored_piece($path, $file, $left) } else { next_piece($left) }
    $left -= length $piece;
    $has_hole = 1 if write_sparsely($path, $number, $piece);
  }
  if ($has_hole) { syscall($nr{ftruncate}, $number, $facts->{size}) == 0 or wrong($path, lc $!) }
  take(-$facts->{size} % 512) if !$file;
  dress($path, $number, $facts);
  syscall($nr{close}, $number);
}
sub make_folder {
  my ($path, $name, $above, $facts) = @_;
  my $folder = $name eq '' ? $target : undef;
  if (!$folder) {
    if (!mkdir($name, 0700)) {
      $! == $nr{EEXIST} or wrong($path, lc $!);
      my $there = look_here($name);
      if ($there && $there->{type} != $FOLDER) {
        wrong($path, 'file exists') if $keep;
        remove_file($name) && mkdir($name, 0700) or wrong($path, lc $!);
      }
    }
    $folder = open_child($name) or wrong($path, lc $!);
  }
  dress($path, fileno $folder, $facts);
  push @later, [$path, @$facts{qw(time nanos)}];
}
sub make_link {
  my ($path, $name, $above, $link) = @_;
  my ($folder, $base) = $link =~ m{^(?:(.*)/)?([^/]*)$}s;
  my $from = ($folder // '') eq '' ? $target : open_folder($target, $folder, 0) || wrong($path, lc $!);
  chdir $above;
  attempt($path, $name, $above, sub { syscall($nr{linkat}, fileno($from), "$base", $CWD, "$name", 0) == 0 });
}
sub make_node {
  my ($path, $name, $above, $facts, $kind) = @_;
  my ($major, $minor) = @$facts{qw(major minor)};
  my $type = { c => $CHAR, b => $BLOCK, p => $FIFO }->{$kind};
  my $device = $kind eq 'p' ? 0 : ($minor & 0xff) | ($major & 0xfff) << 8 | ($minor & ~0xff) << 12;
  attempt($path, $name, $above, sub { syscall($nr{mknodat}, $CWD, "$name", $type | $facts->{mode} & 0777, $device) == 0 });
}
sub make_entry {
  my ($kind, $path, $link, $facts) = @_;
  my ($parent, $name) = $path =~ m{^(?:(.*)/)?([^/]*)$}s;
  my $above = above($parent // '');
  if (!$here || $here != $above) { chdir $above or wrong($path, lc $!); $here = $above }
  return make_file($path, $name, $above, $facts) if $kind eq 'f';
  return make_file($path, $name, $above, $facts, $link) if $kind eq 's';
  return make_folder($path, $name, $above, $facts) if $kind eq 'd';
  return make_link($path, $name, $above, $link) if $kind eq 'h';
  if ($kind eq 'l') { attempt($path, $name, $above, sub { symlink($link, $name) }) }
  else { make_node($path, $name, $above, $facts, $kind) }
  my ($uid, $gid) = @own ? @own : @$facts{qw(uid gid)};
  syscall($nr{fchownat}, $CWD, "$name", $uid, $gid, $NO_FOLLOW) == 0 or wrong($path, lc $!);
  syscall($nr{utimensat}, $CWD, "$name", times_of(@$facts{qw(time nanos)}), $NO_FOLLOW);
}
sub keep_to_limits {
  my ($header, $capabilities) = (pack('L l', $CAPABILITY_VERSION, 0), "\0" x 24);
  syscall($nr{capget}, $header, $capabilities) == 0 or failed('capget');
  my ($effective, @others) = unpack('L6', $capabilities);
  my $fewer = pack('L6', $effective & ~$SYS_RESOURCE, @others);
  syscall($nr{capset}, $header, $fewer) == 0 or failed('capset');
}
sub put {
  my ($tree, $pid, $path, $uid, $gid, $must_exist);
  ($tree, $pid, $path, $uid, $gid, $keep, $must_exist) = splice(@_, 0, 7);
  my ($uids, $gids, @paths) = @_;
  for (@paths) { sysopen(my $file, $_, $nr{O_RDONLY} | $nr{O_NOFOLLOW}) or fail('other', "open $_: " . lc $!); push @files, $file }
  enter($tree, $pid);
  use_maps($uids, $gids);
  $shown = $path;
  keep_to_limits();
  umask 0;
  @own = host_ids($uid + 0, $gid + 0) if $uid ne '';
  @first = host_ids(0, 0);
  @self = ($> + 0, $) + 0);
  $target = open_folder($root, $path, $IN_ROOT);
  my $is_file = !$target && $! == $nr{ENOTDIR};
  if (!$target && $must_exist) { open_at($root, $path, $O_PATH, $IN_ROOT) or failed("open $path") }
  if ($is_file) { fail('put', "copier: put: $path ($path): exists but is not a directory") }
  $target ||= make_folders($root, $path);
  answer('ready');
  while (my $length = unpack('N', take(4))) {
    my ($kind, $name, $link, $mode, $owner, $group, $time, $nanos, $major, $minor, $size, @attributes) = unpack('(N/a)*', take($length));
    ($owner, $group) = host_ids($owner + 0, $group + 0) if !@own;
    my $facts = { mode => $mode + 0, uid => $owner, gid => $group, time => $time + 0, nanos => $nanos + 0, major => $major + 0,
      minor => $minor + 0, size => $size + 0, attributes => \@attributes };
    make_entry($kind, $name, $link, $facts);
  }
  for my $each (reverse @later) {
    my ($name, $time, $nanos) = @$each;
    my $folder = $name eq '' ? $target : open_folder($target, $name, 0);
    stamp(fileno $folder, $time, $nanos) if $folder;
  }
  answer('done');
  end_at_once(0);
}
`;
