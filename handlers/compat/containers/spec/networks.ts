import type { ContainerRequest } from "../../../../lib/engine/containers/request/container_request.ts";
import {
  namespaceMode,
  parseNamespace,
  parseNetwork,
} from "../../../../lib/engine/containers/request/namespace_mode.ts";
import type {
  ContainerSpec,
  NamespaceMode,
  NetworkAttachment,
  PortMapping,
} from "../../../../lib/engine/records/container_record.ts";
import { ANY_ADDRESS, protocols } from "../../../containers/spec/networks.ts";
import { isEmpty, unsupported } from "../../../containers/spec/unsupported.ts";
import type { CreateContainerConfig } from "../../../wire/compat/container_create.ts";
import type { EndpointSettings } from "../../../wire/compat/network.ts";
import { RequestError } from "../../../request_error.ts";

/** The option by which Docker's clients name a container's interface. */
const INTERFACE_NAME = "com.docker.network.endpoint.ifname";

/** The option by which Docker's clients change kernel settings of a container's interface. */
const INTERFACE_SETTINGS = "com.docker.network.endpoint.sysctls";

/** Docker's names for the network containers get that ask for none. */
const DEFAULT_NAMES = new Set(["", "default", "bridge"]);

/** A link, `container:alias` or `container`; inspection writes `/container:/own/alias`. */
const LINK = /^\/?([\w.-]+)(?::(?:\/[\w.-]+\/)?([\w.-]+))?$/;

/** The defaults for what a request leaves open. */
export interface NetworkDefaults {
  /** The engine's name of its default network. */
  network: string;
  /** The owner's choice, in the words of the command line; a bridge where nothing is said. */
  netns?: string;
}

/**
 * The network namespace of Docker's create request, and its networks. The owner's choice is made here, since endpoints go by it.
 *
 * Throws `invalid` for an address in no network.
 */
export function dockerNetworks(
  config: CreateContainerConfig,
  defaults: NetworkDefaults,
): { mode: NamespaceMode; networks: ContainerSpec["networks"] } {
  const { mode, networks: names } = networkMode(config, defaults);
  const attachments = endpoints(config, defaults.network);
  const all = new Map([...names.map((name) => [name, endpointAttachment()] as const), ...attachments]);
  // The default route is the first network's that has one.
  const rank = ({ gatewayPriority = 0 }: Partial<NetworkAttachment>) => gatewayPriority;
  const networks = Object.fromEntries([...all].sort(([, one], [, other]) => rank(other) - rank(one)));
  if (mode.mode === "bridge") return { mode, networks };
  if ([...attachments.values()].some(isPlaced)) {
    throw new RequestError(
      "invalid",
      "networks and static ip/mac address can only be used with Bridge mode networking",
    );
  }
  return { mode, networks: {} };
}

/** The mode, and the names of the networks that it brings besides the endpoints'. */
function networkMode(
  { HostConfig: { NetworkMode }, NetworkDisabled }: CreateContainerConfig,
  { netns = "" }: NetworkDefaults,
): { mode: NamespaceMode; networks: string[] } {
  if (NetworkDisabled) return { mode: { mode: "none" }, networks: [] };
  const bridge = { mode: "bridge" as const };
  if (NetworkMode === "" || NetworkMode === "default") {
    const { mode = bridge, networks } = parseNetwork(netns);
    return { mode, networks };
  }
  const words = parseNamespace(NetworkMode);
  if (["host", "none", "container", "path", "pasta", "slirp4netns"].includes(words.mode)) {
    return { mode: namespaceMode("network", words) ?? bridge, networks: [] };
  }
  return { mode: bridge, networks: DEFAULT_NAMES.has(NetworkMode) ? [] : [NetworkMode] };
}

function isPlaced({ aliases, staticIPs, linkLocalIPs, mac }: Partial<NetworkAttachment>): boolean {
  return [aliases?.length, staticIPs?.length, linkLocalIPs?.length, mac].some(Boolean);
}

/** The attachments that a request spells out, by the names of their networks. */
function endpoints(
  { MacAddress, NetworkingConfig: { EndpointsConfig } }: CreateContainerConfig,
  defaultNetwork: string,
): Map<string, Partial<NetworkAttachment>> {
  const found = new Map<string, Partial<NetworkAttachment>>();
  // The address stands on the container for older clients, and counts for one network only.
  let mac = MacAddress;
  for (const [name, endpoint] of Object.entries(EndpointsConfig ?? {})) {
    found.set(DEFAULT_NAMES.has(name) ? defaultNetwork : name, endpointAttachment(endpoint, mac));
    mac = "";
  }
  return found;
}

/** The links of a create request, `container:alias`, those of its networks too. */
export function dockerLinks({ HostConfig, NetworkingConfig: { EndpointsConfig } }: CreateContainerConfig): string[] {
  const links = [HostConfig.Links, ...Object.values(EndpointsConfig ?? {}).map((endpoint) => endpoint?.Links)];
  const found = links.flatMap((list) => list ?? []).map((link) => {
    const [, container, alias = container] = LINK.exec(link) ?? [];
    if (container === undefined) throw new RequestError("malformed", `invalid link "${link}": want CONTAINER:ALIAS`);
    return `${container}:${alias}`;
  });
  return [...new Set(found)];
}

/**
 * Docker's settings of a container in a network as an attachment.
 *
 * @param endpoint The settings
 * @param mac The hardware address where they have none
 */
export function endpointAttachment(endpoint?: EndpointSettings, mac = ""): Partial<NetworkAttachment> {
  const { IPv4Address = "", IPv6Address = "", LinkLocalIPs } = endpoint?.IPAMConfig ?? {};
  const { [INTERFACE_NAME]: interfaceName, [INTERFACE_SETTINGS]: settings, ...options } = endpoint?.DriverOpts ?? {};
  if (!isEmpty(Object.keys(options))) throw unsupported("NetworkingConfig.EndpointsConfig.DriverOpts");
  const address = endpoint?.MacAddress || mac;
  return {
    aliases: endpoint?.Aliases ?? [],
    staticIPs: [IPv4Address, IPv6Address].filter((address) => address !== ""),
    ...LinkLocalIPs?.length && { linkLocalIPs: LinkLocalIPs },
    // Some clients write it with dashes.
    ...address && { mac: address.replaceAll("-", ":") },
    ...interfaceName && { interfaceName },
    ...settings && { interfaceSettings: settings.split(",") },
    ...endpoint?.GwPriority && { gatewayPriority: endpoint.GwPriority },
  };
}

/** The options of an attachment, as {@linkcode endpointAttachment} reads them; null where there are none. */
export function endpointOptions(
  { interfaceName, interfaceSettings }: Partial<NetworkAttachment> = {},
): Record<string, string> | null {
  if (!interfaceName && !interfaceSettings) return null;
  return {
    ...interfaceName && { [INTERFACE_NAME]: interfaceName },
    ...interfaceSettings && { [INTERFACE_SETTINGS]: interfaceSettings.join(",") },
  };
}

/** The published and exposed ports of Docker's create request. */
export function dockerPorts(
  config: CreateContainerConfig,
): Pick<ContainerRequest, "ports" | "publishImagePorts" | "exposed"> {
  return {
    ports: publishedPorts(config),
    publishImagePorts: config.HostConfig.PublishAllPorts,
    exposed: Object.keys(config.ExposedPorts ?? {}).flatMap((port) => {
      const [number, names = ""] = port.split("/");
      return protocols(names).map((protocol) => `${number}/${protocol}`);
    }),
  };
}

/** Docker takes the first free port of a range, and a port that names two protocols is published for both. */
function publishedPorts({ HostConfig: { PortBindings } }: CreateContainerConfig): PortMapping[] {
  return Object.entries(PortBindings ?? {}).flatMap(([port, bindings]) => {
    const [number, names = ""] = port.split("/");
    return (bindings ?? []).flatMap(({ HostIp, HostPort }) => {
      const [first, last] = portRange(HostPort);
      return protocols(names).map((protocol): PortMapping => ({
        hostIP: HostIp === ANY_ADDRESS ? "" : HostIp,
        ...HostIp === "" && { bothFamilies: true },
        hostPort: first,
        ...last > first && { lastHostPort: last },
        containerPort: portNumber(number, port),
        protocol,
        range: 1,
      }));
    });
  });
}

function portNumber(digits: string, text: string): number {
  if (/^\d{1,5}$/.test(digits) && Number(digits) <= 65535) return Number(digits);
  throw invalidPort(text);
}

/** `8000`, `8000-8010`, or nothing for any. */
function portRange(text: string): [first: number, last: number] {
  if (text === "") return [0, 0];
  const [, first = "", last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  if (first === "" || Number(last) < Number(first) || Number(last) > 65535) throw invalidPort(text);
  return [Number(first), Number(last)];
}

function invalidPort(text: string): RequestError {
  return new RequestError("malformed", `"HostConfig.PortBindings": invalid port specification: "${text}"`);
}
