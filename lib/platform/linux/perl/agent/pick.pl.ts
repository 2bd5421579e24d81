// Made of pick.pl by `deno task generate`: change that file.
export const AGENT_PICK = String.raw`
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
`;
