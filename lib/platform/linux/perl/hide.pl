# Takes the unified tree out of the sight of a runtime that does not know the hybrid layout of cgroups, which this process becomes. The
# mount namespace is its own and short-lived: nothing is unmounted for anybody else.
use strict;

sub hide_tree {
  my ($unshare, $mount, $umount2, $unified) = @_;
  # The kernel takes texts that end with a zero byte; a literal is no place for a call to be handed.
  my ($none, $root, $tree) = ("none\0", "/\0", "$unified\0");
  # CLONE_NEWNS; MS_REC and MS_PRIVATE.
  syscall($unshare, 0x20000) == 0 or die "unshare: $!\n";
  syscall($mount, $none, $root, $none, 0x44000, 0) == 0 or die "mount: $!\n";
  # In a user namespace the mounts of the machine stay: it can be covered.
  my $tmpfs = "tmpfs\0";
  syscall($umount2, $tree, 0) == 0 or syscall($mount, $tmpfs, $tree, $tmpfs, 0, 0) == 0 or die "cover $unified: $!\n";
}
