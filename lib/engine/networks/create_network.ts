import { type Core, hostOf } from "../core.ts";
import { EngineError, invalid } from "../errors.ts";
import type { Place } from "../ports/network_port.ts";
import type {
  AddressSource,
  DockerNetworkFields,
  NetworkDriver,
  NetworkRecord,
  NetworkRoute,
  NetworkSubnet,
} from "../records/network_record.ts";
import { NETWORK_DRIVERS } from "../records/network_record.ts";
import { encode } from "../store/json.ts";
import { NAME_PATTERN, randomID } from "../text/names.ts";
import { parseSubnet } from "../text/ip.ts";
import { SubnetSet } from "../text/subnet_set.ts";
import { choosePlace, type PlaceWish } from "./choose_place.ts";
import { checkOptions, isSharedBridge } from "./network_options.ts";
import { addGateways, checkRoutes, checkSubnets, readAddress } from "./network_subnets.ts";

/** A network as requested: absent fields are chosen. */
export interface NetworkWish {
  /** Any free one when absent. */
  id?: string;
  name?: string;
  /** `bridge` when absent. */
  driver?: string;
  interface?: string;
  subnets?: readonly NetworkSubnet[];
  routes?: readonly NetworkRoute[];
  /** The leading bits of an IPv4 subnet that is chosen. */
  prefix?: number;
  /** `false`: choose no subnet of IPv4. */
  ipv4?: boolean;
  /** Give it a subnet of IPv6, too. */
  ipv6?: boolean;
  internal?: boolean;
  dns?: boolean;
  dnsServers?: readonly string[];
  addressSource?: string;
  labels?: Record<string, string>;
  options?: Record<string, string>;
  /** Kept as they are, and shown to Docker's clients. */
  docker?: DockerNetworkFields;
}

const SOURCES: readonly string[] = ["host-local", "dhcp", "none"];
/** Names that mean something else where a container names its network. */
const MODES = "none host bridge private slirp4netns pasta container ns default".split(" ");
const MOST_SERVERS = 16;
const LONGEST_NAME = 253;
/** The kernel's `IFNAMSIZ`, without the byte that ends a name. */
const LONGEST_INTERFACE = 15;

/** The networks there are, those on their way out too. */
export interface KnownNetworks {
  others: readonly NetworkRecord[];
  hasName(name: string): boolean;
  hasID(id: string): boolean;
}

/**
 * Makes the record of a new network, with its place on the host reserved where it is a bridge. Throws `invalid` for a network
 * that cannot be, in Podman's words.
 */
export async function draftNetwork(
  core: Core,
  wish: NetworkWish,
  known: KnownNetworks,
): Promise<NetworkRecord> {
  const { driver, checked } = checkWish(core, wish);
  await hostOf(core)?.networks.check(checked);
  const base = await choosePlaceOf(core, checked, known.others);
  const name = wish.name ?? (driver === "bridge" ? base.interface : freeName(known));
  // A bridge without a way out still needs an address to answer names at.
  const hasGateway = checked.addressSource !== "dhcp" && (!checked.internal || checked.dns);
  const record: NetworkRecord = {
    id: wish.id ?? newID(core, known),
    name,
    driver,
    interface: base.interface,
    created: new Date(core.clock.now()).toISOString(),
    subnets: hasGateway ? addGateways(base.subnets) : base.subnets,
    ...checked.routes.length > 0 && { routes: checked.routes },
    ipv6: checked.ipv6 || base.subnets.some(({ subnet }) => parseSubnet(subnet).version === 6),
    internal: checked.internal,
    dns: checked.dns,
    ...checked.dnsServers.length > 0 && { dnsServers: checked.dnsServers },
    ...checked.addressSource !== "host-local" && { addressSource: checked.addressSource },
    labels: wish.labels ?? {},
    options: checked.options,
    ...wish.docker && { docker: wish.docker },
  };
  return record;
}

/** The fields of a wish, checked and with defaults. */
interface CheckedWish {
  driver: NetworkDriver;
  interface: string;
  subnets: NetworkSubnet[];
  routes: NetworkRoute[];
  prefix?: number;
  ipv4: boolean;
  ipv6: boolean;
  internal: boolean;
  dns: boolean;
  dnsServers: string[];
  addressSource: AddressSource;
  options: Record<string, string>;
}

function checkWish(core: Core, wish: NetworkWish): { driver: NetworkDriver; checked: CheckedWish } {
  checkName(wish.name);
  checkInterface(wish.interface ?? "", wish.driver ?? "bridge");
  checkLabels(core, wish);
  const driver = wish.driver || "bridge";
  if (!isDriver(driver)) throw invalid(`failed to find driver or plugin "${driver}"`);
  const subnets = checkSubnets(wish.subnets ?? []);
  const addressSource = chooseSource(driver, wish.addressSource ?? "", subnets);
  // Names are answered at a bridge's own address; what else a network has is no place of ours.
  const dns = (wish.dns ?? false) && driver === "bridge" && addressSource !== "none";
  const dnsServers = (wish.dnsServers ?? []).map((server) => readAddress("NetworkDNSServers", server));
  if (dnsServers.length > 0 && !dns) {
    throw invalid("cannot set NetworkDNSServers if DNS is not enabled for the network", "invalid argument");
  }
  if (dnsServers.length > MOST_SERVERS) throw invalid(`a network has at most ${MOST_SERVERS} DNS servers`);
  const checked: CheckedWish = {
    driver,
    interface: wish.interface ?? "",
    subnets,
    routes: checkRoutes(wish.routes ?? []),
    prefix: wish.prefix,
    ipv4: wish.ipv4 ?? true,
    ipv6: wish.ipv6 ?? false,
    internal: wish.internal ?? false,
    dns,
    dnsServers: [...new Set(dnsServers)],
    addressSource,
    options: checkOptions(driver, wish.options ?? {}),
  };
  return { driver, checked };
}

/** Chooses the name and the subnets of a bridge; the other drivers have them as requested. */
async function choosePlaceOf(
  core: Core,
  checked: CheckedWish,
  others: readonly NetworkRecord[],
): Promise<Place> {
  const { driver, subnets } = checked;
  if (driver !== "bridge") return { interface: checked.interface, subnets };
  const wish: PlaceWish = {
    interface: checked.interface,
    subnets,
    versions: versionsOf(checked),
    prefix: checked.prefix,
    pools: core.options.subnetPools,
    isShared: isSharedBridge(checked.options),
  };
  const random = (length: number) => core.random.bytes(length);
  const host = hostOf(core);
  if (host) return await host.networks.reserve(others, (taken) => choosePlace(wish, taken, random));
  const bridges = others.filter((other) => other.driver === "bridge");
  return choosePlace(wish, {
    interfaces: new Set(),
    bridges: new Set(bridges.map((other) => other.interface)),
    subnets: new SubnetSet(bridges.flatMap((other) => other.subnets.map(({ subnet }) => subnet))),
  }, random);
}

/** The versions of IP that a bridge must have a subnet of. */
function versionsOf({ addressSource, subnets, ipv4, ipv6 }: CheckedWish): (4 | 6)[] {
  if (addressSource !== "host-local") return [];
  if (!ipv6) return subnets.length > 0 ? [] : [4];
  return ipv4 ? [4, 6] : [6];
}

/** Chooses the source of addresses. Throws, in the words of Podman, where it does not fit. */
function chooseSource(driver: NetworkDriver, asked: string, subnets: readonly NetworkSubnet[]): AddressSource {
  if (asked !== "" && !isSource(asked)) throw invalid(`unsupported ipam driver "${asked}"`);
  if (asked === "none" && subnets.length > 0) throw invalid("none ipam driver is set but subnets are given");
  const source = asked || (driver === "bridge" || subnets.length > 0 ? "host-local" : "dhcp");
  if (!isSource(source)) throw invalid(`unsupported ipam driver "${source}"`);
  if (source === "dhcp") {
    if (driver === "ipvlan") throw invalid("ipam driver dhcp is not supported with ipvlan");
    if (subnets.length > 0) throw invalid("ipam driver dhcp set but subnets are set");
  }
  if (source === "host-local" && driver !== "bridge" && subnets.length === 0) {
    const rule = "needs at least one subnet specified when the host-local ipam driver is set";
    throw invalid(`${driver} driver ${rule}`);
  }
  return source;
}

function checkName(name: string | undefined): void {
  if (name === undefined) return;
  const rule = "names must match [a-zA-Z0-9][a-zA-Z0-9_.-]*: invalid argument";
  if (name.length > LONGEST_NAME || !NAME_PATTERN.test(name)) {
    throw invalid(`network name ${name} invalid: ${rule}`, undefined);
  }
  if (MODES.includes(name)) {
    const reason = "because it conflicts with a valid network mode";
    throw invalid(`cannot create network with name "${name}" ${reason}`, "invalid argument");
  }
}

function checkInterface(name: string, driver: string): void {
  if (name === "") return;
  const refuse = (why: string) => invalid(`network interface name ${name} invalid: ${why}`, "invalid argument");
  if (name.length > LONGEST_INTERFACE) {
    throw refuse(`interface name is too long: interface names must be ${LONGEST_INTERFACE} characters or less`);
  }
  if (name === "." || name === "..") throw refuse("interface name is . or ..");
  if (/[/:\s\p{C}]/u.test(name)) throw refuse("interface name contains / or : or whitespace characters");
  if (driver === "bridge" && !NAME_PATTERN.test(name)) {
    throw invalid(
      `bridge name ${name} invalid: names must match [a-zA-Z0-9][a-zA-Z0-9_.-]*`,
      "invalid argument",
    );
  }
}

function checkLabels(core: Core, { labels = {}, options = {}, docker = {} }: NetworkWish): void {
  const { labelBytes } = core.options.limits;
  const size = encode(labels).length + encode(options).length + encode(docker.options ?? {}).length;
  if (size <= labelBytes) return;
  const text = `Create network: labels and options have ${size} bytes; at most ${labelBytes} bytes are kept`;
  throw new EngineError("limit", text);
}

/** The name of a network that is no bridge and was given none. */
function freeName({ hasName }: KnownNetworks): string {
  for (let number = 1;; number++) {
    const name = `gantry-net${number}`;
    if (!hasName(name)) return name;
  }
}

function newID({ random }: Core, { hasID }: KnownNetworks): string {
  for (;;) {
    const id = randomID(random);
    if (!hasID(id)) return id;
  }
}

function isDriver(text: string): text is NetworkDriver {
  return NETWORK_DRIVERS.some((driver) => driver === text);
}

function isSource(text: string): text is AddressSource {
  return SOURCES.includes(text);
}
