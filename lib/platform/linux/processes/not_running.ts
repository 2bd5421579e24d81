import { EngineError } from "../../../engine/errors.ts";

/** The error of an action on a container that has no process. */
export function notRunning(action: string, containerID: string): EngineError {
  const sentinel = "container state improper";
  return new EngineError("state", `${action}: container ${containerID} is not running: ${sentinel}`, { sentinel });
}
