# The ground of every helper: the numbers of system calls and of what modules would name, and frames.
#
# A frame is its length (4 bytes, big-endian) and then fields, each with its length (4 bytes, big-endian) before it; the first
# field is a word that says what the frame is. Lengths leave every byte to the fields: paths, command lines and output may hold
# line ends, and output zero bytes as well. Requests to a helper and its answers have the same form.
#
# The first argument is the numbers of the system calls that the helper makes, and of flags and errors, as name=number with commas
# between: the modules Errno and Fcntl take longer to load than most helpers.
use strict;
my %nr = map { my ($name, $number) = split /=/; ($name, $number + 0) } split /,/, shift @ARGV // '';
# The same number on every processor.
my $EINTR = 4;
# Where answers go, and what becomes of a helper whose reader is gone.
my ($answers, $lost) = (\*STDOUT, sub { exit 0 });

sub emit {
  my ($at, $size) = (0, length $_[0]);
  while ($at < $size) {
    my $n = syswrite($answers, $_[0], $size - $at, $at);
    if (defined $n) { $at += $n }
    elsif ($! != $EINTR) { return $lost->() }
  }
}

sub answer { emit(pack('N/a*', pack('(N/a*)*', @_))) }

# Cuts the first frame off a text and gives its fields; nothing while a part of it is missing.
sub next_frame {
  return if length $_[0] < 4;
  my $length = unpack('N', $_[0]);
  return if length $_[0] < 4 + $length;
  my @fields = unpack('(N/a)*', substr($_[0], 4, $length));
  substr($_[0], 0, 4 + $length, '');
  return \@fields;
}
