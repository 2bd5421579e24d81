/**
 * Updates of containers by their label, podman-auto-update(1).
 *
 * @module
 */
import { messageOf } from "../../../oci/message_of.ts";
import { parseReference } from "../../../oci/reference.ts";
import { activeHealth } from "../../containers/health/health_check.ts";
import type { Containers } from "../../containers/containers.ts";
import { EngineError } from "../../errors.ts";
import type { Images } from "../../images/images.ts";
import type { RegistryAccess } from "../../images/types.ts";
import type { Clock } from "../../ports/ports.ts";
import type { ContainerRecord } from "../../records/container_record.ts";
import type { EventLog } from "../../store/events.ts";
import { UNIT_LABEL } from "../run/begin_work.ts";
import { withinTime } from "../../within_time.ts";

/** The label with a container's policy: `registry` (or `image`), `local`, or `disabled`. */
const UPDATE_LABEL = "io.containers.autoupdate";
/** Milliseconds that a new container gets to be healthy. */
const HEALTH_TIMEOUT = 120_000;

/** How {@linkcode autoUpdate} goes about it. */
export interface AutoUpdateOptions extends Pick<RegistryAccess, "credentials" | "tlsVerify"> {
  /** `update` by default; `dry-run` says what would be updated; `notify` does so, and emits an event for each. */
  mode?: "update" | "dry-run" | "notify";
  /** `false`: a unit that does not come up with its new image stays failed. */
  rollback?: boolean;
  /** Milliseconds that a container with a health check gets to be healthy; 120000 by default. */
  healthTimeout?: number;
  signal?: AbortSignal;
}

/** The outcome for one container, in the words of `podman auto-update`. */
export interface AutoUpdateReport {
  containerID: string;
  containerName: string;
  image: string;
  policy: "registry" | "local";
  /** `web.service`. */
  unit: string;
  /** `false`: there is nothing newer. */
  updated: "true" | "false" | "pending" | "failed" | "rolled back";
  /** Why it failed, or was rolled back. */
  error?: string;
}

/** The outcome of all. */
export interface AutoUpdateOutcome {
  reports: AutoUpdateReport[];
  /** Containers whose label is wrong, or that no unit runs. */
  errors: EngineError[];
}

/** The parts of an engine that updates need. */
export interface UpdateParts {
  containers: Containers;
  images: Images;
  events: EventLog;
  clock: Clock;
  /** Restarts a unit, and resolves when it is ready. */
  restart(unit: string): Promise<void>;
}

interface Task {
  report: AutoUpdateReport;
  /** The image that the container has. */
  oldID: string;
}

/**
 * Updates the containers of units whose label asks for it: looks for newer images, pulls them, and restarts their units. A unit that does
 * not come up, or whose container becomes unhealthy, gets its old images back. One failure keeps no other unit from its update.
 */
export async function autoUpdate(parts: UpdateParts, options: AutoUpdateOptions = {}): Promise<AutoUpdateOutcome> {
  const { tasks, errors } = findTasks(parts);
  const units = Map.groupBy(tasks, ({ report }) => report.unit);
  const pulled = new Map<string, Promise<boolean>>();
  for (const [unit, members] of units) await updateUnit(parts, unit, members, options, pulled);
  if (options.mode !== "dry-run") {
    for (const { report } of tasks) if (report.updated !== "false") emitReport(parts, report);
  }
  return { reports: tasks.map(({ report }) => report), errors };
}

function findTasks({ containers }: UpdateParts): { tasks: Task[]; errors: EngineError[] } {
  const errors: EngineError[] = [];
  const tasks = containers.list().filter(({ state }) => state.status === "running").flatMap((record): Task[] => {
    try {
      return readTask(record) ?? [];
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      errors.push(error);
      return [];
    }
  });
  return { tasks, errors };
}

function readTask({ id, name, spec, imageID, imageName }: ContainerRecord): Task[] | undefined {
  const { [UPDATE_LABEL]: label = "", [UNIT_LABEL]: unit } = spec.labels;
  if (label === "" || label === "disabled") return undefined;
  const bad = (why: string) => new EngineError("invalid", `auto-updating container "${id}": ${why}`);
  const policy = label === "image" || label === "registry" ? "registry" : label;
  if (policy !== "registry" && policy !== "local") {
    throw bad(`invalid auto-update policy "${label}": valid policies are registry, local and disabled`);
  }
  if (!unit) throw bad(`no ${UNIT_LABEL} label found`);
  if (policy === "registry" && !isFull(imageName)) {
    throw bad(`"${imageName}" is no full name of an image, which the policy registry needs`);
  }
  const report = { containerID: id, containerName: name, image: imageName, policy, unit, updated: "false" } as const;
  return [{ report: { ...report }, oldID: imageID }];
}

function isFull(name: string): boolean {
  try {
    return parseReference(name).digest === undefined && /^(?:localhost|[^/]*[.:][^/]*)\//.test(name);
  } catch {
    return false;
  }
}

async function updateUnit(
  parts: UpdateParts,
  unit: string,
  tasks: readonly Task[],
  options: AutoUpdateOptions,
  pulled: Map<string, Promise<boolean>>,
): Promise<void> {
  const { mode = "update", rollback = true } = options;
  // A prune must not take the images that a unit falls back on.
  using pins = new DisposableStack();
  for (const { oldID } of tasks) if (parts.images.exists(oldID)) pins.use(parts.images.pin(oldID));
  for (const task of tasks) await checkTask(parts, task, options, pulled);
  const due = tasks.filter(({ report }) => report.updated === "pending");
  if (due.length === 0 || mode !== "update") return;
  try {
    await restartUnit(parts, unit, tasks, options);
    for (const { report } of due) report.updated = "true";
  } catch (error) {
    for (const { report } of due) Object.assign(report, { updated: "failed", error: messageOf(error) });
    if (!rollback) return;
    try {
      for (const { report, oldID } of due) await parts.images.tag(oldID, report.image);
      for (const { report } of due) pulled.delete(report.image);
      await restartUnit(parts, unit, tasks, options);
      for (const { report } of due) report.updated = "rolled back";
    } catch (error) {
      for (const { report } of due) report.error = `${report.error}; roll back: ${messageOf(error)}`;
    }
  }
}

/** Looks whether there is a newer image, and has it here where it is to be used. */
async function checkTask(
  parts: UpdateParts,
  { report, oldID }: Task,
  { mode = "update", credentials, tlsVerify, signal }: AutoUpdateOptions,
  pulled: Map<string, Promise<boolean>>,
): Promise<void> {
  const { images } = parts;
  const look = async (): Promise<boolean> => {
    const { descriptor } = await images.inspectRemote(report.image, { credentials, tlsVerify, signal });
    const { image } = images.find(report.image);
    const isKnown = image.digest === descriptor.digest ||
      image.repoDigests.some((name) => name.endsWith(`@${descriptor.digest}`));
    if (isKnown) return image.id !== oldID;
    if (mode === "update") {
      for await (const _ of images.pull(report.image, { policy: "always", credentials, tlsVerify, signal }));
    }
    return true;
  };
  try {
    const isNewer = report.policy === "local"
      ? images.resolve(report.image).id !== oldID
      : await (pulled.get(report.image) ?? pulled.set(report.image, look()).get(report.image));
    report.updated = isNewer ? "pending" : "false";
  } catch (error) {
    Object.assign(report, { updated: "failed", error: messageOf(error) });
  }
}

/** Restarts a unit, and waits until those of its containers that are checked are healthy. */
async function restartUnit(
  { restart, containers, clock }: UpdateParts,
  unit: string,
  tasks: readonly Task[],
  { healthTimeout = HEALTH_TIMEOUT, signal = new AbortController().signal }: AutoUpdateOptions,
): Promise<void> {
  await restart(unit);
  for (const { report: { containerName } } of tasks) {
    const { health } = containers.resolve(containerName);
    if (!activeHealth(health)) continue;
    await withinTime({ clock, ms: healthTimeout, signal }, async (signal) => {
      const code = await containers.wait(containerName, ["healthy", "unhealthy", "exited"], { signal });
      const { status } = containers.health(containerName) ?? {};
      if (code >= 0) throw new EngineError("state", `container ${containerName} exited with status ${code}`);
      if (status === "unhealthy") throw new EngineError("state", `container ${containerName} is unhealthy`);
    });
  }
}

function emitReport({ events }: UpdateParts, { containerID, unit, image, updated }: AutoUpdateReport): void {
  events.emit({ type: "system", action: "auto-update", id: containerID, name: unit, image, attributes: { updated } });
}
