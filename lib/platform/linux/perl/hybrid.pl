# Starts a runtime that does not know the hybrid layout of cgroups where the unified tree is out of its sight. The first
# arguments are settings, which the wrapper that is written for a runtime puts before its own; the next is the runtime's path. The mount namespace is the runtime's own and
# short-lived: nothing is unmounted for anybody else. Perl takes a third of the time that a shell, `unshare` and `umount` take.
use strict;
my ($unshare, $mount, $umount2, $unified, $runtime) = splice(@ARGV, 0, 5);
# The kernel takes texts that end with a zero byte; a literal is no place for a call to be handed.
my ($none, $root, $tree) = ("none\0", "/\0", "$unified\0");
# CLONE_NEWNS; MS_REC and MS_PRIVATE.
syscall($unshare, 0x20000) == 0 or die "unshare: $!\n";
syscall($mount, $none, $root, $none, 0x44000, 0) == 0 or die "mount: $!\n";
# In a user namespace the mounts of the machine stay: it can be covered.
my $tmpfs = "tmpfs\0";
syscall($umount2, $tree, 0) == 0 or syscall($mount, $tmpfs, $tree, $tmpfs, 0, 0) == 0 or die "cover $unified: $!\n";
exec { $runtime } $runtime, @ARGV or die "exec $runtime: $!\n";
