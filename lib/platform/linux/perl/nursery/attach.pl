# Stands between conmon's attach socket and a connection to the server: neither Deno nor Node opens a SOCK_SEQPACKET socket. It is a
# process that the nursery forks for it, so that nothing is loaded.
#
# Its fields are RUNROOT KEY FOLDER. It connects to `sockets/nursery` in RUNROOT and answers `session KEY` there, then to `attach` in
# FOLDER, and says `attached` on its sync pipe, or on standard error why it is not. From then on it answers `stdout` or `stderr` with
# bytes; packets that follow one another on one stream may share a frame. It takes `input` with bytes, and `close`, which half-closes
# conmon's socket. The end of the connection means that nobody wants it any more.

# conmon reads at most 32 KiB of a packet and loses the rest.
my ($PACKET, $BATCH, $FROM_ERRORS) = (16384, 65536, 3);

# How the accept of a connection is asked for (sock_diag(7)): netlink's type, its protocol, SOCK_DIAG_BY_FAMILY, UDIAG_SHOW_PEER, and the
# attribute UNIX_DIAG_PEER.
my ($RAW, $SOCK_DIAG, $BY_FAMILY, $SHOW_PEER, $PEER_ATTRIBUTE) = (3, 4, 20, 4, 2);
my ($FIRST_PAUSE, $LONGEST_PAUSE, $PEEK) = (0.0001, 0.01, 2);

# Waits until conmon has accepted a connection. It accepts one at a time and reads the container's output between them, which those that
# still wait do not get. The kernel tells the inode of a connection's other end once that is accepted, and 0 before. A kernel that cannot
# tell (CONFIG_UNIX_DIAG) is not waited for, and neither is a conmon that has ended: the connection can be read then. The end of the other
# connection ends this process: nobody wants the attachment any more.
sub await_accept {
  my ($sock) = @_;
  my $inode = (stat $sock)[1];
  socket(my $diag, 16, $RAW, $SOCK_DIAG) or return;
  # struct nlmsghdr with NLM_F_REQUEST, struct unix_diag_req with both halves of the cookie unknown.
  my $request = pack('L S S L L  C C S L L L L L', 40, $BY_FAMILY, 1, 0, 0, 1, 0, 0, 0xffffffff, $inode, $SHOW_PEER, (0xffffffff) x 2);
  for (my $pause = $FIRST_PAUSE;; $pause *= 2 if $pause < $LONGEST_PAUSE) {
    defined send($diag, $request, 0) && defined recv($diag, my $reply, 4096, 0) or return;
    # Behind the header and struct unix_diag_msg are attributes: length, type, value.
    my (undef, $type, $length, $attribute, $inode_there) = unpack('L S x26 S S L', $reply);
    return if $type != $BY_FAMILY || !defined $inode_there || $attribute != $PEER_ATTRIBUTE || $inode_there != 0;
    my ($read, $others) = ('', '');
    vec($read, fileno $_, 1) = 1 for $sock, $peer;
    next if select($read, undef, undef, $pause) <= 0;
    return if vec($read, fileno $sock, 1);
    my $early;
    end_at_once(0) if defined recv($peer, $early, 1, $PEEK | $DONTWAIT) && !length $early;
    # Input comes early: it waits.
    vec($others, fileno $sock, 1) = 1;
    return if select($others, undef, undef, $pause) > 0;
  }
}

sub output { answer($_[0] == $FROM_ERRORS ? 'stderr' : 'stdout', $_[1]) if length $_[1] }

sub attach_session {
  my ($say, $runroot, $key, $folder) = @_;
  $SIG{$_} = 'IGNORE' for qw(PIPE HUP INT TERM);
  setpgrp(0, 0);
  # A path of a socket has at most 107 bytes.
  chdir $runroot or die "chdir $runroot: $!\n";
  connect_peer("sockets/nursery");
  $answers = $peer;
  answer('session', $key);
  chdir $folder or die "chdir $folder: $!\n";
  socket(my $sock, 1, 5, 0) or die "socket: $!\n";
  connect($sock, pack('S a*', 1, "attach\0")) or die "connect: $!\n";
  await_accept($sock);
  syswrite($say, "attached\n");
  # Who waits for the end of these has heard all.
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
          # Input that conmon never read: what it sent before is still to be had.
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
        # Input is closed at the other end: the rest has nowhere to go.
        if ($! != $EAGAIN && $! != $EINTR) { $queue = '' }
        last;
      }
      substr($queue, 0, $n) = '';
    }
    if ($closing && !$shut && !length $queue) { shutdown($sock, 1); $shut = 1 }
  }
}
