# Devices like /dev/null, for the standard streams of a process that has none: runtimes give these to the process's user, and the host's own device
# is not to be given away. Each is a device of its own, made in a file system that nobody else has: it is mounted nowhere.
my ($TMPFS_CLOEXEC, $CREATE, $CHAR_DEVICE, $NULL_NUMBER) = (1, 6, 0020600, 0x103);
my $nulls = make_nulls();

# The descriptor of the file system; undef where this user makes no devices (nobody can give the host's away there), or the kernel is
# older than Linux 5.2.
sub make_nulls {
  my $type = "tmpfs\0";
  my $context = syscall($nr{fsopen}, $type, $TMPFS_CLOEXEC);
  return undef if $context < 0;
  open(my $configured, '+<&=', $context) or return undef;
  syscall($nr{fsconfig}, $context, $CREATE, 0, 0, 0) == 0 or return undef;
  my $mount = syscall($nr{fsmount}, $context, $TMPFS_CLOEXEC, 0);
  return $mount < 0 ? undef : $mount;
}

# Opens such a device.
sub open_null {
  my $name = "null-$$\0";
  my $path = "/proc/self/fd/" . ($nulls // '') . "/null-$$";
  my $device;
  if (defined $nulls && syscall($nr{mknodat}, $nulls, $name, $CHAR_DEVICE, $NULL_NUMBER) == 0) {
    open($device, '+<', $path) && chmod(0666, $device) or undef $device;
    unlink $path;
  }
  $device //= do { open(my $host, '+<', '/dev/null') or die "null: $!\n"; $host };
  return $device;
}
