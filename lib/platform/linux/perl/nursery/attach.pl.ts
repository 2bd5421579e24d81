// Made of attach.pl by `deno task generate`: change that file.
export const NURSERY_ATTACH = String.raw`

my ($PACKET, $BATCH, $FROM_ERRORS) = (16384, 65536, 3);

my ($RAW, $SOCK_DIAG, $BY_FAMILY, $SHOW_PEER, $PEER_ATTRIBUTE) = (3, 4, 20, 4, 2);
my ($FIRST_PAUSE, $LONGEST_PAUSE, $PEEK) = (0.0001, 0.01, 2);

sub await_accept {
  my ($sock) = @_;
  my $inode = (stat $sock)[1];
  socket(my $diag, 16, $RAW, $SOCK_DIAG) or return;
  my $request = pack('L S S L L  C C S L L L L L', 40, $BY_FAMILY, 1, 0, 0, 1, 0, 0, 0xffffffff, $inode, $SHOW_PEER, (0xffffffff) x 2);
  for (my $pause = $FIRST_PAUSE;; $pause *= 2 if $pause < $LONGEST_PAUSE) {
    defined send($diag, $request, 0) && defined recv($diag, my $reply, 4096, 0) or return;
    my (undef, $type, $length, $attribute, $inode_there) = unpack('L S x26 S S L', $reply);
    return if $type != $BY_FAMILY || !defined $inode_there || $attribute != $PEER_ATTRIBUTE || $inode_there != 0;
    my ($read, $others) = ('', '');
    vec($read, fileno $_, 1) = 1 for $sock, $peer;
    next if select($read, undef, undef, $pause) <= 0;
    return if vec($read, fileno $sock, 1);
    my $early;
    end_at_once(0) if defined recv($peer, $early, 1, $PEEK | $DONTWAIT) && !length $early;
    vec($others, fileno $sock, 1) = 1;
    return if select($others, undef, undef, $pause) > 0;
  }
}

sub output { answer($_[0] == $FROM_ERRORS ? 'stderr' : 'stdout', $_[1]) if length $_[1] }

sub attach_session {
  my ($say, $runroot, $key, $folder) = @_;
  $SIG{$_} = 'IGNORE' for qw(PIPE HUP INT TERM);
  setpgrp(0, 0);
  chdir $runroot or die "chdir $runroot: $!\n";
  connect_peer("sockets/nursery");
  $answers = $peer;
  answer('session', $key);
  chdir $folder or die "chdir $folder: $!\n";
  socket(my $sock, 1, 5, 0) or die "socket: $!\n";
  connect($sock, pack('S a*', 1, "attach\0")) or die "connect: $!\n";
  await_accept($sock);
  syswrite($say, "attached\n");
  open($_, '>', '/dev/null') for \*STDOUT, \*STDERR;
  close $say;
  my ($raw, $queue, $closing, $shut) = ('', '', 0, 0);
  my ($sfd, $ifd) = (fileno($sock), fileno($peer));
  while (1) {
    my ($r, $w) = ('', '');
    vec($r, $sfd, 1) = 1;
    vec($r, $ifd, 1) = 1 if length($queue) < $PENDING_MOST;
    vec($w, $sfd, 1) = 1 if length $queue;
    my $n = select($r, $w, undef, undef);
    if ($n < 0) { next if $! == $EINTR; die "select: $!\n" }
    if (vec($r, $sfd, 1)) {
      my ($stream, $data, $end) = (0, '', 0);
      while (length($data) < $BATCH) {
        my $packet;
        if (!defined recv($sock, $packet, 65536, $DONTWAIT)) {
          next if $! == $ECONNRESET || $! == $EINTR;
          $end = $! != $EAGAIN;
          last;
        }
        if (!length $packet) { $end = 1; last }
        my $tag = ord $packet;
        if ($tag != $stream) { output($stream, $data); $data = '' }
        $stream = $tag;
        $data .= substr($packet, 1);
      }
      output($stream, $data);
      return leave_peer() if $end;
    }
    if (vec($r, $ifd, 1)) {
      my $n = sysread($peer, $raw, $PIECE, length $raw);
      return if !$n && !(!defined $n && $! == $EINTR);
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
}
`;
