# Keeps the files of logs that begin anew at a greatest size, so that no line is lost between two of them.
#
# The supervisor, conmon, begins a file by opening the log's path with `.tmp` behind it, and renaming that to the path. Here both
# names are one symbolic link, to `next`: a rename between two names of one file does nothing, and each file that conmon begins is
# the one that has the name `next` at that moment. A lease of it (fcntl(2)) makes conmon wait in open(2) until this program has given
# the file its number and put another in its place. Without this program conmon goes on, in `next` over and over.
#
# The argument is the folder of the logs. A log ID.log is a link to its last file, OLDER/ID/NUMBER; earlier ones have smaller
# numbers, and `.gz` behind them once they are compressed. `settings` there has the greatest number of files, and `gzip` after it
# where they are to be compressed.
# It answers `ready` when the logs of running containers are seen to, and then whether files here can have leases (1 or 0). A
# request `arm ID` prepares a log whose conmon has opened it, and is answered `armed` or `failed`. It ends with its input.
my ($logs) = @ARGV;
my $older = "$logs/older";
# A terminal's Ctrl-C is meant for the server, which ends this program with its input.
setpgrp(0, 0);
my ($AT_FDCWD, $EXCHANGE) = (-100, 2);
my ($SETLEASE, $GETLEASE, $READ, $NONE, $O_CREAT, $NONBLOCK_CLOEXEC, $SIGIO) = (1024, 1025, 0, 2, 64, 0x80800, 29);
# Files beyond the greatest number stay for readers that follow, who may be late: so many, of so many bytes together.
my ($SPARE_FILES, $SPARE_BYTES) = (64, 1 << 20);
# How many logs may have leases before those whose conmon has ended lose them.
my $most = 64;
# The leased files by log, and the files that are being compressed by the process that does it.
my (%armed, %packing);

sub settings { open(my $file, '<', "$older/$_[0]/settings") or return; my $line = <$file>; return split ' ', $line // '' }

sub numbers {
  opendir(my $folder, "$older/$_[0]") or return;
  my %found = map { /^([1-9]\d*)(?:\.gz)?$/ ? ($1, 1) : () } readdir $folder;
  return sort { $a <=> $b } keys %found;
}

# Whether a conmon has a file open: a file that somebody writes to gets no lease.
sub is_written { sysopen(my $file, $_[0], 0) or return 0; !fcntl($file, $SETLEASE, $READ) }

# The log's name leads to its last file.
sub show {
  my ($id, $number) = @_;
  unlink "$older/$id/link";
  symlink("older/$id/$number", "$older/$id/link") and rename("$older/$id/link", "$logs/$id.log");
}

# The lease of a file to which nobody writes; nothing where somebody does.
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

# Makes the file that comes after the next one, and returns its lease.
sub make_new {
  my ($id) = @_;
  unlink "$older/$id/new";
  delete $armed{$id};
  return lease("$older/$id/new");
}

# Has conmon find a new file, with a lease.
sub arm {
  my ($id) = @_;
  my $file = make_new($id);
  # A file of which nobody hears is better than the present one, which conmon would begin anew.
  rename "$older/$id/new", "$older/$id/next";
  return $file ? hold($id, $file) : 0;
}

# Gives up leases that nobody can break any more.
sub sweep {
  for my $id (keys %armed) {
    my $last = (numbers($id))[-1];
    delete $armed{$id} unless defined $last && is_written("$older/$id/$last");
  }
  $most = 2 * keys %armed;
  $most = 64 if $most < 64;
}

# The file that was the next one has the name `new` until it has its number.
sub give_number {
  my ($id, $number) = @_;
  rename("$older/$id/new", "$older/$id/$number") and show($id, $number);
}

# Gives the next file its number, and conmon a new one. The old lease ends last: conmon goes on only then. Without one it may begin a
# file at any moment, so that the two change their names in one step.
sub advance {
  my ($id) = @_;
  my $held = $armed{$id};
  my @numbers = numbers($id);
  my $last = $numbers[-1] // 0;
  my $number = $last + 1;
  my $file = make_new($id);
  my ($next, $new) = ("$older/$id/next\0", "$older/$id/new\0");
  if (syscall($nr{renameat2}, $AT_FDCWD, $next, $AT_FDCWD, $new, $EXCHANGE) == 0) { give_number($id, $number) }
  # A file system that cannot do that.
  else { rename("$older/$id/next", "$older/$id/$number") and show($id, $number); rename("$older/$id/new", "$older/$id/next") }
  hold($id, $file) if $file;
  if ($held) { fcntl($held, $SETLEASE, $NONE); close $held }
  # Wakes those who wait for this file to grow.
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

# Compresses the oldest file of a log that is not yet.
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
  # A file that gzip fails on stays as it is, and is tried again with the next one.
  return unlink "$folder/packing" if $status != 0;
  if (-e "$folder/$number") { rename("$folder/packing", "$folder/$number.gz") and unlink "$folder/$number" }
  else { unlink "$folder/packing" }
  pack_next($id);
}

# Sees to a log as an earlier program of this kind, or a conmon that went on without one, has left it.
sub resume {
  my ($id) = @_;
  # An earlier version named the files otherwise.
  return if -e "$older/$id/files";
  my $last = (numbers($id))[-1] or return;
  my ($next, $new) = ("$older/$id/next", "$older/$id/new");
  give_number($id, ++$last) if -s $new || is_written($new);
  show($id, $last) if (readlink("$logs/$id.log") // '') ne "older/$id/$last";
  # Before the helper hears of a start, both names are those of one file.
  my ($own, $others) = map { join ':', (stat)[0, 1] } "$older/$id/$last", $next;
  if ($own eq $others) { arm($id) if is_written("$older/$id/$last") }
  elsif (-s $next) { advance($id) }
  # Conmon may begin this file at any moment, and then it has no lease.
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
  # While gzip works, its end is looked for.
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
