import type { PortMapping } from "../../records/container_record.ts";
import { EngineError, invalid } from "../../errors.ts";
import { parseAddress } from "../../text/ip.ts";
import type { Random } from "../../ports/ports.ts";
import { portsOverlap } from "../life/port_claims.ts";

/** The range of host ports for mappings that name none: the ports that Linux calls ephemeral. */
const FIRST_FREE = 32768;
const FREE_COUNT = 28232;
const TRIES = 64;
/** An image may expose every port there is; each that is published without being named is looked for one by one. */
const MOST_EXPOSED = 1024;

/** Checks the mappings of a spec and gives each its protocol and range in full. Throws `invalid`. */
export function checkMappings(mappings: readonly PortMapping[]): PortMapping[] {
  const checked = mappings.map(checkMapping);
  checked.forEach((mapping, i) => {
    const clash = checked.slice(0, i).find((other) => overlapsByMistake(other, mapping));
    if (!clash) return;
    throw invalid(`conflicting port mappings for host port ${mapping.hostPort} (protocol ${mapping.protocol})`);
  });
  return checked.filter((mapping, i) => !checked.slice(0, i).some((other) => same(other, mapping)));
}

/** Ports of a container: `first` to `last`, both of them included. */
export interface PortRange {
  first: number;
  last: number;
  protocol: PortMapping["protocol"];
}

/** Reads ports of a container: `80`, `80/udp`, `8000-8010/tcp`. Undefined for anything else. */
export function parsePortRange(text: string): PortRange | undefined {
  const match = /^([0-9]{1,5})(?:-([0-9]{1,5}))?(?:\/(tcp|udp|sctp))?$/i.exec(text);
  const first = Number(match?.[1]);
  const last = Number(match?.[2] ?? match?.[1]);
  if (!match || first < 1 || last < first || last > 65535) return undefined;
  // The pattern lets nothing else through.
  return { first, last, protocol: (match[3]?.toLowerCase() ?? "tcp") as PortMapping["protocol"] };
}

/** Reads an exposed port, or several. Throws `invalid`. */
function parseExposed(text: string): { port: number; protocol: PortMapping["protocol"] }[] {
  const range = parsePortRange(text);
  if (range === undefined) throw invalid(`invalid exposed port "${text}"`);
  const { first, last, protocol } = range;
  return Array.from({ length: last - first + 1 }, (_, i) => ({ port: first + i, protocol }));
}

/** Mappings, with any host port, for the exposed ports that no mapping publishes yet. */
export function publishAll(mappings: readonly PortMapping[], exposed: readonly string[]): PortMapping[] {
  const published = (port: number, protocol: string) =>
    mappings.some((mapping) =>
      mapping.protocol === protocol && port >= mapping.containerPort && port < mapping.containerPort + mapping.range
    );
  const missing = exposed.flatMap(parseExposed).filter(({ port, protocol }) => !published(port, protocol));
  if (missing.length > MOST_EXPOSED) throw invalid(`more than ${MOST_EXPOSED} exposed ports to publish`);
  return missing.map(({ port, protocol }) => ({ hostIP: "", hostPort: 0, containerPort: port, protocol, range: 1 }));
}

/** The lookups and random numbers that {@linkcode assignPorts} needs. */
export interface PortSource {
  random: Random;
  /** Tells the mappings of other containers, running or not, and of those that are being made: a port given out stays theirs. */
  taken(): readonly PortMapping[];
  /** Keeps others from a mapping that is chosen, or takes that back. */
  hold(mapping: PortMapping, isHeld: boolean): void;
  /** Whether the host could bind it now. */
  isFree(mapping: PortMapping): Promise<boolean>;
}

/** Gives every mapping without one host port of its own a free one. Throws `port_in_use` when none is found. */
export async function assignPorts(mappings: readonly PortMapping[], source: PortSource): Promise<PortMapping[]> {
  const assigned = mappings.filter(({ hostPort, lastHostPort }) => hostPort !== 0 && lastHostPort === undefined);
  for (const mapping of assigned) source.hold(mapping, true);
  for (const mapping of mappings) {
    if (mapping.lastHostPort !== undefined) assigned.push(await assignWithin(mapping, source));
    else if (mapping.hostPort === 0) assigned.push(await assign(mapping, source));
  }
  return assigned;
}

/** The first port of a range that nobody has. */
async function assignWithin(mapping: PortMapping, source: PortSource): Promise<PortMapping> {
  const { lastHostPort = mapping.hostPort, ...first } = mapping;
  for (let hostPort = first.hostPort; hostPort <= lastHostPort; hostPort++) {
    const candidate = { ...first, hostPort };
    if (await isChosen(candidate, source)) return candidate;
  }
  throw new EngineError("port_in_use", `all ports of the range ${first.hostPort}-${lastHostPort} are in use`);
}

/** Whether a mapping is free; it is held then, and was while the host was asked: others choose at the same time. */
async function isChosen(candidate: PortMapping, source: PortSource): Promise<boolean> {
  if (source.taken().some((other) => portsOverlap(other, candidate))) return false;
  source.hold(candidate, true);
  let isFree = false;
  try {
    isFree = await source.isFree(candidate);
  } finally {
    if (!isFree) source.hold(candidate, false);
  }
  return isFree;
}

async function assign(mapping: PortMapping, source: PortSource): Promise<PortMapping> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const [high, low] = source.random.bytes(2);
    const candidate = { ...mapping, hostPort: FIRST_FREE + (high * 256 + low) % (FREE_COUNT - mapping.range) };
    if (await isChosen(candidate, source)) return candidate;
  }
  const range = mapping.range > 1 ? `with range ${mapping.range} ` : "";
  const text = `failed to find an open port to expose container port ${mapping.containerPort} ${range}on the host`;
  throw new EngineError("port_in_use", text);
}

function checkMapping(mapping: PortMapping): PortMapping {
  const range = mapping.range || 1;
  if (mapping.hostIP !== "") checkHostIP(mapping.hostIP);
  if (mapping.containerPort === 0) throw invalid("container port number must be non-0");
  if (range - 1 + mapping.containerPort > 65535) {
    throw invalid("container port range exceeds maximum allowable port number");
  }
  if (range - 1 + mapping.hostPort > 65535) throw invalid("host port range exceeds maximum allowable port number");
  return { ...mapping, range };
}

function checkHostIP(text: string): void {
  try {
    parseAddress(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalid(`invalid IP address "${text}" in port mapping`);
  }
}

/** The same host port for two container ports; the same mapping twice is only said twice. */
function overlapsByMistake(a: PortMapping, b: PortMapping): boolean {
  if (a.hostPort === 0 || b.hostPort === 0 || !portsOverlap(a, b)) return false;
  if (a.lastHostPort !== undefined || b.lastHostPort !== undefined) return false;
  return a.hostPort - a.containerPort !== b.hostPort - b.containerPort;
}

function same(a: PortMapping, b: PortMapping): boolean {
  return a.hostIP === b.hostIP && a.hostPort === b.hostPort && a.containerPort === b.containerPort &&
    a.protocol === b.protocol && a.range === b.range && a.lastHostPort === b.lastHostPort;
}
