// Made of attach.pl by `deno task generate`: change that file.
export const ATTACH = String.raw`
my ($DONTWAIT, $NOSIGNAL, $EAGAIN, $ECONNRESET) = (0x40, 0x4000, 11, 104);
my ($PACKET, $BATCH, $PENDING) = (16384, 65536, 262144);
my ($STDOUT, $STDERR) = (2, 3);
$SIG{PIPE} = 'IGNORE';
socket(my $sock, 1, 5, 0) or die "socket: $!\n";
connect($sock, pack('S a*', 1, "attach\0")) or die "connect: $!\n";
answer('attached');
sub output { answer($_[0] == $STDERR ? 'stderr' : 'stdout', $_[1]) }
my ($raw, $queue, $closing, $shut) = ('', '', 0, 0);
my ($sfd, $ifd) = (fileno($sock), fileno(STDIN));
while (1) {
  my ($r, $w) = ('', '');
  vec($r, $sfd, 1) = 1;
  vec($r, $ifd, 1) = 1 if length($queue) < $PENDING;
  vec($w, $sfd, 1) = 1 if length $queue;
  my $n = select($r, $w, undef, undef);
  if ($n < 0) { next if $! == $EINTR; exit 1 }
  if (vec($r, $sfd, 1)) {
    my ($stream, $data, $end) = ($STDOUT, '', 0);
    while (length($data) < $BATCH) {
      my $packet;
      if (!defined recv($sock, $packet, 65536, $DONTWAIT)) {
        next if $! == $ECONNRESET || $! == $EINTR;
        $end = $! != $EAGAIN;
        last;
      }
      if (!length $packet) { $end = 1; last }
      my $tag = ord $packet;
      if ($tag != $stream && length $data) { output($stream, $data); $data = '' }
      $stream = $tag;
      $data .= substr($packet, 1);
    }
    output($stream, $data) if length $data;
    exit 0 if $end;
  }
  if (vec($r, $ifd, 1)) {
    my $n = sysread(STDIN, $raw, 65536, length $raw);
    exit 0 if !$n && !(!defined $n && $! == $EINTR);
    while (my $frame = next_frame($raw)) {
      my ($word, $data) = @$frame;
      if ($word eq 'input') { $queue .= $data } else { $closing = 1 }
    }
  }
  while (length $queue) {
    my $n = send($sock, substr($queue, 0, $PACKET), $DONTWAIT | $NOSIGNAL);
    if (!defined $n) {
      if ($! != $EAGAIN && $! != $EINTR) { $queue = '' }
      last;
    }
    substr($queue, 0, $n) = '';
  }
  if ($closing && !$shut && !length $queue) { shutdown($sock, 1); $shut = 1 }
}
`;
