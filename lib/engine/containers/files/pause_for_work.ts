import type { Intent } from "../../store/intents.ts";
import { type Context, withContainerLock } from "../context.ts";
import { requireHost } from "../../core.ts";
import { freezeProcesses } from "../life/on_process.ts";

/** The kind of the intents that precede a pause which is to end with the work it is for. */
export const PAUSE_INTENT = "container.pause_for_work";

/** Freezes a container's processes, where it runs and that is asked for, until what comes back is disposed of. */
export async function pauseForWork(context: Context, id: string, asked: boolean): Promise<AsyncDisposable> {
  let intent = asked ? await pauseContainer(context, id) : undefined;
  return {
    async [Symbol.asyncDispose]() {
      const open = intent;
      intent = undefined;
      if (open !== undefined) await endPause(context, open);
    },
  };
}

/** Lets a container go on that was paused for work, unless somebody else has decided about it since. */
export function endPause(context: Context, intent: Intent): Promise<void> {
  const { core, records } = context;
  const id = intent.subject;
  return withContainerLock(context, id, async () => {
    const record = records.get(id);
    if (record?.state.status !== "paused") return await core.state.commit([core.intents.end(intent)]);
    await requireHost(context.core).processes.resume(id);
    await records.saveState(record, { status: "running" }, [core.intents.end(intent)]);
  });
}

function pauseContainer(context: Context, id: string): Promise<Intent | undefined> {
  const { core, records } = context;
  return withContainerLock(context, id, async () => {
    const record = records.require(id);
    if (record.state.status !== "running") return undefined;
    const { intent, operation } = core.intents.begin(PAUSE_INTENT, id);
    await core.state.commit([operation]);
    try {
      await freezeProcesses(context, id, `container ${id} has ended`);
    } catch (error) {
      await core.state.commit([core.intents.end(intent)]);
      throw error;
    }
    await records.saveState(record, { status: "paused" });
    return intent;
  });
}
