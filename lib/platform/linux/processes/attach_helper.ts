/**
 * A Perl program between conmon's attach socket and a pair of pipes: neither Deno nor Node opens a SOCK_SEQPACKET socket.
 * It needs no module, only the interpreter, which is part of every Debian system.
 *
 * It connects to `attach` in its working folder and says so with an empty frame of stream 0. On its standard output it
 * writes frames: stream (1 byte: 2 is stdout, 3 stderr), length (4 bytes, big-endian), payload; packets that follow one
 * another on one stream may share a frame. On its standard input it reads length (4 bytes, big-endian) and payload; a
 * length of 0 half-closes the socket. The end of its standard input means that nobody wants it any more.
 */
export const ATTACH_HELPER = String.raw`
use strict;
my ($DONTWAIT, $NOSIGNAL, $EINTR, $EAGAIN, $ECONNRESET) = (0x40, 0x4000, 4, 11, 104);
# conmon reads at most 32 KiB of a packet and loses the rest.
my ($PACKET, $BATCH, $PENDING) = (16384, 65536, 262144);
$SIG{PIPE} = 'IGNORE';
socket(my $sock, 1, 5, 0) or die "socket: $!\n";
connect($sock, pack('S a*', 1, "attach\0")) or die "connect: $!\n";
sub emit {
  my ($frame, $at) = (pack('C N', $_[0], length $_[1]) . $_[1], 0);
  while ($at < length $frame) {
    my $n = syswrite(STDOUT, $frame, length($frame) - $at, $at);
    if (!defined $n) { next if $! == $EINTR; exit 0 }
    $at += $n;
  }
}
emit(0, '');
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
    my ($stream, $data, $end) = (0, '', 0);
    while (length($data) < $BATCH) {
      my $packet;
      if (!defined recv($sock, $packet, 65536, $DONTWAIT)) {
        # Input that conmon never read: what it sent before is still to be had.
        next if $! == $ECONNRESET || $! == $EINTR;
        $end = $! != $EAGAIN;
        last;
      }
      if (!length $packet) { $end = 1; last }
      my $tag = ord $packet;
      if ($tag != $stream && length $data) { emit($stream, $data); $data = '' }
      $stream = $tag;
      $data .= substr($packet, 1);
    }
    emit($stream, $data) if length $data;
    exit 0 if $end;
  }
  if (vec($r, $ifd, 1)) {
    my $n = sysread(STDIN, $raw, 65536, length $raw);
    exit 0 if !$n && !(!defined $n && $! == $EINTR);
    while (length($raw) >= 4) {
      my $size = unpack('N', $raw);
      last if length($raw) < 4 + $size;
      if ($size) { $queue .= substr($raw, 4, $size) } else { $closing = 1 }
      substr($raw, 0, 4 + $size) = '';
    }
  }
  while (length $queue) {
    my $n = send($sock, substr($queue, 0, $PACKET), $DONTWAIT | $NOSIGNAL);
    if (!defined $n) {
      # Input is closed at the other end: the rest has nowhere to go.
      if ($! != $EAGAIN && $! != $EINTR) { $queue = '' }
      last;
    }
    substr($queue, 0, $n) = '';
  }
  if ($closing && !$shut && !length $queue) { shutdown($sock, 1); $shut = 1 }
}
`;
