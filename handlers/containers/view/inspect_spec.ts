/** The inspected fields for users, security and processes, beside those that every container has. */
import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import type { IDMapping } from "../../../lib/engine/records/id_maps.ts";
import type { InspectContainerConfig } from "../../wire/containers/container_inspect.ts";
import type { InspectContainerHostConfig } from "../../wire/containers/container_inspect_host.ts";
import type { Sparse } from "../../wire/emit.ts";

/** Fields of the container's own configuration. */
export function specConfig({ spec, systemd }: ContainerRecord): Sparse<InspectContainerConfig> {
  return {
    SystemdMode: systemd,
    ChrootDirs: spec.chrootFolders,
    Passwd: spec.noPasswd ? false : true,
    sdNotifyMode: spec.sdNotify ?? "container",
  };
}

/** Fields of the host's side of it. */
export function specHost(record: ContainerRecord): Sparse<InspectContainerHostConfig> {
  const { spec, idMaps } = record;
  return {
    AutoRemoveImage: spec.removeImage ?? false,
    Annotations: viewAnnotations(record),
    VolumesFrom: spec.volumesFrom ?? null,
    HostsFile: spec.baseHosts ?? "",
    UsernsMode: usernsMode(record),
    IDMappings: idMaps && { UidMap: idMaps.uids.map(formatMapping), GidMap: idMaps.gids.map(formatMapping) },
    SecurityOpt: securityOptions(record),
  };
}

function usernsMode({ spec: { namespaces: { user } } }: ContainerRecord): string {
  if (user === undefined || user.mode === "host") return "";
  if (user.mode === "path") return `ns:${user.value}`;
  return user.mode === "container" ? `container:${user.value}` : "private";
}

/** Clients look here for what has no field of its own. */
function viewAnnotations({ spec }: ContainerRecord): Record<string, string> | null {
  const all = {
    ...spec.annotations,
    ...spec.privileged && { "io.podman.annotations.privileged": "TRUE" },
    ...spec.init && { "io.podman.annotations.init": "TRUE" },
    ...spec.publishImagePorts && { "io.podman.annotations.publish-all": "TRUE" },
    ...spec.volumesFrom && { "io.podman.annotations.volumes-from": spec.volumesFrom.join(";") },
  };
  return Object.keys(all).length > 0 ? all : null;
}

function securityOptions({ spec }: ContainerRecord): string[] {
  return [
    ...(spec.selinux ?? []).map((option) => `label=${option}`),
    ...spec.noNewPrivileges ? ["no-new-privileges"] : [],
    ...spec.seccomp ? [`seccomp=${spec.seccomp}`] : [],
    ...spec.apparmor ? [`apparmor=${spec.apparmor}`] : [],
    ...spec.masks.length > 0 ? [`mask=${spec.masks.join(":")}`] : [],
    ...spec.unmasks.length > 0 ? [`unmask=${spec.unmasks.join(":")}`] : [],
    ...spec.procOptions ? [`proc-opts=${spec.procOptions.join()}`] : [],
  ];
}

function formatMapping({ container, host, size }: IDMapping): string {
  return `${container}:${host}:${size}`;
}
