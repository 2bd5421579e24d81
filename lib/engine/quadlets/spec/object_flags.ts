/**
 * The flags of the commands that make networks and volumes, pull images and artifacts, build and play documents.
 *
 * @module
 */
import type { BuildOptions } from "../../build/build_options.ts";
import type { PullOptions } from "../../images/types.ts";
import type { PlayOptions } from "../../kube/play/play_options.ts";
import { parseNetworks } from "../../kube/play/pod_network.ts";
import type { NetworkWish } from "../../networks/create_network.ts";
import type { NetworkSubnet } from "../../records/network_record.ts";
import type { VolumeRequest } from "../../volumes/volumes.ts";
import { addressAt, parseSubnet } from "../../text/ip.ts";
import { parseDuration } from "../../text/duration.ts";
import { readPullPolicy } from "./container_flags.ts";
import { readPairs } from "../../text/pairs.ts";
import { type FlagTable, ignoreFlag, readNumber, takeLast, takeSwitch } from "./flag_table.ts";

/** The fields of a request that may be written while it is made. */
type Draft<T> = { -readonly [K in keyof T]: T[K] };

/** A network with its subnets in parts. */
export interface NetworkDraft {
  wish: Draft<NetworkWish>;
  subnets: string[];
  gateways: string[];
  ranges: string[];
}

/** The flags of `podman network create`, podman-network-create(1). */
export const NETWORK_FLAGS: FlagTable<NetworkDraft> = {
  ignore: ignoreFlag({ isSwitch: true }),
  "disable-dns": takeSwitch(({ wish }, isOn) => void (wish.dns = !isOn)),
  internal: takeSwitch(({ wish }, isOn) => void (wish.internal = isOn)),
  ipv6: takeSwitch(({ wish }, isOn) => void (wish.ipv6 = isOn)),
  driver: takeLast(({ wish }, value) => void (wish.driver = value), "d"),
  "ipam-driver": takeLast(({ wish }, value) => void (wish.addressSource = value)),
  "interface-name": takeLast(({ wish }, value) => void (wish.interface = value)),
  dns: { apply: ({ wish }, values) => void (wish.dnsServers = values) },
  subnet: { apply: (draft, values) => void (draft.subnets = values) },
  gateway: { apply: (draft, values) => void (draft.gateways = values) },
  "ip-range": { apply: (draft, values) => void (draft.ranges = values) },
  opt: { letter: "o", apply: ({ wish }, values) => void (wish.options = readPairs(values)) },
  label: { apply: ({ wish }, values) => void (wish.labels = readPairs(values)) },
};

/** Joins subnets with their gateways and ranges, which come in the same order. Throws `SyntaxError` for no address. */
export function joinSubnets({ subnets, gateways, ranges }: NetworkDraft): NetworkSubnet[] {
  return subnets.map((subnet, at) => ({
    subnet,
    ...at < gateways.length && { gateway: gateways[at] },
    ...at < ranges.length && { leaseRange: readRange(ranges[at]) },
  }));
}

function readRange(text: string): { start: string; end: string } {
  if (text.includes("-")) {
    const [start, end] = text.split(/-(.*)/s);
    return { start, end };
  }
  const range = parseSubnet(text);
  return { start: addressAt(range, 0), end: addressAt(range, -1) };
}

/** The flags of `podman volume create`, podman-volume-create(1). */
export const VOLUME_FLAGS: FlagTable<VolumeRequest> = {
  ignore: ignoreFlag({ isSwitch: true }),
  driver: takeLast((request, value) => void (request.driver = value), "d"),
  uid: takeLast((request, value) => void (request.uid = readNumber(value))),
  gid: takeLast((request, value) => void (request.gid = readNumber(value))),
  opt: { letter: "o", apply: (request, values) => void (request.options = readPairs(values)) },
  label: { letter: "l", apply: (request, values) => void (request.labels = readPairs(values)) },
};

const ACCESS_FLAGS: FlagTable<Draft<PullOptions>> = {
  "tls-verify": takeSwitch((options, isOn) => void (options.tlsVerify = isOn)),
  retry: takeLast((options, value) => void (options.retries = readNumber(value))),
  "retry-delay": takeLast((options, value) => void (options.retryDelay = parseDuration(value))),
  creds: takeLast((options, value) => {
    const [username, password = ""] = value.split(/:(.*)/s);
    options.credentials = (_registry, _path, isAsked) => isAsked ? { username, password } : undefined;
  }),
  quiet: ignoreFlag({ isSwitch: true, letter: "q" }),
};

const PLATFORM_FLAGS: FlagTable<{ platform?: BuildOptions["platform"] }> = {
  arch: takeLast((options, value) => void (options.platform = { ...options.platform, architecture: value })),
  os: takeLast((options, value) => void (options.platform = { ...options.platform, os: value })),
  variant: takeLast((options, value) => void (options.platform = { ...options.platform, variant: value })),
};

/** The flags of `podman image pull` and `podman artifact pull`, podman-pull(1). */
export const PULL_FLAGS: FlagTable<Draft<PullOptions>> = {
  ...ACCESS_FLAGS,
  ...PLATFORM_FLAGS,
  "all-tags": takeSwitch((options, isOn) => void (options.allTags = isOn), "a"),
  policy: takeLast((options, value) => void (options.policy = readPullPolicy(value))),
};

/** A build on its way from a command to options. */
export interface BuildDraft extends Draft<Omit<BuildOptions, "context" | "registry" | "sandbox">> {
  registry: Draft<PullOptions>;
  sandbox: NonNullable<BuildOptions["sandbox"]>;
}

/** The flags of `podman build`, podman-build(1). */
export const BUILD_FLAGS: FlagTable<BuildDraft> = {
  ...PLATFORM_FLAGS,
  tag: { letter: "t", apply: (draft, values) => void (draft.names = values) },
  file: { letter: "f", apply: (draft, values) => void (draft.dockerfiles = values) },
  target: takeLast((draft, value) => void (draft.target = value)),
  "build-arg": { apply: (draft, values) => void (draft.buildArgs = readPairs(values)) },
  label: { apply: (draft, values) => void (draft.labels = readPairs(values)) },
  pull: takeLast((draft, value) => void (draft.pull = readPullPolicy(value))),
  "no-cache": takeSwitch((draft, isOn) => void (draft.noCache = isOn)),
  squash: takeSwitch((draft, isOn) => void (draft.squash = isOn)),
  "force-rm": takeSwitch((draft, isOn) => void (draft.alwaysRemoves = isOn)),
  dns: { apply: ({ sandbox }, values) => void (sandbox.dnsServers = values) },
  "dns-option": { apply: ({ sandbox }, values) => void (sandbox.dnsOptions = values) },
  "dns-search": { apply: ({ sandbox }, values) => void (sandbox.dnsSearch = values) },
  network: {
    apply: ({ sandbox }, values) => {
      const { namespaces, networks } = parseNetworks(values);
      sandbox.networks = Object.fromEntries(Object.keys(networks).map((name) => [name, {}]));
      const { network } = namespaces ?? {};
      if (network !== undefined) sandbox.network = network;
    },
  },
  "tls-verify": takeSwitch(({ registry }, isOn) => void (registry.tlsVerify = isOn)),
  retry: takeLast(({ registry }, value) => void (registry.retries = readNumber(value))),
  "retry-delay": takeLast(({ registry }, value) => void (registry.retryDelay = parseDuration(value))),
};

/** A play on its way from a command to options. */
export interface PlayDraft {
  options: Draft<PlayOptions>;
  configMaps: string[];
}

/** The flags of `podman kube play`, podman-kube-play(1). */
export const PLAY_FLAGS: FlagTable<PlayDraft> = {
  replace: takeSwitch(({ options }, isOn) => void (options.replace = isOn)),
  "service-container": takeSwitch(({ options }, isOn) => void (options.serviceContainer = isOn)),
  "log-driver": takeLast(({ options }, value) => void (options.logDriver = value)),
  "log-opt": { apply: ({ options }, values) => void (options.logOptions = values) },
  userns: takeLast(({ options }, value) => void (options.users = value)),
  network: { apply: ({ options }, values) => void (options.networks = values) },
  ip: { apply: ({ options }, values) => void (options.staticIPs = values) },
  "mac-address": { apply: ({ options }, values) => void (options.staticMACs = values) },
  annotation: { apply: ({ options }, values) => void (options.annotations = readPairs(values)) },
  configmap: {
    apply: ({ configMaps }, values) => void configMaps.push(...values.flatMap((value) => value.split(","))),
  },
  publish: { apply: ({ options }, values) => void (options.publish = values) },
  "publish-all": takeSwitch(({ options }, isOn) => void (options.publishAll = isOn)),
  "no-hosts": takeSwitch(({ options }, isOn) => void (options.noHosts = isOn)),
  "no-pod-prefix": takeSwitch(({ options }, isOn) => void (options.noPodPrefix = isOn)),
  build: takeSwitch(({ options }, isOn) => void (options.build = isOn)),
};
