import type { NetworkRoute, NetworkSubnet, Subnet } from "../records/network_record.ts";
import { addressAt, formatAddress, parseAddress, parseSubnet, subnetContains, subnetsOverlap } from "../text/ip.ts";
import { invalid } from "../errors.ts";

/** Most subnets, and most routes, of one network: each of them is an address or an entry on every container's interface. */
const MOST = 64;

const ROUTE_TYPES: readonly string[] = ["unicast", "blackhole", "unreachable", "prohibit"];

/** Whether there are routes of this type. */
export function isRouteType(text: string): text is NonNullable<NetworkRoute["type"]> {
  return ROUTE_TYPES.includes(text);
}

/** Reads a subnet of a request. Throws `invalid` in the words of Go's parser, which clients print. */
export function readSubnet(text: string): Subnet {
  try {
    return parseSubnet(text);
  } catch {
    throw invalid(`invalid CIDR address: ${text}`);
  }
}

/** Checks the subnets of a request and gives them in canonical form. Throws `invalid`. */
export function checkSubnets(subnets: readonly NetworkSubnet[]): NetworkSubnet[] {
  if (subnets.length > MOST) throw invalid(`a network has at most ${MOST} subnets`);
  const checked = subnets.map(checkSubnet);
  for (const [i, first] of checked.entries()) {
    for (const second of checked.slice(i + 1)) {
      if (first.subnet === second.subnet) throw invalid(`duplicate subnets detected: ${first.subnet}`);
      if (subnetsOverlap(parseSubnet(first.subnet), parseSubnet(second.subnet))) {
        throw invalid(`overlapping subnets detected: ${first.subnet} and ${second.subnet}`);
      }
    }
  }
  return checked;
}

/** The subnets with the first address of each as its gateway, where none is given. */
export function addGateways(subnets: readonly NetworkSubnet[]): NetworkSubnet[] {
  return subnets.map(({ subnet, gateway, ...rest }) => {
    const chosen = gateway ?? freeGateway(parseSubnet(subnet), Object.values(rest.auxiliary ?? {}));
    return { subnet, ...chosen !== undefined && { gateway: chosen }, ...rest };
  });
}

/** The first address that is no auxiliary one; none where a subnet of one or two addresses has no room for a gateway of its own. */
function freeGateway(subnet: Subnet, auxiliary: readonly string[]): string | undefined {
  let place = 1;
  while (auxiliary.length > 0 && auxiliary.includes(addressAt(subnet, place))) place++;
  return subnet.size > BigInt(place + 1) ? addressAt(subnet, place) : undefined;
}

/** Checks the routes of a request. Throws `invalid`. */
export function checkRoutes(routes: readonly NetworkRoute[]): NetworkRoute[] {
  if (routes.length > MOST) throw invalid(`a network has at most ${MOST} routes`);
  return routes.map(({ destination, gateway, metric, type = "unicast" }) => {
    const subnet = readSubnet(destination);
    if (formatAddress(parseAddress(destination.split("/")[0])) !== addressAt(subnet, 0)) {
      throw invalid("route destination invalid");
    }
    if (metric !== undefined && !(Number.isInteger(metric) && metric >= 0 && metric < 2 ** 32)) {
      throw invalid(`route metric ${metric} invalid`);
    }
    if (type === "unicast" && gateway === undefined) throw invalid("route gateway nil");
    if (type !== "unicast" && gateway !== undefined) throw invalid(`a ${type} route has no gateway`);
    const via = gateway === undefined ? undefined : readAddress("route gateway", gateway);
    if (via !== undefined && via.includes(":") !== (subnet.version === 6)) {
      throw invalid(`route gateway ${via} and destination ${destination} are of different versions of IP`);
    }
    return {
      destination: textOf(subnet),
      ...via !== undefined && { gateway: via },
      ...metric !== undefined && { metric },
      ...type !== "unicast" && { type },
    };
  });
}

/** Checks an address of a request and gives it in canonical form. Throws `invalid`. */
export function readAddress(what: string, text: string): string {
  try {
    return formatAddress(parseAddress(text));
  } catch {
    throw invalid(`unable to parse ip ${text} specified in ${what}`, "invalid argument");
  }
}

function checkSubnet({ subnet: text, gateway, leaseRange, auxiliary }: NetworkSubnet): NetworkSubnet {
  const subnet = readSubnet(text);
  const name = textOf(subnet);
  const inside = (what: string, address: string | undefined) => {
    if (address === undefined) return undefined;
    const canonical = readAddress(what, address);
    if (!subnetContains(subnet, parseAddress(canonical))) {
      throw invalid(`${what} ${address} not in subnet ${name}`);
    }
    return canonical;
  };
  const via = inside("gateway", gateway);
  const others = Object.entries(auxiliary ?? {}).map((
    [name, address],
  ) => [name, inside("auxiliary address", address)!]);
  if (others.length > MOST) throw invalid(`a subnet has at most ${MOST} auxiliary addresses`);
  if (via !== undefined && others.some(([, address]) => address === via)) {
    throw invalid(`auxiliary address ${via} is the gateway of ${name}`);
  }
  const [start, end] = [
    inside("lease range start ip", leaseRange?.start),
    inside("lease range end ip", leaseRange?.end),
  ];
  if (start !== undefined && end !== undefined && parseAddress(start).value > parseAddress(end).value) {
    throw invalid(`lease range ${start} - ${end} ends before it starts`);
  }
  const range = { ...start !== undefined && { start }, ...end !== undefined && { end } };
  return {
    subnet: name,
    ...via !== undefined && { gateway: via },
    ...Object.keys(range).length > 0 && { leaseRange: range },
    ...others.length > 0 && { auxiliary: Object.fromEntries(others) },
  };
}

function textOf(subnet: Subnet): string {
  return `${addressAt(subnet, 0)}/${subnet.prefix}`;
}
