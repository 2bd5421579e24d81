import { EngineError } from "../errors.ts";
import type { ProcessTable } from "../ports/host_port.ts";
import type { Context } from "./context.ts";
import { requireHost } from "../core.ts";
import { noCgroup } from "./failures.ts";

/** Lists what runs in a container. */
export async function topContainer(
  context: Context,
  nameOrID: string,
  args: readonly string[],
): Promise<ProcessTable> {
  const { processes } = requireHost(context.core);
  const { id, spec, state: { status } } = context.records.resolve(nameOrID);
  if (spec.cgroupsMode === "disabled") {
    throw noCgroup(`cannot run top on container ${id} as it did not create a cgroup`);
  }
  if (status !== "running") throw new EngineError("state", "top can only be used on running containers");
  return await processes.top(id, args);
}
