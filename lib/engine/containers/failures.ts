/** The errors container operations throw, in Podman's words: clients match on them. */
import type { ContainerRecord } from "../records/container_record.ts";
import { EngineError, FieldError } from "../errors.ts";

/** No container goes by this name, ID or prefix. */
export function noSuchContainer(nameOrID: string): EngineError {
  const text = `no container with name or ID "${nameOrID}" found: no such container`;
  return new EngineError("no_such_container", text, { sentinel: "no such container" });
}

/** Several containers have this ID prefix. */
export function ambiguousContainer(nameOrID: string): EngineError {
  const text = `more than one result for container "${nameOrID}": container already exists`;
  return new EngineError("ambiguous", text, { sentinel: "container already exists" });
}

/** Another container has the name. */
export function nameInUse(name: string, id: string): EngineError {
  const sentinel = "that name is already in use";
  const text = `the container name "${name}" is already in use by ${id}. ` +
    `You have to remove that container to be able to reuse that name: ${sentinel}`;
  return new EngineError("name_in_use", text, { sentinel });
}

/** The operation does not fit the container's state. `detail` comes before the colon. */
export function improperState(detail: string, options: { cause?: unknown } = {}): EngineError {
  const sentinel = "container state improper";
  return new EngineError("state", `${detail}: ${sentinel}`, { ...options, sentinel });
}

/** The container is what the operation would make it. */
export function alreadySo(record: ContainerRecord, sentinel: string): EngineError {
  return new EngineError("unchanged", `container ${record.id}: ${sentinel}`, { sentinel });
}

/** The operation needs a cgroup, and the container was asked to have none. `detail` comes before the colon. */
export function noCgroup(detail: string): EngineError {
  const sentinel = "this container does not have a cgroup";
  return new EngineError("state", `${detail}: ${sentinel}`, { sentinel });
}

/** A field of a create request has a value that cannot be; `tell` makes the text from the field's name. */
export function invalidField(field: string, tell: (name: string) => string): FieldError {
  return new FieldError("invalid", [field], tell);
}

/** A field of a create request asks for what no container is made with yet. */
export function unsupportedField(field: string, detail?: string): FieldError {
  const tail = detail === undefined ? "" : `: ${detail}`;
  return new FieldError("unsupported", [field], (name) => `Create container: "${name}" is not supported yet${tail}`, {
    sentinel: "not yet implemented",
  });
}

/** The limits of what a container writes cannot be set on this host. */
export function cannotLimitTree(why: string, cause?: unknown): FieldError {
  const tell = (name: string) => `Create container: "${name}" is not supported here: ${why}`;
  return new FieldError("unsupported", ["treeLimit"], tell, { sentinel: "not yet implemented", cause });
}

/** Whether it is an engine error of one of these codes. */
export function isCode(error: unknown, ...codes: EngineError["code"][]): boolean {
  return error instanceof EngineError && codes.includes(error.code);
}
