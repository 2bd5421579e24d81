import type { Context } from "../context.ts";
import { requireHost } from "../../core.ts";
import { improperState } from "../failures.ts";

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
