# Tells the manager of services that this server is ready, sd_notify(3): neither Deno nor Node opens a datagram socket with a path.
#
# The argument is the manager's socket; an `@` before it stands for a zero byte, for a name that is no path. The manager looks who has
# sent the message, so that this process stays for a moment.
my ($path) = @ARGV;
$path =~ s/^@/\0/ or $path .= "\0";
socket(my $sock, 1, 2, 0) or die "socket: $!\n";
connect($sock, pack('S a*', 1, $path)) or die "connect: $!\n";
defined syswrite($sock, "READY=1\n") or die "send: $!\n";
sleep 2;
