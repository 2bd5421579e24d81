// Made of hide.pl by `deno task generate`: change that file.
export const HIDE = String.raw`
use strict;

sub make_private {
  my ($mount) = @_;
  my ($none, $root) = ("none\0", "/\0");
  syscall($mount, $none, $root, $none, 0x44000, 0) == 0 or die "mount: $!\n";
}

sub cover_tree {
  my ($mount, $unified) = @_;
  my ($tree, $tmpfs) = ("$unified\0", "tmpfs\0");
  syscall($mount, $tmpfs, $tree, $tmpfs, 0, 0) == 0 or die "cover $unified: $!\n";
}

sub hide_tree {
  my ($unshare, $mount, $unified) = @_;
  syscall($unshare, 0x20000) == 0 or die "unshare: $!\n";
  make_private($mount);
  cover_tree($mount, $unified);
}
`;
