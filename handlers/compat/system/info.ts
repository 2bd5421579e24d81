import type { Engine } from "../../../lib/engine/engine.ts";
import { formatUptime, NO_DRIVERS, storeStatus } from "../../system/info.ts";
import { DOCKER_HUB } from "../../../lib/oci/reference.ts";
import { isBefore } from "../../path_version.ts";
import { API_VERSION } from "../../wire/api_options.ts";
import { Info } from "../../wire/compat/info.ts";
import { emit } from "../../wire/emit.ts";
import { wireTime } from "../../wire/time.ts";

/** Tells facts about the host and the service, as Docker does. */
export async function compatInfo(engine: Engine, version?: string): Promise<Info> {
  const { name, host, platform, containers, images, now, registries, subnetPools } = await engine.info();
  const controllers = host?.cgroupControllers ?? [];
  const has = (controller: string) => controllers.includes(controller);
  const { runtime, drivers = NO_DRIVERS } = host ?? {};
  return emit(Info, {
    ID: host?.id ?? name,
    DefaultAddressPools: subnetPools.map(({ base, size }) => ({ Base: base, Size: size })),
    CDISpecDirs: host?.deviceFolders ?? [],
    Containers: containers.total,
    ContainersRunning: containers.running,
    ContainersPaused: containers.paused,
    ContainersStopped: containers.stopped,
    Images: images,
    Driver: host?.graphDriver ?? "none",
    DriverStatus: storeStatus(host),
    Plugins: { Volume: ["local"], Network: [...drivers.network], Authorization: null, Log: [...drivers.log] },
    MemoryLimit: has("memory"),
    SwapLimit: has("memory"),
    CpuCfsPeriod: has("cpu"),
    CpuCfsQuota: has("cpu"),
    CPUShares: has("cpu"),
    CPUSet: has("cpuset"),
    PidsLimit: has("pids"),
    IPv4Forwarding: host?.forwards.ipv4 ?? false,
    SystemTime: wireTime(now),
    LoggingDriver: dockerDriver(engine.defaults.logDriver),
    CgroupDriver: host?.cgroupManager ?? "none",
    CgroupVersion: host?.cgroupVersion === "v1" ? "1" : "2",
    KernelVersion: host?.kernel ?? "",
    OperatingSystem: host?.distribution.distribution ?? "",
    OSVersion: host?.distribution.version ?? "",
    OSType: platform.os,
    Architecture: host?.arch ?? platform.architecture,
    IndexServerAddress: "https://index.docker.io/v1/",
    NCPU: host?.cpus ?? 0,
    MemTotal: host?.memTotal ?? 0,
    DockerRootDir: host?.graphRoot ?? "",
    Name: host?.hostname ?? name,
    ServerVersion: API_VERSION.libpod,
    Runtimes: runtime ? { [runtime.name]: { path: runtime.path } } : {},
    DefaultRuntime: runtime?.name ?? "",
    Swarm: { LocalNodeState: "inactive" },
    SecurityOptions: securityOptions(host?.securityOptions),
    Warnings: [],
    Rootless: host?.securityOptions.rootless ?? false,
    // Clients know of it from this version on.
    FirewallBackend: !host?.firewall || isBefore(version, 1, 49) ? undefined : { Driver: host.firewall },
    RegistryConfig: {
      InsecureRegistryCIDRs: ["::1/128", "127.0.0.0/8"],
      IndexConfigs: Object.fromEntries([HUB, ...registries].map((registry) => [registry.prefix, {
        Name: registry.prefix,
        Mirrors: registry.mirrors.map(({ location }) => location),
        Secure: !registry.insecure,
        Official: registry.prefix === DOCKER_HUB,
      }])),
    },
    SwapFree: host?.swapFree ?? 0,
    SwapTotal: host?.swapTotal ?? 0,
    Uptime: formatUptime(host?.uptime ?? 0),
  });
}

/** Docker Hub, of which Docker tells in any case; what registries.conf says of it comes after. */
const HUB = { prefix: DOCKER_HUB, mirrors: [], insecure: false };

function securityOptions(
  options: { seccomp: boolean; apparmor: boolean; selinux: boolean; rootless: boolean } | undefined,
): string[] {
  return [
    ...(options?.apparmor ? ["name=apparmor"] : []),
    ...(options?.seccomp ? ["name=seccomp,profile=default"] : []),
    ...(options?.selinux ? ["name=selinux"] : []),
    ...(options?.rootless ? ["name=rootless"] : []),
  ];
}

/** Docker's name for the file that Podman keeps. */
function dockerDriver(driver = "k8s-file"): string {
  return driver === "k8s-file" ? "json-file" : driver;
}
