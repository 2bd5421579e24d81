// Made of exec.pl by `deno task generate`: change that file.
export const EXEC = String.raw`
my ($exit, $merged, @command) = @ARGV;
my ($SET_CHILD_SUBREAPER, $F_SETFD, $CLOEXEC) = (36, 2, 1);
$SIG{PIPE} = $SIG{HUP} = $SIG{INT} = $SIG{TERM} = 'IGNORE';
syscall($nr{prctl}, $SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 or die "prctl: $!\n";
open(my $say, '>&=', 3) or die "descriptor 3: $!\n";
fcntl($say, $F_SETFD, $CLOEXEC);
($answers, $lost) = ($say, sub {});
for my $stream (\*STDOUT, \*STDERR) {
  next unless -S $stream;
  pipe(my $from, my $to) or die "pipe: $!\n";
  my $copier = fork;
  defined $copier or die "fork: $!\n";
  if (!$copier) {
    close $to;
    open(STDIN, '<&', $from);
    open(STDOUT, '>&', $stream);
    open(STDERR, '>', '/dev/null');
    exec 'cat';
    exit 1;
  }
  open($stream, '>&', $to);
}
!$merged || open(STDOUT, '>&', \*STDERR) or die "standard output: $!\n";
my $runtime = fork;
defined $runtime or die "fork: $!\n";
if (!$runtime) {
  $SIG{$_} = 'DEFAULT' for qw(PIPE HUP INT TERM);
  exec { $command[0] } @command or print STDERR "exec $command[0]: $!\n";
  exit 255;
}
waitpid($runtime, 0);
my $failed = $?;
open($_, '+<', '/dev/null') for \*STDIN, \*STDOUT, \*STDERR;
my $pid;
if (!$failed && open(my $file, '<', 'pid')) { $pid = <$file> + 0 }
if (!$pid) { answer('failed'); exit 1 }
answer('pid', $pid);
my $status = -1;
while ((my $ended = wait) > 0) {
  if ($ended == $pid) { $status = $? & 127 ? 128 + ($? & 127) : $? >> 8; last }
}
open(my $file, '>', "$exit.tmp") or die "$exit: $!\n";
print $file $status;
close $file;
rename("$exit.tmp", $exit);
`;
