import type { ContainerRecord, ContainerSpec, ContainerStatus } from "../records/container_record.ts";
import type { Core } from "../core.ts";
import { fitAttributes } from "../store/event_attributes.ts";
import type { NewEvent } from "../store/events.ts";
import type { Networks } from "../networks/networks.ts";
import type { PodStore } from "../pods/pod_store.ts";
import type { VolumeStore } from "../volumes/volume_store.ts";
import type { Changes } from "./changes.ts";
import type { ExitListeners } from "./exec/exit_listeners.ts";
import type { Sessions } from "./exec/sessions.ts";
import type { PortClaims } from "./life/port_claims.ts";
import type { TreeUses } from "./files/tree_uses.ts";
import type { Records } from "./records.ts";
import type { SecretCopies } from "./secrets.ts";
import type { Teardowns } from "./life/teardowns.ts";
import type { Images } from "../images/images.ts";
import type { HealthStates } from "./health/health_states.ts";

/** The core as containers need it: with the images that they are made of. */
export interface ContainersCore extends Core {
  readonly images: Images;
}

/** The services and state that the container operations share. */
export interface Context {
  readonly core: ContainersCore;
  readonly records: Records;
  readonly changes: Changes;
  readonly sessions: Sessions;
  readonly health: HealthWatch;
  readonly secrets: SecretCopies;
  readonly execEnds: ExitListeners;
  readonly networks: Networks;
  readonly volumes: VolumeStore;
  readonly pods: PodStore;
  readonly portClaims: PortClaims;
  readonly teardowns: Teardowns;
  /** The uses that keep trees mounted, besides the processes in them. */
  readonly treeUses: TreeUses;
  /** The containers that wait for create requests. */
  readonly warm: WarmContainers;
  /** Containers whose end belongs to a restart: they are neither removed nor restarted by policy. */
  readonly restarting: Set<string>;
  /** Containers that were sent SIGKILL, until their end is recorded. */
  readonly dying: Set<string>;
  /** Containers that wait for a restart by their policy: the moment of the end that it follows, by ID. */
  readonly awaitingRestart: Map<string, number>;
  /** Ends when the engine closes: what sleeps behind an answer gives up. */
  readonly closing: AbortSignal;
  /** Lets work go on behind an answer; closing the engine waits for it, and failures are logged. */
  background(what: string, work: Promise<unknown>): void;
}

/** Runs the health checks of containers when they are due. `HealthMonitor` implements it. */
export interface HealthWatch {
  readonly states: HealthStates;
  /** Lets probes run. */
  begin(): void;
  /** Checks a container from now on, at once where `isDue` is true. Does nothing for a container without a check. */
  watch(context: Context, record: ContainerRecord, isDue?: boolean): void;
  /** Stops checking a container. */
  forget(id: string): void;
  /** Whether a status goes into the history of events: one that is worth it, and now and then one that is not. */
  keeps(id: string, now: number, isWorth: boolean): boolean;
  /** Resolves when no check runs any more. */
  settled(): Promise<void>;
}

/** A container that was made, and the warnings of what it cannot have. */
export interface MadeContainer {
  record: ContainerRecord;
  warnings: string[];
}

/** The containers that wait for create requests. `WarmPools` implements it. */
export interface WarmContainers {
  /** Gives the container that a request asks for: one that waits for it, or one that `make` makes. */
  give(context: Context, spec: ContainerSpec, make: () => Promise<MadeContainer>): Promise<MadeContainer>;
  /** Throws `state` for a container that waits: nobody starts it, attaches to it or changes its files before it is given out. */
  requireTaken(record: Pick<ContainerRecord, "id">): void;
  /** Removes those that an earlier run of the engine left. */
  recover(context: Context): Promise<void>;
  /** Removes all that wait. */
  close(context: Context): Promise<void>;
}

/** States in which there is a process. */
export const LIVE: readonly ContainerStatus[] = ["initialized", "running", "paused", "stopping"];

/** Whether the container has a process. */
export function isLive(record: ContainerRecord): boolean {
  return LIVE.includes(record.state.status);
}

/** Runs `fn` while nothing else changes this container. */
export function withContainerLock<T>(context: Context, id: string, fn: () => T | Promise<T>): Promise<T> {
  return context.core.locks.with(`container:${id}`, fn);
}

/** Characters of labels that an event tells. */
const LABELS = 16 * 1024;
/** Of those that come with every health check, for as long as a container runs. */
const HEALTH_LABELS = 2 * 1024;

type Labels = Record<string, string>;
/** Labels as events tell them, by the labels of a record: they stay the same, and cutting them takes time. */
const toldLabels = new WeakMap<Labels, Labels>();
const toldHealthLabels = new WeakMap<Labels, Labels>();

/** Choices for {@linkcode emitEvent}. */
interface EventChoices {
  /** Of a container that was checked: its health, and whether that is another one than before. */
  health?: { status: string; isNew: boolean };
  /** It is not kept for later. */
  isPassing?: boolean;
  /** The API that does not have it. */
  notFor?: NewEvent["notFor"];
}

/** Tells the event log what happened to a container. */
export function emitEvent(
  context: Context,
  record: ContainerRecord,
  action: string,
  exitCode?: number,
  more: Record<string, string> = {},
  { health, isPassing = false, notFor }: EventChoices = {},
): void {
  const { id, name, imageName: image, spec } = record;
  const code: Record<string, string> = exitCode === undefined ? {} : { containerExitCode: String(exitCode) };
  const labels = health === undefined
    ? fitLabels(spec.labels, LABELS, toldLabels)
    : fitLabels(spec.labels, HEALTH_LABELS, toldHealthLabels);
  const pod: Record<string, string> = spec.pod === undefined ? {} : { podId: spec.pod };
  const attributes = { ...labels, image, name, ...pod, ...code, ...more };
  const checked = health && { health: health.status, ...!health.isNew && { repeated: true as const } };
  const asked = spec.requestWords?.image;
  const names = { name, image, ...asked !== undefined && { askedImage: asked } };
  const event = { type: "container", action, id, ...names, attributes, exitCode, ...checked } as const;
  context.core.events.emit({ ...event, ...notFor && { notFor } }, isPassing);
}

function fitLabels(labels: Labels, most: number, known: WeakMap<Labels, Labels>): Labels {
  const told = known.get(labels) ?? fitAttributes(labels, most);
  known.set(labels, told);
  return told;
}
