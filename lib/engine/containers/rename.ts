import { type Context, emitEvent, isLive, withContainerLock } from "./context.ts";
import { requireHost } from "../core.ts";
import { EngineError } from "../errors.ts";
import { messageOf } from "../../oci/message_of.ts";
import type { ContainerRecord } from "../records/container_record.ts";
import { checkName, plainName } from "../text/names.ts";
import { isCode } from "./failures.ts";

/** Gives a container another name. Throws `name_in_use` where another has it. */
export function renameContainer(context: Context, nameOrID: string, name: string): Promise<void> {
  const { id } = context.records.resolve(nameOrID);
  const wanted = plainName(name);
  checkName(wanted);
  return withContainerLock(context, id, async () => {
    const record = context.records.require(id);
    using reserved = reserveName(context, id, wanted);
    const renamed = { ...record, name: reserved.name };
    await context.records.save(renamed);
    emitEvent(context, renamed, "rename", undefined, { oldName: `/${record.name}` });
    if (isLive(renamed)) await tellName(context, renamed, record.name);
  });
}

/** Lets a container that runs, and those of its networks, know its name. It has it in any case, and at the next start everybody does. */
export async function tellName({ core }: Context, renamed: ContainerRecord, before: string): Promise<void> {
  try {
    await requireHost(core).networks.rename(renamed, before);
  } catch (error) {
    core.log("warn", `Tell container ${renamed.id} its name: ${messageOf(error)}`);
  }
}

function reserveName(context: Context, id: string, name: string) {
  try {
    return context.records.reserve(id, name);
  } catch (error) {
    if (!isCode(error, "name_in_use")) throw error;
    // Podman has other words for it here than at create.
    const sentinel = "container already exists";
    throw new EngineError("name_in_use", `name "${name}" is in use: ${sentinel}`, { sentinel, cause: error });
  }
}
