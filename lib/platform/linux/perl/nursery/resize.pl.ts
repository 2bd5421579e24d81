// Made of resize.pl by `deno task generate`: change that file.
export const NURSERY_RESIZE = String.raw`

my ($SHORTEST, $LONGEST, $PATIENCE) = (0.0001, 0.01, 10);
my $unread = $ARGV[2];

sub open_control {
  my $path = shift;
  sysopen(my $fifo, $path, $nr{O_WRONLY} | $nr{O_NONBLOCK}) or return;
  return $fifo;
}

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
  for (1, 2) {
    if (!$fifo || !syswrite($fifo, "1 $height $width\n") || !await_reading($fifo, $path)) {
      syswrite($say, "gone\n");
      return 1;
    }
  }
  syswrite($say, "resized\n");
  return 1;
}
`;
