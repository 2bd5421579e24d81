# Sends datagrams to sockets that have a path: neither Deno nor Node opens one.
#
# A request is `send`, a path and datagrams. It is answered `sent`, with the number of those that the receiver took, and the number
# and text of the error that kept the next from it; 0 where there was none. Nothing here waits for a receiver. It ends with its
# input.
setpgrp(0, 0);
my $DONTWAIT = 0x40;
my $input = '';
answer('ready');
while (sysread(STDIN, $input, 1 << 20, length $input)) {
  while (my $request = next_frame($input)) {
    my (undef, $path, @datagrams) = @$request;
    my ($count, $error) = (0, 0);
    my $socket;
    # Longer than an address may be: ENAMETOOLONG.
    if (length $path > 107) { $error = 36 }
    elsif (!socket($socket, 1, 2, 0) || !connect($socket, pack('S a*', 1, "$path\0"))) { $error = $! + 0 }
    else {
      for my $datagram (@datagrams) {
        if (!defined send($socket, $datagram, $DONTWAIT)) { $error = $! + 0; last }
        $count++;
      }
    }
    $! = $error;
    answer('sent', $count, $error, $error ? "$!" : '');
  }
}
