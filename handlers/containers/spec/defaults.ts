import type { ContainerDefaults } from "../../../lib/engine/records/container_defaults.ts";
import type { Namespace } from "../../wire/containers/spec_generator_parts.ts";
import type { SpecGenerator } from "../../wire/containers/spec_generator.ts";
import { rlimit } from "./resources.ts";
import { gatherBinds, gatherMounts } from "./volume_text.ts";

/** A function that returns fields to complete a request with, besides the defaults that the engine itself knows. */
type Part = (g: SpecGenerator, defaults: ContainerDefaults) => Partial<SpecGenerator>;

/** Namespaces first: other fields go by them. */
const PARTS: readonly Part[] = [namespaces, plain, process, files, network, limits, log, binds];

/**
 * A create request with what the machine's owner chose where it says nothing: containers.conf(5). What is said, by the user
 * or by a client that reads such a file itself, stays.
 */
export function withDefaults(generator: SpecGenerator, defaults: ContainerDefaults): SpecGenerator {
  return PARTS.reduce((g, part) => ({ ...g, ...part(g, defaults) }), generator);
}

function namespaces(g: SpecGenerator, d: ContainerDefaults): Partial<SpecGenerator> {
  const isMapped = [g.idmappings?.UIDMap, g.idmappings?.GIDMap].some((list) => list?.length);
  return {
    cgroupns: open(g.cgroupns, d.cgroupns),
    ipcns: open(g.ipcns, d.ipcns),
    pidns: open(g.pidns, d.pidns),
    userns: isMapped ? g.userns : open(g.userns, d.userns),
    utsns: open(g.utsns, d.utsns),
    ...openNetwork(g, d.netns),
  };
}

function open(asked: Namespace, word: string | undefined): Namespace {
  return isOpen(asked) && word !== undefined ? namespaceOf(word) : asked;
}

function isOpen({ nsmode = "" }: Namespace): boolean {
  return nsmode === "" || nsmode === "default";
}

/** A namespace in the words of the command line: `host`, `container:ID`, `ns:PATH`, … */
export function namespaceOf(word: string): Namespace {
  const [nsmode, value] = word.split(/:(.*)/s);
  return { nsmode: nsmode === "ns" ? "path" : nsmode, value };
}

const MODES = new Set(["default", "private", "bridge", "host", "none", "container", "path"]);

/** Anything else is the names of networks. */
function openNetwork(g: SpecGenerator, word: string | undefined): Partial<SpecGenerator> {
  if (word === undefined || !isOpen(g.netns) || Object.keys(g.Networks ?? {}).length > 0) return {};
  const netns = namespaceOf(word);
  if (MODES.has(netns.nsmode ?? "")) return { netns };
  const names = word.split(",");
  const plain = { static_mac: "", interface_name: "" };
  return {
    netns: { nsmode: "bridge" },
    Networks: Object.fromEntries(names.map((name) => [name, plain])),
    networkOrder: names,
  };
}

function plain(g: SpecGenerator, d: ContainerDefaults): Partial<SpecGenerator> {
  const isReadOnly = g.read_only_filesystem ?? d.readOnly;
  return {
    annotations: { ...d.annotations, ...g.annotations },
    privileged: g.privileged ?? d.privileged,
    read_only_filesystem: isReadOnly,
    read_write_tmpfs: g.read_write_tmpfs ?? (isReadOnly && d.readOnly ? true : undefined),
    seccomp_profile_path: g.seccomp_profile_path || d.seccomp,
    stop_timeout: g.stop_timeout ?? d.stopTimeout,
  };
}

function process(g: SpecGenerator, d: ContainerDefaults): Partial<SpecGenerator> {
  // An init has to be the first process there is, and systemd is one.
  const mayInit = ["", "default", "private"].includes(g.pidns.nsmode ?? "") && g.systemd !== "always";
  return {
    env_host: g.env_host ?? d.envHost,
    httpproxy: g.httpproxy ?? d.httpProxy,
    init: g.init ?? (mayInit ? d.init : undefined),
    init_path: g.init_path || d.initPath,
    umask: g.umask || d.umask,
    timezone: g.timezone || d.timezone,
    sysctl: { ...sysctls(g, d.sysctl), ...g.sysctl },
  };
}

/** Returns the configured sysctls that the kernel keeps apart for this container; its neighbours share the others. */
function sysctls(g: SpecGenerator, asked: Record<string, string> | undefined): Record<string, string> {
  if (asked === undefined) return {};
  const isOwn = ({ nsmode = "" }: Namespace) => !["host", "container", "path"].includes(nsmode);
  const isApart = (name: string) =>
    name.startsWith("net.")
      ? isOwn(g.netns)
      : name.startsWith("fs.mqueue.")
      ? isOwn(g.ipcns)
      : !/^kernel\.(?:domainname|hostname)$/.test(name) || isOwn(g.utsns);
  // 0 0 is what every container has; 1 0 is the kernel's own, for a list that leaves it out.
  const { [PING]: ping = "1 0", ...others } = asked;
  const all = ping === "0 0" ? others : { ...others, [PING]: ping };
  return Object.fromEntries(Object.entries(all).filter(([name]) => isApart(name)));
}

const PING = "net.ipv4.ping_group_range";

function files(g: SpecGenerator, d: ContainerDefaults): Partial<SpecGenerator> {
  const hasShared = ["host", "none", "container"].includes(g.ipcns.nsmode ?? "");
  const { devices = [], host_device_list: listed = [] } = g;
  const own = devices.length > 0 ? devices : listed;
  // A privileged container has all of them.
  const added = g.privileged ? [] : (d.devices ?? []).map((path) => ({ path, type: "", major: 0, minor: 0 }));
  return {
    base_hosts_file: g.base_hosts_file || d.baseHosts,
    image_volume_mode: g.image_volume_mode || d.imageVolumes,
    shm_size: g.shm_size ?? (hasShared ? undefined : d.shmSize),
    ...added.length > 0 && { devices: [...added, ...own] },
  };
}

function network(g: SpecGenerator, d: ContainerDefaults): Partial<SpecGenerator> {
  const { dns_server: servers = [], dns_search: search = [], dns_option: options = [] } = g;
  const ownsNothing = servers.length + search.length + options.length === 0;
  const keepsImage = g.use_image_resolve_conf ?? (ownsNothing && d.dnsServers?.[0] === "none" ? true : undefined);
  return {
    // Entries that are asked for need the file.
    use_image_hosts: g.use_image_hosts ?? (g.hostadd?.length ? undefined : d.noHosts),
    use_image_resolve_conf: keepsImage,
    ...!keepsImage && {
      dns_server: [...(d.dnsServers ?? []).filter((server) => server !== "none"), ...servers],
      dns_search: [...d.dnsSearch ?? [], ...search],
      dns_option: [...d.dnsOptions ?? [], ...options],
    },
  };
}

function limits(g: SpecGenerator, d: ContainerDefaults): Partial<SpecGenerator> {
  const asked = g.r_limits ?? [];
  const types = new Set(asked.map((limit) => rlimit(limit).type));
  const mode = g.cgroups_mode || d.cgroups;
  const { pids, ...others } = g.resource_limits ?? {};
  const setsPIDs = d.pidsLimit !== undefined && mode !== "disabled" && !pids?.limit;
  return {
    cgroups_mode: mode,
    oom_score_adj: g.oom_score_adj ?? d.oomScoreAdj,
    r_limits: [...(d.ulimits ?? []).filter(({ type }) => !types.has(type)), ...asked],
    ...d.cgroupFiles && { unified: { ...d.cgroupFiles, ...g.resource_limits?.unified, ...g.unified } },
    ...setsPIDs && { resource_limits: { ...others, pids: { limit: pidsLimit(d.pidsLimit) } } },
  };
}

function pidsLimit(limit = 0): number {
  return limit > 0 ? limit : -1;
}

function log(g: SpecGenerator, d: ContainerDefaults): Partial<SpecGenerator> {
  const { driver: asked, size, options = {}, ...others } = g.log_configuration ?? {};
  const driver = asked || d.logDriver;
  const tag: Record<string, string> = driver === "journald" && d.logTag !== undefined ? { tag: d.logTag } : {};
  const most = d.logSizeMax !== undefined && d.logSizeMax > 0 && driver !== "none" ? d.logSizeMax : undefined;
  return { log_configuration: { ...others, driver, size: size || most, options: { ...tag, ...options } } };
}

/** Only where the request has nothing at the place. */
function binds(g: SpecGenerator, d: ContainerDefaults): Partial<SpecGenerator> {
  const { mounts = [], volumes = [], overlay_volumes: overlays = [] } = g;
  const taken = new Set([
    ...[...mounts, ...overlays].map(({ destination }) => destination),
    ...volumes.map(({ Dest }) => Dest),
    ...(g.image_volumes ?? []).map(({ Destination }) => Destination),
  ]);
  const added = [gatherBinds(d.volumes ?? []), gatherMounts(d.mounts ?? [])];
  // Sets tell whether they grew; paths that fit a pattern have no place yet.
  const isFree = (place: string) => place === "" || taken.size < taken.add(place).size;
  return {
    mounts: [...mounts, ...added.flatMap(({ mounts }) => mounts.filter(({ destination }) => isFree(destination)))],
    volumes: [...volumes, ...added.flatMap(({ volumes }) => volumes.filter(({ Dest }) => isFree(Dest)))],
    overlay_volumes: [
      ...overlays,
      ...added.flatMap(({ overlays }) => overlays.filter(({ destination }) => isFree(destination))),
    ],
  };
}
