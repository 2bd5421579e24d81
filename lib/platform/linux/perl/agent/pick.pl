# How the tree agent reads a few places of a tree.
#
# `pick TREE PATH…` writes an archive of what the paths lead to, with all below, of the links on the way to it and of the folders above. A path that leads
# nowhere adds no more than that way.
my $MOST_LINKS = 40;
my %picked;
sub pick_way {
  my ($path) = @_;
  my ($links, @at, $folder) = (0);
  my @left = split m{/}, $path;
  while (@left) {
    my $name = shift @left;
    next if $name eq '' || $name eq '.';
    if ($name eq '..') { pop @at; next }
    my $here = join '/', @at, $name;
    my $facts = look_here($here) or return undef;
    if ($facts->{type} == $SYMLINK) {
      return undef if ++$links > $MOST_LINKS;
      my $target = readlink $here;
      other_entry($here, $facts, $target) unless $picked{$here}++;
      @at = () if $target =~ m{^/};
      unshift @left, split m{/}, $target;
      next;
    }
    header("$here/", '5', $facts, 0, '') if $facts->{type} == $FOLDER && !$picked{$here}++;
    push @at, $name;
  }
  return join '/', @at;
}
sub pick {
  my ($tree, @paths) = @_;
  enter($tree, '');
  my %whole;
  for my $path (@paths) {
    my $place = pick_way($path);
    next if !defined $place || $whole{$place}++;
    if ($place eq '') { folder_entry('', $root, 0); chdir $root; next }
    my ($above, $name) = $place =~ m{^(?:(.*)/)?([^/]+)$}s;
    my $folder = defined $above ? open_folder($root, $above, $IN_ROOT) : $root;
    chdir $folder or die "chdir $above: $!\n";
    entry($place, $name, $folder, 0);
    chdir $root;
  }
  finish();
}
