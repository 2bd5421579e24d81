# Receives what processes say of themselves, sd_notify(3): neither Deno nor Node opens a datagram socket with a path.
#
# The argument is the folder in which it makes the socket `notify.sock`; the folder's path may be longer than a socket's. It answers
# `ready` when the socket is there, then `message` with each datagram's bytes, and ends with its input. Descriptors that are sent
# along are not taken.
my ($folder) = @ARGV;
my $LONGEST = 4096;
chdir $folder or die "chdir $folder: $!\n";
umask 0;
socket(my $sock, 1, 2, 0) or die "socket: $!\n";
bind($sock, pack('S a*', 1, "notify.sock\0")) or die "bind: $!\n";
answer('ready');
my ($sfd, $ifd) = (fileno($sock), fileno(STDIN));
while (1) {
  my $r = '';
  vec($r, $sfd, 1) = 1;
  vec($r, $ifd, 1) = 1;
  my $n = select($r, undef, undef, undef);
  if ($n < 0) { next if $! == $EINTR; exit 1 }
  if (vec($r, $ifd, 1)) {
    my $got = sysread(STDIN, my $rest, 4096);
    exit 0 if !defined $got || $got == 0;
  }
  if (vec($r, $sfd, 1)) {
    my $message;
    answer('message', $message) if defined recv($sock, $message, $LONGEST, 0x40);
  }
}
