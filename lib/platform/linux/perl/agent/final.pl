# How the tree agent reads an upper folder that nothing else uses any more, and that is to be a layer as it is.
#
# `final FOLDER ENTRIES PLACES [FILE]` writes the archive of `layer`, and deletes what that leaves out: then the folder is what an unpacked archive would
# be. It ends with the code 3 where it is not: where files have what archives do not carry, or where it has more than ENTRIES of them. With a FILE the
# archive goes there, and its answers are `written` and how many bytes that are, from time to time, and `done` with all of them.
my ($DIFFERS, $OMIT) = (3, 0x3ffffffe);
my (%thinned, $output, $written);
sub write_to {
  my ($path) = @_;
  # An error is an answer, too.
  ($tell, $refused) = (\&answer, 0);
  sysopen($output, $path, $nr{O_WRONLY} | $nr{O_NOFOLLOW}) or fail('other', "open $path: " . lc $!);
  $written = 0;
  $write_error = sub { 'write the archive: ' . lc $! };
  # Whole batches at multiples of their size, for which the kernel has larger pages.
  $give = sub {
    my (undef, $is_all) = @_;
    my $rest = $is_all ? 0 : length($_[0]) % $BATCH;
    my $kept = $rest ? substr($_[0], -$rest, $rest, '') : '';
    write_sparsely('', fileno $output, $_[0]);
    $written += length $_[0];
    $_[0] = $kept;
    answer($is_all ? 'done' : 'written', $written);
  };
}
sub final {
  my ($folder, $most, $mounted, $path) = @_;
  write_to($path) if defined $path;
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
