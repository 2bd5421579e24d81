import { EngineError } from "../errors.ts";
import type { ProcessTable } from "../host_port.ts";
import { type Context, hostOf } from "./context.ts";

/** Lists what runs in a container. */
export async function topContainer(
  context: Context,
  nameOrID: string,
  args: readonly string[],
): Promise<ProcessTable> {
  const { processes } = hostOf(context);
  const { id, state: { status } } = context.records.resolve(nameOrID);
  if (status !== "running") throw new EngineError("state", "top can only be used on running containers");
  return await processes.top(id, args);
}
