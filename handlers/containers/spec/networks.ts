import type {
  ContainerSpec,
  NamespaceMode,
  NetworkAttachment,
  PortMapping,
} from "../../../lib/engine/records/container_record.ts";
import { EngineError } from "../../../lib/engine/errors.ts";
import { DEFAULT_NETWORK } from "../../../lib/engine/networks/networks.ts";
import type { Namespace, PerNetworkOptions } from "../../wire/containers/spec_generator_parts.ts";
import type { SpecGenerator } from "../../wire/containers/spec_generator.ts";
import { unsupported } from "./unsupported.ts";
import { fromBase64 } from "../../../lib/oci/base64.ts";

/** Which of Podman's words a namespace field takes, and the engine's for each. */
type Modes = Record<string, NamespaceMode["mode"]>;

const COMMON: Modes = {
  "": "private",
  default: "private",
  private: "private",
  host: "host",
  container: "container",
  path: "path",
};
const NETWORK: Modes = {
  ...COMMON,
  "": "bridge",
  default: "bridge",
  private: "bridge",
  bridge: "bridge",
  none: "none",
};
const IPC: Modes = { ...COMMON, "": "shareable", default: "shareable", shareable: "shareable", none: "none" };

/** The namespaces of a create request. */
export function namespaces(generator: SpecGenerator, user?: NamespaceMode): ContainerSpec["namespaces"] {
  return {
    network: namespace("netns", generator.netns, NETWORK),
    pid: namespace("pidns", generator.pidns, COMMON),
    ipc: namespace("ipcns", generator.ipcns, IPC),
    uts: namespace("utsns", generator.utsns, COMMON),
    cgroup: namespace("cgroupns", generator.cgroupns, COMMON),
    ...user && { user },
  };
}

function namespace(field: string, { nsmode = "", value = "" }: Namespace, modes: Modes): NamespaceMode {
  const mode = modes[nsmode];
  if (mode === undefined) throw unsupported(field, `mode "${nsmode}"`);
  if (mode !== "container" && mode !== "path") return { mode };
  if (value === "") throw new EngineError("invalid", `Create container: "${field}" mode "${mode}" needs a value`);
  return { mode, value };
}

/** The networks of a create request, by name. */
export function requestedNetworks(generator: SpecGenerator): ContainerSpec["networks"] {
  const entries = Object.entries(generator.Networks ?? {});
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
    throw new EngineError("invalid", `Create container: MAC address "${text}" does not parse`);
  }
}

/** Clients' word for every address, of both families. */
export const ANY_ADDRESS = "0.0.0.0";

/** The published ports of a create request; one that names two protocols becomes two. */
export function ports(generator: SpecGenerator): PortMapping[] {
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
    throw new EngineError("invalid", `Create container: port protocol "${name}" is not tcp, udp or sctp`);
  });
}
