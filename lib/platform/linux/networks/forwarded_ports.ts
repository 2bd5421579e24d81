/**
 * Published ports to which no rule of the firewall leads: those of an ordinary user's containers, and IPv6 of root's, which may
 * lead to an address of IPv4, and from the machine's loopback. A process for each container listens on them, and hands on what comes.
 * A container sees the bridge's gateway as its clients' address.
 *
 * @module
 */
import { readFileSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import process from "node:process";
import { EngineError } from "../../../engine/errors.ts";
import type { PortMapping } from "../../../engine/records/container_record.ts";
import type { PublishedPorts } from "../../../engine/ports/network_port.ts";
import { cannotListen, portInUse } from "../../../engine/ports/published_ports.ts";
import { isAlive, markProcess, readMark } from "../helpers/proc.ts";
import { HELPER_ENVIRONMENT, startProgram } from "../helpers/spawn.ts";
import { FrameReader } from "../perl/frames.ts";
import { perlArguments, PORTS_PROGRAM } from "../perl/programs.ts";
import { packAddress } from "../processes/nursery/port_holder.ts";
import { hasSystemCode } from "../../../oci/system_error.ts";

/** The most connections of one container at a time: each is a process. */
const MOST_CONNECTIONS = 512;

/**
 * Publishes all of a container's ports or none, in place of those it has. Throws `port_in_use`, and `invalid` for what cannot be had.
 *
 * @param netns The namespace of an ordinary user's bridges; without one IPv6 is published only
 */
export async function forwardPorts(folder: string, netns: string | undefined, options: PublishedPorts): Promise<void> {
  const note = join(folder, options.containerID);
  const mappings = options.ports.flatMap(separateFamilies).filter(({ hostIP, protocol }) => {
    return netns !== undefined || (isIPv6(hostIP) && protocol !== "sctp");
  });
  const ports = mappings.flatMap((mapping) => mappingPorts(mapping, options.addresses));
  const fields = ports.flatMap(({ mapping, hostPort, target, containerPort }) => [
    mapping.protocol,
    packAddress(mapping.hostIP),
    String(hostPort),
    packAddress(target),
    String(containerPort),
  ]);
  // A network that came or went may change nothing here: connections live on.
  if (fields.length > 0 && isForwarding(note, fields)) return;
  await endForwarding(folder, options.containerID);
  if (fields.length === 0) return;
  const args = perlArguments(PORTS_PROGRAM, "Publish ports", [netns ?? "", String(MOST_CONNECTIONS)]);
  // A session of its own: it goes on when the server ends.
  const child = startProgram("perl", args, {
    cwd: "/",
    env: HELPER_ENVIRONMENT,
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
  });
  // Before anything is waited for: the output of a process that has ended by then would flow away.
  const answers = new FrameReader(child.stdout!);
  child.unref();
  child.once("error", () => {});
  child.stdin!.on("error", () => {});
  // No arguments: a range may have more ports than the kernel takes as such.
  child.stdin!.end(fields.join(" "));
  try {
    // Before it has any port: a server that comes to its end here leaves none that nobody knows of.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const mark = child.pid === undefined ? undefined : markProcess(child.pid);
    if (mark !== undefined) writeFileSync(note, JSON.stringify({ ...mark, fields }));
    const [word, number, error = "no answer"] = await answers.readTexts() ?? [];
    if (word === "ready") return;
    const { mapping, hostPort } = ports[Number(number ?? 0)]!;
    if (error === "EADDRINUSE") throw portInUse(mapping, hostPort);
    const setting = /denied/i.test(error) ? ", add 'net.ipv4.ip_unprivileged_port_start' to /etc/sysctl.conf" : "";
    throw new EngineError("invalid", `${cannotListen(mapping, hostPort, error.toLowerCase())}${setting}`);
  } catch (error) {
    child.kill("SIGKILL");
    await rm(note, { force: true }).catch(() => {});
    throw error;
  } finally {
    child.stdout!.destroy();
  }
}

/** Whether a container's process lives that hands on just these ports. */
function isForwarding(note: string, fields: readonly string[]): boolean {
  const mark = readMark(note);
  if (mark === undefined || !isAlive(mark)) return false;
  const { fields: own } = JSON.parse(readFileSync(note, "utf8"));
  return Array.isArray(own) && own.join() === fields.join();
}

/** Ends the process that has a container's ports, whichever server has started it. */
export async function endForwarding(folder: string, containerID: string): Promise<void> {
  const note = join(folder, containerID);
  const mark = readMark(note);
  if (mark !== undefined && isAlive(mark)) {
    try {
      // With the processes of its connections: they are one group.
      process.kill(-mark.pid, "SIGKILL");
    } catch (error) {
      if (!hasSystemCode(error, "ESRCH")) throw error;
    }
    // Only then are its ports free for the next one.
    while (isAlive(mark)) await sleep(2);
  }
  await rm(note, { force: true });
}

/** A mapping for both versions of IP as two. */
export function separateFamilies({ bothFamilies, ...mapping }: PortMapping): PortMapping[] {
  return bothFamilies && hasIPv6() ? [mapping, { ...mapping, hostIP: "::" }] : [mapping];
}

/** Whether this machine has IPv6. */
export function hasIPv6(): boolean {
  try {
    // The file is empty where IPv6 is disabled, and not there where the kernel has none.
    return readFileSync("/proc/net/if_inet6", "latin1") !== "";
  } catch {
    return false;
  }
}

/** Each port of a mapping with the container's address that it leads to: IPv4 to IPv4, and IPv6 to IPv6 where it has that. */
function mappingPorts(mapping: PortMapping, addresses: readonly string[]) {
  if (mapping.protocol === "sctp") {
    throw new EngineError("unsupported", "Publish ports: an ordinary user cannot publish SCTP");
  }
  const own = addresses.find((address) => isIPv6(address) === isIPv6(mapping.hostIP));
  const target = own ?? (isIPv6(mapping.hostIP) ? addresses[0] : undefined);
  if (target === undefined) return [];
  return Array.from({ length: mapping.range }, (_, index) => ({
    mapping,
    target,
    hostPort: mapping.hostPort + index,
    containerPort: mapping.containerPort + index,
  }));
}
