// Made of read.pl by `deno task generate`: change that file.
export const AGENT_READ = String.raw`
my ($FIXED, $LONGEST, $HIDES) = (0x30, 4095, '.wh.');
my ($out, $owner, $is_layer, $latest, $earliest, %seen, %places) = ('');
my ($leave_out, $leave_folder, $exit_code, $entries) = (sub {}, sub {}, sub { 0 }, 0);
my $give = sub { emit($_[0]); $_[0] = '' };
sub write_out { $out .= $_[0]; $give->($out) if length $out >= $BATCH }
sub record {
  my ($key, $value) = @_;
  my $rest = length($key) + length($value) + 3;
  my $length = $rest + length $rest;
  $length = $rest + length $length if $rest + length($length) != $length;
  return "$length $key=$value\n";
}
sub block {
  my ($path, $flag, $mode, $uid, $gid, $size, $time, $link, $major, $minor) = @_;
  my $block = pack('a100 a8 a8 a8 a12 a12 A8 a1 a100 a6 a2 a64 a8 a8 x167', $path, sprintf('%07o', $mode), sprintf('%07o', $uid),
    sprintf('%07o', $gid), sprintf('%011o', $size), sprintf('%011o', $time), '', $flag, $link, 'ustar', '00', '',
    sprintf('%07o', $major), sprintf('%07o', $minor));
  substr($block, 148, 8) = sprintf("%06o\0 ", unpack('%32C*', $block));
  return $block;
}
sub padding { return "\0" x (-$_[0] % 512) }
sub header {
  my ($path, $flag, $facts, $size, $link, @attributes) = @_;
  $entries++;
  my ($uid, $gid) = $owner ? @$owner : (mapped($to_container{u}, $facts->{uid}) // 65534, mapped($to_container{g}, $facts->{gid}) // 65534);
  my ($time, $nanos) = @$facts{qw(time nanos)};
  if (defined $latest && $time >= $latest) { ($time, $nanos) = ($latest, 0) }
  if (defined $earliest && $time < $earliest) { ($time, $nanos) = ($earliest, 0) }
  my ($records, $plain) = ('', $time);
  if (length $path > 100) { $records .= record('path', $path); $path = substr($path, 0, 100) }
  if (length $link > 100) { $records .= record('linkpath', $link); $link = substr($link, 0, 100) }
  if ($uid > 07777777) { $records .= record('uid', $uid); $uid = 0 }
  if ($gid > 07777777) { $records .= record('gid', $gid); $gid = 0 }
  my $told = $size;
  if ($size > 077777777777) { $records .= record('size', $size); $told = 0 }
  $plain = 0 if $time < 0 || $time > 077777777777;
  if ($nanos || $plain != $time) {
    my ($whole, $part) = $time < 0 && $nanos ? ($time + 1, 1e9 - $nanos) : ($time, $nanos);
    my $sign = $time < 0 && $whole == 0 ? '-' : '';
    my $text = $part ? sprintf('%s%d.%09d', $sign, $whole, $part) : "$whole";
    $text =~ s/0+$// if $part;
    $records .= record('mtime', $text);
  }
  while (my ($name, $value) = splice(@attributes, 0, 2)) { $records .= record("SCHILY.xattr.$name", $value) }
  if (length $records) {
    write_out(block('PaxHeaders.0/entry', 'x', 0644, 0, 0, length $records, 0, '', 0, 0) . $records . padding(length $records));
  }
  my $device = $flag eq '3' || $flag eq '4';
  write_out(block($path, $flag, $facts->{mode} & 07777, $uid, $gid, $told, $plain, $link, $device ? @$facts{qw(rmajor rminor)} : (0, 0)));
}
sub content {
  my ($file, $size) = @_;
  my $left = $size;
  while ($left > 0) {
    my $room = $BATCH - length $out;
    my $n = sysread($file, $out, $left < $room ? $left : $room, length $out);
    if (!defined $n) { next if $! == $EINTR; die "read: $!\n" }
    last if !$n;
    $left -= $n;
    $give->($out) if length $out >= $BATCH;
  }
  $is_exact = 0 if $left > 0;
  for (; $left > 0; $left -= $PIECE) { write_out("\0" x ($left < $PIECE ? $left : $PIECE)) }
  write_out(padding($size));
}
sub file_entry {
  my ($path, $file) = @_;
  my $facts = look_open($file);
  return if $facts->{type} != $FILE;
  if ($facts->{links} > 1) {
    my $key = "$facts->{major}:$facts->{minor}:$facts->{inode}";
    return header($path, '1', $facts, 0, $seen{$key}) if defined $seen{$key};
    $seen{$key} = $path;
  }
  header($path, '0', $facts, $facts->{size}, '', attributes($file));
  content($file, $facts->{size});
}
sub folder_entry {
  my ($path, $folder, $depth, $skip) = @_;
  die "more than $DEEPEST folders deep\n" if $depth > $DEEPEST;
  chdir $folder or die "chdir: $!\n";
  my $facts = look_open($folder);
  header("$path/", '5', $facts, 0, '', attributes($folder)) if length $path;
  my $prefix = length $path ? "$path/" : '';
  header("$prefix.wh..wh..opq", '0', { %$facts, mode => 0600 }, 0, '') if $is_layer && is_opaque($folder);
  for my $name (names_here()) {
    next if $skip && $skip->{$name};
    entry("$prefix$name", $name, $folder, $depth);
  }
  $leave_folder->($folder, $facts);
}
sub read_places {
  for (split /\n/, $_[0] // '') { my ($path, @before) = split /\t/; $places{$path} = \@before }
}
sub is_place {
  my ($path, $name, $above) = @_;
  my $before = $places{$path} or return 0;
  my $facts = look_here($name) or return 0;
  return !@$before && $facts->{size} == 0 if $facts->{type} == $FILE;
  return !@$before && (readlink($name) // '') eq '/proc/mounts' if $facts->{type} == $SYMLINK;
  return 0 if $facts->{type} != $FOLDER;
  return 0 if @$before && "@$before" ne join(' ', $facts->{mode} & 07777, @$facts{qw(uid gid)});
  my $folder = open_child($name) or return 0;
  return 0 if @$before && is_opaque($folder) || attributes($folder);
  chdir $folder or die "chdir: $!\n";
  my $is_bare = !grep { !is_place("$path/$_", $_, $folder) } names_here();
  chdir $above or die "chdir: $!\n";
  return $is_bare;
}
sub is_passed_over { return scalar grep { $! == $_ } $nr{ENOENT}, $nr{ELOOP}, $nr{ENXIO}, $nr{ENODEV}, $nr{EACCES} }
sub entry {
  my ($path, $name, $above, $depth) = @_;
  return $leave_out->($name, $above) if %places && is_place($path, $name, $above);
  my $facts = look_here($name) or return $is_exact = 0;
  my $type = $facts->{type};
  $is_exact = 0 if $facts->{attributes} & $FIXED || length $path > $LONGEST || index($name, $HIDES) == 0;
  if ($type == $FOLDER) {
    my $folder = open_child($name) or return $is_exact = 0;
    folder_entry($path, $folder, $depth + 1);
    chdir $above or die "chdir: $!\n";
  } elsif ($type == $FILE) {
    sysopen(my $file, "$name", $nr{O_RDONLY} | $nr{O_NOFOLLOW} | $nr{O_NONBLOCK}) or do { return $is_exact = 0 if is_passed_over(); die "open $path: $!\n" };
    file_entry($path, $file);
  } elsif ($is_layer && is_whiteout($facts)) {
    my $base = length($path) > length($name) ? substr($path, 0, -length $name) : '';
    header("$base.wh.$name", '0', { %$facts, mode => 0600 }, 0, '');
  } elsif ($type == $SOCKET) { $leave_out->($name, $above) }
  else {
    $is_exact = 0 if $type == $CHAR || $type == $BLOCK;
    other_entry($path, $facts, $type == $SYMLINK ? readlink($name) : '');
  }
}
sub other_entry {
  my ($path, $facts, $link) = @_;
  my $flag = { $SYMLINK => '2', $CHAR => '3', $BLOCK => '4', $FIFO => '6' }->{$facts->{type}};
  header($path, $flag, $facts, 0, $link) if defined $flag && defined $link;
}
sub finish { write_out("\0" x 1024); $give->($out, 1); end_at_once($exit_code->()) }
sub find {
  my ($path) = @_;
  my ($above, $base) = $path =~ m{^(.*)/([^/]*)$}s;
  my $folder = open_folder($root, $above eq '' ? '/' : $above, $IN_ROOT) or failed("stat $path");
  chdir $folder;
  my $facts = look_here($base eq '' ? '.' : $base) or failed("stat $path");
  my $link = $facts->{type} == $SYMLINK ? readlink($base) : undef;
  my $found = open_at($root, $path, $O_PATH, $IN_ROOT);
  my $end = $found && look_open($found);
  my $target = defined $link ? $found ? place($found) : $link : '';
  my $word = $end ? 'facts' : 'dangling';
  $tell->($word, @$facts{qw(mode size time nanos)}, $target, $end && $end->{type} == $FOLDER ? 1 : 0);
  return ($found, $end, $base, $facts, $link);
}
sub get {
  my ($tree, $pid, $path, $contents, $uid, $gid, $whole, $name, $keep_link) = @_;
  enter($tree, $pid);
  my ($found, $facts, $base, $own_facts, $link) = find($path);
  $base = $name if $name ne '';
  $owner = [$uid + 0, $gid + 0];
  if ($keep_link && defined $link) { other_entry($base, $own_facts, $link); finish() }
  end_at_once(0) if !$found;
  if ($facts->{type} == $FOLDER) {
    my $folder = open_folder($found, '.', 0) or die "open $path: $!\n";
    my $skip = $whole && $base eq '' ? { dev => 1, proc => 1, sys => 1 } : undef;
    folder_entry($contents eq '' ? $base : $contents eq '.' ? '.' : '', $folder, 0, $skip);
  } elsif ($facts->{type} == $FILE) {
    chdir $descriptors;
    sysopen(my $file, fileno($found), $nr{O_RDONLY} | $nr{O_NONBLOCK}) or die "open $path: $!\n";
    file_entry($base, $file);
  } else { other_entry($base, $facts, '') }
  finish();
}
sub whole_tree {
  my ($tree, $pid, $uids, $gids, $mounted, @bounds) = @_;
  enter($tree, $pid);
  ($latest, $earliest) = @bounds;
  read_places($mounted);
  use_maps($uids, $gids);
  folder_entry('', $root, 0);
  finish();
}
sub layer { $is_layer = 1; whole_tree(@_) }
`;
