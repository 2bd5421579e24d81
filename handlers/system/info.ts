import type { Engine } from "../../lib/engine/engine.ts";
import type { SystemInfo } from "../../lib/engine/info.ts";
import type { HostInfo as Host } from "../../lib/engine/ports/host_facts.ts";
import { API_VERSION } from "../wire/api_options.ts";
import { emit, type Sparse } from "../wire/emit.ts";
import { type HostInfo, Info, type StoreInfo } from "../wire/system/info.ts";

/** Without a host nothing is connected and nothing is logged. */
export const NO_DRIVERS: Host["drivers"] = { network: [], log: [] };

/** Tells facts about the host, the store and the service. */
export async function viewInfo(engine: Engine): Promise<Info> {
  const facts = await engine.info();
  const { drivers = NO_DRIVERS } = facts.host ?? {};
  return emit(Info, {
    host: hostInfo(facts, engine.defaults.logDriver),
    store: storeInfo(facts),
    registries: registryFacts(facts),
    plugins: { volume: ["local"], network: [...drivers.network], log: [...drivers.log], authorization: null },
    version: {
      APIVersion: API_VERSION.libpod,
      Version: API_VERSION.libpod,
      BuiltTime: "Thu Jan  1 00:00:00 1970",
      OsArch: `${facts.platform.os}/${facts.platform.architecture}`,
      Os: facts.platform.os,
    },
  });
}

function hostInfo(facts: SystemInfo, logDriver = "k8s-file"): Sparse<HostInfo> {
  const { host, platform, unavailable, name, socket, defaultNetwork } = facts;
  const common: Sparse<HostInfo> = {
    arch: platform.architecture,
    os: platform.os,
    variant: platform.variant ?? "",
    hostname: name,
    eventLogger: "file",
    logDriver,
    databaseBackend: "sqlite",
    serviceIsRemote: true,
    linkmode: "static",
    remoteSocket: socket && { path: socket.address, exists: socket.exists },
    networkBackendInfo: { defaultNetwork },
  };
  // Without a kernel, the reason stands where a client shows the runtime.
  if (!host) return { ...common, ociRuntime: { name: "none", version: unavailable ?? "" } };
  const { networkBackendInfo, ...own } = hostFacts(host);
  return { ...common, ...own, networkBackendInfo: { ...networkBackendInfo, defaultNetwork } };
}

function hostFacts(host: Host): Sparse<HostInfo> {
  const { securityOptions: security, networkBackend } = host;
  return {
    arch: host.arch,
    os: host.os,
    hostname: host.hostname,
    kernel: host.kernel,
    cpus: host.cpus,
    cpuUtilization: {
      userPercent: host.cpuUsage.user,
      systemPercent: host.cpuUsage.system,
      idlePercent: host.cpuUsage.idle,
    },
    cgroupManager: host.cgroupManager,
    cgroupVersion: host.cgroupVersion,
    cgroupControllers: host.cgroupControllers,
    conmon: { ...host.conmon, version: host.conmon.version.replace("\n", ", ") },
    pasta: { executable: host.pasta.path, package: host.pasta.package, version: host.pasta.version },
    distribution: host.distribution,
    memFree: host.memFree,
    memTotal: host.memTotal,
    swapFree: host.swapFree,
    swapTotal: host.swapTotal,
    networkBackend: networkBackend.name,
    networkBackendInfo: {
      backend: networkBackend.name,
      version: networkBackend.version,
      package: networkBackend.package,
      path: networkBackend.path,
      dns: host.dns,
    },
    ociRuntime: host.runtime,
    security: {
      apparmorEnabled: security.apparmor,
      capabilities: security.capabilities,
      rootless: security.rootless,
      seccompEnabled: security.seccomp,
      seccompProfilePath: security.seccompProfilePath,
      selinuxEnabled: security.selinux,
    },
    uptime: formatUptime(host.uptime),
  };
}

function storeInfo({ host, containers, images }: SystemInfo): Sparse<StoreInfo> {
  const { total, ...states } = containers;
  return {
    containerStore: { number: total, ...states },
    imageStore: { number: images },
    graphDriverName: host?.graphDriver ?? "none",
    graphOptions: {},
    graphRoot: host?.graphRoot ?? "",
    graphRootAllocated: host?.graphRootSize.allocated ?? 0,
    graphRootUsed: host?.graphRootSize.used ?? 0,
    graphStatus: Object.fromEntries(storeStatus(host)),
    runRoot: host?.runRoot ?? "",
    volumePath: host?.volumePath ?? "",
  };
}

/** The status of the store as Podman's driver `overlay` tells it, and Docker's clients show it. */
export function storeStatus(host: Host | undefined): [name: string, value: string][] {
  const { backingFilesystem = "", overlay } = host ?? {};
  return [
    ["Backing Filesystem", backingFilesystem],
    ...overlay === undefined ? [] : Object.entries({
      // An overlay mounts on nothing else.
      "Supports d_type": "true",
      "Native Overlay Diff": String(overlay.plainDifference),
      "Using metacopy": String(!overlay.plainDifference),
      "Supports volatile": String(overlay.volatile),
    }),
  ];
}

/** The registries of registries.conf, by their prefixes, and those that short names are looked up in. */
function registryFacts({ registries, searchRegistries }: SystemInfo): Record<string, unknown> {
  const entries = registries.map((registry) => [registry.prefix, {
    Prefix: registry.prefix,
    Location: registry.location,
    Insecure: registry.insecure,
    Blocked: registry.blocked,
    MirrorByDigestOnly: false,
    Mirrors: registry.mirrors.map(({ location, insecure, pull }) => ({
      Location: location,
      Insecure: insecure,
      PullFromMirror: pull === "all" ? "" : pull,
    })),
  }]);
  return { ...Object.fromEntries(entries), search: searchRegistries };
}

/** `26h 3m 4.00s (Approximately 1.08 days)`: Podman counts whole hours as days, from the first one on. */
export function formatUptime(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const text = `${hours}h ${minutes}m ${Math.floor(seconds % 60).toFixed(2)}s`;
  return hours < 1 ? text : `${text} (Approximately ${(hours / 24).toFixed(2)} days)`;
}
