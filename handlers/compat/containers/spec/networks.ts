import type { PortMapping } from "../../../../lib/engine/container_record.ts";
import { HTTPError } from "../../../../lib/rest/mod.ts";
import { unsupported } from "../../../containers/spec/unsupported.ts";
import type { CreateContainerConfig } from "../../../wire/compat/container_create.ts";
import type { EndpointSettings } from "../../../wire/compat/network.ts";
import type { Sparse } from "../../../wire/emit.ts";
import type { Namespace, PerNetworkOptions } from "../../../wire/spec_generator_parts.ts";
import type { SpecGenerator } from "../../../wire/spec_generator.ts";

/** Docker's names for the network containers get that ask for none. */
const DEFAULT_NAMES = new Set(["", "default", "bridge"]);

/**
 * Networks and ports as the native tree takes them.
 *
 * @param config The request
 * @param defaultNetwork The engine's name of its default network
 */
export function networking(config: CreateContainerConfig, defaultNetwork: string): Sparse<SpecGenerator> {
  const { HostConfig: host } = config;
  const netns = config.NetworkDisabled ? { nsmode: "none" } : networkMode(host.NetworkMode);
  return {
    netns,
    Networks: netns.nsmode === "bridge" ? networks(config, defaultNetwork) : null,
    portmappings: ports(config),
    publish_image_ports: host.PublishAllPorts,
    expose: exposed(config),
    dns_server: host.Dns ?? [],
    dns_search: host.DnsSearch ?? [],
    dns_option: host.DnsOptions ?? [],
    hostadd: host.ExtraHosts ?? [],
  };
}

/** A namespace field's text: `host`, `container:ID`, … */
export function namespace(text: string): Namespace {
  const [nsmode, value] = text.split(/:(.*)/s);
  return { nsmode: nsmode === "ns" ? "path" : nsmode, value };
}

function networkMode(mode: string): Namespace {
  const { nsmode, value } = namespace(mode);
  if (nsmode === "host" || nsmode === "none") return { nsmode };
  return nsmode === "container" || nsmode === "path" ? { nsmode, value } : { nsmode: "bridge" };
}

function networks(config: CreateContainerConfig, defaultNetwork: string): Record<string, Sparse<PerNetworkOptions>> {
  const found: Record<string, Sparse<PerNetworkOptions>> = {};
  const { NetworkMode } = config.HostConfig;
  if (!DEFAULT_NAMES.has(NetworkMode)) found[NetworkMode] = {};
  // The address stands on the container for older clients, and counts for one network only.
  let mac = config.MacAddress;
  for (const [name, endpoint] of Object.entries(config.NetworkingConfig.EndpointsConfig ?? {})) {
    found[DEFAULT_NAMES.has(name) ? defaultNetwork : name] = attachment(endpoint, mac);
    mac = "";
  }
  return found;
}

function attachment(endpoint: EndpointSettings, mac: string): Sparse<PerNetworkOptions> {
  const { IPv4Address = "", IPv6Address = "", LinkLocalIPs } = endpoint.IPAMConfig ?? {};
  if (endpoint.Links?.length) throw new HTTPError(400, "bad parameter: link is not supported");
  if (LinkLocalIPs?.length) throw unsupported("NetworkingConfig.EndpointsConfig.IPAMConfig.LinkLocalIPs");
  if (endpoint.GwPriority !== 0) throw unsupported("NetworkingConfig.EndpointsConfig.GwPriority");
  return {
    options: endpoint.DriverOpts ?? {},
    aliases: endpoint.Aliases ?? [],
    static_ips: [IPv4Address, IPv6Address].filter((address) => address !== ""),
    static_mac: endpoint.MacAddress || mac,
  };
}

/** Docker takes the first free port of a range, which the native tree cannot say. */
export function choosingPorts(specs: readonly PortMapping[], { HostConfig }: CreateContainerConfig): PortMapping[] {
  const bindings = Object.values(HostConfig.PortBindings ?? {}).flatMap((list) => list ?? []);
  return specs.map((spec, index) => {
    const [first, last] = portRange(bindings[index].HostPort);
    return last > first ? { ...spec, lastHostPort: last } : spec;
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

function ports({ HostConfig: { PortBindings } }: CreateContainerConfig): Sparse<SpecGenerator>["portmappings"] {
  return Object.entries(PortBindings ?? {}).flatMap(([port, bindings]) => {
    const [number, protocol = "tcp"] = port.split("/");
    return (bindings ?? []).map(({ HostIp, HostPort }) => ({
      host_ip: HostIp,
      host_port: portRange(HostPort)[0],
      container_port: Number(number),
      range: 1,
      protocol,
    }));
  });
}

function exposed({ ExposedPorts }: CreateContainerConfig): Record<string, string> {
  const found: Record<string, string> = {};
  for (const port of Object.keys(ExposedPorts ?? {})) {
    const [number, protocol = "tcp"] = port.split("/");
    found[number] = found[number] ? `${found[number]},${protocol}` : protocol;
  }
  return found;
}
