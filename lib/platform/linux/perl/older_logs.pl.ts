// Made of older_logs.pl by `deno task generate`: change that file.
export const OLDER_LOGS = String.raw`
my ($logs) = @ARGV;
my $older = "$logs/older";
setpgrp(0, 0);
my ($AT_FDCWD, $EXCHANGE) = (-100, 2);
my ($SETLEASE, $GETLEASE, $READ, $NONE, $O_CREAT, $NONBLOCK_CLOEXEC, $SIGIO) = (1024, 1025, 0, 2, 64, 0x80800, 29);
my ($SPARE_FILES, $SPARE_BYTES) = (64, 1 << 20);
my $most = 64;
my (%armed, %packing);

sub settings { open(my $file, '<', "$older/$_[0]/settings") or return; my $line = <$file>; return split ' ', $line // '' }

sub numbers {
  opendir(my $folder, "$older/$_[0]") or return;
  my %found = map { /^([1-9]\d*)(?:\.gz)?$/ ? ($1, 1) : () } readdir $folder;
  return sort { $a <=> $b } keys %found;
}

sub is_written { sysopen(my $file, $_[0], 0) or return 0; !fcntl($file, $SETLEASE, $READ) }

sub show {
  my ($id, $number) = @_;
  unlink "$older/$id/link";
  symlink("older/$id/$number", "$older/$id/link") and rename("$older/$id/link", "$logs/$id.log");
}

sub lease {
  my ($path) = @_;
  sysopen(my $file, $path, $O_CREAT, 0640) or return;
  return fcntl($file, $SETLEASE, $READ) ? $file : undef;
}

sub hold {
  my ($id, $file) = @_;
  $armed{$id} = $file;
  sweep() if keys %armed > $most;
  return 1;
}

sub make_new {
  my ($id) = @_;
  unlink "$older/$id/new";
  delete $armed{$id};
  return lease("$older/$id/new");
}

sub arm {
  my ($id) = @_;
  my $file = make_new($id);
  rename "$older/$id/new", "$older/$id/next";
  return $file ? hold($id, $file) : 0;
}

sub sweep {
  for my $id (keys %armed) {
    my $last = (numbers($id))[-1];
    delete $armed{$id} unless defined $last && is_written("$older/$id/$last");
  }
  $most = 2 * keys %armed;
  $most = 64 if $most < 64;
}

sub give_number {
  my ($id, $number) = @_;
  rename("$older/$id/new", "$older/$id/$number") and show($id, $number);
}

sub advance {
  my ($id) = @_;
  my $held = $armed{$id};
  my @numbers = numbers($id);
  my $last = $numbers[-1] // 0;
  my $number = $last + 1;
  my $file = make_new($id);
  my ($next, $new) = ("$older/$id/next\0", "$older/$id/new\0");
  if (syscall($nr{renameat2}, $AT_FDCWD, $next, $AT_FDCWD, $new, $EXCHANGE) == 0) { give_number($id, $number) }
  else { rename("$older/$id/next", "$older/$id/$number") and show($id, $number); rename("$older/$id/new", "$older/$id/next") }
  hold($id, $file) if $file;
  if ($held) { fcntl($held, $SETLEASE, $NONE); close $held }
  chmod 0640, "$older/$id/$last" if $last;
  prune($id, @numbers, $number);
}

sub prune {
  my ($id, @numbers) = @_;
  my ($files, $gzip) = settings($id) or return;
  my ($spare, $bytes) = (0, 0);
  for my $number (reverse @numbers) {
    next if $number > $numbers[-1] - $files;
    my @names = grep { -e } "$older/$id/$number", "$older/$id/$number.gz";
    $bytes += -s for @names;
    unlink @names if ++$spare > $SPARE_FILES || $bytes > $SPARE_BYTES;
  }
  pack_next($id) if $gzip;
}

sub pack_next {
  my ($id) = @_;
  return if grep { $_->[0] eq $id } values %packing;
  my ($files) = settings($id) or return;
  my @numbers = numbers($id);
  my $last = pop @numbers or return;
  for my $number (grep { $_ > $last - $files } @numbers) {
    open(my $in, '<', "$older/$id/$number") or next;
    open(my $out, '>', "$older/$id/packing") or return;
    my $child = fork;
    return unless defined $child;
    if (!$child) {
      open(STDIN, '<&', $in);
      open(STDOUT, '>&', $out);
      exec 'gzip', '-c' or exit 127;
    }
    $packing{$child} = [$id, $number];
    return;
  }
}

sub packed {
  my ($child, $status) = @_;
  my ($id, $number) = @{delete $packing{$child} or return};
  my $folder = "$older/$id";
  return unlink "$folder/packing" if $status != 0;
  if (-e "$folder/$number") { rename("$folder/packing", "$folder/$number.gz") and unlink "$folder/$number" }
  else { unlink "$folder/packing" }
  pack_next($id);
}

sub resume {
  my ($id) = @_;
  return if -e "$older/$id/files";
  my $last = (numbers($id))[-1] or return;
  my ($next, $new) = ("$older/$id/next", "$older/$id/new");
  give_number($id, ++$last) if -s $new || is_written($new);
  show($id, $last) if (readlink("$logs/$id.log") // '') ne "older/$id/$last";
  my ($own, $others) = map { join ':', (stat)[0, 1] } "$older/$id/$last", $next;
  if ($own eq $others) { arm($id) if is_written("$older/$id/$last") }
  elsif (-s $next) { advance($id) }
  elsif (my $file = lease($next)) { hold($id, $file) if is_written("$older/$id/$last") }
  else { advance($id) }
}

my $set = pack('L!L!', 1 << ($SIGIO - 1), 0);
syscall($nr{rt_sigprocmask}, 0, $set, 0, 8) == 0 or die "sigprocmask: $!\n";
my $news = syscall($nr{signalfd4}, -1, $set, 8, $NONBLOCK_CLOEXEC);
$news >= 0 or die "signalfd: $!\n";
open(my $signals, '<&=', $news) or die "signalfd: $!\n";
my $probe = "$older/probe-$$";
sysopen(my $probed, $probe, $O_CREAT, 0600) or die "open $probe: $!\n";
my $can_lease = fcntl($probed, $SETLEASE, $READ) ? 1 : 0;
close $probed;
unlink $probe;
if (opendir(my $all, $older)) { /^[0-9a-f]+$/ and resume($_) for readdir $all }
answer('ready', $can_lease);
my $input = '';
for (;;) {
  my $wanted = '';
  vec($wanted, $_, 1) = 1 for fileno(STDIN), $news;
  select(my $found = $wanted, undef, undef, %packing ? 0.1 : undef);
  if (vec($found, $news, 1)) {
    1 while sysread($signals, my $rest, 4096);
    for my $id (keys %armed) { advance($id) if fcntl($armed{$id}, $GETLEASE, 0) != $READ }
  }
  for my $child (keys %packing) { packed($child, $?) if waitpid($child, 1) == $child }
  next unless vec($found, fileno(STDIN), 1);
  exit 0 unless sysread(STDIN, $input, 65536, length $input);
  while (my $request = next_frame($input)) {
    my (undef, $id) = @$request;
    answer($id =~ /^[0-9a-f]+$/ && -d "$older/$id" && arm($id) ? 'armed' : 'failed');
  }
}
`;
