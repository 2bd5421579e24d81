// Made of hybrid.pl by `deno task generate`: change that file.
export const HYBRID = String.raw`
use strict;
my ($unshare, $mount, $umount2, $unified, $runtime) = splice(@ARGV, 0, 5);
my ($none, $root, $tree) = ("none\0", "/\0", "$unified\0");
syscall($unshare, 0x20000) == 0 or die "unshare: $!\n";
syscall($mount, $none, $root, $none, 0x44000, 0) == 0 or die "mount: $!\n";
my $tmpfs = "tmpfs\0";
syscall($umount2, $tree, 0) == 0 or syscall($mount, $tmpfs, $tree, $tmpfs, 0, 0) == 0 or die "cover $unified: $!\n";
exec { $runtime } $runtime, @ARGV or die "exec $runtime: $!\n";
`;
