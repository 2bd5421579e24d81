# The user, mount and network namespaces of a server that an ordinary user starts. A process that does nothing keeps them, so that the containers
# of one server are in reach of the next.
#
# | arguments | work |
# | --- | --- |
# | `make NOTE UIDS GIDS` | makes the namespaces where the process of NOTE is gone, writes the new one's number and start there, and prints the number |
# | `enter NOTE PARENT COMMAND…` | enters the first two as their root, and becomes the command |
# | `leave NOTE` | ends the process of NOTE where no other is in its user namespace |
#
# UIDS and GIDS are the arguments of newuidmap(1) and newgidmap(1), with blanks between. The maps can only be written from outside by
# these two, and only a process with one thread can enter a user namespace: neither Deno nor Node is such a process.
my ($NEWUSER_NEWNS_NEWNET, $LOCK_EX, $SIGTERM, $DEATH_SIGNAL) = (0x50020000, 2, 15, 1);
my ($BIND, $CLOSED, $DETACH, $SIOCSIFFLAGS, $IFF_UP) = (4096, 14, 2, 0x8914, 1);
my ($verb, $path, @rest) = @ARGV;
# An open file is inherited by everything that runs later, and would keep the lock.
open(my $note, '+>>', $path) or die "open $path: $!\n";
flock($note, $LOCK_EX) or die "lock $path: $!\n";
seek($note, 0, 0);
my ($keeper, $start) = split ' ', <$note> // '';

# Field 22 of proc_pid_stat(5); the name before it may hold blanks.
sub start_of {
  open(my $file, '<', "/proc/$_[0]/stat") or return '';
  my ($state, @fields) = split ' ', (<$file> // '') =~ s/.*\) //sr;
  return ($state // 'X') =~ /[ZX]/ ? '' : $fields[18];
}

sub keeps { defined $start && start_of($keeper) eq $start }

sub bind_at {
  my ($from, $to, $none) = ("$_[0]\0", "$_[1]\0", "none\0");
  syscall($nr{mount}, $from, $to, $none, $BIND, 0) == 0 or die "mount $_[1]: $!\n";
}

# The network of bridges. /sys shows the interfaces of the namespace in which it was mounted: those of this one take the place of the
# machine's in this mount namespace, where all who look for bridges find them.
sub network {
  socket(my $socket, 2, 2, 0) or die "socket: $!\n";
  ioctl($socket, $SIOCSIFFLAGS, pack('a16 s x22', 'lo', $IFF_UP)) or die "loopback: $!\n";
  my $folder = "$path.sys";
  mkdir $folder, 0700;
  my ($from, $to) = ("sysfs\0", "$folder\0");
  syscall($nr{mount}, $from, $to, $from, $CLOSED, 0) == 0 or die "mount sysfs: $!\n";
  bind_at("$folder/$_", "/sys/$_") for 'class/net', 'devices/virtual/net';
  syscall($nr{umount2}, $to, $DETACH) == 0 or die "umount $folder: $!\n";
  rmdir $folder;
}

sub keep {
  my ($told, $go) = @_;
  # Sockets that a service's manager passed on are not for it.
  require POSIX;
  open(STDIN, '<', '/dev/null');
  open(STDOUT, '>', '/dev/null');
  open(STDERR, '>', '/dev/null');
  POSIX::close($_) for grep { $_ != fileno $told && $_ != fileno $go } 3 .. 1023;
  POSIX::setsid();
  chdir '/';
  my $failed = syscall($nr{unshare}, $NEWUSER_NEWNS_NEWNET) != 0;
  syswrite($told, $failed ? "$!" : 'made');
  exit 1 if $failed;
  # The other end closes without a word where the maps could not be written.
  sysread($go, my $word, 1) or exit 1;
  $( = 0; $) = 0; $< = 0; $> = 0;
  eval { network(); 1 } or syswrite($told, $@) && exit 1;
  # A process that has changed its user hides its namespaces until it runs a program. The other end sees the pipe close then.
  exec { $^X } 'gantry-namespace', '-e', 'sleep while 1' or exit 1;
}

sub make {
  my %ids = (newuidmap => $_[0], newgidmap => $_[1]);
  pipe(my $hear, my $told) && pipe(my $wait, my $go) or die "pipe: $!\n";
  my $pid = fork // die "fork: $!\n";
  keep($told, $wait) if !$pid;
  close $told;
  sysread($hear, my $word, 256);
  die 'unshare: ' . ($word || 'no answer') . "\n" if ($word // '') ne 'made';
  for my $program (sort keys %ids) {
    next if system($program, $pid, split(' ', $ids{$program})) == 0;
    kill 'KILL', $pid;
    die "$program: " . ($? == -1 ? $! : 'exit code ' . ($? >> 8)) . "\n";
  }
  syswrite($go, '1');
  sysread($hear, $word, 256) and die "network: $word";
  $keeper = $pid;
  truncate($note, 0);
  syswrite($note, "$pid " . start_of($pid));
}

sub enter {
  my ($parent, @command) = @_;
  keeps() or die "Enter user namespace: its process is gone\n";
  my $folder = readlink '/proc/self/cwd';
  for my $kind ('user', 'mnt') {
    open(my $file, '<', "/proc/$keeper/ns/$kind") or die "open namespace $kind: $!\n";
    syscall($nr{setns}, fileno $file, 0) == 0 or die "enter namespace $kind: $!\n";
  }
  $( = 0; $) = 0; $< = 0; $> = 0;
  # The mount namespace puts its processes at its root; relative paths of the command are this folder's. A
  # user may stand where that user may not go, as sudo(8) leaves it: the root has to do then.
  chdir $folder;
  # A terminal's signals are for the parent, which hands them on.
  setpgrp(0, 0);
  # A change of user takes this setting back, so that it comes after.
  syscall($nr{prctl}, $DEATH_SIGNAL, $SIGTERM, 0, 0, 0) == 0 or die "prctl: $!\n";
  getppid() == $parent or die "Enter user namespace: its parent is gone\n";
  $ENV{GANTRY_NETNS} = "/proc/$keeper/ns/net";
  $ENV{LISTEN_PID} = $$ if $ENV{LISTEN_PID};
  exec { $command[0] } @command or die "exec $command[0]: $!\n";
}

sub name_of { open(my $file, '<', "/proc/$_[0]/comm") or return ''; return <$file> // '' }

sub leave {
  return unless keeps();
  my $own = readlink "/proc/$keeper/ns/user";
  my $pasta = 0;
  if (open(my $file, '<', "$path.pasta")) { $pasta = 0 + (<$file> // 0) }
  # Helpers of the server that has just ended go in a moment; supervisors of containers stay.
  for my $try (1 .. 20) {
    my @others = grep { $_ != $keeper && $_ != $pasta && (readlink("/proc/$_/ns/user") // '') eq $own && start_of($_) ne '' }
      map { /(\d+)/ } glob '/proc/[0-9]*';
    return if $try == 20 || grep { name_of($_) =~ /^conmon/ } @others;
    last if !@others;
    select(undef, undef, undef, 0.1);
  }
  # The note may be older than a process of that number.
  kill 'KILL', $keeper, name_of($pasta) =~ /^pass?ta?/ ? $pasta : ();
}

$verb eq 'make' ? (keeps() || make(@rest), print $keeper) : $verb eq 'enter' ? enter(@rest) : leave();
