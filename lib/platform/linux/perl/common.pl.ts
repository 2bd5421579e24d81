// Made of common.pl by `deno task generate`: change that file.
export const COMMON = String.raw`
use strict;
my %nr = map { my ($name, $number) = split /=/; ($name, $number + 0) } split /,/, shift @ARGV // '';
my $EINTR = 4;
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

sub next_frame {
  return if length $_[0] < 4;
  my $length = unpack('N', $_[0]);
  return if length $_[0] < 4 + $length;
  my @fields = unpack('(N/a)*', substr($_[0], 4, $length));
  substr($_[0], 0, 4 + $length, '');
  return \@fields;
}
`;
