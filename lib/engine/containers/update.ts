import type { ContainerRecord, RestartPolicy, RLimit } from "../records/container_record.ts";
import { EngineError, invalid } from "../errors.ts";
import { type Limits, mergeLimits, type PathLimits } from "../records/limits.ts";
import { type Context, emitEvent, isLive, withContainerLock } from "./context.ts";
import { requireHost } from "../core.ts";
import { improperState } from "./failures.ts";
import { onProcess } from "./life/on_process.ts";
import { checkRecordSize } from "./record_size.ts";
import { limitsConflict } from "./create/validate.ts";

/** The changes to a container; absent fields stay as they are. */
export interface UpdateOptions {
  limits?: Limits;
  pathLimits?: PathLimits;
  restartPolicy?: RestartPolicy;
  /** `NAME=value`, over those it has; from the next start on. */
  env?: readonly string[];
  /** Names that go; from the next start on. */
  unsetEnv?: readonly string[];
  /** In place of those it has; from the next start on. */
  rlimits?: RLimit[];
  /** Refuse limits that this machine cannot keep, in place of a warning. */
  strict?: boolean;
}

/** Changes a container: its limits at once where it has a process, the rest from its next start or end on. */
export function updateContainer(
  context: Context,
  nameOrID: string,
  options: UpdateOptions,
): Promise<{ record: ContainerRecord; warnings: string[] }> {
  const { resources } = requireHost(context.core);
  const { id } = context.records.resolve(nameOrID);
  return withContainerLock(context, id, async () => {
    const record = context.records.require(id);
    if (record.state.status === "removing") throw improperState(`container ${id} is being removed, cannot update`);
    const { limits = {}, pathLimits, rlimits, restartPolicy } = options;
    if (record.spec.remove && restartPolicy && restartPolicy.name !== "no") {
      throw invalid("Restart policy cannot be updated because AutoRemove is enabled for the container");
    }
    const merged = mergeLimits(record.spec.resources, limits);
    const conflict = limitsConflict(merged);
    if (conflict !== undefined) throw invalid(conflict);
    const granted = await resources.grant({
      limits: merged,
      pathLimits,
      cgroupsMode: record.spec.cgroupsMode,
    });
    const [warning] = granted.warnings;
    if (options.strict && warning !== undefined) {
      throw new EngineError("unsupported", warning);
    }
    const changes = changesOf(record.spec.resources, granted.limits);
    const updated: ContainerRecord = {
      ...record,
      spec: {
        ...record.spec,
        resources: granted.limits,
        blockDevices: granted.blockDevices,
        ...rlimits && { rlimits },
        ...restartPolicy && { restartPolicy },
      },
      process: { ...record.process, env: updatedEnv(record.process.env, options) },
    };
    checkRecordSize(context, updated);
    if (isLive(record) && Object.keys(changes).length > 0) {
      const detail = `container ${id} is not running, cannot update`;
      await onProcess(context, id, detail, () => resources.update(id, granted.limits, changes));
    }
    await context.records.save(updated);
    emitEvent(context, updated, "update");
    return { record: updated, warnings: granted.warnings };
  });
}

/** The fields that differ. */
function changesOf(old: Limits, fresh: Limits): Limits {
  const parts = Object.entries(fresh).flatMap(([part, value]) => {
    // Whatever a part is, its fields can be listed; a field is compared by its text.
    const before = (old[part as keyof Limits] ?? {}) as Record<string, unknown>;
    const fields = Object.entries(value).filter(([key, item]) => JSON.stringify(item) !== JSON.stringify(before[key]));
    return fields.length > 0 ? [[part, Object.fromEntries(fields)]] : [];
  });
  return Object.fromEntries(parts);
}

function updatedEnv(env: readonly string[], { env: added = [], unsetEnv = [] }: UpdateOptions): string[] {
  if (added.length === 0 && unsetEnv.length === 0) return [...env];
  const values = new Map([...env, ...added].map((entry) => [entry.split("=", 1)[0]!, entry]));
  for (const name of unsetEnv) values.delete(name);
  return [...values.values()];
}
