import type { ContainerRecord } from "../../records/container_record.ts";
import type { NetworkRecord } from "../../records/network_record.ts";
import type { NewEvent } from "../../store/events.ts";
import type { Context } from "../context.ts";

type NetworkAction = "connect" | "disconnect";

/** The modes that Docker tells of as networks. */
const MODES: readonly string[] = ["host", "none"];

/**
 * Tells that a client connected a container to a network or disconnected it. Docker has such an event of a container with a process only: for another
 * one its start tells of all networks.
 */
export function emitNetworkChange(
  context: Context,
  record: ContainerRecord,
  action: NetworkAction,
  network: NetworkRecord,
): void {
  const { status } = record.state;
  const hasStarted = status === "running" || status === "paused" || status === "stopping";
  emitNetwork(context, record, action, network, hasStarted ? undefined : "docker");
}

/** Tells, for Docker's clients, of each network that a container joins at its start or leaves at its end. Podman has no events of these. */
export function emitNetworks(context: Context, record: ContainerRecord, action: NetworkAction): void {
  const { mode } = record.spec.namespaces.network;
  if (MODES.includes(mode)) return emitNetwork(context, record, action, { id: mode, name: mode }, "podman");
  for (const name of Object.keys(record.networks)) {
    // It may have been removed while the container was stopped or ending.
    if (!context.networks.exists(name)) continue;
    emitNetwork(context, record, action, context.networks.resolve(name), "podman");
  }
}

function emitNetwork(
  { core }: Context,
  { id: container }: ContainerRecord,
  action: NetworkAction,
  { id, name, driver }: Pick<NetworkRecord, "id" | "name"> & Partial<NetworkRecord>,
  notFor: NewEvent["notFor"],
): void {
  const attributes = { container, ...driver !== undefined && { type: driver } };
  core.events.emit({ type: "network", action, id, name, attributes, ...notFor && { notFor } });
}
