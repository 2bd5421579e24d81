import type { RestoreImages } from "../../ports/checkpoint_port.ts";
import type { ContainerRecord } from "../../records/container_record.ts";
import type { Intent } from "../../store/intents.ts";
import type { Limits } from "../../records/limits.ts";
import type { MountSpec } from "../../records/mount_spec.ts";
import type { Operation } from "../../store/table.ts";
import { artifactMounts } from "../create/artifact_mounts.ts";
import { FRESH_STATE } from "../create/create.ts";
import { type Context, emitEvent } from "../context.ts";
import { requireHost } from "../../core.ts";
import { isCode } from "../failures.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { volumesOf } from "../create/mounts.ts";
import { makeUsers, treeOptions } from "./users.ts";
import { withLinks } from "./with_links.ts";
import { connectNetwork, type ContainerNetwork, reserveNetwork, type SameNetworks } from "./network.ts";
import { withState } from "../records.ts";
import { foldersWritten } from "../create/written_folders.ts";
import { forwardLog } from "../streams/forward_log.ts";
import { freshHealth } from "../health/begin_health.ts";

/** The kind of the intents that precede what {@linkcode bringUp} does to the host. */
export const START_INTENT = "container.start";

/** Exit codes that shells, and clients, know these failures by. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/** Characters of a failure that a record keeps: a runtime says what it was given, a command of any length, too. */
const LONGEST_ERROR = 16 * 1024;

/** The parts of its last life that a container keeps when it is brought up. */
export interface BringUpOptions {
  /** The policy's count, where it is the policy that starts it: it shows with the new life, or with why there is none. */
  restart?: Pick<ContainerRecord["state"], "restartCount" | "restartDelay">;
  /** Bring it back from its checkpoint: it then runs. */
  restore?: RestoreImages;
  /** With what it had in its networks. */
  networks?: SameNetworks;
}

/**
 * Takes a container to `initialized`: its tree mounted, its volumes filled, its network up, its process made. The caller
 * holds the lock. When any of it fails all of it is undone, the record says why and the error is thrown on.
 */
export async function bringUp(
  context: Context,
  record: ContainerRecord,
  options: BringUpOptions = {},
): Promise<ContainerRecord> {
  const { core, records } = context;
  requireHost(context.core);
  await context.teardowns.settled(record.id);
  let planned = record;
  let intent: Intent | undefined;
  try {
    // A network goes while its containers do not run, and not while one starts.
    using _held = context.networks.hold(Object.keys(record.networks));
    planned = await reserveNetwork(context, record, options.networks);
    const begun = core.intents.begin(START_INTENT, record.id);
    // Sessions belong to the life that is over.
    await records.save(planned, [
      begun.operation,
      ...context.sessions.dropAll(record.id),
      ...freshHealth(context, record, "reset"),
    ]);
    intent = begun.intent;
    const { network, pids } = await core.starting.use(() => actOnHost(context, planned, options.restore));
    const { startedAt, finishedAt } = record.state;
    const kept = { startedAt, finishedAt, ...options.restart };
    const state = { ...FRESH_STATE, ...kept, ...pids, status: "initialized" as const, network: network.status };
    const up = withState(planned, state);
    await records.save(up, [core.intents.end(intent)]);
    forwardLog(context, up);
    emitEvent(context, up, "init");
    return up;
  } catch (error) {
    const failed = withState(intent ? planned : record, { ...options.restart });
    if (intent) await giveUp(context, failed, error, [core.intents.end(intent)]);
    else await records.save(withFailure(failed, error));
    throw error;
  }
}

/** Undoes a container that did not come up and leaves the reason in its record. The caller holds the lock. */
export async function giveUp(
  context: Context,
  record: ContainerRecord,
  error: unknown,
  operations: readonly Operation[] = [],
): Promise<void> {
  await undoBringUp(context, record);
  await context.records.save(withFailure(record, error), operations);
}

/**
 * Takes back everything a container that came up, or began to, has on the host. A failure is logged and left to recovery.
 */
export async function undoBringUp(context: Context, record: ContainerRecord): Promise<void> {
  const host = requireHost(context.core);
  await reportFailure(context, record, host.processes.delete(record.id));
  await Promise.all([
    reportFailure(context, record, context.treeUses.unmount(record)),
    context.teardowns.begin(record),
  ]);
}

interface Made {
  network: ContainerNetwork;
  pids: { pid: number; conmonPid: number };
}

async function actOnHost(context: Context, record: ContainerRecord, restore?: RestoreImages): Promise<Made> {
  const host = requireHost(context.core);
  if (!restore) host.processes.prepare?.(record);
  const userns = await makeUsers(context, record);
  // Both must have ended before anything is undone.
  const [tree, net] = await Promise.allSettled([mountTree(context, record, userns), connectNetwork(context, record)]);
  if (tree.status === "rejected") throw tree.reason;
  if (net.status === "rejected") throw net.reason;
  const { netns, status } = net.value;
  const secrets = await context.secrets.give(record);
  const artifacts = await artifactMounts(context, record);
  const writtenFolders = record.mounts.some(isHostFolder) ? foldersWritten(context) : undefined;
  const own = {
    record: withLinks(context, record),
    rootfs: tree.value,
    netns,
    userns,
    network: status,
    secrets,
    artifacts,
    writtenFolders,
    groupLimits: podLimits(context, record),
  };
  const pids = await host.processes.create({ ...own, restore });
  return { network: net.value, pids };
}

/** The limits of the pod whose cgroup the container's own lies in. */
function podLimits({ pods }: Context, { spec }: ContainerRecord): Limits | undefined {
  const pod = spec.pod === undefined ? undefined : pods.get(spec.pod);
  return pod !== undefined && pod.cgroupPath === spec.cgroupParent ? pod.resources : undefined;
}

/** Whether a mount shows a folder of the host that the caller names by its path. */
function isHostFolder({ type }: Pick<MountSpec, "type">): boolean {
  return type === "bind" || type === "overlay";
}

async function mountTree(context: Context, record: ContainerRecord, userns: string | undefined): Promise<string> {
  const { layers } = requireHost(context.core);
  const options = treeOptions(record, userns);
  const rootfs = await layers.mount(record.id, record.diffIDs, options);
  for (const [number, mount] of record.mounts.entries()) {
    if (mount.type === "image") await layers.mountImage(record.id, number, mount.image.diffIDs, options);
  }
  await fillVolumes(context, record, options.rootOwner);
  return rootfs;
}

/**
 * Sees to it that a container's volumes are there, their devices mounted until its tree is unmounted, and begin with what its
 * image has in their place. Its tree is mounted.
 *
 * @param owner Who gets those that the image has nothing for, unless the container's process has another user than root: as in
 * Podman, it is that user then, who could not write to them else
 */
export async function fillVolumes(
  context: Context,
  record: ContainerRecord,
  owner?: { uid: number; gid: number },
): Promise<void> {
  const { idMaps, process: { user: name } } = record;
  const user = /^(?:root|0)?(?::(?:root|0)?)?$/.test(name) ? undefined : { name, idMaps };
  for (const { source, destination, options } of volumesOf(record.mounts)) {
    // A volume that is gone comes back empty, as a container that names it expects one.
    await context.volumes.ensure(source);
    await context.volumes.use(source, record.id);
    if (!options.includes("nocopy")) await context.volumes.fill(source, record.id, destination, { owner, user });
  }
}

function withFailure(record: ContainerRecord, error: unknown): ContainerRecord {
  const status = record.state.startedAt === 0 ? "created" : "exited";
  const exitCode = failureCode(error) ?? record.state.exitCode;
  return withState(record, {
    status,
    exitCode,
    error: messageOf(error).slice(0, LONGEST_ERROR),
    pid: 0,
    conmonPid: 0,
    network: undefined,
  });
}

async function reportFailure(context: Context, record: ContainerRecord, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    context.core.log("warn", `Clean up container ${record.id}: ${messageOf(error)}`);
  }
}

function failureCode(error: unknown): number | undefined {
  if (isCode(error, "command_not_found")) return NOT_FOUND;
  return isCode(error, "command_not_executable") ? NOT_EXECUTABLE : undefined;
}
