// Made of older_logs.pl by `deno task generate`: change that file.
export const OLDER_LOGS = String.raw`
my ($logs) = @ARGV;
my $older = "$logs/older";
setpgrp(0, 0);
my ($NONBLOCK_CLOEXEC, $MOVED_TO, $OVERFLOW) = (0x80800, 0x80, 0x4000);
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
`;
