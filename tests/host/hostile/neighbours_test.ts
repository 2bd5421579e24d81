/** Containers of one network: none of them is another one's router. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ok, runOk } from "../../fixtures/run.ts";
import { Session } from "../../fixtures/session.ts";

/**
 * Says to all neighbours that it is their router and has addresses for them (RFC 4861 section 4.2), and then waits until the one at the
 * address that is its argument has answered an echo request, which comes behind that.
 */
const ADVERTISE = `
import socket, struct, sys
s = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
device = socket.if_nametoindex("eth0")
s.settimeout(20)
prefix = struct.pack("!BBBBIII", 3, 4, 64, 0xc0, 86400, 14400, 0) + bytes.fromhex("fd0066000000000000000000000000ff")[:16]
s.sendto(struct.pack("!BBHBBHII", 134, 0, 0, 64, 0, 1800, 0, 0) + prefix, ("ff02::1", 0, 0, device))
s.sendto(struct.pack("!BBHHH", 128, 0, 0, 66, 1), (sys.argv[1], 0, 0, device))
while True:
    packet, sender = s.recvfrom(2000)
    if packet[0] == 129 and sender[0].split("%")[0] == sys.argv[1]: break
`;

Deno.test("a container makes itself no router of its neighbours, and gives them no addresses", async () => {
  await using session = await Session.shared();
  const { server, image } = session;
  const docker = async (...args: string[]) => ok(await server.docker(...args), args.join(" "));
  await docker("pull", image);
  for (const name of ["attacker", "victim"]) await docker("run", "-d", "--name", name, image, "sleep", "1000");
  const pidOf = async (name: string) => (await docker("inspect", "--format", "{{.State.Pid}}", name)).trim();
  const inNetworkOf = async (name: string, ...command: string[]) =>
    await runOk(["nsenter", `--net=/proc/${await pidOf(name)}/ns/net`, ...command]);
  const ip = (...args: string[]) => inNetworkOf("victim", "ip", "-6", ...args);
  const before = await ip("-brief", "address", "show", "dev", "eth0");
  assertStringIncludes(before, "fe80::");
  const address = before.match(/fe80::[0-9a-f:]+/)![0];
  await inNetworkOf("attacker", "python3", "-c", ADVERTISE, address);
  assertEquals(await ip("route", "show", "default"), "");
  assertEquals(await ip("-brief", "address", "show", "dev", "eth0"), before);
});
