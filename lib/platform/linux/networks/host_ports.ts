/**
 * Whether host ports can be had.
 *
 * @module
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, isIPv6 } from "node:net";
import type { PortMapping } from "../../../engine/records/container_record.ts";
import { EngineError } from "../../../engine/errors.ts";
import { cannotListen, portInUse } from "../../../engine/ports/published_ports.ts";
import { bridgeNamespace } from "./bridge_command.ts";
import { packAddress } from "../processes/nursery/port_holder.ts";
import { ERRORS, LinkError, type LinkHelper, tryPort } from "./links/link_helper.ts";
import { areUnpublished } from "./rules/published_ports.ts";

/** How many ports are tried at once: each takes an open file. */
const BATCH = 64;
/** How many are tried by one request. */
const STEPS = 1024;

/** Throws `EngineError("port_in_use")` when a process or a container on this machine has one of the ports. */
export async function checkHostPorts(helper: LinkHelper, ports: readonly PortMapping[]): Promise<void> {
  if (ports.length === 0) return;
  // The helper of an ordinary user's bridges is not where these ports are.
  if (bridgeNamespace() !== undefined) return await tryEach(ports);
  const [areFree] = await Promise.all([areUnpublished(helper, ports), tryAll(helper, ports)]);
  if (!areFree) throw await findPublished(helper, ports);
}

/** Listens on all of the ports by one request. */
async function tryAll(helper: LinkHelper, ports: readonly PortMapping[]): Promise<void> {
  const tried = portsOf(ports.filter(({ protocol }) => protocol !== "sctp"));
  for (let start = 0; start < tried.length; start += STEPS) {
    const some = tried.slice(start, start + STEPS);
    const steps = some.map(({ mapping, port }) => tryPort(mapping.protocol, packAddress(mapping.hostIP), port));
    try {
      await helper.run(...steps);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      const { mapping, port } = some[error.step]!;
      if (error.code === ERRORS.inUse) throw portInUse(mapping, port);
      throw new EngineError("invalid", cannotListen(mapping, port, "cannot assign requested address"));
    }
  }
}

function portsOf(ports: readonly PortMapping[]): { mapping: PortMapping; port: number }[] {
  return ports.flatMap((mapping) =>
    Array.from({ length: mapping.range }, (_, index) => ({ mapping, port: mapping.hostPort + index }))
  );
}

/** Listens on each of the ports. IPv6 comes after IPv4 is given back: Deno's sockets of TCP take both, whatever they are asked for. */
async function tryEach(ports: readonly PortMapping[]): Promise<void> {
  await tryPortsOf(ports.filter(({ hostIP }) => !isIPv6(hostIP)));
  await tryPortsOf(ports.filter(({ hostIP }) => isIPv6(hostIP)));
}

async function tryPortsOf(ports: readonly PortMapping[]): Promise<void> {
  const wanted = portsOf(ports);
  for (let start = 0; start < wanted.length; start += BATCH) {
    await Promise.all(
      wanted.slice(start, start + BATCH).map(async ({ mapping, port }) => {
        const { hostIP, protocol } = mapping;
        const code = protocol === "tcp"
          ? await tryTCP(hostIP, port)
          : protocol === "udp"
          ? await tryUDP(hostIP, port)
          : "";
        if (code === "EADDRINUSE") throw portInUse(mapping, port);
        // Deno answers EINVAL for an address that no interface has.
        if (code === "EADDRNOTAVAIL" || code === "EINVAL") {
          throw new EngineError("invalid", cannotListen(mapping, port, "cannot assign requested address"));
        }
      }),
    );
  }
}

/** The error for the first of the ports that a container has. */
async function findPublished(helper: LinkHelper, ports: readonly PortMapping[]): Promise<EngineError> {
  for (const mapping of ports) {
    for (let index = 0; index < mapping.range; index++) {
      const single = { ...mapping, hostPort: mapping.hostPort + index, range: 1 };
      if (!await areUnpublished(helper, [single])) return portInUse(mapping, single.hostPort);
    }
  }
  // It was given back meanwhile; its caller tries again.
  return portInUse(ports[0]!, ports[0]!.hostPort);
}

/**
 * The error code of listening, or "". A port that this process may not open (one below 1024, say) is no reason to refuse.
 */
async function tryTCP(host: string, port: number): Promise<string> {
  const server = createServer();
  try {
    server.listen({ host: host === "" ? "0.0.0.0" : host, port, exclusive: true, ipv6Only: true });
    await once(server, "listening");
    return "";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "";
  } finally {
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }
}

async function tryUDP(host: string, port: number): Promise<string> {
  const socket = createSocket({ type: isIPv6(host) ? "udp6" : "udp4", ipv6Only: true });
  try {
    socket.bind({ address: host === "" ? "0.0.0.0" : host, port, exclusive: true });
    await once(socket, "listening");
    return "";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "";
  } finally {
    // A socket that could not be bound is closed already under some runtimes.
    try {
      socket.close();
    } catch { /* closed */ }
  }
}
