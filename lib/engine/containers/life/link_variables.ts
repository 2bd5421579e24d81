import type { ContainerRecord } from "../../records/container_record.ts";
import { DEFAULT_NETWORK } from "../../networks/networks.ts";
import type { Context } from "../context.ts";
import { isCode } from "../failures.ts";

/** Variables that every container has: they say nothing of a linked one. */
const PLAIN = new Set(["HOME", "HOSTNAME", "PATH", "TERM", "container"]);

/** A port that a container exposes. */
interface ExposedPort {
  number: number;
  protocol: string;
}

/**
 * Returns the variables by which a container of the default network finds those it is linked to there, as Docker makes them:
 * `DB_PORT`, `DB_PORT_5432_TCP_ADDR`, `DB_NAME`, `DB_ENV_…`. Its own variables go before them, and are left out.
 */
export function linkVariables(context: Context, record: ContainerRecord): string[] {
  const { links = [] } = record.spec;
  if (links.length === 0 || !(DEFAULT_NETWORK in record.networks)) return [];
  const own = new Set(record.process.env.map(nameOf));
  return links.flatMap((link) => variablesOf(context, record, link)).filter((entry) => !own.has(nameOf(entry)));
}

/** The container that a link names; `undefined` for one that is gone. */
export function linkedContainer({ records }: Context, link: string): ContainerRecord | undefined {
  return unlessGone(() => records.resolve(link.split(":")[0]));
}

function variablesOf(context: Context, { name }: ContainerRecord, link: string): string[] {
  const other = linkedContainer(context, link);
  const addresses = other?.state.network?.interfaces[DEFAULT_NETWORK]?.addresses ?? [];
  const found = addresses.find(({ address }) => !address.includes(":"));
  if (other === undefined || found === undefined) return [];
  const alias = link.slice(link.indexOf(":") + 1);
  const prefix = alias.toUpperCase().replaceAll("-", "_");
  const told = other.process.env.filter((entry) => entry.includes("=") && !PLAIN.has(nameOf(entry)));
  return [
    ...portVariables(prefix, found.address, exposedPorts(context, other)),
    `${prefix}_NAME=/${name}/${alias}`,
    ...told.map((entry) => `${prefix}_ENV_${entry}`),
  ];
}

function portVariables(prefix: string, address: string, ports: readonly ExposedPort[]): string[] {
  const urlOf = ({ number, protocol }: ExposedPort) => `${protocol}://${address}:${number}`;
  const keyOf = ({ number, protocol }: ExposedPort) => `${prefix}_PORT_${number}_${protocol.toUpperCase()}`;
  const [first] = ports;
  const variables = first === undefined ? [] : [`${prefix}_PORT=${urlOf(first)}`];
  for (const port of ports) {
    const key = keyOf(port);
    variables.push(
      `${key}=${urlOf(port)}`,
      `${key}_ADDR=${address}`,
      `${key}_PORT=${port.number}`,
      `${key}_PROTO=${port.protocol}`,
    );
  }
  for (const { start, end } of rangesOf(ports)) {
    const key = keyOf(start);
    variables.push(
      `${key}_START=${urlOf(start)}`,
      `${key}_PORT_START=${start.number}`,
      `${key}_END=${urlOf(end)}`,
      `${key}_PORT_END=${end.number}`,
    );
  }
  return variables;
}

/** Ports one behind the other, at least two each. */
function rangesOf(ports: readonly ExposedPort[]): { start: ExposedPort; end: ExposedPort }[] {
  const ranges: { start: ExposedPort; end: ExposedPort }[] = [];
  for (const port of ports) {
    const last = ranges.at(-1);
    if (last?.end.number === port.number - 1 && last.end.protocol === port.protocol) last.end = port;
    else ranges.push({ start: port, end: port });
  }
  return ranges.filter(({ start, end }) => start !== end);
}

/** The ports that a container exposes or publishes, its image's included: those of TCP first. */
function exposedPorts({ core }: Context, { spec, ports, imageID }: ContainerRecord): ExposedPort[] {
  const image = unlessGone(() => core.images.resolve(imageID));
  const texts = [
    ...spec.exposed,
    ...Object.keys(image?.config.config?.ExposedPorts ?? {}),
    ...ports.flatMap(({ containerPort, protocol, range }) =>
      Array.from({ length: range }, (_, i) => `${containerPort + i}/${protocol}`)
    ),
  ];
  // The image's maker writes its texts.
  const found = texts.map((text) => /^(\d{1,5})(?:\/(tcp|udp|sctp))?$/i.exec(text)).filter((match) => match !== null);
  const whole = new Set(found.map(([, number, protocol = "tcp"]) => `${Number(number)}/${protocol.toLowerCase()}`));
  const rank = (protocol: string) => protocol === "tcp" ? "" : protocol;
  return [...whole].map((text) => {
    const [number, protocol] = text.split("/");
    return { number: Number(number), protocol };
  }).filter(({ number }) => number > 0 && number < 65_536).sort((a, b) =>
    rank(a.protocol) < rank(b.protocol) ? -1 : rank(a.protocol) > rank(b.protocol) ? 1 : a.number - b.number
  );
}

function nameOf(entry: string): string {
  return entry.split("=", 1)[0];
}

function unlessGone<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (isCode(error, "no_such_container", "no_such_image", "ambiguous")) return undefined;
    throw error;
  }
}
