/**
 * Holding published ports on the host. Traffic to them is redirected before it reaches a socket, so that nothing would keep
 * a program of the host from listening there later, and hearing nothing. As with Podman conmon holds them, bound, for as
 * long as the container lives. Neither Deno nor Node hands a bound socket to a program: Perl, which is part of every Debian
 * system, binds them and becomes conmon.
 */
import { isIPv6 } from "node:net";
import type { PortMapping } from "../../../engine/container_record.ts";
import { portInUse } from "../../../engine/port_in_use.ts";

/** What it says of a port that something else has: this and the port's place among its arguments. */
const TAKEN = "port taken: ";

/** Each takes an open file, of which a program may have 1024 by default; of a longer list the first ones are held. */
const LIMIT = 900;

/**
 * Takes `PROTOCOL ADDRESS PORT` for each port, then `--` and the command. A port that cannot be had for another reason than
 * being taken (an address that came and went, say) is not held. The address is packed by hand: modules take longer to load
 * than all else.
 */
const HOLDER = String.raw`
use strict;
use Errno qw(EADDRINUSE);
# Files above this number are closed in the next program.
$^F = 65535;
my ($number, @held) = (0);
while ((my $protocol = shift @ARGV) ne '--') {
  my ($address, $port) = (pack('H*', shift @ARGV), shift @ARGV);
  my $name = length $address == 4
    ? pack('S n a4 x8', 2, $port, $address) : pack('S n x4 a16 x4', 10, $port, $address);
  my $tcp = $protocol eq 'tcp';
  if (socket(my $socket, length $address == 4 ? 2 : 10, $tcp ? 1 : 2, 0)) {
    # SO_REUSEADDR: connections of the past do not count. IPV6_V6ONLY: IPv4 has a socket of its own.
    setsockopt($socket, 1, 2, 1) if $tcp;
    setsockopt($socket, 41, 26, 1) if length $address == 16;
    if (bind($socket, $name) && (!$tcp || listen($socket, 1))) { push @held, $socket }
    elsif ($! == EADDRINUSE) { print STDERR '${TAKEN}', $number, "\n"; exit 1 }
  }
  $number++;
}
exec { $ARGV[0] } @ARGV or die "exec: $!\n";
`;

/** One port, as the program takes it. */
interface Held {
  mapping: PortMapping;
  port: number;
}

/** Wraps a command so that its process holds ports of the host. */
export class PortHolder {
  readonly #ports: Held[];

  constructor(mappings: readonly PortMapping[]) {
    // Perl's core has no SCTP.
    const held = mappings.filter(({ protocol }) => protocol !== "sctp");
    this.#ports = held.flatMap((mapping) =>
      Array.from({ length: mapping.range }, (_, index) => ({ mapping, port: mapping.hostPort + index }))
    ).slice(0, LIMIT);
  }

  /** The command to run: the same where there is nothing to hold. */
  wrap(program: string, args: readonly string[], perl: string | undefined): [program: string, args: string[]] {
    if (perl === undefined || this.#ports.length === 0) return [program, [...args]];
    const ports = this.#ports.flatMap(({ mapping, port }) => [
      mapping.protocol,
      packed(mapping.hostIP),
      String(port),
    ]);
    return [perl, ["-e", HOLDER, "--", ...ports, "--", program, ...args]];
  }

  /** Throws `port_in_use` when that is what the command's standard error tells. */
  check(errors: string): void {
    const taken = errors.startsWith(TAKEN) ? this.#ports[Number.parseInt(errors.slice(TAKEN.length))] : undefined;
    if (taken !== undefined) throw portInUse(taken.mapping, taken.port);
  }
}

/** An address in hexadecimal digits. An empty one is every IPv4 address, as in Podman. */
function packed(address: string): string {
  const hex = (numbers: string[], radix: number, width: number) =>
    numbers.map((text) => Number.parseInt(text, radix).toString(16).padStart(width, "0")).join("");
  if (!isIPv6(address)) return hex((address || "0.0.0.0").split("."), 10, 2);
  // The URL parser writes every address in its one short form, IPv4 at the end included.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const parts = (text: string | undefined) => text ? text.split(":") : [];
  const zeros = Array<string>(8 - parts(head).length - parts(tail).length).fill("0");
  return hex([...parts(head), ...zeros, ...parts(tail)], 16, 4);
}
