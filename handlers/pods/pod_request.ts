import type { ContainerRequest } from "../../lib/engine/containers/request/container_request.ts";
import { parseDevices } from "../../lib/engine/containers/request/parse_device.ts";
import { exclusivePod } from "../../lib/engine/pods/pod_errors.ts";
import type { InfraRequest, PodRequest } from "../../lib/engine/pods/pod_request.ts";
import { absolute } from "../containers/spec/field_rules.ts";
import { mountSpecs } from "../containers/spec/mounts.ts";
import { type FieldNames, nameFields, NATIVE_NAMES } from "../containers/spec/name_fields.ts";
import { namespaces, ports, requestedNetworks } from "../containers/spec/networks.ts";
import { requestedLimits } from "../containers/spec/resources.ts";
import { restartPolicy } from "../containers/spec/restart_policy.ts";
import { readSecurityOptions } from "../containers/spec/security_options.ts";
import { splitPaths } from "../containers/spec/split_paths.ts";
import { requestedUsers } from "../containers/spec/users.ts";
import type { PodSpecGenerator } from "../wire/pods/pod_spec.ts";

/** The names that errors have for the fields of a request for a pod: those of Podman's Go structure. */
export const POD_NAMES: FieldNames = {
  ...NATIVE_NAMES,
  infra: "NoInfra",
  shared: "SharedNamespaces",
  ports: "PortMappings",
  dnsOptions: "DNSOption",
  dnsSearch: "DNSSearch",
  dnsServers: "DNSServer",
  hosts: "HostAdd",
  baseHosts: "HostsFile",
  noResolvConf: "NoManageResolvConf",
  noHosts: "NoManageHosts",
};

/** Translates a request for a pod into the engine's words. Throws `unsupported` or `invalid` naming the field. */
export function podRequest(generator: PodSpecGenerator): PodRequest {
  return nameFields(POD_NAMES, () => translatePod(generator));
}

function translatePod(g: PodSpecGenerator): PodRequest {
  return {
    name: g.name || undefined,
    hostname: g.hostname || undefined,
    labels: g.labels,
    infra: g.no_infra ? refuseInfra(g) : infraWish(g),
    container: infraSettings(g),
    shared: g.shared_namespaces ?? undefined,
    ownsCgroup: g.share_parent ?? undefined,
    exitPolicy: g.exit_policy || undefined,
    restartPolicy: restartPolicy(g.restart_policy, g.restart_tries),
    resources: requestedLimits({ resource_limits: g.resource_limits }),
    cgroupParent: g.cgroup_parent || undefined,
    createCommand: g.pod_create_command,
    serviceContainer: g.serviceContainerID || undefined,
  };
}

/** Without an infra container nothing can be asked of one. */
function refuseInfra({ infra_command: command, infra_image: image, infra_name: name }: PodSpecGenerator): false {
  const found = command?.length ? "InfraCommand" : image ? "InfraImage" : name ? "InfraName" : undefined;
  if (found === undefined) return false;
  throw exclusivePod("infra", found);
}

function infraWish(g: PodSpecGenerator): InfraRequest {
  return {
    name: g.infra_name || undefined,
    image: g.infra_image || undefined,
    command: g.infra_command?.length ? g.infra_command : undefined,
    conmonPidFile: g.infra_conmon_pid_file || undefined,
  };
}

function infraSettings(g: PodSpecGenerator): ContainerRequest {
  const { mode, userMaps } = requestedUsers({ userns: g.userns, idmappings: g.idmappings });
  const { masks, unmasks, labels, ...security } = readSecurityOptions(g.security_opt ?? []);
  return {
    ...security,
    selinux: labels.length > 0 ? labels : undefined,
    masks: splitPaths(masks),
    unmasks: splitPaths(unmasks),
    namespaces: namespaces(g, mode),
    userMaps,
    networks: requestedNetworks({ Networks: g.Networks }),
    ports: ports(g),
    dnsServers: g.dns_server ?? [],
    dnsSearch: g.dns_search ?? [],
    dnsOptions: g.dns_option ?? [],
    hosts: g.hostadd ?? [],
    baseHosts: g.hostsFile ? hostsFile(g.hostsFile) : undefined,
    noHosts: g.no_manage_hosts || undefined,
    noHostname: g.no_manage_hostname || undefined,
    noResolvConf: g.no_manage_resolv_conf || undefined,
    mounts: mountSpecs(g),
    volumesFrom: g.volumes_from?.length ? g.volumes_from : undefined,
    ...parseDevices(g.pod_devices ?? []),
    shmSize: g.shm_size ?? undefined,
    systemdShmSize: g.shm_size_systemd ?? undefined,
    sysctl: g.sysctl ?? {},
  };
}

function hostsFile(file: string): string {
  return file === "none" || file === "image" ? file : absolute("hostsFile", file);
}
