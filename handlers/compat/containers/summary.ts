import { askedImage } from "./request_words.ts";
import { endpointID } from "../networks/endpoint_id.ts";
import type { ContainerRecord } from "../../../lib/engine/records/container_record.ts";
import { isLive } from "../../../lib/engine/containers/context.ts";
import type { HealthState } from "../../../lib/engine/containers/health/health_states.ts";
import type { ImageRecord } from "../../../lib/engine/records/image_record.ts";
import { exposedBy } from "../../containers/view/command.ts";
import { networkSettings, portBindings } from "../../containers/view/inspect_network.ts";
import { byDockerNames } from "../networks/names.ts";
import { mountPoints } from "./mounts.ts";
import { dockerNetworkMode } from "./network_mode.ts";
import { ContainerSummary, type PortSummary } from "../../wire/compat/container.ts";
import { emit, type Sparse } from "../../wire/emit.ts";
import { wireSeconds } from "../../wire/time.ts";
import { isBefore } from "../../path_version.ts";
import { dockerHealth, healthSummary } from "./health.ts";
import { dockerState, humanDuration, untilChange } from "./state.ts";

/** The data of a list entry besides the record. */
export interface SummaryOptions {
  image: ImageRecord | undefined;
  /** Milliseconds since the epoch. */
  now: number;
  /** A network's ID by its name. */
  networkID(name: string): string;
  /** A volume's folder on the host. */
  volumePath(name: string): string;
  /** The client's version of the API. */
  version?: string;
  /** Whether it has ended and waits for its restart. */
  awaitsRestart: boolean;
  /** The results of its health checks. */
  health?: HealthState;
  /** Bytes in the writable layer, when sizes are asked for. */
  rwSize?: number;
}

/** A container as Docker lists it. */
export function containerSummary(record: ContainerRecord, options: SummaryOptions): ContainerSummary {
  const { image, now, rwSize, awaitsRestart } = options;
  const { spec, state } = record;
  const exposed = exposedBy(record, image);
  return emit(ContainerSummary, {
    Id: record.id,
    Names: [`/${record.name}`],
    Image: askedImage(record),
    ImageID: `sha256:${record.imageID}`,
    Command: commandText(record.process.args),
    Created: wireSeconds(record.created),
    Ports: isLive(record) ? ports(record, exposed) : [],
    SizeRw: rwSize,
    SizeRootFs: rwSize === undefined ? undefined : rwSize + (image?.size ?? 0),
    Labels: spec.labels,
    State: dockerState(state.status, awaitsRestart),
    Status: awaitsRestart
      ? `Restarting (${state.exitCode}) ${humanDuration(now - state.finishedAt)} ago`
      : statusText(record, now, options.health && dockerHealth(options.health.status)),
    // Clients are told from this version on.
    Health: isBefore(options.version, 1, 52) ? undefined : healthSummary(record, options.health),
    HostConfig: { NetworkMode: dockerNetworkMode(record), Annotations: spec.annotations },
    NetworkSettings: {
      Networks: byDockerNames(endpointsOf(record, exposed, options.networkID), options.version),
    },
    Mounts: mountPoints(record, options),
  });
}

function endpointsOf(record: ContainerRecord, exposed: readonly string[], networkID: (name: string) => string) {
  const { Networks = {} } = networkSettings(record, exposed, networkID);
  return Object.fromEntries(
    Object.entries(Networks ?? {}).map(([name, endpoint]) => {
      const GwPriority = record.networks[name]?.gatewayPriority ?? 0;
      return [name, { ...endpoint, EndpointID: endpointID(record, name, networkID(name)), GwPriority }];
    }),
  );
}

/** The program and its arguments, with the entry point, which Podman's tree leaves out; arguments with spaces are quoted. */
function commandText([program = "", ...args]: readonly string[]): string {
  return [program, ...args.map((arg) => arg.includes(" ") ? `'${arg}'` : arg)].join(" ");
}

function ports(record: ContainerRecord, exposed: readonly string[]): Sparse<PortSummary>[] {
  const bindings = portBindings(record.ports);
  const all = [...new Set([...Object.keys(bindings), ...exposed])];
  return all.flatMap((port): Sparse<PortSummary>[] => {
    const [number, Type = "tcp"] = port.split("/");
    const PrivatePort = Number(number);
    const published = bindings[port];
    if (!published) return [{ PrivatePort, Type }];
    return published.map(({ HostIp, HostPort }) => ({ IP: HostIp, PrivatePort, PublicPort: Number(HostPort), Type }));
  });
}

function healthText(status: string): string {
  return status === "starting" ? "health: starting" : status;
}

/** Returns the first moment at which the text of a status may be another one though no record has changed. */
export function nextStatusChange(records: readonly ContainerRecord[], now: number): number {
  let next = Infinity;
  for (const { state } of records) {
    const since = state.status === "exited"
      ? state.finishedAt
      : state.status === "running" || state.status === "stopping" || state.status === "paused"
      ? state.startedAt
      : undefined;
    if (since !== undefined) next = Math.min(next, now + untilChange(now - since));
  }
  return next;
}

function statusText({ state }: ContainerRecord, now: number, health?: string): string {
  switch (state.status) {
    case "created":
    case "initialized":
      return "Created";
    case "exited":
      return `Exited (${state.exitCode}) ${humanDuration(now - state.finishedAt)} ago`;
    case "running":
    case "stopping":
      return `Up ${humanDuration(now - state.startedAt)}${health ? ` (${healthText(health)})` : ""}`;
    case "paused":
      return `Up ${humanDuration(now - state.startedAt)} (Paused)`;
    case "removing":
      return "Removal In Progress";
  }
}
