import type { Engine } from "../../lib/engine/engine.ts";
import type { ContainerRecord, NamespaceMode } from "../../lib/engine/records/container_record.ts";
import type { PodRecord } from "../../lib/engine/records/pod_record.ts";
import { inspectMounts } from "../containers/view/inspect_mounts.ts";
import { portBindings } from "../containers/view/inspect_network.ts";
import { emit, type Sparse } from "../wire/emit.ts";
import { ListPodsReport } from "../wire/pods/pod.ts";
import { InspectPodData, type InspectPodInfraConfig } from "../wire/pods/pod_inspect.ts";
import { wireTime } from "../wire/time.ts";

/** A pod as it is listed. */
export function listPod({ pods }: Engine, pod: PodRecord): ListPodsReport {
  return emit(ListPodsReport, {
    Cgroup: pod.cgroupParent,
    Containers: pods.membersOf(pod).map(({ id, name, state }) => ({
      Id: id,
      Names: name,
      Status: state.status,
      RestartCount: state.restartCount,
    })),
    Created: wireTime(pod.created),
    Id: pod.id,
    InfraId: pod.infraID,
    Name: pod.name,
    Networks: Object.keys(pods.infraOf(pod)?.networks ?? {}),
    Status: pods.status(pod),
    Labels: pod.labels,
  });
}

/** A pod as it is inspected. */
export function inspectPod({ pods, volumes }: Engine, pod: PodRecord): InspectPodData {
  const members = pods.membersOf(pod).sort((a, b) => a.id < b.id ? -1 : 1);
  const infra = pods.infraOf(pod);
  return emit(InspectPodData, {
    Id: pod.id,
    Name: pod.name,
    Created: wireTime(pod.created),
    CreateCommand: pod.createCommand,
    ExitPolicy: pod.exitPolicy,
    State: pods.status(pod),
    Hostname: pod.hostname ?? "",
    Labels: pod.labels,
    CreateCgroup: pod.cgroupPath !== "",
    CgroupParent: pod.cgroupParent,
    CgroupPath: pod.cgroupPath,
    CreateInfra: infra !== undefined,
    InfraContainerID: pod.infraID,
    InfraConfig: infra && infraConfig(pod, infra),
    SharedNamespaces: pod.shared,
    NumContainers: members.length,
    Containers: members.map(({ id, name, state }) => ({ Id: id, Name: name, State: state.status })),
    ...limitFields(pod),
    mounts: infra && inspectMounts(infra, (name) => volumes.mountpoint(name)),
    devices: infra?.spec.devices?.map(({ source, destination, access }) => ({
      PathOnHost: source,
      PathInContainer: destination,
      CgroupPermissions: access,
    })),
    volumes_from: infra?.spec.volumesFrom,
    security_opt: infra && securityOptions(infra),
    RestartPolicy: pod.restartPolicy?.name,
  });
}

function limitFields({ resources: { cpu, memory, blockIO } }: PodRecord): Sparse<InspectPodData> {
  return {
    cpu_period: cpu?.period,
    cpu_quota: cpu?.quota,
    cpu_shares: cpu?.shares,
    cpuset_cpus: cpu?.cpus,
    cpuset_mems: cpu?.mems,
    memory_limit: memory?.limit,
    memory_swap: memory?.swap,
    blkio_weight: blockIO?.weight,
    device_read_bps: viewThrottles(blockIO?.throttleReadBpsDevice),
    device_write_bps: viewThrottles(blockIO?.throttleWriteBpsDevice),
  };
}

function viewThrottles(list: readonly { major: number; minor: number; rate: number }[] | undefined) {
  return list?.map(({ major, minor, rate }) => ({ Path: `${major}:${minor}`, Rate: rate }));
}

function infraConfig({ resources: { cpu } }: PodRecord, infra: ContainerRecord): Sparse<InspectPodInfraConfig> {
  const { spec } = infra;
  const { namespaces } = spec;
  const [attachment] = Object.values(spec.networks);
  return {
    PortBindings: portBindings(infra.ports),
    HostNetwork: namespaces.network.mode === "host",
    StaticIP: attachment?.staticIPs?.[0] ?? "",
    StaticMAC: attachment?.mac ?? "",
    NoManageResolvConf: spec.noResolvConf,
    DNSServer: someOf(spec.dnsServers),
    DNSSearch: someOf(spec.dnsSearch),
    DNSOption: someOf(spec.dnsOptions),
    NoManageHostname: spec.noHostname ?? false,
    NoManageHosts: spec.noHosts,
    HostAdd: someOf(spec.hosts),
    HostsFile: spec.baseHosts ?? "",
    Networks: someOf(Object.keys(infra.networks)),
    NetworkOptions: networkOptions(namespaces.network),
    cpu_period: cpu?.period,
    cpu_quota: cpu?.quota,
    cpuset_cpus: cpu?.cpus,
    pid_ns: viewNamespace(namespaces.pid),
    userns: viewNamespace(namespaces.user ?? { mode: "host" }),
    uts_ns: viewNamespace(namespaces.uts),
  };
}

/** Go has null for a list that nobody made. */
function someOf(list: readonly string[]): readonly string[] | null {
  return list.length > 0 ? list : null;
}

function networkOptions({ mode, options }: NamespaceMode): Record<string, string[]> | null {
  return options === undefined ? null : { [mode]: options };
}

function viewNamespace({ mode, value }: NamespaceMode): string {
  return mode === "path" ? `ns:${value}` : mode === "container" ? `container:${value}` : mode;
}

function securityOptions({ spec }: ContainerRecord): string[] {
  return [
    ...spec.noNewPrivileges ? ["no-new-privileges"] : [],
    ...spec.apparmor ? [`apparmor=${spec.apparmor}`] : [],
    ...spec.seccomp ? [`seccomp=${spec.seccomp}`] : [],
    ...(spec.selinux ?? []).map((label) => `label=${label}`),
  ];
}
