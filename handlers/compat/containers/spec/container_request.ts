import type { ContainerRequest } from "../../../../lib/engine/containers/request/container_request.ts";
import {
  type NamespaceKind,
  namespaceMode,
  parseNamespace,
} from "../../../../lib/engine/containers/request/namespace_mode.ts";
import { userNamespace } from "../../../../lib/engine/containers/request/user_namespace.ts";
import { parseTreeLimit } from "../../../../lib/engine/containers/request/parse_tree_limit.ts";
import { parseByteSize } from "../../../../lib/engine/text/byte_size.ts";
import { messageOf } from "../../../../lib/oci/message_of.ts";
import { terminalSize } from "../../../exec/terminal_size.ts";
import { requireImage } from "../../../containers/spec/image_name.ts";
import { nameFields } from "../../../containers/spec/name_fields.ts";
import { isEmpty, unsupported } from "../../../containers/spec/unsupported.ts";
import type { CreateContainerConfig } from "../../../wire/compat/container_create.ts";
import type { HostConfig } from "../../../wire/compat/host_config.ts";
import { dockerDevices } from "./devices.ts";
import { DOCKER_NAMES } from "./docker_names.ts";
import { dockerHealthWish } from "./health.ts";
import { dockerLimits, dockerShmSize, dockerStopSignal } from "./limits.ts";
import { dockerMounts } from "./mounts.ts";
import { dockerLinks, dockerNetworks, dockerPorts, type NetworkDefaults } from "./networks.ts";
import { dockerRestartPolicy } from "./restart_policy.ts";
import { dockerSecurity } from "./security.ts";
import { RequestError } from "../../../request_error.ts";

/** The defaults that Docker's tree has besides the engine's. */
export interface DockerDefaults extends NetworkDefaults {
  /** The owner's choice for the beginning of /etc/hosts. */
  baseHosts?: string;
}

/**
 * Translates Docker's create request into the engine's words. Fields that it leaves open stay open, which its JSON can say of few:
 * `false` is `false`.
 *
 * @param config The request
 * @param name The container's name, from the query
 * @param defaults The choices for what it leaves open
 */
export function dockerRequest(config: CreateContainerConfig, name: string, defaults: DockerDefaults): ContainerRequest {
  return nameFields(DOCKER_NAMES, () => translate(config, name, defaults));
}

function translate(config: CreateContainerConfig, name: string, defaults: DockerDefaults): ContainerRequest {
  refuseForeign(config);
  const { HostConfig: host } = config;
  const { mode: network, networks } = dockerNetworks(config, defaults);
  const links = dockerLinks(config);
  const users = userNamespace(parseNamespace(host.UsernsMode));
  return {
    ...processOf(config),
    ...dockerSecurity(host),
    ...dockerLimits(host),
    ...dockerDevices(host),
    ...dockerPorts(config),
    ...logOf(host),
    name: name || config.Name || undefined,
    image: requireImage(config.Image),
    user: config.User || undefined,
    userMaps: users.userMaps,
    hostname: config.Hostname || undefined,
    labels: config.Labels ?? {},
    annotations: host.Annotations ?? {},
    stopSignal: dockerStopSignal(config.StopSignal),
    stopTimeout: config.StopTimeout ?? undefined,
    remove: host.AutoRemove,
    restartPolicy: dockerRestartPolicy(host.RestartPolicy),
    health: dockerHealthWish(config),
    init: host.Init ?? undefined,
    mounts: dockerMounts(config),
    volumesFrom: host.VolumesFrom?.length ? host.VolumesFrom : undefined,
    namespaces: { ...namespacesOf(host), network, user: users.mode },
    networks,
    links: links.length > 0 ? links : undefined,
    dnsServers: host.Dns ?? [],
    dnsSearch: host.DnsSearch ?? [],
    dnsOptions: host.DnsOptions ?? [],
    hosts: host.ExtraHosts ?? [],
    // Docker's containers see nothing of the host's file.
    baseHosts: defaults.baseHosts ?? "none",
    cgroupParent: host.CgroupParent || undefined,
    oomScoreAdj: host.OomScoreAdj || undefined,
    shmSize: dockerShmSize(host),
    treeLimit: parseTreeLimit(host.StorageOpt),
    // The kernel keeps the name of the domain among its settings.
    sysctl: { ...host.Sysctls, ...config.Domainname !== "" && { "kernel.domainname": config.Domainname } },
    runtime: host.Runtime || undefined,
    // Docker's daemon keeps its own proxy, and the password in it, to itself: clients bring the one for containers.
    httpProxy: false,
  };
}

/** Throws for fields that only other systems have, that belong into images, or that no container is made with yet. */
function refuseForeign(config: CreateContainerConfig): void {
  const { HostConfig: host } = config;
  if (!["", "default"].includes(host.Isolation)) {
    throw new RequestError("malformed", `invalid isolation "${host.Isolation}": only "default" is there on Linux`);
  }
  if (host.VolumeDriver !== "" && host.VolumeDriver !== "local") throw unsupported("HostConfig.VolumeDriver");
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

function wordsOf(commandLine: CreateContainerConfig["Cmd"]): string[] | undefined {
  return typeof commandLine === "string" ? [commandLine] : commandLine ?? undefined;
}

function processOf(config: CreateContainerConfig): ContainerRequest {
  const env: Record<string, string> = {};
  const unset = [...(config.UnsetEnv ?? [])];
  for (const entry of config.Env ?? []) {
    const [key, value] = entry.split(/=(.*)/s);
    // A name alone takes the variable away.
    if (value === undefined) unset.push(key);
    else env[key] = value;
  }
  const entrypoint = wordsOf(config.Entrypoint);
  return {
    // `[""]` is how the client says "none", which an empty list says here.
    entrypoint: entrypoint?.length === 1 && entrypoint[0] === "" ? [] : entrypoint,
    command: wordsOf(config.Cmd),
    env,
    envMerge: config.EnvMerge?.length ? config.EnvMerge : undefined,
    unsetEnv: config.UnsetEnvAll ? true : unset.length > 0 ? unset : undefined,
    workdir: config.WorkingDir || undefined,
    createWorkdir: true,
    terminal: config.Tty,
    terminalSize: terminalSize(config.HostConfig.ConsoleSize),
    stdin: config.OpenStdin,
    stdinOnce: config.StdinOnce,
  };
}

function namespacesOf(host: HostConfig): ContainerRequest["namespaces"] {
  const mode = (kind: NamespaceKind, text: string) => namespaceMode(kind, parseNamespace(text));
  return {
    pid: mode("pid", host.PidMode),
    ipc: mode("ipc", host.IpcMode),
    uts: mode("uts", host.UTSMode),
    cgroup: mode("cgroup", host.CgroupnsMode),
  };
}

function logOf({ LogConfig: { Type, Config } }: HostConfig): ContainerRequest {
  const { path, ...logOptions } = Config ?? {};
  const { "max-size": size } = logOptions;
  return {
    logDriver: Type || undefined,
    logPath: path || undefined,
    logSizeMax: size === undefined ? undefined : parseLogSize(size),
    logOptions,
  };
}

/** Returns a size in thousands. Throws for what is none with the status 400, which other values of this request do not have. */
function readSize(text: string): number {
  try {
    return parseByteSize(text, 1000);
  } catch (error) {
    throw new RequestError("malformed", messageOf(error));
  }
}

/** Reads a log's size as Docker does: its units count in thousands. */
function parseLogSize(text: string): number {
  const bytes = readSize(text);
  if (bytes === 0) throw new RequestError("malformed", "max-size must be a positive number");
  return bytes;
}
