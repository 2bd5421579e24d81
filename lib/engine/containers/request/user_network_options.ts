/**
 * Options of the programs that carry a container's network: `--network pasta:-I,tap0` and `--network slirp4netns:mtu=1500`.
 *
 * Only those that say something of the container's network are taken: both programs can be told to write files, too.
 *
 * @module
 */
import type { UserNetworkProgram } from "../../records/user_network.ts";
import { findSubnet, parseAddress } from "../../text/ip.ts";
import { invalid } from "../../errors.ts";

/** The most options of a container, and the most characters of one. */
const MOST_OPTIONS = 64;
const LONGEST_OPTION = 256;

/** Whether a value fits its option. */
type Fits = (value: string) => boolean;

const isName: Fits = (value) => /^[\w.-]{1,15}$/.test(value);
const isAddress: Fits = (value) => versionOf(value) !== undefined;
const isIPv4: Fits = (value) => versionOf(value) === 4;
const isIPv6: Fits = (value) => versionOf(value) === 6;
const isMTU: Fits = (value) => /^\d{1,5}$/.test(value) && Number(value) <= 65_521;
const isSwitch: Fits = (value) => value === "true" || value === "false";
/** As passt(1) has it: `none`, `auto`, `all`, or ports and ranges with addresses, exclusions and targets. */
const isPorts: Fits = (value) => /^[\w.:%/~\[\]-]+$/.test(value);
const isWord: Fits = (value) => /^[\w.:/-]+$/.test(value);

/** Options of pasta(1) with a value, by their long names. */
const PASTA_VALUES: Readonly<Record<string, Fits>> = {
  "ns-ifname": isName,
  "mtu": isMTU,
  "address": (value) => isAddress(value.split("/")[0]!),
  "netmask": isWord,
  "mac-addr": (value) => /^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$/.test(value),
  "ns-mac-addr": (value) => /^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$/.test(value),
  "gateway": isAddress,
  "interface": isName,
  "outbound": isAddress,
  "outbound-if4": isName,
  "outbound-if6": isName,
  "dns": (value) => value === "none" || isAddress(value),
  "dns-forward": isAddress,
  "search": isWord,
  "map-host-loopback": (value) => value === "none" || isAddress(value.split("/")[0]!),
  "map-guest-addr": (value) => value === "none" || isAddress(value.split("/")[0]!),
  "tcp-ports": isPorts,
  "udp-ports": isPorts,
  "tcp-ns": isPorts,
  "udp-ns": isPorts,
};
/** Options of pasta(1) without one; `map-gw` is the engine's own, as in Podman: the gateway's address leads to the host's loopback. */
const PASTA_SWITCHES = new Set([
  ...["no-tcp", "no-udp", "no-icmp", "no-dhcp", "no-ndp", "no-dhcpv6", "no-ra", "no-map-gw", "map-gw"],
  ...["ipv4-only", "ipv6-only", "dhcp-dns", "no-dhcp-dns", "dhcp-search", "no-dhcp-search"],
  ...["no-copy-routes", "no-copy-addrs", "host-lo-to-ns-lo", "no-splice"],
]);
const PASTA_LETTERS: Readonly<Record<string, string>> = {
  ...{ I: "ns-ifname", m: "mtu", a: "address", n: "netmask", M: "mac-addr", g: "gateway", i: "interface" },
  ...{ o: "outbound", D: "dns", S: "search", t: "tcp-ports", u: "udp-ports", T: "tcp-ns", U: "udp-ns" },
  ...{ "4": "ipv4-only", "6": "ipv6-only" },
};

/** Options of slirp4netns in Podman's words. */
const SLIRP_VALUES: Readonly<Record<string, Fits>> = {
  allow_host_loopback: isSwitch,
  enable_ipv6: isSwitch,
  mtu: isMTU,
  cidr: isSmallSubnet,
  outbound_addr: (value) => isIPv4(value) || isName(value),
  outbound_addr6: (value) => isIPv6(value) || isName(value),
  port_handler: (value) => value === "slirp4netns" || value === "rootlesskit",
};

/**
 * Checks the options of a program and returns them: pasta's as `--name` or `--name=value`, those of slirp4netns as `name=value`.
 * Throws `invalid` naming the first that is not known or whose value does not fit.
 */
export function userNetworkOptions(program: UserNetworkProgram, words: readonly string[]): string[] {
  const given = words.filter((word) => word !== "");
  if (given.length > MOST_OPTIONS) throw invalid(`network ${program}: more than ${MOST_OPTIONS} options`);
  const long = given.find((word) => word.length > LONGEST_OPTION);
  if (long !== undefined) {
    throw invalid(`network ${program}: option "${long.slice(0, 32)}…" has more than ${LONGEST_OPTION} characters`);
  }
  return program === "pasta" ? pastaOptions(given) : given.map(slirpOption);
}

function pastaOptions(words: readonly string[]): string[] {
  const found: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const [, short, attached] = /^-([A-Za-z46])(.*)$/s.exec(word) ?? [];
    const [, long, given] = /^--([a-z0-9-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const name = long ?? (short === undefined ? "" : Object.hasOwn(PASTA_LETTERS, short) ? PASTA_LETTERS[short]! : "");
    let value = given ?? (attached === "" ? undefined : attached);
    if (PASTA_SWITCHES.has(name)) {
      if (value !== undefined) throw invalid(`network pasta: option "${word}" takes no value`);
      found.push(`--${name}`);
      continue;
    }
    if (!Object.hasOwn(PASTA_VALUES, name)) throw invalid(`network pasta: unknown option "${word}"`);
    value ??= words[++index];
    if (value === undefined) throw invalid(`network pasta: option "${word}" needs a value`);
    if (!PASTA_VALUES[name]!(value)) throw invalid(`network pasta: "${value}" is no value of option "--${name}"`);
    found.push(`--${name}=${value}`);
  }
  return found;
}

function slirpOption(word: string): string {
  const [name, value] = word.split(/=(.*)/s) as [string, string?];
  if (!Object.hasOwn(SLIRP_VALUES, name)) throw invalid(`network slirp4netns: unknown option "${word}"`);
  if (value === undefined) throw invalid(`network slirp4netns: option "${word}" needs a value, as in "${name}=VALUE"`);
  if (!SLIRP_VALUES[name]!(value)) throw invalid(`network slirp4netns: "${value}" is no value of option "${name}"`);
  return word;
}

/** A subnet of IPv4 as slirp4netns takes it: at most 25 bits, since it has addresses of its own up to the 100th. */
function isSmallSubnet(value: string): boolean {
  const bits = Number(value.split("/")[1]);
  return findSubnet(value)?.version === 4 && bits >= 1 && bits <= 25;
}

function versionOf(text: string): 4 | 6 | undefined {
  try {
    return parseAddress(text).version;
  } catch {
    return undefined;
  }
}
