// Made of launch.pl by `deno task generate`: change that file.
export const NURSERY_LAUNCH = String.raw`
my ($NEWNS, $DETACH, $AT_FDCWD, $TREE_FLAGS, $FROM_HANDLE) = (0x20000, 2, -100, 0x88001, 4);
my $GROUND = qr{^/(?:proc|sys|dev|usr|lib\w*|s?bin|etc|nix)(?:/|$)};
my ($home, $bare, %launches);

sub come_home {
  return if syscall($nr{setns}, fileno $home, $NEWNS) == 0;
  print STDERR "Return to mount namespace: $!\n";
  exit 1;
}

sub copy_namespace {
  my ($from, $work) = @_;
  my $made;
  my $is_made = eval {
    syscall($nr{setns}, fileno $from, $NEWNS) == 0 or die "enter mount namespace: $!\n";
    syscall($nr{unshare}, $NEWNS) == 0 or die "unshare: $!\n";
    $work->();
    open($made, '<', '/proc/self/ns/mnt') or die "namespace: $!\n";
    1;
  };
  my $why = $@;
  come_home();
  die $why unless $is_made;
  return $made;
}

sub mount_points {
  open(my $file, '<', '/proc/self/mountinfo') or die "mounts: $!\n";
  return map { my $place = (split ' ')[4]; $place =~ s/\\(\d{3})/chr oct $1/ge; $place } <$file>;
}

sub bare_namespace {
  my ($unified, @folders) = @_;
  return $bare //= copy_namespace($home, sub {
    make_private($nr{mount});
    for my $place (reverse mount_points()) {
      next if $place eq '/' || $place =~ $GROUND || grep { index("$_/", "$place/") == 0 } @folders;
      my $path = "$place\0";
      syscall($nr{umount2}, $path, $DETACH);
    }
    cover_tree($nr{mount}, $unified) if length $unified;
  });
}

sub close_number { syscall($nr{close_range}, $_, $_, 0) for @_ }

sub small_namespace {
  my ($unified, $folders, @paths) = @_;
  my @trees;
  my $made = eval {
    for my $path (@paths) {
      my $text = "$path\0";
      my $tree = syscall($nr{open_tree}, $AT_FDCWD, $text, $TREE_FLAGS);
      $tree >= 0 or die "open_tree $path: $!\n";
      push @trees, $tree;
    }
    my $ground = bare_namespace($unified, @$folders);
    copy_namespace($ground, sub {
      for my $number (0 .. $#paths) {
        my ($empty, $place) = ("\0", "$paths[$number]\0");
        syscall($nr{move_mount}, $trees[$number], $empty, $AT_FDCWD, $place, $FROM_HANDLE) == 0
          or die "move_mount $paths[$number]: $!\n";
      }
      make_private($nr{mount});
    });
  };
  my $why = $@;
  close_number(@trees);
  die $why unless $made;
  return $made;
}

sub launch {
  my ($link, $unified, @rest) = @_;
  $home || open($home, '<', '/proc/self/ns/mnt') or die "namespace: $!\n";
  my @folders = splice @rest, 0, 2;
  my $made = @rest ? eval { small_namespace($unified, \@folders, @rest) } : undef;
  my $why = $made ? '' : $@;
  $made //= length $unified
    ? copy_namespace($home, sub { make_private($nr{mount}); cover_tree($nr{mount}, $unified) }) : $home;
  unlink $link;
  symlink("/proc/$$/fd/" . fileno($made), $link) or die "link $link: $!\n";
  $launches{$link} = $made;
  return $why =~ s/\n//r;
}

sub land { my ($link) = @_; delete $launches{$link}; unlink $link; return '' }

sub forget_launches { %launches = (); undef $bare; undef $home }
`;
