/** The errors of pods, in Podman's words: clients match on them. */
import { EngineError, FieldError } from "../errors.ts";

/** No pod goes by this name, ID or prefix. */
export function noSuchPod(nameOrID: string): EngineError {
  const sentinel = "no such pod";
  return new EngineError("no_such_pod", `no pod with name or ID ${nameOrID} found: ${sentinel}`, { sentinel });
}

/** Several pods have this ID prefix. */
export function ambiguousPod(nameOrID: string): EngineError {
  const sentinel = "pod already exists";
  return new EngineError("ambiguous", `more than one result for pod "${nameOrID}": ${sentinel}`, { sentinel });
}

/** Another pod has the name. */
export function podExists(name: string): EngineError {
  const sentinel = "pod already exists";
  return new EngineError("name_in_use", `adding pod to state: name "${name}" is in use: ${sentinel}`, { sentinel });
}

/** The pod is what the operation would make it. */
export function podUnchanged(id: string, state: string): EngineError {
  return new EngineError("unchanged", `pod ${id} is ${state}`);
}

/** Two fields of a request for a pod exclude each other. */
export function exclusivePod(...fields: [first: string, second: string]): FieldError {
  const sentinel = "invalid pod spec";
  const tell = (one: string, other: string) => `${one} and ${other} are mutually exclusive pod options: ${sentinel}`;
  return new FieldError("invalid", fields, tell, { sentinel });
}

/** The infra container goes with its pod only. */
export function isInfraOf(id: string, podID: string): EngineError {
  const text = `container ${id} is the infra container of pod ${podID} and cannot be removed without removing the pod`;
  return new EngineError("state", text);
}

/** A service container goes with its pods only. */
export function servesPods(id: string, podIDs: readonly string[]): EngineError {
  const list = podIDs.join(",");
  const text =
    `container ${id} is the service container of pod(s) ${list} and cannot be removed without removing the pod(s)`;
  return new EngineError("state", text);
}
