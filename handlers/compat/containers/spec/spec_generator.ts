import { HTTPError } from "../../../../lib/rest/mod.ts";
import { parseNamespace } from "../../../../lib/engine/containers/request/namespace_mode.ts";
import { isEmpty, unsupported } from "../../../containers/spec/unsupported.ts";
import type { CreateContainerConfig } from "../../../wire/compat/container_create.ts";
import type { HostConfig } from "../../../wire/compat/host_config.ts";
import { accept } from "../../../wire/decode.ts";
import type { Sparse } from "../../../wire/emit.ts";
import { SpecGenerator } from "../../../wire/containers/spec_generator.ts";
import type { Namespace } from "../../../wire/containers/spec_generator_parts.ts";
import { healthConfig } from "./health.ts";
import { limits, stopSignal } from "./limits.ts";
import { mounts } from "./mounts.ts";
import { type NetworkDefaults, networking } from "./networks.ts";
import { security } from "./security.ts";

/**
 * What Docker's create request asks for, as the native tree would ask.
 *
 * @param config The request
 * @param name The container's name, from the query
 * @param defaults What it leaves open of networks
 */
export function specGenerator(
  config: CreateContainerConfig,
  name: string,
  defaults: NetworkDefaults,
): SpecGenerator {
  const { HostConfig: host } = config;
  if (host.Links?.length) throw new HTTPError(400, "bad parameter: link is not supported");
  if (!["", "default"].includes(host.Isolation)) {
    throw new HTTPError(400, `invalid isolation "${host.Isolation}": only "default" is there on Linux`);
  }
  if (host.VolumeDriver !== "" && host.VolumeDriver !== "local") throw unsupported("HostConfig.VolumeDriver");
  refuseForeign(config);
  const sparse: Sparse<SpecGenerator> = {
    name: name || config.Name,
    image: config.Image,
    ...process(config),
    ...restart(host),
    hostname: config.Hostname,
    labels: config.Labels ?? {},
    annotations: host.Annotations ?? {},
    stop_signal: stopSignal(config.StopSignal),
    stop_timeout: config.StopTimeout,
    remove: host.AutoRemove,
    init: host.Init,
    log_configuration: logConfig(host),
    ...mounts(config),
    ...networking(config, defaults),
    ...security(host),
    ...limits(config),
    // The kernel keeps the name of the domain among its settings.
    sysctl: { ...host.Sysctls, ...config.Domainname !== "" && { "kernel.domainname": config.Domainname } },
    pidns: namespaceWords(host.PidMode),
    ipcns: namespaceWords(host.IpcMode),
    utsns: namespaceWords(host.UTSMode),
    userns: namespaceWords(host.UsernsMode),
    cgroupns: namespaceWords(host.CgroupnsMode),
    volumes_from: host.VolumesFrom ?? [],
    devices: (host.Devices ?? []).map(({ PathOnHost, PathInContainer, CgroupPermissions }) => ({
      path: [PathOnHost, PathInContainer || PathOnHost, CgroupPermissions || "rwm"].join(":"),
    })),
    gpus: (host.DeviceRequests ?? []).map(({ Driver }) => Driver || "gpu"),
    storage_opts: host.StorageOpt ?? {},
    oci_runtime: host.Runtime ?? "",
    healthconfig: healthConfig(config),
    // Docker's daemon keeps its own proxy, and the password in it, to itself: clients bring the one for containers.
    httpproxy: false,
  };
  // Completed by Go's rules, like a request of the native tree.
  return accept(SpecGenerator, sparse);
}

/** Throws `unsupported` for fields that only other systems have, and for fields that belong into images. */
function refuseForeign(config: CreateContainerConfig): void {
  const { HostConfig: host } = config;
  const foreign = {
    OnBuild: config.OnBuild,
    Shell: config.Shell,
    "HostConfig.CpuCount": host.CpuCount,
    "HostConfig.CpuPercent": host.CpuPercent,
    "HostConfig.IOMaximumIOps": host.IOMaximumIOps,
    "HostConfig.IOMaximumBandwidth": host.IOMaximumBandwidth,
    "HostConfig.Cgroup": host.Cgroup,
  };
  for (const [field, value] of Object.entries(foreign)) if (!isEmpty(value)) throw unsupported(field);
}

function process(config: CreateContainerConfig): Sparse<SpecGenerator> {
  const env: Record<string, string> = {};
  const unset = [...(config.UnsetEnv ?? [])];
  for (const entry of config.Env ?? []) {
    const [key, value] = entry.split(/=(.*)/s);
    // A name alone takes the variable away.
    if (value === undefined) unset.push(key);
    else env[key] = value;
  }
  return {
    // `[""]` is how the client says "none", which an empty list says here.
    entrypoint: config.Entrypoint?.length === 1 && config.Entrypoint[0] === "" ? [] : config.Entrypoint ?? undefined,
    command: config.Cmd ?? undefined,
    env,
    envmerge: config.EnvMerge ?? [],
    unsetenv: unset,
    unsetenvall: config.UnsetEnvAll,
    work_dir: config.WorkingDir,
    create_working_dir: true,
    user: config.User,
    terminal: config.Tty,
    stdin: config.OpenStdin,
  };
}

function restart({ RestartPolicy: { Name, MaximumRetryCount } }: HostConfig): Sparse<SpecGenerator> {
  return { restart_policy: Name, restart_tries: Name === "on-failure" ? MaximumRetryCount : null };
}

function logConfig({ LogConfig: { Type, Config } }: HostConfig): Sparse<SpecGenerator["log_configuration"]> {
  const { "max-size": size, path, ...options } = Config ?? {};
  return { driver: Type, path, size: size === undefined ? undefined : bytes(size), options };
}

const UNITS: Record<string, number> = { "": 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

function bytes(text: string): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\s*([bkmg]?)b?$/i.exec(text) ?? [];
  if (count === undefined) throw new HTTPError(400, `invalid size: "${text}"`);
  return Math.round(Number(count) * UNITS[unit.toLowerCase()]);
}

function namespaceWords(text: string): Namespace {
  const { mode: nsmode, value } = parseNamespace(text);
  return { nsmode, value };
}
