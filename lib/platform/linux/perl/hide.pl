# Takes the unified tree out of the sight of a runtime that does not know the hybrid layout of cgroups, which this process becomes. The
# mount namespace is its own and short-lived: nothing is covered for anybody else.
use strict;

# The kernel takes texts that end with a zero byte; a literal is no place for a call to be handed.
sub make_private {
  my ($mount) = @_;
  my ($none, $root) = ("none\0", "/\0");
  # MS_REC and MS_PRIVATE.
  syscall($mount, $none, $root, $none, 0x44000, 0) == 0 or die "mount: $!\n";
}

sub cover_tree {
  my ($mount, $unified) = @_;
  my ($tree, $tmpfs) = ("$unified\0", "tmpfs\0");
  # A cover, and not its absence: crun makes the container's folder below the mount point whatever lies there, with a file of its own,
  # and the machine's would keep them until it is switched off.
  syscall($mount, $tmpfs, $tree, $tmpfs, 0, 0) == 0 or die "cover $unified: $!\n";
}

sub hide_tree {
  my ($unshare, $mount, $unified) = @_;
  # CLONE_NEWNS.
  syscall($unshare, 0x20000) == 0 or die "unshare: $!\n";
  make_private($mount);
  cover_tree($mount, $unified);
}
