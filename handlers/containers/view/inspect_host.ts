import { ID_FILE_ANNOTATION } from "../../../lib/engine/containers/id_file.ts";
import type { ContainerRecord, NamespaceMode } from "../../../lib/engine/records/container_record.ts";
import { capabilityName } from "../../../lib/engine/records/capability_name.ts";
import type { InspectContainerHostConfig } from "../../wire/containers/container_inspect_host.ts";
import { humanSize } from "../../human_size.ts";
import type { Sparse } from "../../wire/emit.ts";
import { scratchMounts, viewBinds } from "./inspect_mounts.ts";
import { requestedBindings } from "./inspect_network.ts";
import { specHost } from "./inspect_spec.ts";
import { inspectResources } from "./inspect_resources.ts";

/** Bytes of /dev/shm where nothing was asked for; told of every container, also of those without one. */
export const DEFAULT_SHM_SIZE = 65536000;

/** The host side of a container's configuration. */
export function hostConfig(record: ContainerRecord, runtime: string): Sparse<InspectContainerHostConfig> {
  const { spec } = record;
  const { namespaces } = spec;
  // Size and tag have fields of their own.
  const { "max-size": _size, tag = "", ...logOptions } = spec.logOptions;
  return {
    Binds: viewBinds(record),
    CgroupManager: "cgroupfs",
    ContainerIDFile: spec.annotations[ID_FILE_ANNOTATION] ?? "",
    CgroupMode: viewMode(namespaces.cgroup),
    LogConfig: {
      Type: spec.logDriver ?? record.log.driver,
      Config: Object.keys(logOptions).length > 0 ? logOptions : null,
      Path: record.log.path,
      Tag: tag,
      Size: humanSize(Math.max(0, spec.logSizeMax ?? 0)),
    },
    NetworkMode: viewMode(namespaces.network),
    PortBindings: requestedBindings(record.ports),
    RestartPolicy: { Name: spec.restartPolicy?.name ?? "no", MaximumRetryCount: spec.restartPolicy?.retries ?? 0 },
    AutoRemove: spec.remove,
    // A privileged container has them all.
    CapAdd: spec.privileged ? [] : spec.capAdd.map(capabilityName),
    CapDrop: spec.capDrop.map(capabilityName),
    Dns: spec.dnsServers,
    DnsOptions: spec.dnsOptions,
    DnsSearch: spec.dnsSearch,
    ExtraHosts: spec.hosts,
    GroupAdd: spec.groups,
    IpcMode: viewMode(namespaces.ipc),
    Links: spec.links?.map((link) => `/${link.replace(":", `:/${record.name}/`)}`) ?? null,
    OomScoreAdj: spec.oomScoreAdj ?? 0,
    PidMode: viewMode(namespaces.pid),
    Privileged: spec.privileged,
    PublishAllPorts: spec.publishImagePorts,
    ReadonlyRootfs: spec.readOnly,
    ...specHost(record),
    Tmpfs: scratchMounts(record),
    UTSMode: viewMode(namespaces.uts),
    ShmSize: spec.shmSize ?? DEFAULT_SHM_SIZE,
    Runtime: runtime,
    ConsoleSize: [spec.terminalSize?.height ?? 0, spec.terminalSize?.width ?? 0],
    Init: spec.init,
    ...inspectResources(record),
  };
}

/** `container:ID`, or the mode as it is. */
export function viewMode({ mode, value, options }: NamespaceMode): string {
  if (mode === "path") return `ns:${value}`;
  if (options !== undefined) return `${mode}:${options.join(",")}`;
  return value === undefined ? mode : `${mode}:${value}`;
}
