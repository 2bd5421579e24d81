import type { ContainerSpec } from "../../records/container_record.ts";
import { FieldError, invalid } from "../../errors.ts";
import { isUserNetwork } from "../../records/user_network.ts";
import type { Limits } from "../../records/limits.ts";
import { capabilityName } from "../../records/capability_name.ts";
import { type Rule, VALUE_RULES } from "./value_rules.ts";
import { checkLogOptions } from "./check_log_options.ts";

const BAD_CONFIG = "invalid configuration";

/** Combinations that contradict themselves, in Podman's words. */
const RULES: readonly Rule[] = [
  ({ namespaces, networks }) =>
    !hasOwnNetwork(namespaces.network.mode) && Object.keys(networks).length > 0 &&
    "networks and static ip/mac address can only be used with Bridge mode networking",
  ({ namespaces, hosts }) =>
    namespaces.network.mode === "container" && hosts.length > 0 &&
    `cannot set extra host entries when the container is joined to another containers network namespace: ${BAD_CONFIG}`,
  ({ namespaces, hostname }) =>
    namespaces.uts.mode === "host" && hostname &&
    `cannot set hostname when running in the host UTS namespace: ${BAD_CONFIG}`,
  ({ namespaces, shmSize }) =>
    (namespaces.ipc.mode === "host" || namespaces.ipc.mode === "none") && shmSize !== undefined &&
    `cannot set shmsize when running in the ${namespaces.ipc.mode} IPC Namespace`,
  ({ noResolvConf, dnsServers }) => noResolvConf && dnsServers.length > 0 && exclusive("noResolvConf", "dnsServers"),
  ({ noResolvConf, dnsSearch }) => noResolvConf && dnsSearch.length > 0 && exclusive("noResolvConf", "dnsSearch"),
  ({ noResolvConf, dnsOptions }) => noResolvConf && dnsOptions.length > 0 && exclusive("noResolvConf", "dnsOptions"),
  ({ noHosts, hosts }) => noHosts && hosts.length > 0 && exclusive("noHosts", "hosts"),
  ({ remove, restartPolicy }) =>
    remove && restartPolicy && restartPolicy.name !== "no" &&
    'the --rm option conflicts with --restart, when the restartPolicy is not "" and "no"',
  ({ init, namespaces }) =>
    init && namespaces.pid.mode !== "private" && "cannot add init binary as PID 1 (PID namespace isn't private)",
  ({ init, systemd }) => init && systemd === "always" && "cannot use container-init binary with systemd=always",
  ({ privileged, capAdd, capDrop }) => {
    if (privileged) return false;
    const [added, dropped] = [capAdd, capDrop].map((names) => names.map(capabilityName));
    if (dropped.includes("ALL")) {
      return added.includes("ALL") && "adding all caps and removing all caps not allowed";
    }
    const both = added.find((name) => dropped.includes(name));
    return both !== undefined && `capability "${both}" cannot be dropped and added`;
  },
  ({ stopTimeout }) => stopTimeout !== undefined && !(stopTimeout >= 0) && `invalid stop timeout ${stopTimeout}`,
  ({ env }) => {
    const name = Object.keys(env).find((text) => text === "" || /[=\0]/.test(text));
    return name !== undefined && `invalid environment variable name "${name}"`;
  },
  ({ hostname }) => hostname !== undefined && !/^[^\s\0]{0,64}$/.test(hostname) && `invalid hostname "${hostname}"`,
  ({ dnsServers, dnsSearch, dnsOptions }) => {
    const word = [...dnsServers, ...dnsSearch, ...dnsOptions].find((text) => !/^[^\s\0]*$/.test(text));
    return word !== undefined && `invalid DNS setting "${word}"`;
  },
  ({ stopSignal }) =>
    stopSignal !== undefined && !(stopSignal >= 1 && stopSignal <= 64) && `invalid stop signal ${stopSignal}`,
  ({ hosts }) => {
    const line = hosts.find((text) => !/^[^\s:]+:\S+$/.test(text));
    return line !== undefined && `unable to parse host entry "${line}": incorrect format`;
  },
  ({ resources }) => limitsConflict(resources),
  ({ cgroupParent }) =>
    cgroupParent !== undefined && /\.slice\/*$/.test(cgroupParent) &&
    "systemd slice received as cgroup parent when using cgroupfs: invalid argument",
  ({ cgroupParent }) => cgroupParent?.includes("\0") && "invalid cgroup parent",
  ({ cgroupsMode, cgroupParent }) =>
    cgroupsMode === "disabled" && cgroupParent !== undefined &&
    "cannot set cgroup parent if not creating cgroups: invalid argument",
  ({ cgroupsMode, namespaces }) =>
    cgroupsMode === "disabled" && namespaces.pid.mode !== "private" &&
    "containers not creating Cgroups must create a private PID namespace - cannot use another: invalid argument",
  ({ command, entrypoint }) =>
    [...entrypoint ?? [], ...command ?? []].some((word) => word.includes("\0")) && "command contains a NUL byte",
];

/** Returns the error in limits that are wrong on every machine, in Podman's words; `undefined` where there is none. */
export function limitsConflict({ memory }: Limits): string | undefined {
  const { limit, swap } = memory ?? {};
  if (!swap || swap < 0) return undefined;
  if (!limit || limit < 0) return "you should always set the memory limit when using memoryswap limit, see usage";
  return swap < limit ? "minimum memoryswap limit should be larger than memory limit, see usage" : undefined;
}

/** Throws for a spec that cannot be: `invalid` where it contradicts itself, `unsupported` for what is not here. */
export function validateSpec(spec: ContainerSpec): void {
  for (const rule of [...RULES, ...VALUE_RULES]) {
    const broken = rule(spec);
    if (broken) throw typeof broken === "string" ? invalid(broken) : broken;
  }
  for (const [name, { mode, value }] of Object.entries(spec.namespaces)) {
    if ((mode === "container" || mode === "path") && !value) {
      throw invalid(`must provide a value for ${name} namespace mode "${mode}"`, BAD_CONFIG);
    }
  }
  checkLogOptions(spec);
}

/** Whether the container has a network namespace in which networks mean something. */
export function hasOwnNetwork(mode: ContainerSpec["namespaces"]["network"]["mode"]): boolean {
  return mode === "bridge" || mode === "private";
}

/** Whether ports of the container can be published. */
export function canPublish(mode: ContainerSpec["namespaces"]["network"]["mode"]): boolean {
  return hasOwnNetwork(mode) || isUserNetwork(mode);
}

/** Gives the health check back; throws where a container is to tell that it is healthy, and nothing says when it is. */
export function requireHealthCheck<T extends { check?: unknown }>({ sdNotify }: ContainerSpec, health: T): T {
  if (sdNotify !== "healthy" || health.check !== undefined) return health;
  throw invalid('invalid argument: sdnotify policy "healthy" requires a healthcheck to be set');
}

function exclusive(...fields: [first: string, second: string]): FieldError {
  return new FieldError("invalid", fields, (one, other) => `${one} and ${other} are mutually exclusive options`);
}
