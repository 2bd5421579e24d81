// Made of quotas.pl by `deno task generate`: change that file.
export const QUOTAS = String.raw`
use Fcntl qw(:DEFAULT :mode);
my ($FSGETXATTR, $FSSETXATTR, $PROJINHERIT) = (0x801c581f, 0x401c5820, 0x200);
my ($GETQUOTA, $SETQUOTA, $XGETQSTAT, $PROJECTS) = (0x800007, 0x800008, 0x5805, 2);
my ($BLOCK_LIMITS, $INODE_LIMITS, $PROJECT_LIMITS) = (1, 4, 1 << 5);
my ($CAPBSET_DROP, $SYS_RESOURCE) = (24, 24);
my ($ENOENT, $ESRCH, $BLOCK) = (2, 3, 4096);
my ($verb, @rest) = @ARGV;
sub leave { my ($code, $why) = @_; print STDERR "$why\n"; exit $code }

sub quota {
  my ($handle, $command, $id) = @_;
  return syscall($nr{quotactl_fd}, fileno $handle, $command << 8 | $PROJECTS, $id, $_[3]) == 0;
}

sub require_limits {
  my $state = "\0" x 128;
  quota($_[0], $XGETQSTAT, 0, $state) or leave(5, lc $!);
  unpack('x2 S', $state) & $PROJECT_LIMITS or leave(5, 'limits are not in force');
}

sub is_free {
  my ($handle, $project) = @_;
  my $facts = "\0" x 128;
  quota($handle, $GETQUOTA, $project, $facts) or return $! == $ENOENT || $! == $ESRCH || die "read quota: $!\n";
  return !grep { $_ } unpack('Q6', $facts);
}

sub set_limits {
  my ($handle, $project, $bytes, $inodes) = @_;
  my $kibibytes = (int($bytes / $BLOCK) || ($bytes > 0 ? 1 : 0)) * $BLOCK / 1024;
  my $facts = pack('Q8 L x4', $kibibytes, 0, 0, $inodes, 0, 0, 0, 0, $BLOCK_LIMITS | $INODE_LIMITS);
  quota($handle, $SETQUOTA, $project, $facts) or die "set quota: $!\n";
}

sub attributes {
  my $attributes = "\0" x 28;
  ioctl($_[0], $FSGETXATTR, $attributes) or die "read project: $!\n";
  return unpack('L5 a8', $attributes);
}

sub give {
  my ($handle, $project) = @_;
  my @attributes = attributes($handle);
  $attributes[3] = $project;
  $attributes[0] |= $PROJINHERIT if -d $handle;
  my $set = pack('L5 a8', @attributes);
  ioctl($handle, $FSSETXATTR, $set) or die "set project: $!\n";
}

sub give_below {
  my ($folder, $project) = @_;
  opendir(my $names, $folder) or die "read $folder: $!\n";
  for my $name (grep { $_ ne '.' && $_ ne '..' } readdir $names) {
    my $path = "$folder/$name";
    my @facts = lstat $path;
    next unless @facts && (S_ISDIR($facts[2]) || S_ISREG($facts[2]));
    sysopen(my $handle, $path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) or next;
    give($handle, $project);
    give_below("/proc/self/fd/" . fileno $handle, $project) if -d $handle;
  }
}

if ($verb eq 'unprivileged') {
  syscall($nr{prctl}, $CAPBSET_DROP, $SYS_RESOURCE, 0, 0, 0) == 0 or die "prctl: $!\n";
  exec { $rest[0] } @rest or die "exec $rest[0]: $!\n";
}
my ($folder, $project, $bytes, $inodes) = ($rest[0], map { $_ + 0 } @rest[1 .. $#rest]);
sysopen(my $handle, $folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) or die "open $folder: $!\n";
if ($verb eq 'release') {
  (attributes($handle))[3] == $project or leave(4, 'the folder has another project');
  set_limits($handle, $project, 0, 0);
  exit 0;
}
require_limits($handle);
exit 0 if $verb eq 'check';
my $own = (attributes($handle))[3];
if ($verb eq 'renew') { $own == $project or leave(4, 'the folder has another project') }
else { is_free($handle, $project) or leave(3, 'the project is in use') }
set_limits($handle, $project, $bytes, $inodes);
exit 0 if $verb eq 'renew';
give($handle, $project);
give_below($folder, $project);
`;
