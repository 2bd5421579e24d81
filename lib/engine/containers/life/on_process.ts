import type { Context } from "../context.ts";
import { requireHost } from "../../core.ts";
import { improperState } from "../failures.ts";

/**
 * Freezes the processes of a container that runs. One that was sent SIGKILL counts as ended, since a frozen process cannot die; for the
 * error, see {@linkcode onProcess}.
 */
export async function freezeProcesses(context: Context, id: string, detail: string): Promise<void> {
  if (context.dying.has(id)) throw improperState(detail);
  await onProcess(context, id, detail, () => requireHost(context.core).processes.pause(id));
}

/**
 * Does something to a container's process. When the host cannot because the process has ended just now, its record not
 * saying so yet, the error is the one the operation gives for an ended container: `detail` says that.
 */
export async function onProcess<T>(context: Context, id: string, detail: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { status } = await requireHost(context.core).processes.state(id);
    if (status === "stopped" || status === "missing") throw improperState(detail);
    throw error;
  }
}
