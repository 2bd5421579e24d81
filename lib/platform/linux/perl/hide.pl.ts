// Made of hide.pl by `deno task generate`: change that file.
export const HIDE = String.raw`
use strict;

sub hide_tree {
  my ($unshare, $mount, $umount2, $unified) = @_;
  my ($none, $root, $tree) = ("none\0", "/\0", "$unified\0");
  syscall($unshare, 0x20000) == 0 or die "unshare: $!\n";
  syscall($mount, $none, $root, $none, 0x44000, 0) == 0 or die "mount: $!\n";
  my $tmpfs = "tmpfs\0";
  syscall($umount2, $tree, 0) == 0 or syscall($mount, $tmpfs, $tree, $tmpfs, 0, 0) == 0 or die "cover $unified: $!\n";
}
`;
