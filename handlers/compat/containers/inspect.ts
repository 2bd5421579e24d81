import { capabilityName } from "../../../lib/engine/records/capability_name.ts";
import { signalName } from "../../../lib/engine/text/signals.ts";
import type { Address } from "../../wire/containers/container_inspect_network.ts";
import { dockerRuleText } from "./spec/limits.ts";
import { endpointOptions } from "./spec/networks.ts";
import { deviceRequests } from "./spec/devices.ts";
import { isLive } from "../../../lib/engine/containers/context.ts";
import type { Engine } from "../../../lib/engine/engine.ts";
import type { ContainerRecord, NetworkAttachment } from "../../../lib/engine/records/container_record.ts";
import type { TreeLimit } from "../../../lib/engine/records/limits.ts";
import { DEFAULT_NETWORK } from "../../../lib/engine/networks/networks.ts";
import { isBefore } from "../../path_version.ts";
import { inspectFacts } from "../../containers/inspect.ts";
import { entrypointOf, exposedBy } from "../../containers/view/command.ts";
import {
  inspectCommon,
  inspectConfig,
  type InspectFacts,
  inspectState,
  treeFolders,
} from "../../containers/view/inspect_container.ts";
import { hostConfig } from "../../containers/view/inspect_host.ts";
import { endpointID } from "../networks/endpoint_id.ts";
import { networkSettings, viewAddresses } from "../../containers/view/inspect_network.ts";
import { ContainerInspect } from "../../wire/compat/container.ts";
import type { EndpointIPAMConfig, NetworkSettings } from "../../wire/compat/network.ts";
import { emit, type Sparse } from "../../wire/emit.ts";
import { inspectHealth } from "./health.ts";
import { byDockerNames } from "../networks/names.ts";
import { givenPlaces, mountPoints, requestedMounts } from "./mounts.ts";
import { dockerNetworkMode } from "./network_mode.ts";
import { askedImage, inRequestWords } from "./request_words.ts";
import { dockerState } from "./state.ts";

/** Tells all there is to know of a container, as Docker does. */
export async function compatGetContainer(
  engine: Engine,
  name: string,
  { size, version }: { size: boolean; version?: string },
): Promise<ContainerInspect> {
  const record = engine.containers.resolve(name);
  const facts = await inspectFacts(engine, record, size);
  const { image, rwSize } = facts;
  const settings = dockerNetworkSettings(record, facts, version);
  const config = inspectConfig(record, image);
  const common = inspectCommon(record, facts);
  return emit(ContainerInspect, {
    ...common,
    // Docker tells where a tree is mounted, also while it is not.
    GraphDriver: {
      Name: common.GraphDriver?.Name,
      Data: facts.facts ? { ...treeFolders(facts.facts, true), ID: record.id } : {},
    },
    State: dockerInspectState(record, facts, engine.containers.awaitsRestart(record)),
    Image: `sha256:${record.imageID}`,
    LogPath: record.log.path,
    Name: `/${record.name}`,
    Platform: "linux",
    SizeRootFs: rwSize === undefined ? undefined : (image?.size ?? 0) + rwSize,
    HostConfig: dockerHostConfig(record, facts, version),
    Config: {
      ...config,
      Domainname: record.spec.sysctl["kernel.domainname"],
      Entrypoint: entrypointOf(record, image),
      Image: askedImage(record),
      Volumes: ownVolumes(record, config.Volumes),
      StopSignal: signalName(record.stopSignal),
    },
    NetworkSettings: {
      ...settings,
      Networks: byDockerNames(settings.Networks ?? {}, version),
      // Later versions tell it of each network only.
      ...isBefore(version, 1, 52) && { ...LEGACY, ...viewAddresses(settings.Networks?.[DEFAULT_NETWORK] ?? NOWHERE) },
    },
    Mounts: mountPoints(record, { volumePath: facts.volumePath, version }),
  });
}

/** Fields of networks as they once were, which older clients read. */
const LEGACY = { Bridge: "", HairpinMode: false, LinkLocalIPv6Address: "", LinkLocalIPv6PrefixLen: 0, EndpointID: "" };

/** The place of a container that is not in a network. */
const NOWHERE = {
  Gateway: "",
  GlobalIPv6Address: "",
  GlobalIPv6PrefixLen: 0,
  IPAddress: "",
  IPPrefixLen: 0,
  IPv6Gateway: "",
  MacAddress: "",
};

function dockerInspectState(
  record: ContainerRecord,
  facts: InspectFacts,
  awaitsRestart: boolean,
): Sparse<ContainerInspect["State"]> {
  const state = inspectState(record, facts);
  return {
    ...state,
    Status: dockerState(record.state.status, awaitsRestart),
    Restarting: awaitsRestart,
    // Docker counts a paused container as running, and one that waits for its restart.
    Running: state.Running === true || state.Paused === true || awaitsRestart,
    Health: inspectHealth(record, facts.health),
  };
}

function dockerHostConfig(
  record: ContainerRecord,
  { runtime, facts }: InspectFacts,
  version: string | undefined,
): Sparse<ContainerInspect["HostConfig"]> {
  const { spec, log } = record;
  const { LogConfig: _log, CgroupMode: _mode, ...same } = hostConfig(record, runtime);
  const driver = spec.logDriver ?? log.driver;
  const size = (spec.logSizeMax ?? 0) > 0 ? { "max-size": String(spec.logSizeMax) } : {};
  const logOptions = { ...size, ...spec.logOptions };
  const { "kernel.domainname": _domain, ...sysctls } = spec.sysctl;
  return inRequestWords(record, {
    ...same,
    ...requestedMounts(record, version),
    // The engine's own notes are for Podman's clients.
    Annotations: spec.annotations,
    DeviceCgroupRules: spec.deviceRules?.map(dockerRuleText) ?? null,
    NetworkMode: dockerNetworkMode(record),
    // Docker has no word for namespaces that are the container's own.
    PidMode: ownIsEmpty(same.PidMode),
    UTSMode: ownIsEmpty(same.UTSMode),
    // The domain has a field of its own.
    Sysctls: sysctls,
    LogConfig: {
      Type: driver === "k8s-file" ? "json-file" : driver,
      Config: logOptions,
    },
    Ulimits: (same.Ulimits ?? []).map(({ Name = "", ...limits }) => ({
      Name: Name?.replace("RLIMIT_", "").toLowerCase(),
      ...limits,
    })),
    DeviceRequests: deviceRequests(spec),
    StorageOpt: storageOptions(spec.treeLimit),
    CgroupnsMode: spec.namespaces.cgroup.mode === "host" ? "host" : "private",
    CapAdd: spec.capAdd.map(capabilityName),
    CapDrop: spec.capDrop.map(capabilityName),
    // Absent, as a client that does not ask for one sends it.
    Init: spec.init || undefined,
    // A privileged container has none, which Docker tells apart from an empty list.
    MaskedPaths: spec.privileged ? null : facts?.hidden.maskedPaths ?? null,
    ReadonlyPaths: spec.privileged ? null : facts?.hidden.readonlyPaths ?? null,
  });
}

function ownIsEmpty(mode: string | null | undefined): string | null | undefined {
  return mode === "private" ? "" : mode;
}

/** The limits of what a container writes, as its create request has them; Docker leaves out a map that is empty. */
function storageOptions({ size, inodes }: TreeLimit = {}): Record<string, string> | undefined {
  const options = { ...size && { size: String(size) }, ...inodes && { inodes: String(inodes) } };
  return Object.keys(options).length > 0 ? options : undefined;
}

/** The anonymous volumes that have no other field; null for none. */
function ownVolumes<T>(record: ContainerRecord, volumes: Record<string, T> | null | undefined) {
  const places = givenPlaces(record);
  const own = Object.entries(volumes ?? {}).filter(([place]) => !places.has(place));
  return own.length > 0 ? Object.fromEntries(own) : null;
}

function dockerNetworkSettings(record: ContainerRecord, more: InspectFacts, version?: string): Sparse<NetworkSettings> {
  const { image, networkID, joined } = more;
  const settings = networkSettings(record, exposedBy(record, image), networkID, joined);
  // In the order in which they were asked for, whatever names stood for them.
  const asked = Object.values(record.spec.networks);
  const endpoints = Object.entries(settings.Networks ?? {}).map(([name, endpoint], i) => {
    const wish = record.spec.networks[name] ?? asked[i];
    return [name, {
      ...endpoint,
      DriverOpts: endpointOptions(wish),
      Aliases: dockerAliases(record, name, version),
      EndpointID: endpointID(record, name, networkID(name)),
      GwPriority: record.networks[name]?.gatewayPriority ?? 0,
      IPAMConfig: askedAddresses(wish),
      // Nobody looks up names in the default network.
      DNSNames: name === DEFAULT_NETWORK ? null : [...new Set([record.name, ...endpoint?.Aliases ?? []])],
    }];
  });
  return {
    SandboxKey: settings.SandboxKey,
    // Docker maps ports while there is a process, and tells of none otherwise.
    Ports: isLive(record) ? settings.Ports : {},
    Networks: Object.fromEntries(endpoints),
    SecondaryIPAddresses: settings.SecondaryIPAddresses?.map(dockerAddress),
    SecondaryIPv6Addresses: settings.SecondaryIPv6Addresses?.map(dockerAddress),
  };
}

/** A container's further names in a network. From version 1.45 on its short ID and hostname are among `DNSNames` only. */
function dockerAliases({ id, spec, networks }: ContainerRecord, name: string, version: string | undefined) {
  const aliases = networks[name]?.aliases ?? [];
  if (isBefore(version, 1, 45)) return aliases;
  const isAsked = (alias: string) => spec.networks[name]?.aliases?.includes(alias) === true;
  const asked = aliases.filter((alias) => isAsked(alias) || (alias !== id.slice(0, 12) && alias !== spec.hostname));
  return asked.length > 0 ? asked : null;
}

function dockerAddress({ Addr = "", PrefixLength = 0 }: Sparse<Address>) {
  return { Addr, PrefixLen: PrefixLength };
}

/** The addresses that were asked for, by which a client that makes the container again asks for them again. */
function askedAddresses(
  { staticIPs = [], linkLocalIPs = [] }: Partial<Pick<NetworkAttachment, "staticIPs" | "linkLocalIPs">> = {},
): Sparse<EndpointIPAMConfig> | null {
  if (staticIPs.length === 0 && linkLocalIPs.length === 0) return null;
  const isIPv6 = (text: string) => text.includes(":");
  return {
    IPv4Address: staticIPs.find((text) => !isIPv6(text)),
    IPv6Address: staticIPs.find(isIPv6),
    ...linkLocalIPs.length > 0 && { LinkLocalIPs: linkLocalIPs },
  };
}
