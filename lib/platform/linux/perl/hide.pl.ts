// Made of hide.pl by `deno task generate`: change that file.
export const HIDE = String.raw`
use strict;

sub hide_tree {
  my ($unshare, $mount, $unified) = @_;
  my ($none, $root, $tree, $tmpfs) = ("none\0", "/\0", "$unified\0", "tmpfs\0");
  syscall($unshare, 0x20000) == 0 or die "unshare: $!\n";
  syscall($mount, $none, $root, $none, 0x44000, 0) == 0 or die "mount: $!\n";
  syscall($mount, $tmpfs, $tree, $tmpfs, 0, 0) == 0 or die "cover $unified: $!\n";
}
`;
