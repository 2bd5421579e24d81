# How the tree agent reads an upper folder that nothing else uses any more, and that is to be a layer as it is.
#
# `final FOLDER ENTRIES PLACES` writes the archive of `layer`, and deletes what that leaves out: then the folder is what an unpacked archive would be. It
# ends with the code 3 where it is not: where files have what archives do not carry, or where it has more than ENTRIES of them.
my ($DIFFERS, $OMIT) = (3, 0x3ffffffe);
my %thinned;
sub final {
  my ($folder, $most, $mounted) = @_;
  $leave_out = sub {
    my ($name, $above) = @_;
    $thinned{fileno $above} = 1;
    remove_here($name, $above) or $is_exact = 0;
  };
  # Its entry told the time before that.
  $leave_folder = sub {
    my ($above, $facts) = @_;
    delete $thinned{fileno $above} or return;
    syscall($nr{utimensat}, fileno($above), 0, pack('q4', 0, $OMIT, @$facts{qw(time nanos)}), 0) == 0 or $is_exact = 0;
  };
  $exit_code = sub {
    # The folder of a layer has no attributes of its own.
    my @own = attributes($root);
    return $is_exact && $entries <= $most && !@own ? 0 : $DIFFERS;
  };
  layer($folder, '', '', '', $mounted);
}
