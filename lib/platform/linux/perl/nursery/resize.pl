# Sets the size of a terminal through its supervisor, and ends when the terminal has it: the answer to a client is a reason to start the program
# that asks for the size.
#
# The fields are FIFO HEIGHT WIDTH. It says `resized` on its sync pipe, or `gone` where no supervisor reads the FIFO, or on standard error why
# the size is not known to be set.

# Seconds. A supervisor that does not read for that long is stopped, and sets the size when it goes on.
my ($SHORTEST, $LONGEST, $PATIENCE) = (0.0001, 0.01, 10);
my $unread = $ARGV[2];

# What a FIFO is opened for: writing, without waiting for a reader, of which there is none when the supervisor has ended.
sub open_control {
  my $path = shift;
  sysopen(my $fifo, $path, $nr{O_WRONLY} | $nr{O_NONBLOCK}) or return;
  return $fifo;
}

# Whether the supervisor has read all of the FIFO.
sub await_reading {
  my ($fifo, $path) = @_;
  my $waited = 0;
  for (my $pause = $SHORTEST;; $pause *= 2 if $pause < $LONGEST) {
    my $left = pack('i', 0);
    ioctl($fifo, $unread, $left) or die "control: $!\n";
    return 1 if unpack('i', $left) == 0;
    open_control($path) or return 0;
    die "the supervisor does not read what it is told\n" if ($waited += $pause) > $PATIENCE;
    select(undef, undef, undef, $pause);
  }
}

sub set_terminal_size {
  my ($say, $path, $height, $width) = @_;
  $SIG{PIPE} = 'IGNORE';
  my $fifo = open_control($path);
  # The supervisor sets what it has read before it reads again: when it has read the second of them, the size is that of the first. The
  # second changes nothing.
  for (1, 2) {
    if (!$fifo || !syswrite($fifo, "1 $height $width\n") || !await_reading($fifo, $path)) {
      syswrite($say, "gone\n");
      return 1;
    }
  }
  syswrite($say, "resized\n");
  return 1;
}
