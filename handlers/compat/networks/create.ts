import type { NetworkWish } from "../../../lib/engine/networks/create_network.ts";
import { readSubnet } from "../../../lib/engine/networks/network_subnets.ts";
import type { NetworkSubnet } from "../../../lib/engine/records/network_record.ts";
import { addressAt } from "../../../lib/engine/text/ip.ts";
import { requireCIDR } from "../../networks/network_wish.ts";
import type { IPAMConfig, NetworkCreateRequest } from "../../wire/compat/network_resource.ts";
import { RequestError } from "../../request_error.ts";

/** The options of Docker's bridges that ask for what every bridge here does. */
const USUAL: Readonly<Record<string, string>> = {
  "com.docker.network.bridge.default_bridge": "false",
  "com.docker.network.bridge.enable_icc": "true",
  "com.docker.network.bridge.enable_ip_masquerade": "true",
  "com.docker.network.bridge.gateway_mode_ipv4": "nat",
  "com.docker.network.bridge.gateway_mode_ipv6": "nat",
  "com.docker.network.bridge.host_binding_ipv4": "0.0.0.0",
  "com.docker.network.bridge.inhibit_ipv4": "false",
};

const YES = /^(?:1|t|true)$/i;
const NO = /^(?:0|f|false)$/i;
/**
 * The values of options of Docker's bridges that close something: a network that seems closed and is open is worse than none. Booleans are read
 * as Go's `strconv.ParseBool` does.
 */
const CLOSING: Readonly<Record<string, RegExp>> = {
  "com.docker.network.bridge.enable_icc": NO,
  "com.docker.network.bridge.enable_ip_masquerade": NO,
  "com.docker.network.bridge.gateway_mode_ipv4": /^isolated$/,
  "com.docker.network.bridge.gateway_mode_ipv6": /^isolated$/,
  "com.docker.network.bridge.host_binding_ipv4": /^(?!0\.0\.0\.0$)./,
  "com.docker.network.bridge.inhibit_ipv4": YES,
};

/** A request for a network in the engine's words, and what of it is passed over. */
export function networkRequest(request: NetworkCreateRequest): { wish: NetworkWish; warning: string } {
  refuseSwarm(request);
  if (request.Name === "") throw new RequestError("invalid", "network name cannot be empty");
  const driver = request.Driver || "bridge";
  const { options, known, warning, place } = readOptions(driver, request.Options ?? {});
  const source = request.IPAM?.Driver ?? "";
  const subnets = (request.IPAM?.Config ?? []).filter(({ Subnet }) => Subnet).map(subnetWish);
  const wish: NetworkWish = {
    name: request.Name,
    driver,
    interface: place,
    subnets,
    ipv4: request.EnableIPv4 ?? true,
    ipv6: request.EnableIPv6 ?? false,
    internal: request.Internal,
    dns: driver === "bridge",
    addressSource: source === "default" ? "" : source,
    labels: request.Labels ?? {},
    // Docker's bridges are apart from each other.
    options: { ...driver === "bridge" && { isolate: "true" }, ...options },
    docker: { options: known, ...request.Attachable && { attachable: true } },
  };
  return { wish, warning };
}

/** Networks of several machines, and those that only hold settings for such, are refused by the name of what asks for them. */
function refuseSwarm({ Scope, Ingress, ConfigOnly, ConfigFrom }: NetworkCreateRequest): void {
  if (Scope !== "" && Scope !== "local") throw unsupportedPart(`Scope "${Scope}"`);
  if (Ingress) throw unsupportedPart("Ingress");
  if (ConfigOnly) throw unsupportedPart("ConfigOnly");
  if (ConfigFrom?.Network) throw unsupportedPart("ConfigFrom");
}

function readOptions(driver: string, given: Readonly<Record<string, string>>) {
  const options: Record<string, string> = {};
  const known: Record<string, string> = {};
  let [warning, place] = ["", ""];
  const isBridge = driver === "bridge";
  for (const [name, value] of Object.entries(given)) {
    if (name === "mtu" || name === "com.docker.network.driver.mtu") options.mtu = value;
    else if (isBridge && name === "com.docker.network.bridge.name") place = value;
    else if (!isBridge && name === "parent") place = value;
    else if (!isBridge && (name === "mode" || name === `${driver}_mode`)) options.mode = value;
    else if (!(Object.hasOwn(USUAL, name) && USUAL[name] === value)) {
      if (isBridge && Object.hasOwn(CLOSING, name) && CLOSING[name].test(value)) {
        throw unsupportedPart(`Options "${name}=${value}"`);
      }
      warning = `"${name}: ${value}" is not a recognized option`;
      continue;
    }
    known[name] = value;
  }
  return { options, known, warning, place: place || undefined };
}

function subnetWish({ Subnet = "", IPRange, Gateway, AuxiliaryAddresses = {} }: IPAMConfig): NetworkSubnet {
  const range = IPRange ? readSubnet(requireCIDR(IPRange)) : undefined;
  return {
    subnet: requireCIDR(Subnet),
    ...Gateway && { gateway: Gateway },
    ...range && { leaseRange: { start: addressAt(range, 0), end: addressAt(range, -1) } },
    ...Object.keys(AuxiliaryAddresses).length > 0 && { auxiliary: AuxiliaryAddresses },
  };
}

function unsupportedPart(field: string): RequestError {
  const sentinel = "not yet implemented";
  return new RequestError("unsupported", `Create network: ${field} is not supported: ${sentinel}`, { sentinel });
}
