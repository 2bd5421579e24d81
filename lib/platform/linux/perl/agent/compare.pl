# How the tree agent tells what a layer changed. `changes LAYERS UPPER NAME…` compares an overlay's upper folder with the layers
# below it, top first, each named below LAYERS. The kernel stacks them, in a mount namespace that ends with the agent. It writes
# one line per change, each ended by a zero byte: 0 modified, 1 added, 2 deleted, and then the path.
#
# `differences LAYERS COUNT NAME…` compares two whole trees in the same form, the older one of COUNT names. A single name may be
# the path of a tree.
my %listed;
sub note { my ($kind, $path) = @_; write_out("$kind$path\0") }
sub note_above {
  my ($path) = @_;
  my @above;
  for (my $at = $path; $at =~ s{/[^/]*$}{}s && $at ne '';) { last if $listed{$at}++; unshift @above, $at }
  note(0, $_) for @above;
}
my $is_private;
# Layers below one folder as one tree, mounted on another folder there where they are several.
sub stack {
  my ($layers, $place, @names) = @_;
  chdir $layers or failed("chdir $layers");
  if (@names == 1) { sysopen(my $only, $names[0], $nr{O_RDONLY} | $nr{O_DIRECTORY}) or failed('open layer'); return $only }
  if (!$is_private++) {
    syscall($nr{unshare}, $NEW_NS) == 0 or failed('unshare');
    # Private, all the way down.
    syscall($nr{mount}, $NONE, $TOP, $NONE, 0x44000, 0) == 0 or failed('mount /');
  }
  my $options = 'lowerdir=' . join(':', @names);
  syscall($nr{mount}, $OVERLAY, $place, $OVERLAY, 1, $options) == 0 or failed('mount layers');
  sysopen(my $stack, $place, $nr{O_RDONLY} | $nr{O_DIRECTORY}) or failed('open layers');
  return $stack;
}
sub same_folder {
  my ($one, $other) = @_;
  grep { $one->{$_} != $other->{$_} } qw(size mode time) and return 0;
  return $one->{nanos} == $other->{nanos} || !$one->{nanos} || !$other->{nanos};
}
# Compares the working folder with a folder of the layers below.
sub compare {
  my ($prefix, $here, $lower, $depth) = @_;
  die "more than $DEEPEST folders deep\n" if $depth > $DEEPEST / 2;
  for my $name (names_here()) {
    my $facts = look_here($name) or next;
    my $path = "$prefix/$name";
    my $below = $lower && look(fileno($lower), $name, $NO_FOLLOW);
    my $folder = $facts->{type} == $FOLDER ? open_child($name) : undef;
    my $kind = $below ? 0 : 1;
    $kind = 2 if is_whiteout($facts) || ($folder && $below && is_opaque($folder));
    my $both = $folder && $below && $below->{type} == $FOLDER;
    if ($kind || !$both || !same_folder($facts, $below)) {
      note_above($path) if $kind;
      note($kind, $path) unless $folder && $listed{$path}++;
    }
    next unless $folder;
    chdir $folder;
    compare($path, $folder, $both ? open_folder($lower, $name, $NO_LINKS) : undef, $depth + 1);
    chdir $here;
  }
}
sub changes {
  my ($layers, $upper, @names) = @_;
  my $lower = stack($layers, $EMPTY, @names);
  sysopen(my $top, $upper, $nr{O_RDONLY} | $nr{O_DIRECTORY}) or failed("open $upper");
  chdir $top;
  compare('', $top, $lower, 0);
  emit($out);
  end_at_once(0);
}
sub differs {
  my ($one, $other) = @_;
  grep { $one->{$_} != $other->{$_} } qw(mode uid gid rmajor rminor) and return 1;
  return 0 if $one->{type} == $FOLDER;
  return scalar grep { $one->{$_} != $other->{$_} } qw(size time nanos);
}
# Compares two whole trees. A folder is modified by what is below it; what was below a folder that is gone is not told of.
sub compare_trees {
  my ($prefix, $new, $old, $depth) = @_;
  die "more than $DEEPEST folders deep\n" if $depth > $DEEPEST / 2;
  my (%names, @told);
  for my $folder (grep { $_ } $new, $old) { chdir $folder; $names{$_} = 1 for names_here() }
  for my $name (sort keys %names) {
    my ($now, $before) = map { $_ && look(fileno($_), $name, $NO_FOLLOW) } $new, $old;
    my $path = "$prefix/$name";
    if (!$now) { push @told, [2, $path] if $before; next }
    my @below;
    if ($now->{type} == $FOLDER) {
      my $folder = open_folder($new, $name, $NO_LINKS) or next;
      my $other = $before && $before->{type} == $FOLDER ? open_folder($old, $name, $NO_LINKS) : undef;
      @below = compare_trees($path, $folder, $other, $depth + 1);
    }
    if (!$before) { push @told, [1, $path] } elsif (@below || differs($now, $before)) { push @told, [0, $path] }
    push @told, @below;
  }
  return @told;
}
sub differences {
  my ($layers, $count, @names) = @_;
  my $old = stack($layers, $EMPTY, splice(@names, 0, $count));
  my $new = stack($layers, $PARTIAL, @names);
  note(@$_) for compare_trees('', $new, $old, 0);
  emit($out);
  end_at_once(0);
}
