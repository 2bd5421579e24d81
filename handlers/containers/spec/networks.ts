import type {
  ContainerSpec,
  NamespaceMode,
  NetworkAttachment,
  PortMapping,
} from "../../../lib/engine/records/container_record.ts";
import { DEFAULT_NETWORK } from "../../../lib/engine/networks/networks.ts";
import type { ContainerRequest, MemberRequest } from "../../../lib/engine/containers/request/container_request.ts";
import { type NamespaceKind, namespaceMode } from "../../../lib/engine/containers/request/namespace_mode.ts";
import type { Namespace, PerNetworkOptions } from "../../wire/containers/spec_generator_parts.ts";
import type { SpecGenerator } from "../../wire/containers/spec_generator.ts";
import { unsupported } from "./unsupported.ts";
import { isUserNetwork } from "../../../lib/engine/records/user_network.ts";
import { fromBase64 } from "../../../lib/oci/bytes/base64.ts";
import { RequestError } from "../../request_error.ts";

/** The fields of a create request, of a container or a pod, that name namespaces. */
export type NamespaceFields =
  & Pick<SpecGenerator, "netns" | "pidns" | "ipcns" | "utsns" | "network_options">
  & Partial<Pick<SpecGenerator, "cgroupns" | "Networks">>;

/** The namespaces of a create request; absent ones are left open. */
export function namespaces(generator: NamespaceFields, user?: NamespaceMode): ContainerRequest["namespaces"] {
  const mode = (kind: NamespaceKind, { nsmode = "", value = "" }: Namespace = {}) =>
    namespaceMode(kind, { mode: nsmode, value });
  return {
    network: networkMode(generator),
    pid: mode("pid", generator.pidns),
    ipc: mode("ipc", generator.ipcns),
    uts: mode("uts", generator.utsns),
    cgroup: mode("cgroup", generator.cgroupns),
    user,
  };
}

/** Clients send the options of the network's program beside its mode. */
function networkMode({ netns = {}, network_options: all, Networks }: NamespaceFields) {
  const { nsmode = "", value = "" } = programNamed(Networks) ?? netns;
  const given = Object.entries(all ?? {}).filter(([, options]) => options?.length);
  const [other] = given.find(([program]) => program !== nsmode || !isUserNetwork(program)) ?? [];
  if (other !== undefined) {
    throw new RequestError("invalid", `"network_options": options of "${other}", but the network is "${nsmode}"`);
  }
  const options = given[0]?.[1] ?? undefined;
  return namespaceMode("network", { mode: nsmode, value, ...options && { options } });
}

/** Clients that do not know a program for networks (pasta before Podman 4.4) send its name as that of a network, which none can have. */
function programNamed(networks: NamespaceFields["Networks"]): Namespace | undefined {
  const [name = "", ...more] = Object.keys(networks ?? {});
  return more.length === 0 && isUserNetwork(name) ? { nsmode: name } : undefined;
}

/** The namespaces of a container's create request, which may be those of its pod. */
export function memberNamespaces(generator: SpecGenerator, user?: NamespaceMode): MemberRequest["namespaces"] {
  const fields = ["netns", "pidns", "ipcns", "utsns", "cgroupns"] as const;
  const open = Object.fromEntries(fields.map((field) => [field, isPod(generator[field]) ? {} : generator[field]]));
  const fromPod = (field: Namespace) => isPod(field) && { mode: "pod" as const };
  const { netns, pidns, ipcns, utsns, cgroupns, userns } = generator;
  const found = namespaces({ ...generator, ...open }, user);
  return {
    network: fromPod(netns) || found?.network,
    pid: fromPod(pidns) || found?.pid,
    ipc: fromPod(ipcns) || found?.ipc,
    uts: fromPod(utsns) || found?.uts,
    cgroup: fromPod(cgroupns) || found?.cgroup,
    user: fromPod(userns) || user,
  };
}

/** Whether a namespace is asked for that is the pod's. */
export function isPod({ nsmode }: Namespace): boolean {
  return nsmode === "pod";
}

/** The networks of a create request, by name. */
export function requestedNetworks(
  generator: Pick<SpecGenerator, "Networks" | "networkOrder">,
): ContainerSpec["networks"] {
  const entries = programNamed(generator.Networks) ? [] : Object.entries(generator.Networks ?? {});
  // Interfaces are named in this order, where the client says one.
  const order = generator.networkOrder ?? [];
  const place = (name: string) => order.includes(name) ? order.indexOf(name) : order.length;
  entries.sort(([first], [second]) => place(first) - place(second));
  // Clients that give an address or a name but no network mean the default one, whatever it is called.
  const fullName = (name: string) => name === "default" ? DEFAULT_NETWORK : name;
  return Object.fromEntries(entries.map(([name, options]) => [fullName(name), attachment(options)]));
}

function attachment(options: PerNetworkOptions): Partial<NetworkAttachment> {
  if (Object.keys(options.options ?? {}).length > 0) throw unsupported("Networks.options");
  return {
    aliases: options.aliases ?? [],
    staticIPs: options.static_ips ?? [],
    ...(options.static_mac && { mac: readMAC(options.static_mac) }),
    ...(options.interface_name && { interfaceName: options.interface_name }),
  };
}

/** Reads a hardware address, which older clients send as base64 of its bytes. Throws `invalid`. */
export function readMAC(text: string): string {
  if (text.includes(":")) return text;
  try {
    return Array.from(fromBase64(text), (byte) => byte.toString(16).padStart(2, "0")).join(":");
  } catch {
    throw new RequestError("invalid", `Create container: MAC address "${text}" does not parse`);
  }
}

/** Clients' word for every address, of both families. */
export const ANY_ADDRESS = "0.0.0.0";

/** The published ports of a create request; one that names two protocols becomes two. */
export function ports(generator: Pick<SpecGenerator, "portmappings">): PortMapping[] {
  return (generator.portmappings ?? []).flatMap((port) =>
    protocols(port.protocol).map((protocol) => ({
      hostIP: port.host_ip === ANY_ADDRESS ? "" : port.host_ip,
      hostPort: port.host_port,
      containerPort: port.container_port,
      protocol,
      range: Math.max(1, port.range),
    }))
  );
}

/** The ports a create request exposes without publishing them: `80/tcp`. */
export function exposed(generator: SpecGenerator): string[] {
  return Object.entries(generator.expose ?? {}).flatMap(([port, names]) =>
    protocols(names).map((protocol) => `${port}/${protocol}`)
  );
}

/** Reads `tcp`, `tcp,udp`, …; nothing is `tcp`. Throws `invalid` for another protocol. */
export function protocols(names: string): PortMapping["protocol"][] {
  if (names === "") return ["tcp"];
  return names.toLowerCase().split(",").map((name) => {
    if (name === "tcp" || name === "udp" || name === "sctp") return name;
    throw new RequestError("invalid", `Create container: port protocol "${name}" is not tcp, udp or sctp`);
  });
}
