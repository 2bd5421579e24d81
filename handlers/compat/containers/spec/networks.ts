import type { PortMapping } from "../../../../lib/engine/records/container_record.ts";
import { EngineError } from "../../../../lib/engine/errors.ts";
import { HTTPError } from "../../../../lib/rest/mod.ts";
import { namespaceOf } from "../../../containers/spec/defaults.ts";
import { ANY_ADDRESS, protocols } from "../../../containers/spec/networks.ts";
import { unsupported } from "../../../containers/spec/unsupported.ts";
import type { CreateContainerConfig } from "../../../wire/compat/container_create.ts";
import type { EndpointSettings } from "../../../wire/compat/network.ts";
import type { Sparse } from "../../../wire/emit.ts";
import type { Namespace, PerNetworkOptions } from "../../../wire/containers/spec_generator_parts.ts";
import type { SpecGenerator } from "../../../wire/containers/spec_generator.ts";

/** The option by which Docker's clients name a container's interface. */
const INTERFACE_NAME = "com.docker.network.endpoint.ifname";

/** Docker's names for the network containers get that ask for none. */
const DEFAULT_NAMES = new Set(["", "default", "bridge"]);

/** The defaults for what a request leaves open. */
export interface NetworkDefaults {
  /** The engine's name of its default network. */
  network: string;
  /** In the words of the command line; a bridge where nothing is said. */
  netns?: string;
}

/**
 * Networks and ports as the native tree takes them.
 *
 * Throws `invalid` for an address in no network.
 */
export function networking(config: CreateContainerConfig, defaults: NetworkDefaults): Sparse<SpecGenerator> {
  const { HostConfig: host } = config;
  const isOpen = host.NetworkMode === "" || host.NetworkMode === "default";
  const asked = isOpen ? chosenMode(defaults) : host.NetworkMode;
  const netns = config.NetworkDisabled ? { nsmode: "none" } : networkMode(asked);
  const isBridge = netns.nsmode === "bridge";
  const found = networks(config, asked, defaults.network);
  if (!isBridge && Object.values(found).some(isPlaced)) {
    throw new EngineError("invalid", "networks and static ip/mac address can only be used with Bridge mode networking");
  }
  return {
    netns,
    Networks: isBridge ? found : null,
    publish_image_ports: host.PublishAllPorts,
    expose: exposed(config),
    dns_server: host.Dns ?? [],
    dns_search: host.DnsSearch ?? [],
    dns_option: host.DnsOptions ?? [],
    hostadd: host.ExtraHosts ?? [],
  };
}

function networkMode(mode: string): Namespace {
  const { nsmode, value } = namespaceOf(mode);
  if (nsmode === "host" || nsmode === "none") return { nsmode };
  return nsmode === "container" || nsmode === "path" ? { nsmode, value } : { nsmode: "bridge" };
}

/** The bridge that Docker's clients expect, unless the machine's owner chose something else. */
function chosenMode({ netns = "private" }: NetworkDefaults): string {
  return netns === "private" || netns === "default" ? "bridge" : netns;
}

function isPlaced({ aliases, static_ips: addresses, static_mac: mac }: Sparse<PerNetworkOptions>): boolean {
  return [aliases?.length, addresses?.length, mac].some(Boolean);
}

function networks(
  config: CreateContainerConfig,
  mode: string,
  defaultNetwork: string,
): Record<string, Sparse<PerNetworkOptions>> {
  const found: Record<string, Sparse<PerNetworkOptions>> = {};
  if (!DEFAULT_NAMES.has(mode)) found[mode] = {};
  // The address stands on the container for older clients, and counts for one network only.
  let mac = config.MacAddress;
  for (const [name, endpoint] of Object.entries(config.NetworkingConfig.EndpointsConfig ?? {})) {
    found[DEFAULT_NAMES.has(name) ? defaultNetwork : name] = endpointOptions(endpoint, mac);
    mac = "";
  }
  return found;
}

/**
 * Docker's settings of a container in a network as the native tree has them.
 *
 * @param endpoint The settings
 * @param mac The hardware address where they have none
 */
export function endpointOptions(endpoint: EndpointSettings, mac = ""): PerNetworkOptions {
  const { IPv4Address = "", IPv6Address = "", LinkLocalIPs } = endpoint.IPAMConfig ?? {};
  if (endpoint.Links?.length) throw new HTTPError(400, "bad parameter: link is not supported");
  if (LinkLocalIPs?.length) throw unsupported("NetworkingConfig.EndpointsConfig.IPAMConfig.LinkLocalIPs");
  if (endpoint.GwPriority !== 0) throw unsupported("NetworkingConfig.EndpointsConfig.GwPriority");
  const { [INTERFACE_NAME]: interfaceName = "", ...options } = endpoint.DriverOpts ?? {};
  return {
    options,
    aliases: endpoint.Aliases ?? [],
    static_ips: [IPv4Address, IPv6Address].filter((address) => address !== ""),
    static_mac: endpoint.MacAddress || mac,
    interface_name: interfaceName,
  };
}

/**
 * Returns the published ports of Docker's create request: Docker takes the first free port of a range, and a port that names
 * two protocols is published for both.
 */
export function publishedPorts({ HostConfig: { PortBindings } }: CreateContainerConfig): PortMapping[] {
  return Object.entries(PortBindings ?? {}).flatMap(([port, bindings]) => {
    const [number, names = ""] = port.split("/");
    return (bindings ?? []).flatMap(({ HostIp, HostPort }) => {
      const [first, last] = portRange(HostPort);
      return protocols(names).map((protocol): PortMapping => ({
        hostIP: HostIp === ANY_ADDRESS ? "" : HostIp,
        hostPort: first,
        ...last > first && { lastHostPort: last },
        containerPort: Number(number),
        protocol,
        range: 1,
      }));
    });
  });
}

/** `8000`, `8000-8010`, or nothing for any. */
function portRange(text: string): [first: number, last: number] {
  const [, first = "", last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  if (text !== "" && (first === "" || Number(last) < Number(first) || Number(last) > 65535)) {
    throw new HTTPError(400, `invalid port specification: "${text}"`);
  }
  return [Number(first), Number(last)];
}

function exposed({ ExposedPorts }: CreateContainerConfig): Record<string, string> {
  const found: Record<string, string> = {};
  for (const port of Object.keys(ExposedPorts ?? {})) {
    const [number, protocol = "tcp"] = port.split("/");
    found[number] = found[number] ? `${found[number]},${protocol}` : protocol;
  }
  return found;
}
