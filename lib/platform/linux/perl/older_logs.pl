# Keeps the older files of logs. The supervisor, conmon, puts an empty file in place of a log that has reached its size: the old
# one would be gone, if it had no second name.
#
# The argument is the folder of the logs, ID.log each. ID has a folder OLDER/ID if its older files are kept: `files` there has
# the greatest number of files, the log included, and `gzip` after it, where they are compressed; `0` is the second name of
# the log itself; 1 is the youngest of the older files, as `1` or `1.gz`.
# It answers `ready` as soon as no replacement is missed, and ends with its input.
my ($logs) = @ARGV;
my $older = "$logs/older";
# A terminal's Ctrl-C is meant for the server, which ends this program with its input.
setpgrp(0, 0);
my ($NONBLOCK_CLOEXEC, $MOVED_TO, $OVERFLOW) = (0x80800, 0x80, 0x4000);
# Files that are being compressed, by the process that does it: their folder, device and inode.
my %packing;

sub settings { open(my $file, '<', "$older/$_[0]/files") or return; my $line = <$file>; return split ' ', $line // '' }
sub is_same { $_[0][0] == $_[1][0] && $_[0][1] == $_[1][1] }

sub rotate {
  my ($id) = @_;
  my ($files, $gzip) = settings($id) or return;
  my ($folder, $log) = ("$older/$id", "$logs/$id.log");
  my @now = lstat $log or return;
  my @held = lstat "$folder/0";
  return if @held && is_same(\@held, \@now);
  if (@held) {
    for my $end ('', '.gz') {
      unlink "$folder/" . ($files - 1) . $end;
      rename "$folder/" . ($_ - 1) . $end, "$folder/$_$end" for reverse 2 .. $files - 1;
    }
    rename "$folder/0", "$folder/1";
  }
  link $log, "$folder/0";
  pack_next($id) if $gzip;
}

# Compresses the oldest file of a log that is not yet. Its name may be another one by the end: a new file has come meanwhile.
sub pack_next {
  my ($id) = @_;
  my $folder = "$older/$id";
  return if grep { $_->[0] eq $id } values %packing;
  my ($files) = settings($id) or return;
  for my $number (reverse 1 .. $files - 1) {
    open(my $in, '<', "$folder/$number") or next;
    my ($device, $inode) = stat $in;
    open(my $out, '>', "$folder/packing") or return;
    my $child = fork;
    return unless defined $child;
    if (!$child) {
      open(STDIN, '<&', $in);
      open(STDOUT, '>&', $out);
      exec 'gzip', '-c' or exit 127;
    }
    $packing{$child} = [$id, $device, $inode];
    return;
  }
}

sub packed {
  my ($child, $status) = @_;
  my $work = delete $packing{$child} or return;
  my ($id, @place) = @$work;
  my ($folder, $found) = ("$older/$id", 0);
  # A file that gzip fails on stays as it is, and is tried again with the next one.
  return unlink "$folder/packing" if $status != 0;
  my ($files) = settings($id) or return;
  for my $number (1 .. $files - 1) {
    my @named = lstat "$folder/$number" or next;
    next unless is_same(\@named, \@place);
    rename "$folder/packing", "$folder/$number.gz" and unlink "$folder/$number";
    $found = 1;
  }
  unlink "$folder/packing" unless $found;
  pack_next($id);
}

sub rotate_all { opendir(my $all, $older) or return; /^[0-9a-f]+$/ and rotate($_) for readdir $all }

my $inotify = syscall($nr{inotify_init1}, $NONBLOCK_CLOEXEC);
$inotify >= 0 or die "inotify: $!\n";
my $place = "$logs\0";
syscall($nr{inotify_add_watch}, $inotify, $place, $MOVED_TO) >= 0 or die "watch $logs: $!\n";
open(my $events, '<&=', $inotify) or die "inotify: $!\n";
rotate_all();
answer('ready');
for (;;) {
  my $wanted = '';
  vec($wanted, $_, 1) = 1 for fileno(STDIN), $inotify;
  # While gzip works, its end is looked for.
  select(my $found = $wanted, undef, undef, %packing ? 0.1 : undef);
  for my $child (keys %packing) { packed($child, $?) if waitpid($child, 1) == $child }
  if (vec($found, fileno(STDIN), 1)) { my $n = sysread(STDIN, my $rest, 4096); exit 0 unless $n }
  while (my $n = sysread($events, my $news, 65536)) {
    while (length $news >= 16) {
      my (undef, $mask, undef, $length) = unpack('lLLL', $news);
      my $name = unpack('Z*', substr($news, 16, $length));
      substr($news, 0, 16 + $length, '');
      if ($mask & $OVERFLOW) { rotate_all() }
      elsif ($name =~ /^([0-9a-f]+)\.log$/) { rotate($1) }
    }
  }
}
