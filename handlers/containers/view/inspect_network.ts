import type { ContainerRecord, PortMapping } from "../../../lib/engine/records/container_record.ts";
import type { NetworkStatus } from "../../../lib/engine/records/network_status.ts";
import type {
  InspectAdditionalNetwork,
  InspectNetworkSettings,
} from "../../wire/containers/container_inspect_network.ts";
import type { Sparse } from "../../wire/emit.ts";

/** Bindings by container port, `80/tcp`. */
type Bindings = Record<string, { HostIp: string; HostPort: string }[] | null>;

/** Published ports, one entry for each of a range and for each version of IP. */
export function portBindings(ports: readonly PortMapping[]): Bindings {
  return bindingsAt(ports, ({ hostIP, bothFamilies }) => bothFamilies ? ["0.0.0.0", "::"] : [hostIP || "0.0.0.0"]);
}

/** Published ports as they were requested, one entry for each of a range. */
export function requestedBindings(ports: readonly PortMapping[]): Bindings {
  return bindingsAt(ports, ({ hostIP, bothFamilies }) => [bothFamilies ? "" : hostIP || "0.0.0.0"]);
}

function bindingsAt(ports: readonly PortMapping[], addressesOf: (port: PortMapping) => string[]): Bindings {
  const bindings: Bindings = {};
  for (const port of ports) {
    for (let offset = 0; offset < port.range; offset++) {
      const HostPort = String(port.hostPort + offset);
      const found = bindings[`${port.containerPort + offset}/${port.protocol}`] ??= [];
      found.push(...addressesOf(port).map((HostIp) => ({ HostIp, HostPort })));
    }
  }
  return bindings;
}

/**
 * A container's place in its networks: addresses are there while it runs.
 *
 * @param record The container
 * @param exposed Ports that are exposed, `80/tcp`
 * @param networkID The ID of a network
 * @param joined The interfaces of a namespace that it joined by its path
 */
export function networkSettings(
  record: ContainerRecord,
  exposed: readonly string[],
  networkID: (name: string) => string,
  joined: NetworkStatus["interfaces"] = {},
): Sparse<InspectNetworkSettings> {
  const ports: Bindings = Object.fromEntries(exposed.map((port) => [port.includes("/") ? port : `${port}/tcp`, null]));
  Object.assign(ports, portBindings(record.ports));
  const { mode } = record.spec.namespaces.network;
  // A mode that is no network stands in the place of one, as in Docker.
  const networks: Record<string, Sparse<InspectAdditionalNetwork>> = mode === "host" || mode === "none"
    ? { [mode]: { NetworkID: mode } }
    : Object.fromEntries(
      Object.keys(record.networks).map((name) => [name, viewEndpoint(record, name, networkID(name))]),
    );
  const [only] = Object.values(networks);
  return {
    // It makes sense where there is one network.
    ...(Object.keys(networks).length === 1 ? viewAddresses(only) : viewJoined(joined)),
    Ports: ports,
    SandboxKey: sandboxKey(record),
    Networks: networks,
  };
}

/** The addresses of a namespace that has any interfaces: the first of each family, and the others after it. */
function viewJoined(joined: NetworkStatus["interfaces"]): Sparse<InspectNetworkSettings> {
  const interfaces = Object.entries(joined).sort(([one], [other]) => one < other ? -1 : 1).map(([, found]) => found);
  const addresses = interfaces.flatMap((found) => found.addresses);
  const [ipv4, ...others] = addresses.filter(({ address }) => !address.includes(":"));
  const [ipv6, ...others6] = addresses.filter(({ address }) => address.includes(":"));
  const macs = interfaces.map(({ mac }) => mac);
  return {
    Gateway: ipv4?.gateway ?? "",
    IPAddress: ipv4?.address ?? "",
    IPPrefixLen: ipv4?.prefix ?? 0,
    IPv6Gateway: ipv6?.gateway ?? "",
    GlobalIPv6Address: ipv6?.address ?? "",
    GlobalIPv6PrefixLen: ipv6?.prefix ?? 0,
    MacAddress: macs[0] ?? "",
    ...others.length > 0 && { SecondaryIPAddresses: others.map(viewAddress) },
    ...others6.length > 0 && { SecondaryIPv6Addresses: others6.map(viewAddress) },
    ...macs.length > 1 && { AdditionalMACAddresses: macs.slice(1) },
  };
}

function viewAddress({ address, prefix }: { address: string; prefix: number }) {
  return { Addr: address, PrefixLength: prefix };
}

/** The path by which others enter the container's network namespace; one without networks has its process's, as in Podman. */
function sandboxKey({ state: { network, pid }, spec }: ContainerRecord): string {
  const isNone = spec.namespaces.network.mode === "none";
  return isNone && network !== undefined && pid > 0 ? `/proc/${pid}/ns/net` : network?.netns ?? "";
}

function viewEndpoint(record: ContainerRecord, name: string, id: string): Sparse<InspectAdditionalNetwork> {
  const attachment = record.networks[name];
  const given = record.state.network?.interfaces[name];
  const ipv4 = given?.addresses.find(({ address }) => !address.includes(":"));
  const ipv6 = given?.addresses.find(({ address }) => address.includes(":"));
  return {
    Gateway: ipv4?.gateway ?? "",
    IPAddress: ipv4?.address ?? "",
    IPPrefixLen: ipv4?.prefix ?? 0,
    IPv6Gateway: ipv6?.gateway ?? "",
    GlobalIPv6Address: ipv6?.address ?? "",
    GlobalIPv6PrefixLen: ipv6?.prefix ?? 0,
    MacAddress: given?.mac ?? attachment.mac ?? "",
    NetworkID: id,
    Aliases: attachment.aliases,
  };
}

type AddressField =
  | "Gateway"
  | "IPAddress"
  | "IPPrefixLen"
  | "IPv6Gateway"
  | "GlobalIPv6Address"
  | "GlobalIPv6PrefixLen"
  | "MacAddress";

/** The addresses of a place in a network. */
export function viewAddresses(endpoint: Pick<Sparse<InspectAdditionalNetwork>, AddressField>) {
  const { Gateway, IPAddress, IPPrefixLen, IPv6Gateway, GlobalIPv6Address, GlobalIPv6PrefixLen, MacAddress } = endpoint;
  return { Gateway, IPAddress, IPPrefixLen, IPv6Gateway, GlobalIPv6Address, GlobalIPv6PrefixLen, MacAddress };
}
