import type { ContainerDefaults } from "../../records/container_defaults.ts";
import type { ContainerSpec } from "../../records/container_record.ts";
import type { MountRequest } from "../../records/mount_spec.ts";
import type { ContainerRequest } from "./container_request.ts";
import { orderMounts } from "./mount_specs.ts";
import { parseImageVolumes } from "./parse_choices.ts";
import { parseDevices } from "./parse_device.ts";
import { parseMount, parseVolume } from "./parse_mounts.ts";

/** Chooses the mounts, devices and the root's properties that a request leaves open. */
export function chooseFiles(
  request: ContainerRequest & Pick<ContainerSpec, "namespaces" | "privileged">,
  owner: ContainerDefaults,
): Pick<
  ContainerSpec,
  "readOnly" | "readWriteTmpfs" | "fullyReadOnly" | "mounts" | "imageVolumes" | "shmSize" | "devices" | "cdiDevices"
> {
  const readOnly = request.readOnly ?? owner.readOnly ?? false;
  const imageVolumes = request.imageVolumes ?? parseImageVolumes(owner.imageVolumes ?? "");
  const hasOwnMemory = !["host", "none", "container"].includes(request.namespaces.ipc.mode);
  // A privileged container has all of them.
  const { devices, cdiDevices } = parseDevices(request.privileged ? [] : owner.devices ?? []);
  return {
    readOnly,
    readWriteTmpfs: request.readWriteTmpfs ?? (readOnly && owner.readOnly === true),
    // Clients that leave it open know nothing of the choice.
    fullyReadOnly: readOnly && request.readWriteTmpfs === false || undefined,
    mounts: chooseMounts(request.mounts ?? [], owner),
    // Absent stands for the usual treatment.
    imageVolumes: imageVolumes === "anonymous" ? undefined : imageVolumes,
    shmSize: request.shmSize ?? (hasOwnMemory ? owner.shmSize : undefined),
    devices: devices.length > 0 ? [...devices, ...request.devices ?? []] : request.devices,
    cdiDevices: cdiDevices.length > 0 ? [...cdiDevices, ...request.cdiDevices ?? []] : request.cdiDevices,
  };
}

/** Adds the owner's mounts where the request has nothing at the place; without any, the request's stay in their order. */
function chooseMounts(asked: readonly MountRequest[], owner: ContainerDefaults): MountRequest[] {
  const taken = new Set(asked.map(({ destination }) => destination));
  const all = [...(owner.volumes ?? []).map(parseVolume), ...(owner.mounts ?? []).map(parseMount)];
  // Sets tell whether they grew; paths that fit a pattern have no place yet.
  const isFree = (place: string) => place === "" || taken.size < taken.add(place).size;
  const added = orderMounts(all).filter(({ destination }) => isFree(destination));
  return added.length > 0 ? orderMounts([...asked, ...added]) : [...asked];
}
