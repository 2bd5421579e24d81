import type { Engine } from "../../lib/engine/engine.ts";
import type { SystemInfo } from "../../lib/engine/info.ts";
import type { HostInfo as Host } from "../../lib/engine/ports/host_facts.ts";
import { API_VERSION } from "../wire/api_options.ts";
import { emit, type Sparse } from "../wire/emit.ts";
import { type HostInfo, Info, type StoreInfo } from "../wire/system/info.ts";

/** Tells facts about the host, the store and the service. */
export async function viewInfo(engine: Engine): Promise<Info> {
  const facts = await engine.info();
  return emit(Info, {
    host: hostInfo(facts, engine.defaults.logDriver),
    store: storeInfo(facts),
    registries: { search: facts.searchRegistries },
    plugins: { volume: ["local"], network: ["bridge"], log: ["k8s-file", "none"], authorization: null },
    version: {
      APIVersion: API_VERSION.libpod,
      Version: API_VERSION.libpod,
      BuiltTime: "Thu Jan  1 00:00:00 1970",
      OsArch: `${facts.platform.os}/${facts.platform.architecture}`,
      Os: facts.platform.os,
    },
  });
}

function hostInfo({ host, platform, unavailable, name }: SystemInfo, logDriver = "k8s-file"): Sparse<HostInfo> {
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
  };
  // Without a kernel, the reason stands where a client shows the runtime.
  if (!host) return { ...common, ociRuntime: { name: "none", version: unavailable ?? "" } };
  return { ...common, ...hostFacts(host) };
}

function hostFacts(host: Host): Sparse<HostInfo> {
  const { securityOptions: security, networkBackend } = host;
  return {
    arch: host.arch,
    os: host.os,
    hostname: host.hostname,
    kernel: host.kernel,
    cpus: host.cpus,
    cpuUtilization: { userPercent: 0, systemPercent: 0, idlePercent: 100 },
    cgroupManager: host.cgroupManager,
    cgroupVersion: host.cgroupVersion,
    cgroupControllers: host.cgroupControllers,
    conmon: host.conmon,
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
    graphStatus: { "Backing Filesystem": host?.backingFilesystem ?? "" },
    runRoot: host?.runRoot ?? "",
    volumePath: host?.volumePath ?? "",
  };
}

/** `26h 3m 4.00s (Approximately 1.08 days)`. */
export function formatUptime(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const text = `${hours}h ${minutes}m ${(seconds % 60).toFixed(2)}s`;
  return hours < 24 ? text : `${text} (Approximately ${(seconds / 86400).toFixed(2)} days)`;
}
