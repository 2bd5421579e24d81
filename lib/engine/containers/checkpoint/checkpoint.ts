import type { TreeChange } from "../../ports/tree_port.ts";
import type { CRIUStatistics, DumpOptions } from "../../ports/checkpoint_port.ts";
import type { ContainerRecord } from "../../records/container_record.ts";
import { EngineError } from "../../errors.ts";
import { withoutWhiteouts } from "../../../oci/tar/changeset_files.ts";
import { type Context, emitEvent, withContainerLock } from "../context.ts";
import { requireHost } from "../../core.ts";
import { dependenciesOf } from "../dependencies.ts";
import { improperState } from "../failures.ts";
import { messageOf } from "../../../oci/message_of.ts";
import { volumesOf } from "../create/mounts.ts";
import { configDump } from "./config_dump.ts";

/** Options of {@linkcode checkpointContainer}. */
export interface CheckpointOptions extends Partial<DumpOptions> {
  /** Keep logs and statistics of the dump. */
  keep?: boolean;
  /** Give all of it as an archive that another host can restore. */
  export?: boolean;
  /** Leave what the container changed in its tree out of the archive. */
  ignoreRootFS?: boolean;
}

/** The outcome of a checkpoint or a restore. */
export interface CheckpointReport {
  id: string;
  /** Microseconds the runtime took. */
  duration: number;
  statistics: CRIUStatistics;
  /** A tar archive, when it was asked for. */
  archive?: ReadableStream<Uint8Array>;
}

/** Files of an archive. */
const FILES = ["artifacts", "config.dump", "spec.dump", "network.status", "stats-dump", "volumes"];
const CHANGES = ["rootfs-diff.tar", "deleted.files"];
const PASSING = ["dump.log", "stats-dump", "config.dump", "spec.dump"];

/** Freezes a running container into files. Where that fails it runs on as if nobody had asked. */
export function checkpointContainer(
  context: Context,
  nameOrID: string,
  options: CheckpointOptions = {},
): Promise<CheckpointReport> {
  requireHost(context.core);
  const { id } = context.records.resolve(nameOrID);
  return withContainerLock(context, id, async () => {
    const record = context.records.require(id);
    await requireHost(context.core).checkpoints.check();
    checkOptions(
      record,
      options,
      record.spec.pod === undefined ? undefined : context.pods.get(record.spec.pod)?.infraID,
    );
    return await checkpointLocked(context, record, options);
  });
}

/** @param infraID The infra container of its pod, whose place another pod's takes in a restore */
function checkOptions(record: ContainerRecord, options: CheckpointOptions, infraID?: string): void {
  const { status } = record.state;
  if (status !== "running") throw improperState(`"${status}" is not running, cannot checkpoint`);
  if (record.spec.remove && !options.export) {
    const text = "cannot checkpoint containers that have been started with '--rm' unless '--export' is used";
    throw new EngineError("internal", text);
  }
  if (options.export && dependenciesOf(record).some((id) => id !== infraID)) {
    throw new EngineError("internal", "cannot export checkpoints of containers with dependencies");
  }
}

async function checkpointLocked(
  context: Context,
  record: ContainerRecord,
  options: CheckpointOptions,
): Promise<CheckpointReport> {
  const { checkpoints } = requireHost(context.core);
  const { core, records } = context;
  const { id } = record;
  const { leaveRunning = false, preCheckpoint = false } = options;
  const isStopping = !leaveRunning && !preCheckpoint;
  // Its end is nobody's failure: no policy may start it again, also when this server goes meanwhile.
  const marked = isStopping ? await records.saveState(record, { stoppedByUser: true }) : record;
  const begun = core.clock.now();
  try {
    await checkpoints.dump(id, {
      leaveRunning,
      preCheckpoint,
      tcpEstablished: options.tcpEstablished ?? false,
      fileLocks: options.fileLocks ?? false,
      withPrevious: options.withPrevious ?? false,
    });
  } catch (error) {
    if (isStopping) await records.saveState(marked, { stoppedByUser: record.state.stoppedByUser });
    throw error;
  }
  const now = core.clock.now();
  const done = isStopping ? await records.saveState(marked, { checkpointedAt: now, restoredAt: undefined }) : marked;
  const { name } = await requireHost(context.core).processes.runtime();
  await checkpoints.write(id, "config.dump", configDump(done, name, now));
  await checkpoints.write(id, "spec.dump", JSON.stringify({ annotations: record.spec.annotations }));
  await checkpoints.write(id, "network.status", JSON.stringify(record.state.network ?? {}));
  const archive = options.export ? await exportLocked(context, record, options) : undefined;
  emitEvent(context, record, "checkpoint");
  const statistics = await checkpoints.statistics(id);
  if (!options.keep && !preCheckpoint) await checkpoints.remove(id, PASSING);
  return { id, duration: Math.round((now - begun) * 1000), statistics, archive };
}

/** The paths that are gone, as a JSON array. */
function deletedFiles(changes: AsyncIterable<TreeChange[]>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return ReadableStream.from((async function* () {
    let separator = "[";
    for await (const some of changes) {
      const paths = some.filter(({ kind }) => kind === "deleted").map(({ path }) => JSON.stringify(path));
      if (paths.length === 0) continue;
      yield encoder.encode(separator + paths.join());
      separator = ",";
    }
    yield encoder.encode(separator === "[" ? "[]" : "]");
  })());
}

async function exportLocked(
  context: Context,
  record: ContainerRecord,
  { ignoreRootFS, preCheckpoint }: CheckpointOptions,
): Promise<ReadableStream<Uint8Array>> {
  const { checkpoints, trees } = requireHost(context.core);
  const { id } = record;
  try {
    if (!ignoreRootFS) {
      await checkpoints.write(id, "rootfs-diff.tar", trees.changeset(id).pipeThrough(withoutWhiteouts()));
      const changes = trees.changes({ containerID: id }, record.diffIDs);
      await checkpoints.write(id, "deleted.files", deletedFiles(changes));
    }
    for (const { source } of volumesOf(record.mounts)) await checkpoints.saveVolume(id, source);
    const images = preCheckpoint ? "pre-checkpoint" : "checkpoint";
    return await checkpoints.pack(id, [...FILES, ...CHANGES, images]);
  } finally {
    await checkpoints.remove(id, [...CHANGES, "volumes"]).catch((error) => {
      context.core.log("warn", `Clean up checkpoint of container ${id}: ${messageOf(error)}`);
    });
  }
}
