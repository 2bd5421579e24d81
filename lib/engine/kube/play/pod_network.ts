/**
 * The network of a pod: where it is, and which ports of the host lead to it.
 *
 * @module
 */
import type { ContainerRequest } from "../../containers/request/container_request.ts";
import { parseNamespace, parseNetwork } from "../../containers/request/namespace_mode.ts";
import { canPublish } from "../../containers/create/validate.ts";
import { EngineError } from "../../errors.ts";
import type { NetworkAttachment, PortMapping } from "../../records/container_record.ts";
import { parseAddress } from "../../text/ip.ts";
import { DEFAULT_NETWORK } from "../../networks/networks.ts";
import type { PodPlan } from "../pod_plan.ts";
import type { ServicePlan } from "../read/read_objects.ts";
import type { PlayOptions } from "./play_options.ts";

/** The network of pods that name none, as Podman calls it. */
export const KUBE_NETWORK = "podman-default-kube-network";

/**
 * Returns the settings of a pod's network.
 *
 * @param index Which of the pods it is: the addresses of the request go to the pods in order
 * @param services Services whose pods it may be
 */
export function podNetwork(
  plan: PodPlan,
  options: PlayOptions,
  index: number,
  services: readonly ServicePlan[],
): Pick<ContainerRequest, "networks" | "ports" | "namespaces"> {
  const words = options.networks?.length ? options.networks : plan.hostNetwork ? ["host"] : [KUBE_NETWORK];
  const { namespaces, networks } = parseNetworks(words);
  const own = servicesOf(plan, services);
  // Containers are found by their names in the document, and pods by those of their services.
  const aliases = [...plan.containers.map(({ name }) => name), ...own.map(({ name }) => name)];
  const named = Object.entries(networks).map(([name, network]) => {
    return [name, { ...network, aliases: [...network.aliases ?? [], ...aliases] }] satisfies [string, object];
  });
  const statics = staticPlace(options, index);
  if (Object.keys(statics).length > 0) {
    const what = statics.staticIPs ? "ip addresses" : "mac address";
    const bad = (why: string) =>
      new EngineError("invalid", `${why}: invalid argument`, { sentinel: "invalid argument" });
    if (named.length === 0) throw bad(`static ${what} can only be set when the network mode is bridge`);
    if (named.length > 1) throw bad(`cannot set static ${what} for more than network`);
  }
  return {
    ...namespaces && { namespaces },
    networks: Object.fromEntries(named.map(([name, network]) => [name, { ...network, ...statics }])),
    ports: canPublish(namespaces?.network?.mode ?? "bridge") ? publishedPorts(plan, options, own) : [],
  };
}

function staticPlace({ staticIPs = [], staticMACs = [] }: PlayOptions, index: number): Partial<NetworkAttachment> {
  return {
    ...index < staticIPs.length && { staticIPs: [staticIPs[index]] },
    ...index < staticMACs.length && { mac: staticMACs[index] },
  };
}

/** Networks that are none of the engine's. */
const MODES = new Set(["host", "none", "container", "path", "pasta", "slirp4netns"]);
/** Words for the default network. */
const BRIDGES = new Set(["bridge", "private", "default"]);

/** Reads networks as the command line has them. Throws `invalid` for options there are not. */
export function parseNetworks(
  words: readonly string[],
): { namespaces?: ContainerRequest["namespaces"]; networks: Record<string, Partial<NetworkAttachment>> } {
  const networks: Record<string, Partial<NetworkAttachment>> = {};
  for (const text of words) {
    const { mode, value } = parseNamespace(text);
    if (MODES.has(mode)) {
      if (words.length > 1) {
        throw new EngineError("invalid", "cannot set multiple networks without bridge network mode");
      }
      const choice = parseNetwork(text);
      return { ...choice.mode && { namespaces: { network: choice.mode } }, networks: {} };
    }
    if (mode === "") throw new EngineError("invalid", "the name of a network is empty");
    const names = BRIDGES.has(mode) ? [DEFAULT_NETWORK] : mode.split(",");
    for (const name of names) networks[name] = parseAttachment(text, value);
  }
  return { namespaces: { network: { mode: "bridge" } }, networks };
}

function parseAttachment(text: string, options: string): Partial<NetworkAttachment> {
  const attachment = { aliases: [] as string[], staticIPs: [] as string[] };
  let mac: string | undefined;
  let interfaceName: string | undefined;
  for (const option of options.split(",").filter((option) => option !== "")) {
    const [key, value = ""] = option.split(/=(.*)/s);
    if (key === "ip" || key === "ip6") attachment.staticIPs.push(requireAddress(value));
    else if (key === "mac") mac = value;
    else if (key === "alias") attachment.aliases.push(value);
    else if (/^interface.name$/.test(key)) interfaceName = value;
    else throw new EngineError("invalid", `unknown option "${key}" of network "${text}"`);
  }
  return { ...attachment, ...mac && { mac }, ...interfaceName && { interfaceName } };
}

function requireAddress(text: string): string {
  try {
    parseAddress(text);
    return text;
  } catch {
    throw new EngineError("invalid", `invalid ip address "${text}"`);
  }
}

/** Returns the services whose pods a pod is. */
export function servicesOf({ labels }: PodPlan, services: readonly ServicePlan[]): ServicePlan[] {
  return services.filter(({ selector }) => {
    const wanted = Object.entries(selector);
    return wanted.length > 0 && wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
  });
}

/** The ports of the request come first: one of the document that leads to the same port gives way. */
function publishedPorts(plan: PodPlan, options: PlayOptions, services: readonly ServicePlan[]): PortMapping[] {
  const asked = (options.publish ?? []).flatMap(parsePort);
  const named = [...plan.initContainers, ...plan.containers].flatMap(({ ports }) => ports);
  const own = named.flatMap(({ name: _, ...port }) => {
    if (port.hostPort > 0) return [port];
    return options.publishAll ? [{ ...port, hostPort: port.containerPort }] : [];
  });
  const served = services.flatMap(({ name, ports }) =>
    ports.flatMap(({ hostPort, target, protocol }): PortMapping[] => {
      const found = typeof target === "number" ? target : named.find((port) => port.name === target)?.containerPort;
      if (found === undefined) {
        throw new EngineError("invalid", `Service "${name}": no port of its pods is called "${target}"`);
      }
      return [{ hostIP: "", hostPort, containerPort: found, protocol, range: 1 }];
    })
  );
  const free = (port: PortMapping) => !asked.some((other) => coversPort(other, port));
  return [...asked, ...own.filter(free), ...served];
}

function coversPort(wide: PortMapping, { containerPort, protocol }: PortMapping): boolean {
  const isWithin = containerPort >= wide.containerPort && containerPort < wide.containerPort + wide.range;
  return isWithin && protocol === wide.protocol;
}

const PORT =
  /^(?:(?:(\[[0-9a-fA-F:.]+\]|[0-9.]*):)?(\d{1,5}(?:-\d{1,5})?)?:)?(\d{1,5}(?:-\d{1,5})?)(?:\/(tcp|udp|sctp))?$/;

/** Reads ports as the command line has them: `[[address:]host:]container[/protocol]`, single or as ranges. */
export function parsePort(text: string): PortMapping[] {
  const bad = (why: string) => new EngineError("invalid", `invalid port "${text}": ${why}`);
  const [, address = "", host, container, protocol = "tcp"] = PORT.exec(text) ?? [];
  if (container === undefined) throw bad("it must be [[address:]host:]container[/protocol]");
  const [first, last = first] = container.split("-").map(Number);
  const [hostFirst, hostLast = hostFirst] = (host ?? "0").split("-").map(Number);
  const isPort = (port: number) => port >= 1 && port <= 65535;
  if (!isPort(first) || !isPort(last) || last < first) throw bad("ports are from 1 to 65535");
  if (host !== undefined && (!isPort(hostFirst) || !isPort(hostLast))) throw bad("ports are from 1 to 65535");
  const range = last - first + 1;
  if (host !== undefined && hostLast - hostFirst + 1 !== range) throw bad("both ranges must have as many ports");
  const hostIP = address.replace(/^\[(.*)\]$/, "$1");
  // The pattern has only these protocols.
  const known = protocol as PortMapping["protocol"];
  return [{
    hostIP: hostIP === "0.0.0.0" ? "" : hostIP,
    hostPort: hostFirst,
    containerPort: first,
    protocol: known,
    range,
  }];
}
