import { type Context, emitEvent, withContainerLock } from "./context.ts";
import { EngineError } from "../errors.ts";
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
    emitEvent(context, renamed, "rename");
  });
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
