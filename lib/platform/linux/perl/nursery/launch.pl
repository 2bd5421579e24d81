# Mount namespaces in which a runtime creates containers. Each container's namespace begins as a copy of the one that its runtime is in,
# which takes the longer the more containers run: their trees are mounted there. Here the runtime sees the ground that it needs itself, and
# of what the server has mounted only the parts of its container.
#
# A namespace is made for one container, open here, and found through a link to `/proc/PID/fd/N`, which nsenter(1) takes. This process is in
# it for that moment.
my ($NEWNS, $DETACH, $AT_FDCWD, $TREE_FLAGS, $FROM_HANDLE) = (0x20000, 2, -100, 0x88001, 4);
# The ground of a runtime, beside the folders above those of the server.
my $GROUND = qr{^/(?:proc|sys|dev|usr|lib\w*|s?bin|etc|nix)(?:/|$)};
my ($home, $bare, %launches);

sub come_home {
  return if syscall($nr{setns}, fileno $home, $NEWNS) == 0;
  # All that it starts and mounts belongs there.
  print STDERR "Return to mount namespace: $!\n";
  exit 1;
}

# Makes a copy of a namespace and has work done there; returns it, open.
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

# A namespace without anything but the ground, made once.
sub bare_namespace {
  my ($unified, @folders) = @_;
  return $bare //= copy_namespace($home, sub {
    make_private($nr{mount});
    for my $place (reverse mount_points()) {
      next if $place eq '/' || $place =~ $GROUND || grep { index("$_/", "$place/") == 0 } @folders;
      my $path = "$place\0";
      # One that went with another is none any more.
      syscall($nr{umount2}, $path, $DETACH);
    }
    cover_tree($nr{mount}, $unified) if length $unified;
  });
}

sub close_number { syscall($nr{close_range}, $_, $_, 0) for @_ }

# The ground, and what is mounted at these paths, with all below.
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

# `launch KEY LINK UNIFIED ROOT RUNROOT PATH…`: a small namespace; where none can be had, and without paths, that of this process, with the
# unified tree of cgroups covered unless UNIFIED is empty.
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

# `land KEY LINK`: the runtime has made its own.
sub land { my ($link) = @_; delete $launches{$link}; unlink $link; return '' }

# For a process that goes on with this program.
sub forget_launches { %launches = (); undef $bare; undef $home }
