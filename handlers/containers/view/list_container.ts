import type { ContainerRecord, PortMapping } from "../../../lib/engine/records/container_record.ts";
import type { ImageRecord } from "../../../lib/engine/records/image_record.ts";
import type { PodRecord } from "../../../lib/engine/records/pod_record.ts";
import { ListContainer } from "../../wire/containers/container.ts";
import { emit } from "../../wire/emit.ts";
import { wireSeconds, wireTime } from "../../wire/time.ts";
import { commandOf, exposedBy } from "./command.ts";

/** The data of a list entry besides the record. */
export interface ListContainerOptions {
  /** Bytes in the writable layer. */
  rwSize?: number;
  /** The pod it is in. */
  pod?: PodRecord;
  /** The ports that lead to it; its own by default. */
  ports?: readonly PortMapping[];
  /** The result of its health checks. */
  health?: string;
  /** The numbers of its process's namespaces, by the kernel's names for them. */
  namespaces?: Record<string, string>;
}

/** A container as the native tree lists it. */
export function listContainer(
  record: ContainerRecord,
  image: ImageRecord | undefined,
  { rwSize, health, namespaces, pod, ports = record.ports }: ListContainerOptions = {},
): ListContainer {
  const { spec, state } = record;
  return emit(ListContainer, {
    AutoRemove: spec.remove,
    Command: commandOf(record, image),
    Created: wireTime(record.created),
    Exited: state.status === "exited",
    ExitedAt: wireSeconds(state.finishedAt),
    ExitCode: state.exitCode,
    ExposedPorts: exposedPorts(exposedBy(record, image)),
    Id: record.id,
    IsInfra: spec.infra ?? false,
    Image: record.imageName,
    ImageID: record.imageID,
    Labels: spec.labels,
    Mounts: record.mounts.map(({ destination }) => destination),
    Names: [record.name],
    Networks: Object.keys(record.networks),
    Pid: state.pid,
    Pod: spec.pod ?? "",
    PodName: pod?.name ?? "",
    Ports: ports.map((port) => ({
      host_ip: port.hostIP,
      container_port: port.containerPort,
      host_port: port.hostPort,
      range: port.range,
      protocol: port.protocol,
    })),
    Restarts: state.restartCount,
    Size: rwSize === undefined ? null : { rootFsSize: (image?.size ?? 0) + rwSize, rwSize },
    StartedAt: wireSeconds(state.startedAt),
    State: state.status,
    Namespaces: namespaces && {
      Mnt: namespaces.mnt,
      Cgroup: namespaces.cgroup,
      Ipc: namespaces.ipc,
      Net: namespaces.net,
      Pidns: namespaces.pid,
      Uts: namespaces.uts,
      User: namespaces.user,
    },
    Status: health ?? "",
  });
}

function exposedPorts(ports: readonly string[]): Record<string, string[]> | null {
  if (ports.length === 0) return null;
  const byNumber: Record<string, string[]> = {};
  for (const port of ports) {
    const [number, protocol = "tcp"] = port.split("/");
    (byNumber[number] ??= []).push(protocol);
  }
  return byNumber;
}
